"""Figures of the models on held-out voices and sentences: python -m evaluate MODELS_FOLDER"""

import os
import random
import sys

import numpy as np
import onnxruntime

from embedding.train import features_of
from embedding.trials import equal_error, trials
from espeak import SAMPLE_RATE, Espeak
from filterbank import filterbank
from segmentation.dialogues import by_speaker
from segmentation.generate import labels_of, window
from segmentation.train import wrong_time
from sentences import held_out_sentences
from utterances import load
from stt.alignment import FRAME_SECONDS
from stt.alphabet import BLANK, WORD, decode
from stt.generate import spoken
from stt.own_speech import Voice
from tts.speakers import SPEAKERS
from vad.recordings import recording, steps
from voices import held_out_voice
from word_errors import word_errors

RECORDINGS, WINDOWS = 20, 150


def session(folder, name):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    path = os.path.join(folder, f"{name}.onnx")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def voice_activity(folder):
    detector, utterances, rng = session(folder, "starter-vad"), load("held-out"), np.random.default_rng(99)
    right = count = 0
    for _ in range(RECORDINGS):
        state = np.zeros((2, 1, 128), np.float32)
        for samples, label in zip(*steps(*recording(utterances, rng))):
            inputs = {"input": samples[None].astype(np.float32), "state": state, "sr": np.array(SAMPLE_RATE)}
            probability, state = detector.run(None, inputs)
            right, count = right + ((probability[0, 0] > 0.5) == label), count + 1
    return f"{100 * right / count:.1f}% of steps are right"


def segmentation(folder):
    segmenter, rng = session(folder, "starter-segmentation"), np.random.default_rng(17)
    speakers, wrong, speech = by_speaker(load("held-out")), 0, 0
    for _ in range(WINDOWS):
        samples, active = window(speakers, rng)
        labels = labels_of(active)
        scores = segmenter.run(None, {"x": samples[None, None].astype(np.float32)})[0][0]
        wrong, speech = wrong + wrong_time(scores.argmax(-1), labels), speech + labels.sum()
    return f"{100 * wrong / speech:.1f}% of speech missed, made up or confused within windows"


def embedding(folder):
    embedder, found, speakers = session(folder, "starter-speaker-embedding"), [], []
    for utterance in load("held-out"):
        features = features_of(utterance.samples.astype(np.float32))
        found.append(embedder.run(None, {"feats": features[None]})[0][0])
        speakers.append(utterance.speaker)
    rate, threshold = equal_error(*trials(np.array(found), speakers))
    return f"{100 * rate:.1f}% equal error at a cosine of {threshold:.2f}"


class Listener:
    """Transcribes, and counts what is wrong."""

    def __init__(self, folder):
        self.session, self.wrong, self.words, self.late = session(folder, "starter-stt"), 0, 0, []

    def hear(self, samples, text, starts=()):
        """`starts`: seconds at which words begin, where known"""
        features = filterbank(samples)
        scores = self.session.run(None, {"x": features[None], "x_lens": np.array([len(features)])})[0][0]
        ids = scores.argmax(-1).tolist()
        wrong, words = word_errors(text, decode(ids))
        self.wrong, self.words = self.wrong + wrong, self.words + words
        marks = [at for at, (before, now) in enumerate(zip([BLANK, *ids], ids)) if now == WORD and before != WORD]
        if len(marks) == len(starts):
            self.late += [abs(at * FRAME_SECONDS - start) for at, start in zip(marks, starts)]

    def report(self):
        times = f", words begin {1000 * np.median(self.late):.0f} ms off (median)" if self.late else ""
        return f"{100 * self.wrong / self.words:.1f}% of {self.words} words wrong{times}"


def transcription(folder):
    espeak, rng, listener = Espeak(), random.Random(7), Listener(folder)
    for text in held_out_sentences():
        samples, marks, offset = spoken(espeak, rng, text, held_out_voice(rng))
        starts = [mark.seconds + offset for mark in marks if mark.phoneme is None]
        listener.hear(samples, text, starts)
    return listener.report()


def round_trip(folder):
    voice, listener = Voice(os.path.join(folder, "starter-tts.onnx")), Listener(folder)
    for number, text in enumerate(held_out_sentences()):
        listener.hear(voice.speak(f"{text}.", number % len(SPEAKERS)), text)
    return listener.report()


if __name__ == "__main__":
    for measure in (voice_activity, segmentation, embedding, transcription, round_trip):
        print(f"{measure.__name__}: {measure(sys.argv[1])}", flush=True)
