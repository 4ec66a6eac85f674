"""Pairs of a query and the passage that it should find, made from the passages themselves and from templates."""

import re
from collections import Counter
from typing import NamedTuple

from entities import entity
from intents import INTENTS
from questions import question_about
from variations import varied, vary
from words import SYNONYMS

EMPTY_HEADINGS = set("description options notes name examples bugs author".split()) | {"see also"}
SEARCH_BEGINNINGS = ["", "", "what is ", "how to ", "about "]
PHRASES = ["the {}", "a {} thing", "{}", "very {}", "to {}", "it was {}", "meaning of {}"]
GENERATED_KINDS = "template-fact", "intent", "synonym"
ENTITIES = 16000


class Pair(NamedTuple):
    group: str  # pairs of one document, which training puts side by side
    query: str
    passage: str
    kind: str
    passage_id: int  # pairs of the same passage are never each other's wrong answers


class Passage(NamedTuple):
    source: str
    title: str
    heading: str
    sentences: list[str]

    @property
    def document(self):
        return f"{self.source}/{self.title}"

    @property
    def text(self):
        return " ".join(self.sentences)


class Rarity:
    """In how many of the training passages a word occurs."""

    def __init__(self, texts):
        self.passages = len(texts)
        self.count = Counter(word for text in texts for word in set(re.findall(r"[a-z]{3,}", text.lower())))

    def rare_words(self, sentence):
        words = sorted(set(re.findall(r"[A-Za-z]{3,}", sentence)))
        return [word for word in words if self.count[word.lower()] < self.passages / 20]


class PairList(list):
    """Collects pairs; those without a query or with the passage itself as query are dropped."""

    def add(self, group, query, passage, kind, passage_id):
        if query and len(query) >= 3 and query.lower() != passage.lower():
            self.append(Pair(group, query[:400], passage[:1400], kind, passage_id))

    def kinds(self):
        return Counter(pair.kind for pair in self)


def keyword_query(sentence, rarity, rng):
    """Two to five words of the sentence, rather the rare ones, as somebody might type them; None if it has too few."""
    words = rarity.rare_words(sentence)
    if len(words) < 2:
        return None
    words = sorted(words, key=lambda word: rarity.count[word.lower()] * (0.3 + rng.random()))
    words = words[: rng.randint(2, 5)]
    rng.shuffle(words)
    return rng.choice(SEARCH_BEGINNINGS) + " ".join(vary(words, rng))


def heading_query(passage, rng):
    """The heading with or without the title of its document, for half of the headings that say something."""
    heading = passage.heading
    if len(heading) <= 5 or heading.lower() in EMPTY_HEADINGS or rng.random() >= 0.5:
        return None
    return (passage.title + " " if rng.random() < 0.6 else "") + heading


def add_pairs(found, passages, rng, rarity, is_first_round=True):
    """Pairs of all (passage id, passage). Later rounds leave out the kinds that they would only repeat."""
    for passage_id, passage in passages:
        sentences, text, group = passage.sentences, passage.text, passage.document
        if is_first_round:
            found.add(group, heading_query(passage, rng), text, "title-body", passage_id)
        for sentence in rng.sample(sentences, 2) if len(sentences) > 2 else sentences:
            found.add(group, question_about(sentence, rng), text, "cloze-question", passage_id)
        at = rng.randrange(len(sentences))
        sentence = sentences[at]
        if len(sentences) >= 3 and rng.random() < 0.5:
            found.add(group, sentence, " ".join(sentences[:at] + sentences[at + 1 :]), "inverse-cloze", passage_id)
        elif is_first_round and len(sentences) == 2 and rng.random() < 0.3:
            found.add(group, sentences[0], sentences[1], "adjacent", passage_id)
        if rng.random() < 0.6:
            found.add(group, keyword_query(sentence, rarity, rng), text, "keywords", passage_id)
        if rng.random() < 0.2:
            found.add(group, varied(sentence, rng, 0.3, 0.15, 0.1), sentence, "paraphrase", passage_id)


def add_generated_pairs(found, first_id, rng):
    """Pairs from this project's own templates and lists."""
    passage_id = first_id
    for number in range(ENTITIES):
        text, questions = entity(rng)
        passage_id += 1
        for forms in rng.sample(questions, 2):
            query = varied(rng.choice(forms), rng, 0.1, 0, 0)
            found.add(f"synth/{number // 8}", query, text, "template-fact", passage_id)
    for texts in INTENTS:
        passage_id += 1
        for _ in range(120):
            one, other = rng.sample(texts, 2)
            query, passage = varied(one, rng, 0.15, 0.05, 0.1), varied(other, rng, 0.1, 0, 0)
            found.add("faq", query, passage, "intent", passage_id)
    for group in SYNONYMS:
        passage_id += 1
        for _ in range(20):
            one, other = rng.sample(group, 2)
            phrase = rng.choice(PHRASES)
            passage = rng.choice([phrase, "{}"]).format(other)
            found.add("syn", phrase.format(one), passage, "synonym", passage_id)
