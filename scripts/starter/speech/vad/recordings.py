"""Made-up recordings with speech now and then, in noise, music and clicks, and where the speech is."""

import numpy as np
from scipy.signal import butter, lfilter

from augmentation import in_room, noise
from vad.model import BEFORE, NEW

SAMPLE_RATE, HOP = 16000, 160
SECONDS = 12


def music(count, rng):
    """chords of one to three harmonic tones, some struck and some with a drum"""
    made, at = np.zeros(count), 0
    while at < count:
        end = min(count, at + int(rng.uniform(0.1, 0.9) * SAMPLE_RATE))
        time = np.arange(end - at) / SAMPLE_RATE
        level = np.exp(-time * rng.uniform(0.5, 6)) if rng.random() < 0.6 else np.ones(end - at)
        for hertz in rng.uniform(80, 900) * np.array([1, 1.26, 1.5])[: rng.integers(1, 4)]:
            for harmonic in range(1, rng.integers(2, 9)):
                tone = np.sin(2 * np.pi * hertz * harmonic * time)
                made[at:end] += level * tone / harmonic ** rng.uniform(0.7, 2)
        if rng.random() < 0.4:
            beat = min(end - at, 2000)
            made[at : at + beat] += rng.standard_normal(beat) * np.exp(-np.arange(beat) / 300) * rng.uniform(0, 3)
        at = end
    return (made / (np.sqrt((made**2).mean()) + 1e-9)).astype(np.float32)


def clicks(count, rng):
    made = np.zeros(count, np.float32)
    for _ in range(rng.integers(2, 30)):
        at, length = rng.integers(0, count - 1600), rng.integers(50, 1500)
        fading = np.exp(-np.arange(length) / rng.uniform(10, 300))
        made[at : at + length] += rng.standard_normal(length) * fading * rng.uniform(0.1, 1)
    return made * 3


def background(count, rng):
    """at a level of 3 to 40 dB below speech; now and then nothing"""
    kind, level = rng.random(), 0.12 * 10 ** (-rng.uniform(3, 40) / 20)
    if kind > 0.93:
        return np.zeros(count, np.float32)
    made = music(count, rng) if kind < 0.25 else noise(count, rng)
    if 0.25 <= kind < 0.4:
        made = clicks(count, rng) + 0.3 * made
    return made * level * np.interp(np.arange(count), np.linspace(0, count, 6), rng.uniform(0.4, 1.2, 6))


def recording(utterances, rng):
    """-> samples, [10 ms] whether there is speech"""
    count = SECONDS * SAMPLE_RATE
    samples, active = np.zeros(count, np.float32), np.zeros(count // HOP, bool)
    at = count if rng.random() < 0.15 else int(rng.exponential(1.5) * SAMPLE_RATE)
    while at < count - SAMPLE_RATE // 2:
        utterance = utterances[rng.integers(len(utterances))]
        frames = len(utterance.active)
        if rng.random() < 0.3:
            frames = min(frames, int(rng.uniform(0.25, 1.0) * SAMPLE_RATE) // HOP)
        start = at // HOP
        frames = min(frames, len(active) - start)
        heard = utterance.samples[: frames * HOP].astype(np.float32) * 10 ** (-rng.uniform(0, 10) / 20)
        samples[start * HOP : start * HOP + len(heard)] += heard
        active[start : start + frames] |= utterance.active[:frames]
        at = (start + frames) * HOP + int(rng.exponential(1.0) * SAMPLE_RATE)
    if rng.random() < 0.3:
        samples = in_room(samples, rng)
    samples = samples + background(count, rng)
    if rng.random() < 0.2:
        samples = lfilter(*butter(4, [rng.uniform(80, 300) / 8000, rng.uniform(3200, 3800) / 8000], "band"), samples)
    return (samples * 10 ** (rng.uniform(-24, 2) / 20)).clip(-1, 1).astype(np.float32), active


def steps(samples, active):
    """-> [T, 576] samples of each step, [T] whether at least half of it is speech"""
    count = len(samples) // NEW
    places = np.arange(count)[:, None] * NEW + np.arange(BEFORE + NEW)[None]
    parts = [active[at * NEW // HOP : (at + 1) * NEW // HOP + 1] for at in range(count)]
    return np.pad(samples, (BEFORE, 0))[places], np.array([part.mean() >= 0.5 for part in parts])
