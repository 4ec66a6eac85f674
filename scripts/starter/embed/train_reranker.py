"""Training of the reranker: python train_reranker.py WORK [--stop-after STEPS]

Each query comes with its passage, four near but wrong passages and a random one; the right one has to win, and the
sigmoid of a logit has to be usable by itself. It stops early: after 250 of the 1500 steps of the schedule it ranked
questions from elsewhere better than at the end, where it has learned what is peculiar to made-up queries.
"""

import argparse
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as F

from mining import SHORTEST_PASSAGE, mined
from reranker import WIDTH, Reranker
from tokenizer import VOCABULARY
from training_data import in_parts_by_length, padded

SCHEDULE_STEPS, STOP_AFTER = 1500, 250
QUERIES_PER_STEP = 48
WRONG = 5  # near ones, and one random
GROUP = WRONG + 1
LONGEST_QUERY = 40
LONGEST_PASSAGE, LONGEST_NOW_AND_THEN = 110, 180
WARM_UP = 20
RENAMED_PIECES = 5000
COMMONEST_PIECES = 1500  # keep their names: special tokens, letters, frequent words


def initial_model(work, table):
    """Tokens from the embedder's table, made more distinct; rarity from the frequencies."""
    torch.manual_seed(0)
    model = Reranker()
    length = table.norm(dim=1, keepdim=True)
    identity = F.normalize(torch.randn(len(table), WIDTH), dim=1)
    model.tokens.weight.data = F.normalize(table[:, :WIDTH] + 0.35 * length * identity, dim=1)
    _, frequency = torch.load(os.path.join(work, "warm.pt"))
    rarity = (torch.log(1 / (frequency + 1e-7)) - 2.5).clamp(min=0.02) / 6
    model.rarity.weight.data = torch.log(torch.expm1(rarity))[:, None]
    return model


def optimizer_of(model):
    tables = [model.tokens.weight, model.rarity.weight]
    others = [parameter for parameter in model.parameters() if all(parameter is not table for table in tables)]
    groups = [
        dict(params=[model.tokens.weight], full_rate=1e-3),
        dict(params=[model.rarity.weight], full_rate=4e-3),
        dict(params=others, full_rate=3e-3),
    ]
    return torch.optim.Adam(groups, betas=(0.9, 0.98))


def score(model, queries, documents):
    """[queries, GROUP]; the documents of each query begin with the right one."""

    def compute(numbers):
        query_ids, query_mask = padded([queries[number] for number in numbers])
        ids, mask = padded([document for number in numbers for document in documents[number]])
        query_ids, query_mask = (x.repeat_interleave(GROUP, 0) for x in (query_ids, query_mask.float()))
        return model.score(query_ids, query_mask, ids, mask.float()).view(-1, GROUP)

    return in_parts_by_length([len(query) for query in queries], 4, compute)


def random_wrong(data, number, rng):
    while True:
        candidate = data.candidates[rng.randrange(len(data.candidates))]
        if data.passage_ids[candidate] != data.passage_ids[number]:
            return candidate


def group_of(data, number, near, random_one, longest):
    """The passages of a query cut to `longest` pieces, the right one first."""
    numbers = [number, *(data.candidates[place] for place in near), random_one]
    return [data.passages[each][:longest] for each in numbers]


def renamed(rng):
    """A table that swaps many pieces for others, so that equality counts and not what a piece stands for."""
    names = np.arange(VOCABULARY)
    places = COMMONEST_PIECES + np.array(rng.sample(range(VOCABULARY - COMMONEST_PIECES), RENAMED_PIECES))
    names[np.sort(places)] = places
    return names


def training_batch(data, step):
    """(queries, documents) of a step: depends on the step alone."""
    rng, queries, documents = random.Random(7000000 + step), [], []
    for place in [rng.randrange(len(data.chosen)) for _ in range(QUERIES_PER_STEP)]:
        number = data.chosen[place]
        longest = LONGEST_NOW_AND_THEN if rng.random() < 0.2 else LONGEST_PASSAGE
        random_one = random_wrong(data, number, rng)
        near = rng.sample(data.wrong[place], WRONG - 1)
        queries.append(data.queries[number][:LONGEST_QUERY])
        documents.append(group_of(data, number, near, random_one, longest))
    if rng.random() < 0.3:
        names = renamed(rng)
        queries = [names[query] for query in queries]
        documents = [[names[document] for document in group] for group in documents]
    return queries, documents


def loss_of(scores):
    right = torch.zeros(len(scores), dtype=torch.long)
    labels = F.one_hot(right, GROUP).to(scores.dtype)
    by_itself = F.binary_cross_entropy_with_logits(scores, labels, pos_weight=torch.tensor(float(WRONG)))
    return F.cross_entropy(scores, right) + 0.4 * by_itself


def accuracy(model, held):
    """Share of the groups of held-out documents in which the right passage wins."""
    rng, scores = random.Random(5), []
    usable = [
        number for number in held.chosen if len(held.passages[number]) > SHORTEST_PASSAGE and len(held.queries[number])
    ]
    for at in range(0, len(usable), 50):
        queries, documents = [], []
        for number in usable[at : at + 50]:
            near, random_one = held.wrong[number][: WRONG - 1], random_wrong(held, number, rng)
            queries.append(held.queries[number][:LONGEST_QUERY])
            documents.append(group_of(held, number, near, random_one, LONGEST_NOW_AND_THEN))
        with torch.no_grad():
            scores.append(score(model, queries, documents))
    return float((torch.cat(scores).argmax(1) == 0).float().mean())


def update(model, optimizer, data, step):
    """One step; its loss."""
    share = min(1, (step + 1) / WARM_UP) * max(0.02, 1 - step / SCHEDULE_STEPS)
    for group in optimizer.param_groups:
        group["lr"] = group["full_rate"] * share
    loss = loss_of(score(model, *training_batch(data, step)))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


def main(work, stop_after):
    table = torch.load(os.path.join(work, "bag.step3000.pt"))["tokens.weight"]
    data, held = mined(work, table)
    print(len(data.candidates), "passages,", len(data.chosen), "queries", flush=True)
    model = initial_model(work, table)
    optimizer, began, average = optimizer_of(model), time.time(), None
    print(f"untrained, accuracy on held-out documents {accuracy(model, held):.4f}", flush=True)
    torch.save(model.state_dict(), os.path.join(work, "reranker.untrained.pt"))
    for step in range(stop_after):
        loss = update(model, optimizer, data, step)
        average = loss if average is None else 0.98 * average + 0.02 * loss
        if (step + 1) % 50 == 0:
            print(f"step {step + 1}, {time.time() - began:.0f} s, loss {average:.3f}", flush=True)
    print(f"step {stop_after}, accuracy on held-out documents {accuracy(model, held):.4f}", flush=True)
    torch.save(model.state_dict(), os.path.join(work, "reranker.pt"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("--stop-after", type=int, default=STOP_AFTER, help="steps; the schedule stays the same")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    main(arguments.work, arguments.stop_after)
