"""The three evaluation sets that collect.py made; no passage or sentence of them is in the training data.

held: pairs of documents kept out whole, against their passages; made like the training pairs, so the easiest.
perlfaq: the questions people wrote for perlfaq, against the passages of all answers.
dropped: pairs made from the sources that do not train (text files, info manuals).
"""

import json
import os
from typing import NamedTuple

import numpy as np

from ranking import figures, ranks, unit
from tokenizer import read_pairs
from pairs import Pair

LARGEST = 1500
NAMES = "held", "perlfaq", "dropped"


class EvaluationSet(NamedTuple):
    queries: list[str]
    passages: list[str]
    right: list[np.ndarray]  # for each query the numbers of all passages that count as right


def held_pairs(work):
    return list(read_pairs(os.path.join(work, "held.jsonl")))[:LARGEST]


def from_pairs(pairs):
    ids = np.array([pair.passage_id for pair in pairs])
    right = [np.flatnonzero(ids == passage_id) for passage_id in ids]
    return EvaluationSet([pair.query for pair in pairs], [pair.passage for pair in pairs], right)


def evaluation_sets(work):
    with open(os.path.join(work, "evaluation.json")) as file:
        saved = json.load(file)
    faq = saved["perlfaq"]
    return dict(
        held=from_pairs(held_pairs(work)),
        perlfaq=EvaluationSet(faq["questions"], faq["passages"], [np.array(numbers) for numbers in faq["answers"]]),
        dropped=from_pairs([Pair(*pair) for pair in saved["dropped"]]),
    )


def retrieval(title, sets, embed, dimensions, names=NAMES):
    """Figures by (set, dimensions); `embed` makes the vectors of a list of texts. Prints each."""
    found = {}
    for name in names:
        queries, passages, right = sets[name]
        query_vectors, passage_vectors = embed(queries), embed(passages)
        for count in dimensions:
            scores = unit(query_vectors[:, :count]) @ unit(passage_vectors[:, :count]).T
            found[name, count] = figures(ranks(scores, right))
            print(title, name, count, "dimensions", found[name, count], flush=True)
    return found
