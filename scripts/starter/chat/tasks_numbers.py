"""Numbers: counting, small sums, comparing. Sums stay small, larger ones are out of reach."""

from turns import exchange
from values import chance, distinct, expand, pick, rng


TOO_LARGE = "I am only a tiny test model, so I cannot do large sums. Please add a bigger model for that."


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


SUM_WEIGHT = 6  # the result is one token or two among many
NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
# Operation: its sign in the answer, what is written between the numbers, whole requests.
OPERATIONS = {
    "+": (
        ("{} + {}", "{} + {}", "{} + {}", "{}+{}", "{} plus {}", "{} and {} together"),
        (
            "add {} and {}",
            "Add {} to {}",
            "the sum of {} and {}",
            "sum up {} and {}",
            "Sum of {} and {}",
            "{} added to {}",
        ),
    ),
    "-": (
        ("{} - {}", "{} - {}", "{}-{}", "{} minus {}"),
        ("subtract {1} from {0}", "take {1} away from {0}", "the difference of {} and {}", "{} take away {}"),
    ),
    "*": (
        ("{} * {}", "{} * {}", "{}*{}", "{} x {}", "{} times {}", "{} multiplied by {}", "{}x{}"),
        ("multiply {} by {}", "the product of {} and {}", "Multiply {} and {}"),
    ),
}
SUM_QUESTIONS = (
    "What is {}?",
    "What is {}?",
    "What is {}?",
    "what is {}",
    "{}",
    "{}",
    "{}?",
    "{} =",
    "{}=",
    "{} = ?",
    "{}=?",
    "{} is",
    "Calculate {}",
    "calculate {}",
    "How much is {}?",
    "how much is {}",
    "Compute {}.",
    "What's {}?",
    "what's {}",
    "whats {}",
    "Solve {}",
    "{} equals",
    "What does {} equal?",
    "What do you get for {}?",
    "Can you calculate {}?",
    "Tell me {}",
    "Please calculate {}.",
    "Hey, what is {}?",
    "Do you know what {} is?",
    "What is the result of {}?",
    "What is the answer to {}?",
    "Work out {}",
    "I need {}",
    "Can you tell me what {} is?",
)


def small_sum():
    """Tables that can be learned by heart: sums and differences up to 20, products up to 10 times 10."""
    sign = pick("+", "+", "+", "+", "-", "*")
    high = 10 if sign == "*" or chance(0.2) else 20
    left, right = rng.randint(0, high), rng.randint(0, high)
    if sign == "-":
        left, right = max(left, right), min(left, right)
    result = {"+": left + right, "-": left - right, "*": left * right}[sign]
    between, requests = OPERATIONS[sign]
    shown = (NUMBER_WORDS[left], NUMBER_WORDS[right]) if chance(0.15) else (left, right)
    request = chance(0.2)
    formula = rng.choice(requests if request else between).format(*shown)
    question = (
        pick("{}", "{}", "What is {}?", "Please {}.", "Can you {}?", "{}?") if request else rng.choice(SUM_QUESTIONS)
    )
    fragment = exchange(
        question.format(formula), f"{left} {sign} {right} = {result}", f"I know {left} {sign} {right} by heart."
    )
    fragment["turns"][1]["weight"] = SUM_WEIGHT
    return fragment


def large_sum():
    """Sums beyond the tables are declined."""
    left, right = rng.randint(21, 99), rng.randint(2, 99)
    if chance(0.5):
        left, right = rng.randint(21, pick(99, 999, 9999)), rng.randint(11, pick(99, 999))
    if chance(0.3):
        left, right = right, left
    sign = pick("+", "-", "*", "x", "plus", "minus", "times", "/", "divided by", "to the power of", "% of")
    if sign in ("*", "x", "times"):
        left, right = max(left, right), rng.randint(2, 30)
    if sign in ("/", "divided by"):
        left, right = rng.randint(2, pick(20, 99, 999)), rng.randint(2, 20)
    question = rng.choice(SUM_QUESTIONS).format(f"{left} {sign} {right}" if chance(0.8) else f"{left}{sign}{right}")
    return exchange(question, TOO_LARGE, "These numbers are too large for me.")


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
