"""Training of the voice activity detection: python -m vad.train RECORDINGS STEPS"""

import math
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from paths import work
from utterances import load
from vad.model import Detector, FrontEnd
from vad.recordings import recording, steps

RATE, RECORDINGS_OF_BATCH, HELD_OUT_RECORDINGS = 3e-3, 24, 60
UNSURE = 0.02  # targets are this far from 0 and 1
CHECK_EVERY = 50


def features_of(name, count, seed):
    """-> [recordings, T, 120], [recordings, T]"""
    utterances, rng, front_end = load(name), np.random.default_rng(seed), FrontEnd()
    features, labels = [], []
    for _ in range(count):
        samples, label = steps(*recording(utterances, rng))
        with torch.no_grad():
            features.append(front_end(torch.from_numpy(samples)))
        labels.append(torch.from_numpy(label))
    return torch.stack(features), torch.stack(labels).float()


def train(recordings, count):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    held_out, held_out_labels = features_of("held-out", HELD_OUT_RECORDINGS, 2)
    features, labels = features_of("training", recordings, 1)
    model = Detector()
    optimizer = torch.optim.Adam(model.parameters(), RATE)
    for step in range(count):
        for group in optimizer.param_groups:
            group["lr"] = RATE * (0.5 + 0.5 * math.cos(math.pi * step / count)) + 1e-5
        chosen = torch.randint(0, len(features), (RECORDINGS_OF_BATCH,))
        louder = torch.randn(RECORDINGS_OF_BATCH, 1, 1) * 0.5
        targets = labels[chosen] * (1 - 2 * UNSURE) + UNSURE
        loss = F.binary_cross_entropy_with_logits(model(features[chosen] + louder), targets)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2)
        optimizer.step()
        if (step + 1) % CHECK_EVERY == 0:
            with torch.no_grad():
                right = ((model(held_out) > 0) == (held_out_labels > 0.5)).float().mean().item()
            print(f"step {step + 1}: {loss.item():.3f}, {100 * right:.1f}% of steps right", flush=True)
    torch.save(model.state_dict(), work("vad", "model.pt"))


if __name__ == "__main__":
    train(*map(int, sys.argv[1:3]))
