"""Batches of utterances of similar length, with parts of the features hidden."""

import random

import numpy as np
import torch

from stt.alphabet import encode
from stt.alignment import UNKNOWN
from stt.model import PHONEMES
from stt.shard import read_shard, shard_paths

ESPEAK_SHARDS, OWN_SHARDS = 6, 4  # of a pass: about a quarter of the audio is our own synthesizer's
FRAMES_OF_BATCH = 4800


class Data:
    """Reads the shards of a pass; what generation adds meanwhile is found by the next one."""

    def __init__(self):
        self.phoneme_ids, self.cache = {}, {}

    def shard(self, path):
        if path not in self.cache:
            utterances, names = read_shard(path)
            ids = np.zeros(256, np.int64)
            ids[UNKNOWN] = -100
            for number, name in enumerate(names):
                new = self.phoneme_ids.setdefault(name, len(self.phoneme_ids) + 1)
                ids[number + 1] = min(new, PHONEMES - 1)
            self.cache[path] = [
                (features, encode(text), ids[phonemes], np.where(letters == UNKNOWN, -100, letters.astype(np.int64)))
                for features, text, phonemes, letters in utterances
            ]
        return self.cache[path]

    def one_pass(self, number):
        """-> list of batches in random order"""
        rng, chosen = random.Random(number), []
        for pattern, count in (("espeak-*[0-9].npz", ESPEAK_SHARDS), ("own-*[0-9].npz", OWN_SHARDS)):
            found = shard_paths(pattern)
            chosen += rng.sample(found, min(count, len(found)))
        utterances = [u for path in chosen for u in self.shard(path) if len(u[0]) // 4 > 1.1 * len(u[1])]
        utterances.sort(key=lambda u: len(u[0]) + rng.uniform(0, 20))
        batches, batch = [], []
        for utterance in utterances:
            if batch and (len(batch) + 1) * len(utterance[0]) > FRAMES_OF_BATCH:
                batches.append(batch)
                batch = []
            batch.append(utterance)
        batches.append(batch)
        rng.shuffle(batches)
        return batches


def padded(rows, fill):
    joined = np.full((len(rows), max(map(len, rows)), *rows[0].shape[1:]), fill, rows[0].dtype)
    for number, row in enumerate(rows):
        joined[number, : len(row)] = row
    return torch.from_numpy(joined)


def hide(features, generator):
    """A band and two moments become their mean; the level changes."""
    features = features.astype(np.float32) + generator.uniform(-1, 1)
    mean = features.mean()
    for axis, longest, count in ((1, 12, 1), (0, 12, 2)):
        for _ in range(count):
            width = generator.integers(0, longest)
            start = generator.integers(0, max(1, features.shape[axis] - width))
            features[(slice(None), slice(start, start + width)) if axis else slice(start, start + width)] = mean
    return features


def tensors(batch, generator=None):
    """-> features, their lengths, letters of all utterances, their counts, targets of frames: phonemes, letters"""
    rows = [hide(u[0], generator) if generator else u[0].astype(np.float32) for u in batch]
    letters = torch.tensor([letter for u in batch for letter in u[1]])
    counts = torch.tensor([len(u[1]) for u in batch])
    lengths = torch.tensor([len(row) for row in rows])
    targets = padded([u[2] for u in batch], -100), padded([u[3] for u in batch], -100)
    return padded(rows, 0.0), lengths, letters, counts, *targets
