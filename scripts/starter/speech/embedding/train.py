"""Training of the speaker embedding: python -m embedding.train STEPS

Each voice has to be the nearest of all training speakers, by a margin (additive margin softmax).
"""

import math
import os
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from augmentation import augment
from averages import Average
from embedding.model import NUMBERS, Embedder
from embedding.trials import equal_error, trials
from filterbank import filterbank
from paths import work
from utterances import load

RATE, WARM_UP_STEPS, VOICES_OF_BATCH = 2e-3, 200, 64
SHARPNESS, MARGIN = 25.0, 0.25
SHORTEST, LONGEST = 60, 260  # frames of 10 ms
COPIES = 2  # of each utterance: the second is augmented
CHECK_EVERY = 250


def features_of(samples):
    """As sherpa-onnx does for this kind of model: samples in the range of 16 bits, less the mean over time."""
    features = filterbank(samples * 32768)
    return features - features.mean(0)


def prepared():
    """-> features of training, their speakers; the same held out. Made once, then read."""
    path = work("embedding", "features.npz")
    if not os.path.exists(path):
        rng, arrays = np.random.default_rng(3), {}
        for name in ("training", "held-out"):
            rows, speakers = [], []
            for utterance in load(name):
                samples = utterance.samples.astype(np.float32)
                for copy in range(COPIES) if name == "training" else (1,):
                    heard = augment(samples, rng, 0.7, (8, 35)) if copy else samples
                    rows.append(filterbank(heard * 32768).astype(np.float16))
                    speakers.append(utterance.speaker)
            arrays |= {f"{name} features": np.concatenate(rows), f"{name} lengths": [len(row) for row in rows]}
            arrays[f"{name} speakers"] = speakers
        np.savez(path, **arrays)
    with np.load(path) as file:
        for name in ("training", "held-out"):
            ends = np.cumsum(file[f"{name} lengths"])
            yield np.split(file[f"{name} features"], ends[:-1])
            yield file[f"{name} speakers"]


def piece(features, length, rng):
    """A random part, less its mean, with a band hidden."""
    if len(features) < length:
        features = np.tile(features, (length // len(features) + 1, 1))
    start = rng.integers(0, len(features) - length + 1)
    part = features[start : start + length].astype(np.float32)
    part -= part.mean(0)
    band = rng.integers(0, 10)
    low = rng.integers(0, 80 - band)
    part[:, low : low + band] = 0
    return part


def held_out_error(model, features, speakers):
    """Equal error rate of pieces of at most 2.5 s."""
    parts = [row[:250].astype(np.float32) for row in features]
    with torch.no_grad():
        embeddings = [model(torch.from_numpy(part - part.mean(0))[None])[0].numpy() for part in parts]
    return equal_error(*trials(np.array(embeddings), speakers))


def train(steps):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    features, speakers, test_features, test_speakers = prepared()
    model, rng = Embedder(), np.random.default_rng(1)
    centres = nn.Parameter(torch.randn(speakers.max() + 1, NUMBERS) * 0.1)
    optimizer = torch.optim.AdamW([*model.parameters(), centres], RATE, weight_decay=2e-2, fused=True)
    average = Average(model, 0.995)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARM_UP_STEPS) * (0.5 + 0.5 * math.cos(math.pi * step / steps))
        length, chosen = int(rng.integers(SHORTEST, LONGEST)), rng.integers(0, len(features), VOICES_OF_BATCH)
        batch = torch.from_numpy(np.stack([piece(features[at], length, rng) for at in chosen]))
        with torch.autocast("cpu", torch.bfloat16):
            embeddings = model(batch)
        right = torch.from_numpy(speakers[chosen]).long()
        cosines = F.linear(F.normalize(embeddings.float()), F.normalize(centres))
        margin = MARGIN * min(1, 3 * step / steps) * F.one_hot(right, len(centres))
        loss = F.cross_entropy(SHARPNESS * (cosines - margin), right)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(model)
        if (step + 1) % CHECK_EVERY == 0:
            with average.applied(model):
                rate, threshold = held_out_error(model, test_features, test_speakers)
            figures = f"loss {loss.item():.2f}, held out {100 * rate:.1f}% at {threshold:.2f}"
            print(f"step {step + 1}: {figures}", flush=True)
            torch.save(average.values, work("embedding", "model.pt"))


if __name__ == "__main__":
    train(int(sys.argv[1]))
