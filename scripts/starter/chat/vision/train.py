"""Training of the vision model: python -m vision.train UNTIL [LANGUAGE_CHECKPOINT]

Goes on from its last checkpoint, vision.pt, until so many pictures have been seen in all; the rate falls
over PICTURES. At first the vision model learns alone which token stands in each slot of the caption. Once the language model's
embeddings are known, it learns to give these, and vision-aligned.pt is what export.py reads.
Middle layers also learn what stands in each patch, which is easier and leads the rest: without it,
reading takes far longer to begin.
"""

import os
import sys
import time

import numpy as np
import torch
import torch._dynamo

from optimizer import Optimizer
from tokenizer import load
from values import rng
from vision.align import fit_projector, vocabulary_embeddings
from vision.lessons import patch_loss, pictures, shares_right
from vision.model import CONFIG, Block
from vision.pupil import Pupil

WORK = os.environ.get("STARTER_WORK", "work")
PICTURES = 400_000
BATCH, PRACTICE = 32, 10
WARM_UP = 100
SAVE_EVERY = 250


def embeddings_of(language):
    tokenizer = load(os.path.join(WORK, "tokenizer.json"))
    return vocabulary_embeddings(tokenizer, torch.load(language, map_location="cpu")["model"]["embedding.weight"])


def starting_point(rows):
    """(pupil, pictures seen)"""
    pupil, path, saved = Pupil(rows), os.path.join(WORK, "vision.pt"), dict(seen=0, aligned=False)
    if os.path.exists(path):
        saved = torch.load(path)
        pupil.load_state_dict(saved["pupil"])
    pupil = pupil.bfloat16()
    if rows is not None and not saved["aligned"]:
        fit_projector(pupil, rows)
    return pupil, saved["seen"]


def write(name, content):
    path = os.path.join(WORK, name)
    torch.save(content, path + ".part")
    os.replace(path + ".part", path)


def save(pupil, optimizer, seen):
    weights = {name: value.float() for name, value in pupil.state_dict().items()}
    weights |= {name: master.clone() for name, master in optimizer.masters.items()}
    aligned = pupil.rows is not None
    write("vision.pt", dict(pupil=weights, seen=seen, aligned=aligned))
    if aligned:
        model = {name.removeprefix("model."): value for name, value in weights.items() if name.startswith("model.")}
        write("vision-aligned.pt", dict(config=CONFIG, model=model))


def report(seen, seconds, rate, values):
    slots, patches, *right = np.mean(values, 0)
    print(
        f"{seen} pictures, {seconds:.0f} s, rate {rate:.2f}, loss of slots {slots:.3f} and patches {patches:.3f};",
        "right: slots %.3f texts %.3f patches %.3f signs %.3f" % tuple(right),
        flush=True,
    )


def main(until, language=None):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    Block.forward = torch.compile(Block.forward, dynamic=False)
    rng.seed(f"fit {language}")
    pupil, seen = starting_point(embeddings_of(language) if language else None)
    # The patches and places are no matrices that turn one state into another: Adam suits them better.
    optimizer = Optimizer(pupil, 0.008, 1.5e-3, others=("patch", "position", "head"))
    rng.seed(f"vision {seen}")
    began, steps, values = time.time(), 0, []
    while seen < until:
        pixels, slots, patches = pictures(BATCH, PRACTICE)
        hidden, patch_logits = pupil(pixels, PRACTICE)
        slot_logits, slot_loss = pupil.told(hidden, slots)
        loss = patch_loss(patch_logits, patches)
        (slot_loss + loss).backward()
        values.append([slot_loss.item(), loss.item(), *shares_right(slot_logits, patch_logits, slots, patches)])
        seen, steps = seen + BATCH, steps + 1
        rate = min(1, steps / WARM_UP) * (1 - seen / PICTURES + 0.01)
        optimizer.step(rate)
        if steps % 100 == 0:
            report(seen, time.time() - began, rate, values)
            values = []
        if steps % SAVE_EVERY == 0 or seen >= until:
            save(pupil, optimizer, seen)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
