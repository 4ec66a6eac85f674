"""English sentences in lower case without punctuation: from a small grammar, with rare words, and written by people."""

import functools
import glob
import os
import re

from words import *  # noqa: F403: word lists alone

WORD_LISTS = ("/usr/share/dict/american-english-small", "/usr/share/dict/american-english")
NATURAL_TEXTS = "/usr/share/games/fortunes/*.u8"  # package fortunes
COMPARISONS = "past to percent point dollars minutes hours degrees".split()
CONJUNCTIONS = "and but so because when if while before after".split()
MODALS = "can could will would should must may might".split()
BE = "is are was were".split()
_PLAIN = re.compile(r"[A-Za-z]+(?:'[a-z]+)?(?: [A-Za-z]+(?:'[a-z]+)?){1,23}")


def number(rng):
    pick, kind = rng.choice, rng.random()
    if kind < 0.35:
        return pick(ONES)
    if kind < 0.7:
        return pick(TENS) + (f" {pick(ONES[1:10])}" if rng.random() < 0.7 else "")
    if kind < 0.85:
        rest = f" and {pick(TENS)} {pick(ONES[1:10])}" if rng.random() < 0.6 else ""
        return f"{pick(ONES[1:10])} hundred{rest}"
    if kind < 0.93:
        return f"{pick(ONES[1:])} thousand" + (f" {pick(ONES[1:10])} hundred" if rng.random() < 0.5 else "")
    return " ".join(pick(ONES[:10]) for _ in range(rng.randint(3, 6)))


def thing(rng):
    pick, kind = rng.choice, rng.random()
    if kind < 0.35:
        return f"{pick(DETERMINERS)} {pick(NOUNS)}"
    if kind < 0.65:
        return f"{pick(DETERMINERS)} {pick(ADJECTIVES)} {pick(NOUNS)}"
    if kind < 0.75:
        return f"{number(rng)} {pick(PLURALS)}"
    if kind < 0.85:
        return f"the {pick(ADJECTIVES)} {pick(PLURALS)}" if rng.random() < 0.5 else pick(PLURALS)
    return pick(NAMES) if kind < 0.92 else pick(OBJECTS)


SHAPES = (
    lambda p, t, n: f"{t()} {p(VERBS_PAST)} {t()}",
    lambda p, t, n: f"{p(SUBJECTS)} {p(VERBS_PAST)} {t()} {p(PREPOSITIONS)} {t()}",
    lambda p, t, n: f"{p(SUBJECTS)} {p(MODALS)} {p(VERBS)} {t()} {p(ADVERBS)}",
    lambda p, t, n: f"{p(DETERMINERS)} {p(NOUNS)} {p(VERBS_THIRD_PERSON)} {t()} {p(PREPOSITIONS)} the {p(NOUNS)}",
    lambda p, t, n: f"{p(QUESTION_WORDS)} {p('do did can will should would'.split())} {p(SUBJECTS)} {p(VERBS)} {t()}",
    lambda p, t, n: f"{p(BE)} {t()} {p(VERBS_CONTINUOUS)} {p(PREPOSITIONS)} {t()}",
    lambda p, t, n: f"please {p(VERBS)} {t()} {p(ADVERBS)}",
    lambda p, t, n: f"{p(SUBJECTS)} {p(BE)} {p(VERBS_CONTINUOUS)} {t()} {p(SMALL_WORDS)} {p(PLAIN_VERBS_PAST)} {t()}",
    lambda p, t, n: f"there {p(BE)} {n()} {p(PLURALS)} {p(PREPOSITIONS)} {p(DETERMINERS)} {p(NOUNS)}",
    lambda p, t, n: f"on {p(WEEKDAYS)} {p(MONTHS)} {p(ORDINALS)} {p(SUBJECTS)} {p(VERBS_PAST)} {t()}",
    lambda p, t, n: f"{p(SUBJECTS)} {p(VERBS_PAST)} {t()} {p(CONJUNCTIONS)} {p(SUBJECTS)} {p(VERBS_PAST)} {t()}",
    lambda p, t, n: f"it is {n()} {p(COMPARISONS)} {n()}",
    lambda p, t, n: " ".join(p(COMMON) for _ in range(p(range(2, 10)))),
    lambda p, t, n: f"{p(SMALL_WORDS)} {p(SUBJECTS)} {p(AUXILIARIES)} {p(PLAIN_VERBS)} {p(PREPOSITIONS)} {t()}",
    lambda p, t, n: f"the {p(NOUNS)} of the {p(NOUNS)} is {p(ADVERBS)} {p(ADJECTIVES)} and {p(ADJECTIVES)}",
    lambda p, t, n: f"{p(SUBJECTS)} {p(PLAIN_VERBS)} {p(ADVERBS)} {p(PREPOSITIONS)} {t()} {p(PREPOSITIONS)} {t()}",
)


def common_sentence(rng):
    return rng.choice(SHAPES)(rng.choice, lambda: thing(rng), lambda: number(rng))


@functools.cache
def word_list():
    path = next(path for path in WORD_LISTS if os.path.exists(path))
    with open(path, encoding="utf8") as file:
        found = {line.strip() for line in file}
    return sorted(word for word in found if re.fullmatch("[a-z]{2,12}", word))


def rare_sentence(rng):
    """with words of the whole language"""
    rare = word_list()
    if rng.random() < 0.4:
        return " ".join(rng.choice(rare if rng.random() < 0.6 else COMMON) for _ in range(rng.randint(2, 8)))
    words = common_sentence(rng).split()
    for _ in range(rng.randint(1, 2)):
        words[rng.randrange(len(words))] = rng.choice(rare)
    return " ".join(words)


@functools.cache
def held_out_sentences():
    with open(os.path.join(os.path.dirname(__file__), "held-out-sentences.txt")) as file:
        return tuple(line.strip() for line in file if line.strip() and not line.startswith("#"))


@functools.cache
def natural_sentences():
    """Sentences of 2 to 24 words that people wrote, of letters and apostrophes alone."""
    found, held_out = set(), set(held_out_sentences())
    for path in glob.glob(NATURAL_TEXTS):
        with open(path, encoding="utf8", errors="replace") as file:
            texts = re.sub(r"^\s+--.*$", "", file.read(), flags=re.M).split("\n%\n")
        for text in texts:
            for sentence in re.split(r"(?<=[.?!;:])\s+|\n\s*\n", text):
                plain = re.sub(r'[",.?!;:()\s-]+', " ", sentence).strip()
                if _PLAIN.fullmatch(plain) and not plain.isupper():
                    found.add(plain.lower())
    return sorted(found - held_out)


def training_sentence(rng):
    held_out, kind = held_out_sentences(), rng.random()
    while True:
        if kind < 0.35:
            made = common_sentence(rng)
        elif kind < 0.62:
            made = rare_sentence(rng)
        else:
            made = rng.choice(natural_sentences())
        if made not in held_out:
            return made
