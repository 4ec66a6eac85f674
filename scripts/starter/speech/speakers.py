"""Clean utterances of single speakers: python -m speakers PROCESSES

A speaker is a variant of espeak-ng with a pitch and a size: played slower, a voice sounds larger. That makes hundreds
of training speakers out of some sixty variants. Held-out speakers are held-out variants as they are, with two pitches.
"""

import multiprocessing
import pickle
import random
import sys
import time

import numpy as np
from scipy.signal import resample_poly

from espeak import Espeak
from sentences import held_out_sentences, training_sentence
from utterances import HOP, Utterance, activity, path_of
from voices import ACCENTS, COMMON_ACCENTS, HELD_OUT_VARIANTS, VARIANTS

PITCHES = 26, 50, 74  # espeak's scale of 0 to 99
SIZES = 0.86, 0.95, 1.05, 1.16
UTTERANCES, HELD_OUT_UTTERANCES = 8, 10


def utterances_of(task):
    """`task`: number, variant, pitch, size, whether held out"""
    speaker, variant, pitch, size, held_out = task
    espeak, rng, made = Espeak(), random.Random(speaker), []
    voice = f"{rng.choice(COMMON_ACCENTS if held_out else ACCENTS)}+{variant}"
    pitch_range = 55 if held_out else rng.choice([40, 55, 70])
    for _ in range(HELD_OUT_UTTERANCES if held_out else UTTERANCES):
        text, speed = rng.choice(held_out_sentences()) if held_out else training_sentence(rng), rng.randint(135, 195)
        heights = pitch + rng.randint(-3, 3), pitch_range + rng.randint(-8, 8)
        samples, _ = espeak.speak(text, voice, speed * size, *heights)
        if size != 1:
            samples = resample_poly(samples, round(100 * size), 100).astype(np.float32)
        places = np.where(activity(samples))[0]
        if len(places) < 30:
            continue
        samples = samples[places[0] * HOP : (places[-1] + 1) * HOP]
        samples = (samples / np.abs(samples).max() * 0.7).astype(np.float16)
        made.append(Utterance(speaker, variant, samples, activity(samples.astype(np.float32))))
    return made


def tasks():
    """-> those of training, those held out; numbers go on"""
    training = [(variant, pitch, size, False) for variant in VARIANTS for pitch in PITCHES for size in SIZES]
    held_out = [(variant, pitch, 1, True) for variant in HELD_OUT_VARIANTS for pitch in (34, 62)]
    numbered = [(number, *rest) for number, rest in enumerate(training + held_out)]
    return numbered[: len(training)], numbered[len(training) :]


if __name__ == "__main__":
    started = time.time()
    with multiprocessing.Pool(int(sys.argv[1])) as pool:
        for name, some in zip(("training", "held-out"), tasks()):
            made = [utterance for each in pool.imap(utterances_of, some, chunksize=4) for utterance in each]
            with open(path_of(name), "wb") as file:
                pickle.dump(made, file)
            hours = sum(len(utterance.samples) for utterance in made) / 16000 / 3600
            print(f"{name}: {len(some)} speakers, {hours:.1f} h, {time.time() - started:.0f} s", flush=True)
