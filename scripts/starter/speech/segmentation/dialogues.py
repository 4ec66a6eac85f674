"""Made-up talks of one to three speakers, and who speaks when."""

import numpy as np

SAMPLE_RATE, HOP = 16000, 160


def by_speaker(utterances):
    found = {}
    for utterance in utterances:
        found.setdefault(utterance.speaker, []).append(utterance)
    return found


def pause_after(same_speaker, gap, overlaps, rng):
    """Seconds to the next turn; negative: it begins before this one ends."""
    if not same_speaker and rng.random() < overlaps:
        return -rng.uniform(0.2, 1.5)
    return rng.uniform(*gap) * (2.5 if rng.random() < 0.1 else 1)


def dialogue(speakers, seconds, rng, gap=(0.05, 1.2), overlaps=0.4, cut_in=0.6):
    """`speakers`: the utterances of each; `cut_in`: how likely the talk has begun before
    -> samples, [10 ms, speakers] who speaks"""
    count = int(seconds * SAMPLE_RATE)
    samples = np.zeros(count + 16 * SAMPLE_RATE, np.float32)
    active = np.zeros((len(samples) // HOP, len(speakers)), bool)
    at = int(rng.uniform(0, 1.5) * SAMPLE_RATE) if rng.random() < 0.6 else 0
    speaker, begun = rng.integers(len(speakers)), rng.random() < cut_in
    levels = 10 ** (rng.uniform(-7, 0, len(speakers)) / 20)
    while at < count:
        utterance = speakers[speaker][rng.integers(len(speakers[speaker]))]
        heard, speaks = utterance.samples.astype(np.float32), utterance.active
        if begun and len(heard) > SAMPLE_RATE:
            first = int(rng.integers(0, len(speaks) // 2))
            heard, speaks = heard[first * HOP :], speaks[first:]
        begun = False
        if rng.random() < 0.15 and len(heard) > SAMPLE_RATE:  # a short remark
            frames = int(rng.uniform(0.3, 0.8) * SAMPLE_RATE) // HOP
            heard, speaks = heard[: frames * HOP], speaks[:frames]
        heard, start = heard[: 15 * SAMPLE_RATE], at // HOP
        speaks = speaks[: len(heard) // HOP]
        samples[start * HOP : start * HOP + len(heard)] += heard * levels[speaker]
        active[start : start + len(speaks), speaker] |= speaks
        goes_on = len(speakers) == 1 or rng.random() < 0.25
        following = speaker if goes_on else int((speaker + rng.integers(1, len(speakers))) % len(speakers))
        pause = pause_after(following == speaker, gap, overlaps, rng)
        at = max((start + 1) * HOP, int(start * HOP + len(heard) + pause * SAMPLE_RATE))
        speaker = following
    return samples[:count], active[: count // HOP]
