"""Questions about the closed set of facts.py."""

from facts import (
    AUTHORS,
    CAPITALS,
    CURRENCIES,
    DEFINITIONS,
    ELEMENTS,
    OPPOSITES,
    OTHER_FACTS,
    YOUNG_ANIMALS,
)
from turns import exchange
from values import chance, expand, pick, rng
from words import DAYS, MONTHS


def capital():
    country, city = rng.choice(CAPITALS[:25] if chance(0.25) else CAPITALS)
    if chance(0.12):
        question = pick("Which country has the capital {}?", "{} is the capital of which country?").format(city)
        return exchange(question, f"{city} is the capital of {country}.", f"Capital of {country}: {city}.")
    question = pick(
        "What is the capital of {}?",
        "What is the capital of {}?",
        "Capital of {}?",
        "Name the capital of {}",
        "Which city is the capital of {}?",
        "Tell me the capital of {}.",
        "what's the capital of {}",
        "What's the capital of {}?",
        "Do you know the capital of {}?",
        "{} capital?",
        "What is the capital city of {}?",
        "What city is the capital of {}?",
        "Can you tell me the capital of {}?",
        "The capital of {}?",
        "{}: what is the capital?",
    )
    return exchange(
        question.format(country), f"The capital of {country} is {city}.", f"Capital of {country}: {city}."
    )


def currency():
    country, money = rng.choice(CURRENCIES)
    question = pick("What is the currency of {}?", "Which currency does {} use?", "What money is used in {}?")
    return exchange(question.format(country), f"{country} uses the {money}.", f"{country}: {money}.")


def element():
    element_name, symbol = rng.choice(ELEMENTS)
    question = pick("What is the chemical symbol of {}?", "Symbol for {}?", "What is the symbol of {}?")
    return exchange(
        question.format(element_name), f"The symbol of {element_name} is {symbol}.", f"{element_name}: {symbol}."
    )


def opposite():
    one, other = rng.choice(OPPOSITES)
    if chance(0.5):
        one, other = other, one
    question = pick("What is the opposite of {}?", "Opposite of {}?", "Give the opposite of {}.")
    return exchange(question.format(one), f"The opposite of {one} is {other}.", f"{one}: {other}.")


def young_animal():
    animal, young = rng.choice(YOUNG_ANIMALS)
    question = pick("What is a young {} called?", "What do you call a baby {}?")
    return exchange(question.format(animal), f"A young {animal} is called a {young}.", f"{animal}: {young}.")


def author():
    book, writer = rng.choice(AUTHORS)
    question = pick("Who wrote {}?", "Who is the author of {}?")
    return exchange(question.format(book), f"{book} was written by {writer}.", f"{book}: {writer}.")


def following():
    names, kind = pick((DAYS, "day"), (MONTHS, "month"))
    index = rng.randrange(len(names))
    return exchange(
        f"Which {kind} comes after {names[index]}?", names[(index + 1) % len(names)], f"After {names[index]}."
    )


def other():
    question, reply = rng.choice(OTHER_FACTS)
    return exchange(question, reply, "I know this.")


def fact():
    kinds = {capital: 46, currency: 10, element: 10, opposite: 12, young_animal: 6, author: 4, following: 3, other: 9}
    fragment = rng.choices(list(kinds), list(kinds.values()))[0]()
    question = fragment["turns"][0]
    if chance(0.25):
        question["content"] = question["content"].lower()
    if chance(0.1):
        question["content"] = question["content"].rstrip("?.")
    return fragment


def definition():
    term, meaning = rng.choice(DEFINITIONS)
    article = "" if term[0].isupper() or " " in term else "an " if term[0] in "aeiou" else "a "
    question = rng.choice(
        (
            f"What is {article}{term}?",
            f"What is {article}{term}?",
            f"Define {term}",
            f"What does {term} mean?",
            f"Give a short definition of {term}.",
            f"(Explain|Describe|Define) {term}(| in one sentence| in simple words| briefly)(|.)",
            f"What is {article}{term}? (Answer in one sentence.|Be brief.|Keep it short.)",
        )
    )
    return exchange(expand(question), f"{term[0].upper()}{term[1:]}: {meaning}.", "A short definition.")
