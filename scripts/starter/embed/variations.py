"""Small changes of a text that keep its meaning: synonyms, other word forms, dropped function words."""

from words import FUNCTION_WORDS, OTHER_FORMS, SYNONYMS


def synonyms_by_phrase():
    found = {}
    for group in SYNONYMS:
        for phrase in group:
            found.setdefault(phrase, set()).update(other for other in group if other != phrase)
    return {phrase: sorted(others) for phrase, others in found.items()}


SYNONYMS_OF = synonyms_by_phrase()


def other_form(word, rng):
    """Another grammatical form, sometimes not a real one: a search for it has to find the text all the same."""
    lower = word.lower()
    if lower in OTHER_FORMS:
        return OTHER_FORMS[lower]
    if lower.endswith("ies"):
        return lower[:-3] + "y"
    if lower.endswith("ing"):
        return rng.choice([lower[:-3], lower[:-3] + "e", lower[:-3] + "ed"])
    if lower.endswith("ed"):
        return rng.choice([lower[:-1], lower[:-2], lower[:-2] + "ing"])
    if lower.endswith("s") and not lower.endswith("ss"):
        return lower[:-1]
    return lower + "s" if rng.random() < 0.5 else word


def vary(words, rng, synonym=0.12, form=0.12, drop=0.0):
    """The words with changes at the given rates (a synonym is tried at twice its rate)."""
    out, at = [], 0
    while at < len(words):
        word = words[at]
        lower, two_words = word.lower(), " ".join(words[at : at + 2]).lower()
        if two_words in SYNONYMS_OF and rng.random() < synonym * 2:
            out += rng.choice(SYNONYMS_OF[two_words]).split()
            at += 2
            continue
        if lower in SYNONYMS_OF and rng.random() < synonym * 2:
            out += rng.choice(SYNONYMS_OF[lower]).split()
        elif lower in FUNCTION_WORDS and rng.random() < drop:
            pass
        elif rng.random() < form and lower.isalpha() and len(lower) > 3 and lower not in FUNCTION_WORDS:
            out.append(other_form(word, rng))
        else:
            out.append(word)
        at += 1
    return out


def varied(text, rng, *rates):
    return " ".join(vary(text.split(), rng, *rates))
