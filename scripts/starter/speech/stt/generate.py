"""Utterances of espeak-ng for training and measuring: python -m stt.generate SHARDS PROCESSES

A training shard holds more than an hour and takes some ten seconds.
"""

import multiprocessing
import random
import sys
import time

import numpy as np

from augmentation import augment, noise
from espeak import SAMPLE_RATE, Espeak
from filterbank import filterbank
from sentences import held_out_sentences, rare_sentence, training_sentence
from stt.alignment import letter_targets, phoneme_targets
from stt.shard import ShardWriter, frames_of
from voices import held_out_voice, training_voice

HOUR_UTTERANCES = 950
LONGEST_SECONDS = 26
SILENCE_SECONDS = 0.6  # at most, at each end


def training_text(rng):
    kind = rng.random()
    if kind < 0.04:
        return ""
    if kind < 0.07:
        return rng.choice(rare_sentence(rng).split())
    sentences = 1 if kind < 0.72 else rng.randint(2, 3) if kind < 0.96 else rng.randint(4, 7)
    text = training_sentence(rng)
    for _ in range(sentences - 1):
        text += rng.choice([". ", ". ", ", ", "? "]) + training_sentence(rng)
    return text


def silence(rng):
    return np.zeros(int(max(0, rng.uniform(-0.2, SILENCE_SECONDS)) * SAMPLE_RATE), np.float32)


def spoken(espeak, rng, text, voice):
    """-> samples with silence around them, marks, seconds before the first"""
    ending = rng.choice([".", ".", "", "?"])
    speed, pitch, pitch_range = rng.randint(125, 205), rng.randint(28, 78), rng.randint(30, 75)
    samples, marks = espeak.speak(text + ending, voice, speed, pitch, pitch_range)
    before = silence(rng)
    return np.concatenate([before, samples, silence(rng)]), marks, len(before) / SAMPLE_RATE


def add_utterance(writer, samples, text, marks, offset):
    features = filterbank(samples)
    frames = frames_of(len(features))
    plain = " ".join("".join(letter for letter in text if letter not in ".,?").split())
    writer.add(
        features,
        plain,
        phoneme_targets(marks, offset, frames, writer.names),
        letter_targets(text, marks, offset, frames),
    )


def training_shard(number):
    writer = ShardWriter(f"espeak-{number:02}")
    if writer.exists():
        return 0
    rng, generator, espeak = random.Random(1000 + number), np.random.default_rng(1000 + number), Espeak()
    for _ in range(HOUR_UTTERANCES):
        text = training_text(rng)
        if text == "":
            samples, marks, offset = noise(rng.randint(8000, 64000), generator) * 0.001, [], 0
        else:
            samples, marks, offset = spoken(espeak, rng, text, training_voice(rng))
        if len(samples) > LONGEST_SECONDS * SAMPLE_RATE:
            continue
        add_utterance(writer, augment(samples, generator, 0.55), text, marks, offset)
    return writer.save()


def held_out_shard(name, augmented):
    """Held-out sentences in held-out voices."""
    writer = ShardWriter(name)
    rng, generator, espeak = random.Random(7), np.random.default_rng(7), Espeak()
    for text in held_out_sentences():
        samples, marks, offset = spoken(espeak, rng, text, held_out_voice(rng))
        add_utterance(writer, augment(samples, generator, 0.65) if augmented else samples, text, marks, offset)
    return writer.save()


if __name__ == "__main__":
    shards, processes = map(int, sys.argv[1:3])
    started = time.time()
    with multiprocessing.Pool(processes, maxtasksperchild=1) as pool:
        tests = [pool.apply_async(held_out_shard, task) for task in (("test-clean", False), ("test-augmented", True))]
        for hours in pool.imap_unordered(training_shard, range(shards), chunksize=1):
            print(f"{hours:.2f} h, {time.time() - started:.0f} s", flush=True)
        print("held out", [f"{test.get():.2f} h" for test in tests])
