"""Utterances of our own synthesizer for training and measuring: python -m stt.own_speech SHARDS MODEL

The transcription has to understand what the starter synthesizer says; nothing else teaches it that voice.
"""

import random
import sys
import time

import numpy as np
import onnxruntime

from augmentation import augment
from espeak import SAMPLE_RATE
from filterbank import filterbank
from sentences import held_out_sentences
from stt.alignment import UNKNOWN
from stt.generate import HOUR_UTTERANCES, LONGEST_SECONDS, silence, training_text
from stt.shard import ShardWriter, frames_of
from tts.letters import CHARACTERS
from tts.speakers import SPEAKERS


class Voice:
    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def speak(self, text, speaker, slowness=1.0):
        ids = np.array([[CHARACTERS.index(character) for character in text]], np.int64)
        scales = {name: np.array([1], np.float32) for name in ("noise_scale", "noise_scale_w")}
        inputs = {
            "x": ids,
            "x_length": np.array([ids.shape[1]], np.int64),
            "length_scale": np.array([slowness], np.float32),
            "sid": np.array([speaker], np.int64),
        }
        return self.session.run(None, inputs | scales)[0].reshape(-1)


def add(writer, samples, text):
    features = filterbank(samples)
    unknown = np.full(frames_of(len(features)), UNKNOWN, np.uint8)
    plain = " ".join("".join(letter for letter in text if letter not in ".,?").split())
    writer.add(features, plain, unknown, unknown)


def training_shard(number, voice):
    writer = ShardWriter(f"own-{number:02}")
    if writer.exists():
        return 0
    rng, generator = random.Random(5000 + number), np.random.default_rng(5000 + number)
    for _ in range(HOUR_UTTERANCES // 2):
        text = training_text(rng)
        if text == "":
            continue
        ending, speaker = rng.choice([".", ".", "", "?"]), rng.randrange(len(SPEAKERS))
        spoken = voice.speak(text + ending, speaker, rng.uniform(0.8, 1.2))
        samples = np.concatenate([silence(rng), spoken, silence(rng)])
        if len(samples) <= LONGEST_SECONDS * SAMPLE_RATE:
            add(writer, augment(samples, generator, 0.3), text)
    return writer.save()


def held_out_shard(voice):
    writer = ShardWriter("test-own")
    for number, text in enumerate(held_out_sentences()):
        add(writer, voice.speak(text + ".", number % len(SPEAKERS)), text)
    return writer.save()


if __name__ == "__main__":
    started, speech = time.time(), Voice(sys.argv[2])
    held_out_shard(speech)
    for shard in range(int(sys.argv[1])):
        print(f"{training_shard(shard, speech):.2f} h, {time.time() - started:.0f} s", flush=True)
