"""Wrong answers for the reranker: the passages that the bag of words takes for the nearest ones."""

import os
import pickle
import random
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from evaluation_sets import held_pairs
from tokenizer import load
from training_data import mean_rows, tokenise, training_pairs

QUERIES = 40000
SHORTEST_PASSAGE = 20  # pieces
NEAREST, NEAREST_HELD = 12, 4


@dataclass
class Mined:
    """Queries, passages and, for each chosen query, the places of near but wrong passages in `candidates`."""

    queries: list
    passages: list
    passage_ids: list
    chosen: list[int]  # numbers of queries
    candidates: list[int]  # numbers of passages, one for each passage id
    wrong: list[list[int]]


def longest_of_each(passages, passage_ids):
    """Numbers of one passage for each passage id, the longest text of it."""
    longest = {}
    for number, (passage, passage_id) in enumerate(zip(passages, passage_ids)):
        known = longest.get(passage_id)
        if len(passage) > SHORTEST_PASSAGE and (known is None or len(passage) > len(passages[known])):
            longest[passage_id] = number
    return list(longest.values())


def nearest(queries, query_ids, passages, passage_ids, table, count):
    """For each query the nearest passages of another id. The very nearest is left out: it is often right as well."""

    def embed(rows):
        return F.normalize(mean_rows(rows, table), dim=1).bfloat16()

    passage_vectors, query_vectors = embed([passage[:128] for passage in passages]), embed(queries)
    passage_ids, query_ids, found = torch.tensor(passage_ids), torch.tensor(query_ids), []
    for at in range(0, len(queries), 1000):
        scores = (query_vectors[at : at + 1000] @ passage_vectors.T).float()
        scores.masked_fill_(query_ids[at : at + 1000, None] == passage_ids[None], -2.0)
        found += scores.topk(count + 1).indices[:, 1:].tolist()
    return found


def mine(queries, passages, passage_ids, chosen, table, count):
    candidates = longest_of_each(passages, passage_ids)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        wrong = nearest(
            [queries[number] for number in chosen],
            [passage_ids[number] for number in chosen],
            [passages[number] for number in candidates],
            [passage_ids[number] for number in candidates],
            table,
            count,
        )
    return Mined(queries, passages, passage_ids, chosen, candidates, wrong)


def without_ends(rows):
    """Without [CLS] and [SEP]."""
    return [row[1:-1] for row in rows]


def mined_training(work, table):
    data = training_pairs(work)
    queries, passages = without_ends(data.queries), without_ends(data.passages)
    order = random.Random(3).sample(range(len(queries)), len(queries))
    usable = [number for number in order if len(queries[number]) and len(passages[number]) > SHORTEST_PASSAGE]
    return mine(queries, passages, data.passage_ids, usable[:QUERIES], table, NEAREST)


def mined_held(work, table):
    pairs, tokenizer = held_pairs(work), load(work)
    queries = without_ends(tokenise(tokenizer, [pair.query for pair in pairs], 256))
    passages = without_ends(tokenise(tokenizer, [pair.passage for pair in pairs], 256))
    return mine(queries, passages, [pair.passage_id for pair in pairs], range(len(pairs)), table, NEAREST_HELD)


def mined(work, table):
    """(training, held); searched once, then read from WORK/mined.pickle."""
    path = os.path.join(work, "mined.pickle")
    if not os.path.exists(path):
        found = mined_training(work, table), mined_held(work, table)
        with open(path, "wb") as file:
            pickle.dump(found, file)
    with open(path, "rb") as file:
        return pickle.load(file)
