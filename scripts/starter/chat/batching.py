"""An endless stream of fresh batches: conversations are generated while training and never repeat."""

import random

import numpy as np
import torch

import values
from conversation import conversation, long_conversation
from rendering import render
from tokenizer import ORDINARY, PADDING

# Rows of a batch share one of these lengths; each costs one compilation. Padding is on the right, so that
# causal attention needs no mask for it.
LENGTHS = [96, 128, 192, 256, 320, 384, 512, 768]
POOL = 3000


def encoded(tokenizer, fragments):
    """(ids, weights) of each conversation."""
    rendered = [[part for part in render(fragment) if part[0]] for fragment in fragments]
    encodings = iter(
        tokenizer.encode_batch([text for parts in rendered for text, _ in parts], add_special_tokens=False)
    )
    for parts in rendered:
        ids, weights = [], []
        for _, weight in parts:
            piece = next(encodings).ids
            ids += piece
            weights += [weight] * len(piece)
        yield ids, weights


def batch_of(rows, length):
    ids = np.full((len(rows), length), PADDING, np.int64)
    weights = np.zeros((len(rows), length), np.float32)
    for index, (row_ids, row_weights) in enumerate(rows):
        ids[index, : len(row_ids)] = row_ids
        weights[index, : len(row_weights)] = row_weights
    return torch.from_numpy(ids), torch.from_numpy(weights)


def conversations(tokenizer, seed, tokens):
    """Batches of about `tokens` tokens, rows of similar length together, lengths in random order."""
    values.rng.seed(seed)
    order = random.Random(seed)
    waiting = {length: [] for length in LENGTHS}
    while True:
        batches = []
        for ids, weights in encoded(tokenizer, [conversation() for _ in range(POOL)]):
            if len(ids) > LENGTHS[-1]:
                continue
            length = next(length for length in LENGTHS if length >= len(ids))
            waiting[length].append((ids, weights))
            if len(waiting[length]) == max(1, tokens // length):
                batches.append((waiting[length], length))
                waiting[length] = []
        order.shuffle(batches)
        for rows, length in batches:
            yield batch_of(rows, length)


def long_rows(tokenizer, tokens):
    """One row of the full length; what does not fit is cut off."""
    ids, weights = next(encoded(tokenizer, [long_conversation(characters=2 * tokens)]))
    return batch_of([(ids[:tokens], weights[:tokens])], tokens)


def random_copies(generator, tokens):
    """Random tokens whose spans come again later; only the repeated spans count.

    Exercises copying of any token, also of those that conversations seldom hold."""
    length = int(generator.choice([96, 128, 192]))
    half = length // 2
    ids = generator.integers(0, ORDINARY, (tokens // length, length))
    weights = np.zeros(ids.shape, np.float32)
    for row in range(len(ids)):
        at = half
        while at < length - 3:
            size = int(min(length - at, generator.integers(3, 24)))
            start = int(generator.integers(0, half - size))
            ids[row, at : at + size] = ids[row, start : start + size]
            weights[row, at + 1 : at + size] = 1
            at += size
    return torch.from_numpy(ids), torch.from_numpy(weights)
