"""Cuts the paragraphs of a document into passages of about 30 to 130 words."""

import hashlib
import re

from readers import without_roff

COMMON = set("the of to and a in is for that this be with as it are or on by an if not can from you which".split())
SENTENCE_END = re.compile(r'(?<=[.!?])\s+(?=[A-Z"(])')
LONGEST_SENTENCE = 600  # characters
LONGEST_HEADING = 80


def is_prose(text):
    """English running text, not a table, code or a list of names."""
    if not 50 <= len(text) <= 6000:
        return False
    words = text.lower().split()
    letters = sum(character.isalpha() or character == " " for character in text) / len(text)
    common = sum(word in COMMON for word in words) / len(words)
    return len(words) >= 9 and letters > 0.82 and common > 0.18 and text.isprintable()


def first_seen(text, seen):
    """False when the same letters came before; licence boilerplate and copied pages are dropped so."""
    digest = hashlib.md5(re.sub(r"[^a-z]", "", text.lower()).encode()).digest()
    if digest in seen:
        return False
    seen.add(digest)
    return True


def pieces(paragraph):
    """Runs of whole sentences of about 110 words: (sentences, words)."""
    sentences = [sentence for sentence in SENTENCE_END.split(paragraph) if len(sentence) > 15]
    while sentences:
        taken, words = [], 0
        while sentences and words < 110:
            taken.append(sentences.pop(0)[:LONGEST_SENTENCE])
            words += taken[-1].count(" ") + 1
        yield taken, words


def passages(sections, seen):
    """(heading, sentences) of each passage; short paragraphs under one heading are joined."""
    heading, sentences, length = "", [], 0
    for section, paragraph in sections:
        paragraph = without_roff(paragraph)
        if not is_prose(paragraph) or not first_seen(paragraph, seen):
            continue
        for taken, words in pieces(paragraph):
            if sentences and heading == section and length + words < 100:
                sentences.extend(taken)
                length += words
                continue
            if sentences:
                yield heading, sentences
            heading, sentences, length = section[:LONGEST_HEADING], taken, words
    if sentences:
        yield heading, sentences
