"""Windows of 10 s as features of the front end, with who speaks: python -m segmentation.generate WINDOWS"""

import sys
import time

import numpy as np
import torch

from augmentation import augment, noise
from paths import work
from segmentation.dialogues import HOP, by_speaker, dialogue
from segmentation.model import FRAMES, RECEPTIVE, SPEAKERS, STRIDE, WINDOW, FrontEnd
from utterances import load

HELD_OUT_WINDOWS = 200
SPEAKER_COUNTS, SHARES = (1, 2, 3), (0.2, 0.5, 0.3)


def window(speakers, rng):
    """-> samples, [10 ms, speakers]"""
    count = rng.choice(SPEAKER_COUNTS, p=SHARES)
    chosen = rng.choice(list(speakers), count, replace=False)
    samples, active = dialogue([speakers[each] for each in chosen], WINDOW / 16000, rng)
    if rng.random() < 0.03 or np.abs(samples).max() == 0:
        return noise(WINDOW, rng) * 10 ** (-rng.uniform(15, 50) / 20), np.zeros_like(active)
    return augment(samples, rng, 0.6, (6, 35)), active


def labels_of(active):
    """[10 ms, speakers] -> [FRAMES, 3]"""
    middles = (np.arange(FRAMES) * STRIDE + RECEPTIVE // 2) // HOP
    return np.pad(active[middles], ((0, 0), (0, SPEAKERS - active.shape[1])))


def generate(name, count, seed):
    torch.set_num_threads(1)
    speakers, rng, front_end = by_speaker(load(name)), np.random.default_rng(seed), FrontEnd()
    features = np.zeros((count, front_end.bands.shape[0], FRAMES), np.float16)
    labels = np.zeros((count, FRAMES, SPEAKERS), bool)
    for number in range(count):
        samples, active = window(speakers, rng)
        with torch.no_grad():
            features[number] = front_end(torch.from_numpy(samples.astype(np.float32))[None, None])[0].numpy()
        labels[number] = labels_of(active)
    np.savez(work("segmentation", f"{name}.npz"), features=features, labels=labels)


if __name__ == "__main__":
    started = time.time()
    for name, count, seed in (("held-out", HELD_OUT_WINDOWS, 9), ("training", int(sys.argv[1]), 1)):
        generate(name, count, seed)
        print(f"{name}: {count} windows, {time.time() - started:.0f} s", flush=True)
