"""Numbers: counting, small sums, comparing. Sums stay small, larger ones are out of reach."""

from turns import exchange
from values import chance, distinct, expand, pick, rng


def count():
    """`Count from 1 to 20`: a long, regular answer that has to stop at the right place."""
    first = 1 if chance(0.7) else rng.randint(0, 30)
    last = first + (rng.randint(2, 20) if chance(0.7) else rng.randint(2, 49))
    numbers = list(range(first, last + 1))
    if first == 1 and chance(0.4):
        question = f"(Please|Can you|) (count|count up) to {last}"
    else:
        question = f"(Please|Can you|) (Count from {first} to {last}|list the numbers from {first} to {last}|write the numbers {first} to {last}|count {first} to {last})"
    if chance(0.2) and last - first <= 15:
        question = f"(Please|) (Count down from {last} to {first}|count backwards from {last} to {first})"
        numbers.reverse()
    text = expand(question + "(|.)")
    return exchange(
        text[0].upper() + text[1:] if chance(0.8) else text,
        ", ".join(map(str, numbers)),
        f"From {numbers[0]} to {numbers[-1]}.",
    )


def small_sum():
    """Tables up to ten (rarely twenty), which can be learned by heart; real arithmetic cannot."""
    operation = pick("+", "+", "-", "*")
    high = 20 if operation != "*" and chance(0.15) else 10
    left, right = rng.randint(0, high), rng.randint(0, high)
    if operation == "-":
        left, right = max(left, right), min(left, right)
    result, spoken = {
        "+": (left + right, "plus"),
        "-": (left - right, "minus"),
        "*": (left * right, "times"),
    }[operation]
    if operation == "*":
        operation = pick("*", "x")
    formula = f"{left} {operation} {right}"
    shown = pick(formula, formula, f"{left} {spoken} {right}", f"{left}{operation}{right}")
    question = pick(
        "What is {}?", "What is {}?", "{}", "{} =", "Calculate {}", "How much is {}?", "Compute {}.", "What's {}?"
    )
    return exchange(
        question.format(shown),
        f"{left} {operation.replace('x', '*')} {right} = {result}",
        f"{left} {spoken} {right} is {result}.",
    )


def compare():
    left, right = distinct(lambda: rng.randint(1, 999), 2)
    if chance(0.5):
        question = pick("Which is larger, {} or {}?", "Which number is bigger: {} or {}?").format(left, right)
        return exchange(question, str(max(left, right)), f"Compare {left} and {right}.")
    return exchange(
        f"Is {left} even or odd?", f"{left} is {'odd' if left % 2 else 'even'}.", f"The last digit is {left % 10}."
    )


def next_number():
    first, step = rng.randint(1, 40), rng.randint(1, 5)
    shown = ", ".join(str(first + index * step) for index in range(4))
    return exchange(f"What comes next: {shown}?", str(first + 4 * step), f"The step is {step}.")
