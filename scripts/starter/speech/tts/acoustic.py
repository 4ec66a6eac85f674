"""Training of the acoustic model: python -m tts.acoustic STEPS

Phonemes and a speaker -> how long each phoneme is, and the features of tts/analysis.py every 10 ms.
"""

import math
import pickle
import random
import sys

import numpy as np
import torch
import torch.nn as nn

from averages import Average
from paths import work
from tts.analysis import FEATURES
from tts.blocks import Block
from tts.speakers import SPEAKERS

WIDTH, HIDDEN = 112, 336
RATE, WARM_UP_STEPS, UTTERANCES_OF_BATCH, HELD_OUT = 3e-3, 100, 8, 39
ENVELOPE_WEIGHT = 3


class Acoustic(nn.Module):
    def __init__(self, phonemes, mean, deviation):
        super().__init__()
        self.phonemes, self.speakers = nn.Embedding(phonemes, WIDTH), nn.Embedding(len(SPEAKERS), WIDTH)
        self.encoder = nn.Sequential(*[Block(WIDTH, HIDDEN, 5) for _ in range(3)])
        self.duration_norm, self.duration = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 1)
        self.position = nn.Linear(8, WIDTH)
        self.decoder = nn.Sequential(*[Block(WIDTH, HIDDEN, 7) for _ in range(5)])
        self.norm, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, FEATURES)
        self.register_buffer("mean", mean)
        self.register_buffer("deviation", deviation)

    def encode(self, phonemes, speaker):
        """[N, P], [N] -> [N, WIDTH, P], logarithms of frames [N, P]"""
        hidden = self.encoder((self.phonemes(phonemes) + self.speakers(speaker)[:, None]).transpose(1, 2))
        return hidden, self.duration(self.duration_norm(hidden.transpose(1, 2)))[..., 0]

    def decode(self, hidden, phoneme, share, duration, speaker):
        """Of each frame [N, T]: its phoneme's place, how much of that has passed, and its length in frames
        -> [N, T, FEATURES], to be multiplied by the deviation and added to the mean"""
        x = torch.gather(hidden, 2, phoneme[:, None].expand(-1, hidden.shape[1], -1))
        passed, length = share[..., None], torch.log(duration + 1)[..., None] / 3
        shapes = [passed, 1 - passed, passed**2, torch.sin(math.pi * passed), torch.cos(2 * math.pi * passed)]
        shapes += [length, passed * length, (1 - passed) * length]
        x = x + (self.position(torch.cat(shapes, -1)) + self.speakers(speaker)[:, None]).transpose(1, 2)
        return self.out(self.norm(self.decoder(x).transpose(1, 2)))


def filled(rows, dtype):
    """Rows of different lengths with zeros behind them"""
    shape = len(rows), max(map(len, rows)), *np.shape(rows[0])[1:]
    joined = torch.zeros(shape, dtype=dtype)
    for number, row in enumerate(rows):
        joined[number, : len(row)] = torch.as_tensor(row)
    return joined


def frames_of(durations):
    """-> for each frame: its phoneme's place, how much of that has passed, and its length"""
    phoneme = np.repeat(np.arange(len(durations)), durations)
    start = (np.cumsum(durations) - durations)[phoneme]
    share = (np.arange(len(phoneme)) - start + 0.5) / durations[phoneme]
    return phoneme, share, durations[phoneme]


def errors(model, utterances):
    """mean distances: of logarithms of durations, of the pitch where voiced, of the envelopes"""
    speakers, phonemes, durations, features, voiced = zip(*utterances)
    kinds, frames = (torch.long, torch.float, torch.float), zip(*(frames_of(each) for each in durations))
    phoneme, share, length = (filled(rows, kind) for rows, kind in zip(frames, kinds))
    speaker, frame_count = torch.tensor(speakers), filled(durations, torch.float)
    hidden, logarithms = model.encode(filled(phonemes, torch.long), speaker)
    spoken = (frame_count > 0).float()
    duration = ((logarithms - torch.log(frame_count.clamp(min=1))).abs() * spoken).sum() / spoken.sum()
    wanted = (filled(features, torch.float) - model.mean) / model.deviation
    distance = (model.decode(hidden, phoneme, share, length, speaker) - wanted).abs()
    present, voiced = (length > 0).float(), filled(voiced, torch.float)
    pitch = (distance[..., 0] * voiced).sum() / voiced.sum()
    return duration, pitch, (distance[..., 1:].mean(-1) * present).sum() / present.sum()


def training_data():
    """-> utterances, names of the phonemes in the order of their ids"""
    with open(work("tts", "speech.pickle"), "rb") as file:
        speech = pickle.load(file)
    of_letters = torch.load(work("tts", "pronunciation.pt"))["chunks"]
    names = sorted({name for row in speech for name in row[1]} | {name for chunk in of_letters for name in chunk})
    ids = {name: number for number, name in enumerate(names)}
    random.Random(0).shuffle(speech)
    return [(row[0], [ids[name] for name in row[1]], *row[2:]) for row in speech], names


def train(steps):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    utterances, names = training_data()
    features = np.concatenate([row[3] for row in utterances]).astype(np.float32)
    print(f"{len(utterances)} utterances, {len(features) / 6000:.0f} min, {len(names)} phonemes", flush=True)
    model = Acoustic(len(names), torch.tensor(features.mean(0)), torch.tensor(features.std(0) + 0.05))
    average, rng = Average(model, 0.995), np.random.default_rng(0)
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=1e-3, fused=True)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARM_UP_STEPS) * (0.5 + 0.5 * math.cos(math.pi * step / steps))
        chosen = rng.integers(HELD_OUT, len(utterances), UTTERANCES_OF_BATCH)
        with torch.autocast("cpu", torch.bfloat16):
            duration, pitch, envelope = errors(model, [utterances[at] for at in chosen])
        optimizer.zero_grad()
        (duration + pitch + ENVELOPE_WEIGHT * envelope).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2)
        optimizer.step()
        average.update(model)
        if (step + 1) % 200 == 0:
            with torch.no_grad(), average.applied(model):
                held_out = [f"{each.item():.3f}" for each in errors(model, utterances[:HELD_OUT])]
            print(f"step {step + 1}: held out {' '.join(held_out)}", flush=True)
    torch.save(dict(model=average.values, phonemes=names), work("tts", "acoustic.pt"))


if __name__ == "__main__":
    train(int(sys.argv[1]))
