"""Training of the segmentation: python -m segmentation.train STEPS

Begins with the weights of an earlier training where there is one.
"""

import math
import os
import sys

import numpy as np
import torch
import torch.nn as nn

from averages import Average
from paths import work
from segmentation.model import CLASSES, ORDERS, SPEAKERS, SPEAKERS_OF_CLASS, Segmenter

RATE, WARM_UP_STEPS, WINDOWS_OF_BATCH = 1.5e-3, 100, 12
CHECK_EVERY = 200


def class_numbers():
    """[2, 2, 2] -> class of who speaks; of three at once the first two count"""
    numbers = np.zeros((2,) * SPEAKERS, np.int64)
    for number, speakers in enumerate(CLASSES):
        numbers[tuple(int(speaker in speakers) for speaker in range(SPEAKERS))] = number
    numbers[1, 1, 1] = CLASSES.index((0, 1))
    return numbers


def load(name):
    with np.load(work("segmentation", f"{name}.npz")) as file:
        return file["features"], file["labels"].astype(np.int64)


def in_all_orders(labels):
    """[N, FRAMES, SPEAKERS] -> classes [N, orders, FRAMES]"""
    numbers = class_numbers()
    return np.stack([numbers[tuple(labels[..., speaker] for speaker in order)] for order in ORDERS], 1)


def distorted(features, rng):
    """a band hidden, the spectrum tilted"""
    features = features.astype(np.float32)
    for row in features:
        band = rng.integers(1, 10)
        low = rng.integers(0, len(row) - band)
        row[low : low + band] = row.mean()
        if rng.random() < 0.5:
            row += np.linspace(rng.uniform(-1, 1), rng.uniform(-1, 1), len(row))[:, None]
    return torch.from_numpy(features)


def loss_of(scores, classes):
    """The loss in the order of speakers that fits best."""
    losses = [
        -torch.gather(scores, 2, classes[:, order][..., None])[..., 0].mean(1) for order in range(len(ORDERS))
    ]
    return torch.stack(losses, 1).min(1).values.mean()


def wrong_time(classes, label):
    """Frames of missed, false and confused speech of a window, in the best order of its speakers."""
    said, label = SPEAKERS_OF_CLASS[classes], label.astype(bool)
    at_most = np.maximum(said.sum(1), label.sum(1))
    return min((at_most - (said[:, list(order)] & label).sum(1)).sum() for order in ORDERS)


def local_error(model, features, labels):
    """wrong time by spoken time"""
    wrong = 0
    for start in range(0, len(features), 20):
        with torch.no_grad():
            scores = model(torch.from_numpy(features[start : start + 20].astype(np.float32)))
        best = scores.argmax(-1).numpy()
        wrong += sum(wrong_time(*pair) for pair in zip(best, labels[start : start + 20]))
    return wrong / labels.sum()


def train(steps):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    features, labels = load("training")
    held_out, classes, rng = load("held-out"), in_all_orders(labels), np.random.default_rng(0)
    model, path = Segmenter(), work("segmentation", "model.pt")
    if os.path.exists(path):
        model.load_state_dict(torch.load(path))
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=1e-2, fused=True)
    average = Average(model, 0.995)
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARM_UP_STEPS) * (0.5 + 0.5 * math.cos(math.pi * step / steps))
        chosen = rng.integers(0, len(features), WINDOWS_OF_BATCH)
        batch, wanted = distorted(features[chosen], rng), torch.from_numpy(classes[chosen])
        if rng.random() < 0.5:
            batch, wanted = batch.flip(-1), wanted.flip(-1)
        with torch.autocast("cpu", torch.bfloat16):
            scores = model(batch)
        loss = loss_of(scores, wanted)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2)
        optimizer.step()
        average.update(model)
        losses.append(loss.item())
        if (step + 1) % CHECK_EVERY == 0:
            with average.applied(model):
                error = local_error(model, *held_out)
            print(f"step {step + 1}: loss {np.mean(losses):.3f}, held out {100 * error:.1f}%", flush=True)
            torch.save(average.values, path)
            losses = []


if __name__ == "__main__":
    train(int(sys.argv[1]))
