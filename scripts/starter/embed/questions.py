"""Questions made from sentences: a part is hidden and a question word put in its place."""

import re

from variations import vary
from words import FUNCTION_WORDS

WORD = re.compile(r"[A-Za-z0-9][\w'/.-]*\w|[A-Za-z0-9]")
YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
FOR_YEARS = ["when", "what year", "in what year"]
FOR_NUMBERS = ["how many", "what number", "how much", "what", "how long"]
FOR_NAMES = ["who", "what", "which", "where", "what is the name of", "who was", "what is"]
FOR_OTHERS = ["what", "which", "how", "why", "what is", "what does", "what kind of", "how does", "what type of"]
AUXILIARIES = ["", "", "did", "does", "is", "was", "are", "were", "do", "can"]


def is_content(word):
    return word.lower() not in FUNCTION_WORDS


def hidden_part(words, rng):
    """(first, end, question word) of what is hidden: a number, a name or a content word; None when there is none."""
    numbers = [at for at, word in enumerate(words) if word[0].isdigit()]
    names = [at for at, word in enumerate(words) if at and word[0].isupper() and len(word) > 1]
    others = [at for at, word in enumerate(words) if is_content(word) and len(word) > 3]
    chance = rng.random()
    if numbers and chance < 0.5:
        first = rng.choice(numbers)
        return first, first + 1, rng.choice(FOR_YEARS if YEAR.fullmatch(words[first]) else FOR_NUMBERS)
    if names and chance < 0.75:
        first = rng.choice(names)
        end = first + 1
        while end < len(words) and words[end][0].isupper() and end - first < 4:
            end += 1
        while first > 1 and words[first - 1][0].isupper() and end - first < 4:
            first -= 1
        return first, end, rng.choice(FOR_NAMES)
    if others:
        first = rng.choice(others)
        return first, first + 1, rng.choice(FOR_OTHERS)
    return None


def in_random_order(question_word, left, right, rng):
    chance, auxiliary = rng.random(), rng.choice(AUXILIARIES)
    if chance < 0.5:
        return [question_word, auxiliary] + left + right
    if chance < 0.75:
        return [question_word] + right + left
    return left + [question_word] + right


def question_mark(rng):
    if rng.random() < 0.1:
        return " ?"
    return "?" if rng.random() < 0.85 else ""


def question_about(sentence, rng):
    """A rough question that the sentence answers, or None where it is too short or says too little."""
    words = WORD.findall(sentence)
    part = hidden_part(words, rng) if len(words) >= 5 else None
    if part is None:
        return None
    first, end, question_word = part
    reach = rng.randint(4, 12)
    start = max(0, first - rng.randint(1, reach))
    stop = min(len(words), end + reach - (first - start))
    left, right = words[start:first], words[end:stop]
    if sum(map(is_content, left + right)) < 2:
        return None
    left, right = vary(left, rng, 0.1, 0.15, 0.2), vary(right, rng, 0.1, 0.15, 0.2)
    question = " ".join(word for word in in_random_order(question_word, left, right, rng) if word)
    if rng.random() < 0.5:
        question = question[0].upper() + question[1:]
    return question + question_mark(rng)
