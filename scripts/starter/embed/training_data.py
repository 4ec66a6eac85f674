"""The tokenised training pairs, and batches of them that depend on seed and step alone."""

import os
import pickle
import random
import zlib
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from tokenizer import load, read_pairs

LONGEST_QUERY, LONGEST_PASSAGE = 64, 256
SIDE_BY_SIDE = 8  # pairs of one document in a batch: they are the hardest wrong answers for each other


@dataclass
class TrainingPairs:
    queries: list[np.ndarray]
    passages: list[np.ndarray]
    passage_ids: list[int]
    query_hashes: list[int]
    groups: list[list[int]]  # numbers of the pairs of one document


def tokenise(tokenizer, texts, longest):
    tokenizer.enable_truncation(longest)
    return [
        np.array(encoding.ids, np.int32)
        for at in range(0, len(texts), 5000)
        for encoding in tokenizer.encode_batch(texts[at : at + 5000])
    ]


def training_pairs(work):
    """Tokenised once, then read from WORK/tokenised.pickle."""
    path = os.path.join(work, "tokenised.pickle")
    if os.path.exists(path):
        with open(path, "rb") as file:
            return pickle.load(file)
    pairs, tokenizer, groups = list(read_pairs(os.path.join(work, "pairs.jsonl"))), load(work), {}
    for number, pair in enumerate(pairs):
        groups.setdefault(pair.group, []).append(number)
    found = TrainingPairs(
        queries=tokenise(tokenizer, [pair.query for pair in pairs], LONGEST_QUERY),
        passages=tokenise(tokenizer, [pair.passage for pair in pairs], LONGEST_PASSAGE),
        passage_ids=[pair.passage_id for pair in pairs],
        query_hashes=[zlib.crc32(pair.query.lower().encode()) for pair in pairs],
        groups=list(groups.values()),
    )
    with open(path, "wb") as file:
        pickle.dump(found, file)
    return found


def batches(groups, size, seed, first_step):
    """Endless (step, numbers of pairs) from `first_step` on; a resumed run sees what an unbroken one would."""
    epoch = step = 0
    while True:
        rng = random.Random(seed * 1000 + epoch)
        epoch += 1
        chunks = []
        for group in groups:
            group = group[:]
            rng.shuffle(group)
            chunks += [group[at : at + SIDE_BY_SIDE] for at in range(0, len(group), SIDE_BY_SIDE)]
        rng.shuffle(chunks)
        batch = []
        for chunk in chunks:
            batch += chunk
            if len(batch) >= size:
                if step >= first_step:
                    yield step, batch[:size]
                step += 1
                batch = []


def padded(rows):
    """(ids, mask) of rows of different lengths"""
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = ids.copy()
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return torch.from_numpy(ids), torch.from_numpy(mask)


def mean_rows(rows, table):
    """The mean of a table's rows for each row of ids: the vector of a text as a bag of words."""
    starts = torch.from_numpy(np.cumsum([0] + [len(row) for row in rows[:-1]]))
    return F.embedding_bag(torch.from_numpy(np.concatenate(rows).astype(np.int64)), table, starts, mode="mean")


def in_parts_by_length(lengths, parts, compute):
    """compute(numbers) for parts of similar length, which saves padding; results in the order of `lengths`."""
    order = sorted(range(len(lengths)), key=lambda number: lengths[number])
    bounds = [part * len(order) // parts for part in range(parts + 1)]
    results = torch.cat([compute(order[first:end]) for first, end in zip(bounds, bounds[1:])])
    place = torch.empty(len(order), dtype=torch.long)
    place[torch.tensor(order)] = torch.arange(len(order))
    return results[place]
