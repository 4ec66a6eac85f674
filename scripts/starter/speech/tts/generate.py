"""Speech of the starter voices, analysed, and pronunciations: python -m tts.generate PROCESSES"""

import multiprocessing
import pickle
import random
import sys
import time

import numpy as np

from espeak import SAMPLE_RATE, Espeak
from paths import work
from sentences import common_sentence, natural_sentences, rare_sentence, training_sentence, word_list
from tts.analysis import HOP, analyse
from tts.speakers import ACCENT, SPEAKERS

SENTENCES_OF_SPEAKER, WORDS_PER_MINUTE, PITCH_RANGE = 130, 160, 55
PARTS, SENTENCES_OF_PART = 8, 2500  # pronunciations


def punctuated(text, rng):
    words = text.split()
    if len(words) > 4 and rng.random() < 0.25:
        words[rng.randint(1, len(words) - 3)] += ","
    return " ".join(words) + rng.choice([".", ".", ".", "?", "!"])


def durations_of(starts, frames):
    """Frames of each phoneme; the first begins with the audio, the last ends with it."""
    edges = [0, *(seconds * SAMPLE_RATE / HOP for seconds in starts[1:]), frames]
    return np.diff(np.maximum.accumulate(np.round(edges)).astype(int))


def speech(speaker):
    espeak, rng, made = Espeak(), random.Random(speaker), []
    voice, pitch = SPEAKERS[speaker]
    for _ in range(SENTENCES_OF_SPEAKER):
        text = punctuated(training_sentence(rng), rng)
        samples, marks = espeak.speak(text, voice, WORDS_PER_MINUTE, pitch, PITCH_RANGE)
        features, voiced = analyse(samples)
        sounds = [mark for mark in marks if mark.phoneme is not None]
        durations = durations_of([mark.seconds for mark in sounds], len(features)) if sounds else np.array([-1])
        if durations.min() >= 0 and durations.sum() == len(features):
            made.append((speaker, [mark.phoneme for mark in sounds], durations, features.astype(np.float16), voiced))
    return made


def pronunciations(part):
    """-> list of (text, phonemes of the word at each position)"""
    espeak, rng, made, words = Espeak(), random.Random(100 + part), [], word_list()
    for _ in range(SENTENCES_OF_PART):
        kind = rng.random()
        if kind < 0.2:
            text = common_sentence(rng)
        elif kind < 0.35:
            text = rare_sentence(rng)
        elif kind < 0.65:
            text = rng.choice(natural_sentences())
        else:
            text = " ".join(rng.choice(words) for _ in range(7))
        text = punctuated(text, rng)
        by_position = {}
        for mark in espeak.speak(text, ACCENT, 320)[1]:
            if mark.phoneme is not None:
                by_position.setdefault(mark.position, []).append(mark.phoneme)
        made.append((text, by_position))
    return made


def save(parts, name):
    with open(work("tts", name), "wb") as file:
        pickle.dump([item for part in parts for item in part], file)


if __name__ == "__main__":
    started = time.time()
    with multiprocessing.Pool(int(sys.argv[1]), maxtasksperchild=1) as pool:
        save(pool.map(pronunciations, range(PARTS), chunksize=1), "pronunciations.pickle")
        print(f"pronunciations after {time.time() - started:.0f} s", flush=True)
        save(pool.map(speech, range(len(SPEAKERS)), chunksize=1), "speech.pickle")
    print(f"speech after {time.time() - started:.0f} s")
