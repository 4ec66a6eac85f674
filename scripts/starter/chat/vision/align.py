"""The projector's last matrix, set so that the slots come out as the language model's own embeddings.

    python -m vision.align LANGUAGE_CHECKPOINT

Reads vision.pt, writes vision-aligned.pt. The matrix is the least-squares answer over some thousand pictures;
it takes a minute, and is done again whenever the language model's embeddings have moved.
"""

import os
import sys

import torch

from tokenizer import load
from values import rng
from vision.captions import FILL, VOCABULARY
from vision.train import INDEX, WORK, Pupil, pictures

SAMPLE = 1600
BATCH = 100


def vocabulary_embeddings(tokenizer, embedding):
    """One row of the language model's embedding for each entry of VOCABULARY."""
    ids = [tokenizer.encode(token, add_special_tokens=False).ids for token in VOCABULARY]
    # A word that is no single token is the mean of its pieces.
    return torch.stack([embedding[pieces].float().mean(0) for pieces in ids])


@torch.no_grad()
def fitted(pupil, rows, sample=SAMPLE):
    """(weight, bias, share of the variance left over) of the last matrix."""
    size = pupil.model.config["hidden"] + 1
    left, right = torch.zeros(size, size), torch.zeros(size, rows.shape[1])
    for _ in range(sample // BATCH):
        hidden, targets, weights = described(pupil, rows)
        left += (hidden * weights).mT @ hidden
        right += (hidden * weights).mT @ targets
    left += 1e-4 * left.diagonal().mean() * torch.eye(size)
    solution = torch.linalg.solve(left.double(), right.double()).float()
    hidden, targets, weights = described(pupil, rows)
    missed = ((hidden @ solution - targets).square() * weights).sum() / (targets.square() * weights).sum()
    return solution[:-1].mT, solution[-1], missed.item()


def described(pupil, rows):
    """(hidden states with a constant, wanted embeddings, weights) of the slots of fresh pictures."""
    pixels, slots, _ = pictures(BATCH)
    hidden = pupil.model.hidden(pupil.model.features(pixels)).flatten(0, 1)
    hidden = torch.cat([hidden.float(), torch.ones(len(hidden), 1)], 1)
    weights = torch.where(slots.flatten() == INDEX[FILL], 0.2, 1.0)[:, None]
    return hidden, rows[slots.flatten()], weights


def aligned(saved, embedding, tokenizer):
    """The vision model of a checkpoint of train.py with its last matrix set."""
    pupil = Pupil()
    pupil.load_state_dict(saved["pupil"])
    weight, bias, missed = fitted(pupil.bfloat16(), vocabulary_embeddings(tokenizer, embedding))
    print(f"{saved['seen']} pictures seen; {missed:.1%} of the embeddings' variance missed", flush=True)
    model = pupil.float().model
    model.project2.load_state_dict(dict(weight=weight, bias=bias))
    return model


if __name__ == "__main__":
    torch.set_num_threads(1)
    rng.seed("align")
    embedding = torch.load(sys.argv[1], map_location="cpu")["model"]["embedding.weight"]
    saved = torch.load(os.path.join(WORK, "vision.pt"))
    model = aligned(saved, embedding, load(os.path.join(WORK, "tokenizer.json")))
    torch.save(dict(config=model.config, model=model.state_dict()), os.path.join(WORK, "vision-aligned.pt"))
