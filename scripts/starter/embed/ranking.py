"""BM25, and how well scores rank the right passages."""

import math
import re
from collections import Counter

import numpy as np


def bm25(passages, queries, k1=1.2, b=0.75):
    """[queries, passages]"""
    texts = [re.findall(r"\w+", passage.lower()) for passage in passages]
    counts = [Counter(text) for text in texts]
    lengths = np.array([len(text) for text in texts])
    containing = Counter(word for count in counts for word in count)
    scores = np.zeros((len(queries), len(passages)))
    for row, query in zip(scores, queries):
        for word in set(re.findall(r"\w+", query.lower())):
            if word not in containing:
                continue
            found = containing[word]
            rarity = math.log(1 + (len(passages) - found + 0.5) / (found + 0.5))
            count = np.array([count.get(word, 0) for count in counts])
            row += rarity * count * (k1 + 1) / (count + k1 * (1 - b + b * lengths / lengths.mean()))
    return scores


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def figures(ranks):
    """From the ranks of the best right passages, counted from 0."""
    ranks = np.asarray(ranks)
    return dict(
        r1=round(float((ranks == 0).mean()), 4),
        r5=round(float((ranks < 5).mean()), 4),
        mrr10=round(float(np.where(ranks < 10, 1 / (ranks + 1), 0).mean()), 4),
        questions=len(ranks),
    )


def ranks(scores, right):
    """How many passages stand before the best right one; `right` are the numbers of the right passages of each row."""
    return np.array([(row > row[numbers].max()).sum() for row, numbers in zip(scores, right)])
