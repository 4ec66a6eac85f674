"""A clean utterance of one speaker, and where it speaks."""

import pickle
from dataclasses import dataclass

import numpy as np

from paths import work

HOP = 160  # samples of 10 ms


@dataclass
class Utterance:
    speaker: int
    variant: str
    samples: np.ndarray  # float16, 16 kHz, begins and ends with speech
    active: np.ndarray  # bool, every 10 ms


def activity(samples, longest_gap=12):
    """Where speech is, every 10 ms: louder than a tenth of the mean; gaps of up to 120 ms count as speech."""
    frames = samples[: len(samples) // HOP * HOP].reshape(-1, HOP)
    active = np.sqrt((frames**2).mean(1)) > 0.096 * np.sqrt((samples**2).mean())
    places = np.where(active)[0]
    for before, after in zip(places[:-1], places[1:]):
        if after - before <= longest_gap:
            active[before:after] = True
    return active


def path_of(name):
    return work("speakers", f"{name}.pickle")


def load(name):
    """`training` or `held-out` -> list of Utterance"""
    with open(path_of(name), "rb") as file:
        return pickle.load(file)
