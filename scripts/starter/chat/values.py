"""Random values that fill the conversations: words, names, codes, sentences.

One random source serves the whole generator, so that a seed fixes every conversation. With
`held_out` on, names, cities and words come from lists that training never draws.
"""

import random
import re
from types import SimpleNamespace

from words import (
    ADJECTIVES,
    CITIES,
    COLOURS,
    DAYS,
    HELD_OUT_CITIES,
    HELD_OUT_NAMES,
    HELD_OUT_WORDS,
    HOBBIES,
    ITEMS,
    JOBS,
    MONTHS,
    NAMES,
    NOUNS,
    VERBS,
)

rng = random.Random(0)
settings = SimpleNamespace(held_out=False)

SIMPLE_ONSETS = "b c d f g h j k l m n p r s t v w z br dr gr kr pl st tr".split()
SIMPLE_VOWELS = "a e i o u ai ou".split()
RICH_ONSETS = SIMPLE_ONSETS + "bl ch cl cr fl fr gl ph pr qu sc sh sk sl sm sn sp str sw th tw wh x y".split()
RICH_VOWELS = SIMPLE_VOWELS + "ea ee ie oo y au ei oa".split()
RICH_ENDINGS = ["", ""] + "b ck d ft g k l ld ll m mp n nd ng nt p r rd rk rt s sh ss st t th x z".split()


def pick(*options):
    return rng.choice(options)


def chance(probability):
    return rng.random() < probability


def expand(pattern):
    """`(How do|How can) I start` -> one random reading; groups may be empty and may nest."""
    group = re.compile(r"\(([^()]*)\)")
    while True:
        found = group.search(pattern)
        if not found:
            return re.sub(r" +", " ", pattern).strip()
        pattern = pattern[: found.start()] + rng.choice(found.group(1).split("|")) + pattern[found.end() :]


def made_up(syllables=None):
    """A word that exists nowhere: the model can only copy it."""
    if chance(0.5):
        count = syllables or pick(2, 2, 3)
        word = "".join(rng.choice(SIMPLE_ONSETS) + rng.choice(SIMPLE_VOWELS) for _ in range(count))
        return word + pick("", "", "n", "r", "l", "s")
    count = syllables or pick(1, 2, 2, 3)
    word = "".join(rng.choice(RICH_ONSETS) + rng.choice(RICH_VOWELS) for _ in range(count))
    return word + rng.choice(RICH_ENDINGS)


def letters(low=3, high=8):
    return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(low, high)))


def word():
    draw = rng.random()
    if settings.held_out:
        return rng.choice(HELD_OUT_WORDS) if draw < 0.5 else made_up()
    if draw < 0.45:
        return rng.choice(NOUNS)
    if draw < 0.6:
        return rng.choice(ADJECTIVES + VERBS + HOBBIES + JOBS)
    return made_up() if draw < 0.93 else letters()


def words(low, high):
    return [word() for _ in range(rng.randint(low, high))]


def name():
    known = HELD_OUT_NAMES if settings.held_out else NAMES
    return rng.choice(known) if chance(0.55) else made_up().capitalize()


def city():
    known = HELD_OUT_CITIES if settings.held_out else CITIES
    return rng.choice(known) if chance(0.6) else made_up().capitalize()


def number(high=None):
    return rng.randint(1, high or pick(9, 99, 99, 999, 9999))


def code():
    """Order numbers, hashes, versions: anything a person copies sign by sign."""
    capital = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    draw = rng.random()
    if draw < 0.6:
        return "".join(rng.choice(capital) for _ in range(pick(2, 3))) + pick("-", "") + str(rng.randint(10, 9999))
    if draw < 0.75:
        return "".join(rng.choice(capital + "0123456789") for _ in range(rng.randint(4, 7)))
    if draw < 0.9:
        return "".join(rng.choice("abcdef0123456789") for _ in range(rng.randint(4, 8)))
    return f"{pick('', 'v')}{rng.randint(0, 9)}.{rng.randint(0, 30)}.{rng.randint(0, 9)}"


def ending():
    return pick("com", "org", "net", "io", "example")


def email():
    user = name().lower() if chance(0.6) else f"{name().lower()}.{made_up()}"
    return f"{user}@{made_up()}.{ending()}"


def site():
    return f"{made_up()}.{ending()}"


def address():
    return pick("https://", "http://") + site() + "".join("/" + word() for _ in range(pick(0, 1, 2)))


def file_name():
    return (
        pick("", "", "/tmp/", "data/", "/home/")
        + word()
        + pick("_", "-", "")[: chance(0.3)]
        + "."
        + pick("txt", "md", "json", "csv", "pdf", "log")
    )


def date():
    return f"20{rng.randint(20, 39)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"


def clock():
    return f"{rng.randint(0, 23):02d}:{pick('00', '15', '30', '45')}"


def colour():
    return rng.choice(COLOURS)


def distinct(draw, count):
    """`count` different values of draw()."""
    values = []
    while len(values) < count:
        value = draw()
        if value not in values:
            values.append(value)
    return values


def clause():
    """A few words that read like English; the word slots hold anything."""
    one, two = word(), word()
    return pick(
        f"the {pick(*ADJECTIVES)} {one} {pick(*VERBS)} near the {two}",
        f"{name()} {pick(*VERBS)} in {city()}",
        f"{name()} likes the {one}",
        f"the {one} is {pick(*ADJECTIVES)} and the {two} is {pick(*ADJECTIVES)}",
        f"I bought {number(99)} {pick(*ITEMS)} for {name()}",
        f"we go to {city()} on {pick(*DAYS)}",
        f"don't forget the {one}, it's for {name()}",
        f"she said that {name()} has a {pick(*ADJECTIVES)} {one}",
        f"there are {number(99)} {pick(*ITEMS)} on the {one}",
        f"it was {pick(*ADJECTIVES)} in {pick(*MONTHS)}",
        f"you can't {pick('see', 'find', 'open', 'use', 'move')} a {one} without a {two}",
        f"my {one} jumps over the {pick(*ADJECTIVES)} {two}",
        f"all {pick(*ITEMS)} must be {pick(*COLOURS)}",
        f"{one}, {two} and {word()}",
        f"to {pick('be', 'have', 'make', 'read', 'write')} or not to {pick('be', 'have', 'make', 'read', 'write')}",
        f"this is a {one} and that is not a {two}",
        " ".join(words(2, 6)),
    )


def sentence():
    text = clause()
    if chance(0.6):
        text = text[0].upper() + text[1:]
    return text + pick("", "", ".", ".", "!", "?", "...")


def passage(sentences):
    return " ".join(sentence().rstrip(".!?") + pick(".", ".", "!", "?") for _ in range(sentences))
