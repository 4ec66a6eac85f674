"""The token table before training: python warm_start.py WORK

The row of a piece is a random direction mixed with what it occurs next to (positive pointwise mutual information,
reduced by a singular value decomposition), as long as the piece is rare. Its mean over a text already finds similar
texts, so that training begins near BM25 and not at chance. Writes warm.pt: the table and each piece's frequency.
"""

import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

from encoder import WIDTH
from pairs import GENERATED_KINDS
from tokenizer import BEGINNING, PADDING, SEPARATOR, VOCABULARY, load, read_pairs

WINDOW = 5
CONTEXTS = 4096  # the most frequent pieces count as neighbours
LONGEST_TEXT = 256
PAIRS_READ = 60000
RANDOM_SHARE, NEIGHBOUR_SHARE = 0.75, 0.66
RARITY = 1e-3  # a piece of this frequency gets half the length of a very rare one
SPECIAL_LENGTH = 0.02
SEED = 1


def all_pieces(work, tokenizer):
    """The pieces of all texts in a row, with padding between texts so that windows do not reach across."""
    gap = [PADDING] * WINDOW
    with open(os.path.join(work, "passages.txt")) as file:
        lines = file.read().split("\n")
    found = []
    for at in range(0, len(lines), 4000):
        for encoding in tokenizer.encode_batch(lines[at : at + 4000], add_special_tokens=False):
            found.append(np.array(encoding.ids[:LONGEST_TEXT] + gap, np.int64))
    for number, pair in enumerate(read_pairs(os.path.join(work, "pairs.jsonl"))):
        if number == PAIRS_READ:
            break
        if pair.kind in GENERATED_KINDS:
            text = pair.query + " " + pair.passage
            found.append(np.array(tokenizer.encode(text, add_special_tokens=False).ids + gap, np.int64))
    return np.concatenate(found)


def neighbours(pieces, counts):
    """[vocabulary, contexts]: how often a piece stands near a frequent one, the nearer the more."""
    column = np.full(VOCABULARY, -1, np.int64)
    column[np.argsort(-counts)[:CONTEXTS]] = np.arange(CONTEXTS)
    table = np.zeros(VOCABULARY * CONTEXTS, np.float32)
    for distance in range(1, WINDOW + 1):
        before, after = pieces[:-distance], pieces[distance:]
        for piece, context in ((before, after), (after, before)):
            real = (piece != PADDING) & (context != PADDING) & (column[context] >= 0)
            cells = piece[real] * CONTEXTS + column[context[real]]
            table += np.bincount(cells, minlength=VOCABULARY * CONTEXTS).astype(np.float32) / distance
    return torch.from_numpy(table.reshape(VOCABULARY, CONTEXTS))


def mutual_information(table):
    rows = table.sum(1, keepdim=True).clamp(min=1e-6)
    columns = table.sum(0, keepdim=True).clamp(min=1) ** 0.75
    return (table / rows / (columns / columns.sum())).clamp(min=1e-9).log().clamp(min=0)


def reduced(table):
    torch.manual_seed(SEED)
    left, values, _ = torch.svd_lowrank(table, q=WIDTH + 16, niter=2)
    return F.normalize(left[:, :WIDTH] * values[:WIDTH] ** 0.5, dim=1).nan_to_num()


def warm_start(work):
    """(token table, frequency of each piece)"""
    pieces = all_pieces(work, load(work))
    counts = np.bincount(pieces, minlength=VOCABULARY).astype(np.float64)
    counts[PADDING] = 0
    meaning = reduced(mutual_information(neighbours(pieces, counts)))
    generator = torch.Generator().manual_seed(SEED)
    identity = F.normalize(torch.randn(VOCABULARY, WIDTH, generator=generator), dim=1)
    frequency = torch.tensor((counts + 1) / counts.sum(), dtype=torch.float32)
    length = RARITY / (RARITY + frequency)
    length[[PADDING, BEGINNING, SEPARATOR]] = SPECIAL_LENGTH
    table = F.normalize(RANDOM_SHARE * identity + NEIGHBOUR_SHARE * meaning, dim=1) * length[:, None]
    return table, frequency


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.save(warm_start(sys.argv[1]), os.path.join(sys.argv[1], "warm.pt"))
