"""Training: python train.py STAGE RANK PROCESSES

Run once for each process, all at the same time; they average their gradients over loopback. A stage
has a fixed number of steps, and fresh conversations are drawn at every one of them. The first stage
starts from the planted copy circuit and holds it for most of the run; the second one continues from
the first with everything free. A stage that was interrupted goes on from its last checkpoint.
"""

import math
import os
import random
import sys
import time

import numpy as np
import torch
import torch.distributed as distributed
import torch._dynamo

import values
from batching import conversations, long_rows, prefixed_rows, random_copies
from conversation import aside
from induction import hold, plant
from model import CONFIG, Block, LanguageModel
from optimizer import Optimizer
from tokenizer import load
from vision.batches import load_vision, picture_batches

WORK = os.environ.get("STARTER_WORK", "work")
TOKENS = 3072  # of one process in one step
COPY_EVERY = 12  # one step in so many is a random copy
LONG_EVERY = 40  # and one a single conversation of all the tokens
PREFIX_EVERY = 12  # and one some short conversations after one system prompt of up to PREFIX_LIMIT tokens
PREFIX_LIMIT = 15000
WARM_UP = 40
# Steps; rates of matrices and of the rest; share of the run that falls; share that holds the circuit; the stage before;
# one step in so many is about pictures, and whether the vision model shows them or captions stand in their places.
STAGES = {
    "first": dict(
        steps=2400, matrix_rate=0.01, other_rate=2e-3, falling=0.6, held=0.7, start=None, pictures_every=5, sees=False
    ),
    "second": dict(
        steps=3400,
        matrix_rate=0.007,
        other_rate=1.4e-3,
        falling=0.95,
        held=0,
        start="first",
        pictures_every=3,
        sees=True,
    ),
}


def share_gradients(parameters, processes):
    flat = torch.cat([parameter.grad.float().flatten() for parameter in parameters])
    distributed.all_reduce(flat)
    flat /= processes
    for parameter, part in zip(parameters, flat.split([parameter.numel() for parameter in parameters])):
        parameter.grad = part.view_as(parameter).to(parameter.dtype)


def checkpoint(stage):
    return os.path.join(WORK, f"{stage}.pt")


def save(stage, model, optimizer, step, tokens):
    weights = {name: master.clone() for name, master in optimizer.masters.items()}
    torch.save(dict(config=model.config, model=weights, step=step, tokens=tokens), checkpoint(stage) + ".part")
    os.replace(checkpoint(stage) + ".part", checkpoint(stage))


def starting_point(stage, start):
    """(model, steps done, tokens seen): the interrupted stage, the stage before, or planted weights."""
    model = LanguageModel(CONFIG)
    for name in (stage, start):
        if name and os.path.exists(checkpoint(name)):
            saved = torch.load(checkpoint(name))
            model.load_state_dict(saved["model"])
            return model, saved["step"] if name == stage else 0, saved["tokens"]
    return plant(model), 0, 0


def main(stage, rank, processes):
    plan = STAGES[stage]
    torch.set_num_threads(1)
    torch.manual_seed(0)
    # One compilation for each batch shape, shared by all layers: a quarter less time than without.
    torch._dynamo.config.recompile_limit = 64
    Block.forward = torch.compile(Block.forward, dynamic=False)
    model, first_step, tokens = starting_point(stage, plan["start"])
    model = model.bfloat16()
    optimizer = Optimizer(model, plan["matrix_rate"], plan["other_rate"])
    parameters = list(model.parameters())
    if processes > 1:
        distributed.init_process_group("gloo", init_method="tcp://127.0.0.1:29611", rank=rank, world_size=processes)

    tokenizer = load(os.path.join(WORK, "tokenizer.json"))
    # A stage that goes on draws other conversations than it did from its beginning.
    seed = f"{stage} {rank} {first_step}"
    values.rng.seed(seed)
    generator = np.random.default_rng([*seed.encode()])
    talk = conversations(tokenizer, seed, TOKENS)
    vision = load_vision(os.path.join(WORK, "vision-aligned.pt")) if plan["sees"] else None
    pictures = picture_batches(tokenizer, TOKENS, model.embedding, vision, aside)
    seen, began = {"talk": [], "copy": [], "long": [], "prefix": [], "pictures": []}, time.time()
    for step in range(first_step, plan["steps"]):
        before = places = embeddings = None
        if step % PREFIX_EVERY == 3:
            # The same length in every process, so that none waits for another.
            length = int(math.exp(random.Random(step).uniform(math.log(200), math.log(PREFIX_LIMIT))))
            kind, (prompt, ids, weights) = "prefix", prefixed_rows(tokenizer, length, TOKENS // 2)
            before = model.read(prompt)
        elif step % LONG_EVERY == LONG_EVERY - 2:
            kind, (ids, weights) = "long", long_rows(tokenizer, TOKENS)
        elif step % plan["pictures_every"] == 1:
            kind, (ids, weights, places, embeddings) = "pictures", next(pictures)
        elif step % COPY_EVERY == 0:
            kind, (ids, weights) = "copy", random_copies(generator, TOKENS)
        else:
            kind, (ids, weights) = "talk", next(talk)
        loss, accuracy = model.loss(ids, weights, places, embeddings, before)
        loss.backward()
        tokens += ids.numel() * processes
        seen[kind].append((loss.item(), accuracy.item()))
        if processes > 1:
            share_gradients(parameters, processes)
        done = step / plan["steps"]
        if done < plan["held"]:
            hold(model)
        scale = min(1, (step + 1 - first_step) / WARM_UP) * min(1, (1 - done) / plan["falling"] + 0.01)
        optimizer.step(scale)
        if rank == 0 and (step + 1) % 50 == 0:
            report = " ".join(
                f"{kind} loss %.3f accuracy %.3f" % tuple(np.mean(seen_of_kind, 0))
                for kind, seen_of_kind in seen.items()
                if seen_of_kind
            )
            print(
                f"step {step + 1} of {plan['steps']}, {time.time() - began:.0f} s, {tokens / 1e6:.2f} M tokens, {report}, rate {scale:.2f}",
                flush=True,
            )
            seen = {kind: [] for kind in seen}
        if rank == 0 and ((step + 1) % 200 == 0 or step + 1 == plan["steps"]):
            save(stage, model, optimizer, step + 1, tokens)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
