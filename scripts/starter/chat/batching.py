"""An endless stream of fresh batches: conversations are generated while training and never repeat."""

import random

import numpy as np
import torch

import values
from conversation import conversation, long_conversation, tail
from prompts import agent_prompt
from rendering import render, tools_text
from tokenizer import ORDINARY, PADDING, SPECIAL_TOKENS
from tool_catalogue import some_tools

# Rows of a batch share one of these lengths; each costs one compilation. Padding is on the right, so that
# causal attention needs no mask for it.
LENGTHS = [96, 128, 192, 256, 320, 384, 512, 768]
POOL = 3000
DAMAGED = 0.15  # share of the rows in which one answer goes astray
# The first tokens of an answer decide what it will be; the rest often follows by itself.
DECISIVE = 4
DECISIVE_WEIGHT = 2.5
END = PADDING + SPECIAL_TOKENS.index("<|im_end|>")


def encoded(tokenizer, fragments):
    """(ids, weights) of each conversation."""
    # Parts on either side of a unit separator are encoded apart: no token crosses it.
    rendered = [
        [(piece, weight) for text, weight in render(fragment) for piece in text.split("\x1f") if piece]
        for fragment in fragments
    ]
    encodings = iter(
        tokenizer.encode_batch([text for parts in rendered for text, _ in parts], add_special_tokens=False)
    )
    for parts in rendered:
        ids, weights = [], []
        for _, weight in parts:
            piece = next(encodings).ids
            ids += piece
            if weight:
                decisive = min(DECISIVE, len(piece))
                weights += [max(weight, DECISIVE_WEIGHT)] * decisive + [weight] * (len(piece) - decisive)
            else:
                weights += [0] * len(piece)
        yield ids, weights


def batch_of(rows, length):
    ids = np.full((len(rows), length), PADDING, np.int64)
    weights = np.zeros((len(rows), length), np.float32)
    for index, (row_ids, row_weights) in enumerate(rows):
        ids[index, : len(row_ids)] = row_ids
        weights[index, : len(row_weights)] = row_weights
    return torch.from_numpy(ids), torch.from_numpy(weights)


def astray(ids):
    """Tokens as they come when sampling has lost its way: any token, one in a loop, a piece from elsewhere."""
    rng = values.rng
    count = rng.randint(2, 40) if values.chance(0.3) else 2 + int(rng.expovariate(0.4))
    draw = rng.random()
    if draw < 0.4:
        return [rng.randrange(ORDINARY) for _ in range(count)]
    if draw < 0.6:
        return ([rng.randrange(ORDINARY) for _ in range(rng.randint(1, 4))] * count)[:count]
    start = rng.randrange(len(ids))
    return [token for token in ids[start : start + count] if token < ORDINARY] or [rng.randrange(ORDINARY)]


def damaged(ids, weights):
    """One answer with some tokens wrong, which goes on as it should, or with a tail of nonsense, which ends.

    The wrong tokens are not learned, what follows them is: so an unlucky draw does not lead to an endless answer."""
    rng = values.rng
    ends = [at for at, token in enumerate(ids) if token == END and weights[at] > 0]
    end = rng.choice(ends)
    start = end
    while start > 0 and weights[start - 1] > 0:
        start -= 1
    if end - start < 3:
        return ids, weights
    at = rng.randrange(start, end)
    if values.chance(0.4):
        ids, weights = list(ids), list(weights)
        for place in {at, rng.randrange(start, end)}:
            ids[place], weights[place] = rng.randrange(ORDINARY), 0
        return ids, weights
    nonsense = astray(ids)
    return ids[:at] + nonsense + ids[end:], weights[:at] + [0] * len(nonsense) + weights[end:]


def conversations(tokenizer, seed, tokens):
    """Batches of about `tokens` tokens, rows of similar length together, lengths in random order."""
    order = random.Random(seed)
    waiting = {length: [] for length in LENGTHS}
    while True:
        batches = []
        for ids, weights in encoded(tokenizer, [conversation() for _ in range(POOL)]):
            if values.chance(DAMAGED):
                ids, weights = damaged(ids, weights)
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


def prefixed_rows(tokenizer, length, tokens):
    """(ids of a long system prompt of about `length` tokens, ids and weights of conversations that follow it)."""
    tools = some_tools(values.rng.randint(1, 12)) if values.chance(0.4) else []
    system = agent_prompt(int(length * 2.4))
    text = tools_text(system, [shape for _, shape, _ in tools]) if tools else system
    before = tokenizer.encode(f"<|im_start|>system\n{text}<|im_end|>\n", add_special_tokens=False).ids
    if len(before) > length:  # what is too much goes from the middle
        before = before[: length // 2] + before[len(before) - length // 2 :]
    rows, widest = [], 0
    while True:
        ids, weights = next(encoded(tokenizer, [tail(tools)]))
        if len(ids) > 200:
            continue
        widest = max(widest, len(ids))
        if widest * (len(rows) + 1) > tokens:
            return torch.tensor(before), *batch_of(rows, max(len(row) for row, _ in rows))
        rows.append(damaged(ids, weights) if values.chance(DAMAGED) else (ids, weights))


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
