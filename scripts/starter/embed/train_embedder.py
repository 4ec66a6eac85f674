"""Training of the embedder: python train_embedder.py STAGE WORK [--stop-after STEPS]

Stage `bag` trains the token table alone, as a bag of words; stage `layers` goes on from it with the whole encoder.
Each query has to find its passage among those of the batch, with the first 64, 128 and all 256 numbers of the vectors.
An interrupted stage goes on from its last checkpoint and sees the same batches as an unbroken run.
"""

import argparse
import os
import random
import time

import torch
import torch.nn.functional as F

from encoder import Encoder, mean_over_tokens
from evaluation_sets import evaluation_sets, retrieval
from tokenizer import load
from training_data import batches, in_parts_by_length, mean_rows, padded, tokenise, training_pairs

DIMENSIONS = (256, 1.0), (128, 0.6), (64, 0.6)  # and how much each counts
SHARPNESS = 20.0
BACKWARD_SHARE = 0.3  # passages have to find their queries as well
SAVE_EVERY_S = 120
# The warm start is made longer so that the first updates of the layers do not drown it.
WARM_START_FACTOR = 10.0
STAGES = {
    "bag": dict(steps=3000, batch=512, check_every=500, warm_up=20, seed=1, token_rate=8e-3, layer_rate=0),
    "layers": dict(steps=2500, batch=256, check_every=250, warm_up=60, seed=2, token_rate=1e-4, layer_rate=3e-4),
}


def contrastive_loss(queries, passages, passage_ids, query_hashes):
    """Pairs of the same passage or the same query are not counted as wrong answers."""
    same = (passage_ids[:, None] == passage_ids[None]) | (query_hashes[:, None] == query_hashes[None])
    same &= ~torch.eye(len(passage_ids), dtype=torch.bool)
    right, loss = torch.arange(len(passage_ids)), 0.0
    for count, weight in DIMENSIONS:
        scores = SHARPNESS * F.normalize(queries[:, :count], dim=1) @ F.normalize(passages[:, :count], dim=1).T
        scores = scores.masked_fill(same, -1e4)
        loss = loss + weight * (F.cross_entropy(scores, right) + BACKWARD_SHARE * F.cross_entropy(scores.T, right))
    return loss


def vectors(model, rows, first_position=0, parts=4):
    def compute(numbers):
        ids, mask = padded([rows[number] for number in numbers])
        with torch.autocast("cpu", torch.bfloat16):
            return mean_over_tokens(model.from_position(first_position, ids, mask).float(), mask)

    return in_parts_by_length([len(row) for row in rows], parts, compute)


class Stage:
    """What both stages share: schedule, checkpoints, checks. A subclass says what is trained and how."""

    def __init__(self, name, work):
        self.name, self.work, self.plan = name, work, STAGES[name]
        self.data, self.tokenizer, self.sets = training_pairs(work), load(work), evaluation_sets(work)
        self.passage_ids = torch.tensor(self.data.passage_ids)
        self.query_hashes = torch.tensor(self.data.query_hashes)
        self.model, self.step, self.average_loss = Encoder(), 0, None

    def path(self, suffix):
        return os.path.join(self.work, f"{self.name}.{suffix}.pt")

    def set_rate(self, step):
        share = min(1, (step + 1) / self.plan["warm_up"]) * max(0.02, 1 - step / self.plan["steps"])
        for group in self.optimizer.param_groups:
            group["lr"] = group["full_rate"] * share

    def loss(self, step, batch):
        queries, passages, batch = self.encode(random.Random(step), batch)
        return contrastive_loss(queries, passages, self.passage_ids[batch], self.query_hashes[batch])

    def update(self, step, batch):
        self.set_rate(step)
        loss = self.loss(step, batch)
        self.optimizer.zero_grad()
        loss.backward()
        if self.clips:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.step, value = step + 1, loss.item()
        self.average_loss = value if self.average_loss is None else 0.98 * self.average_loss + 0.02 * value

    def check(self):
        """Measures and keeps the model as it is now."""
        self.fill_model()

        def embed(texts):
            rows = tokenise(self.tokenizer, texts, 160)
            with torch.no_grad():
                return torch.cat([vectors(self.model, rows[at : at + 256]) for at in range(0, len(rows), 256)]).numpy()

        retrieval(f"{self.name} step {self.step}", self.sets, embed, (256, 64), ("held", "perlfaq"))
        torch.save(self.model.state_dict(), self.path(f"step{self.step}"))

    def save(self):
        state = dict(step=self.step, weights=self.weights(), optimizer=self.optimizer.state_dict())
        torch.save(state, self.path("checkpoint") + ".part")
        os.replace(self.path("checkpoint") + ".part", self.path("checkpoint"))

    def resume(self):
        if os.path.exists(self.path("checkpoint")):
            state = torch.load(self.path("checkpoint"))
            self.step = state["step"]
            self.load_weights(state["weights"])
            self.optimizer.load_state_dict(state["optimizer"])

    def run(self, stop_after):
        self.resume()
        if self.step == 0:
            self.check()
        began = saved = time.time()
        for step, batch in batches(self.data.groups, self.plan["batch"], self.plan["seed"], self.step):
            if step >= min(stop_after, self.plan["steps"]):
                break
            self.update(step, batch)
            if self.step % 50 == 0:
                print(
                    f"{self.name} step {self.step}, {time.time() - began:.0f} s, loss {self.average_loss:.3f}",
                    flush=True,
                )
            if self.step % self.plan["check_every"] == 0 or self.step == self.plan["steps"]:
                self.check()
            if time.time() - saved > SAVE_EVERY_S:
                self.save()
                saved = time.time()
        self.save()


class BagStage(Stage):
    clips = False

    def __init__(self, work):
        super().__init__("bag", work)
        table, _ = torch.load(os.path.join(work, "warm.pt"))
        self.table = torch.nn.Parameter((table - table.mean(0)) * WARM_START_FACTOR)
        group = dict(params=[self.table], full_rate=self.plan["token_rate"])
        self.optimizer = torch.optim.Adam([group], betas=(0.9, 0.98))

    def encode(self, _rng, batch):
        queries = mean_rows([self.data.queries[number] for number in batch], self.table)
        return queries, mean_rows([self.data.passages[number][:128] for number in batch], self.table), batch

    def fill_model(self):
        self.model.tokens.weight.data = self.table.data.clone()

    def weights(self):
        return self.table.data

    def load_weights(self, weights):
        self.table.data = weights


class LayersStage(Stage):
    clips = True

    def __init__(self, work):
        super().__init__("layers", work)
        bag_of_words = os.path.join(work, f"bag.step{STAGES['bag']['steps']}.pt")
        self.model.load_state_dict(torch.load(bag_of_words))
        tokens = self.model.tokens.weight
        others = [parameter for parameter in self.model.parameters() if parameter is not tokens]
        groups = [
            dict(params=[tokens], full_rate=self.plan["token_rate"]),
            dict(params=others, full_rate=self.plan["layer_rate"]),
        ]
        self.optimizer = torch.optim.AdamW(groups, weight_decay=0.0, betas=(0.9, 0.98))

    def encode(self, rng, batch):
        """Mostly 128 pieces from position 0; some longer passages and some later positions, so that all are trained."""
        longest = 128
        if rng.random() < 0.03:
            longest, batch = 256, batch[: self.plan["batch"] // 2]
        first_position = rng.randint(0, 256) if rng.random() < 0.2 else 0
        queries = [self.data.queries[number][:40] for number in batch]
        passages = [self.data.passages[number][:longest] for number in batch]
        found = vectors(self.model, queries, first_position, parts=2)
        return found, vectors(self.model, passages, first_position), batch

    def fill_model(self):
        pass

    def weights(self):
        return self.model.state_dict()

    def load_weights(self, weights):
        self.model.load_state_dict(weights)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("stage", choices=STAGES)
    parser.add_argument("work")
    parser.add_argument("--stop-after", type=int, default=10**9, help="stop early, the schedule stays the same")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    stage = BagStage if arguments.stage == "bag" else LayersStage
    stage(arguments.work).run(arguments.stop_after)
