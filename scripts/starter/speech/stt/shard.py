"""A file of utterances: features, texts and targets of frames, one behind the other."""

import glob
import os

import numpy as np

from paths import work


class ShardWriter:
    def __init__(self, name):
        self.path, self.names = work("stt", f"{name}.npz"), {}
        self.features, self.texts, self.phonemes, self.letters = [], [], [], []

    def exists(self):
        return os.path.exists(self.path)

    def add(self, features, text, phonemes, letters):
        self.features.append(features.astype(np.float16))
        self.texts.append(text)
        self.phonemes.append(phonemes)
        self.letters.append(letters)

    def save(self):
        """-> hours"""
        lengths = [len(features) for features in self.features]
        arrays = dict(
            features=np.concatenate(self.features),
            lengths=np.array(lengths),
            texts=np.array(self.texts),
            phonemes=np.concatenate(self.phonemes),
            letters=np.concatenate(self.letters),
            names=np.array(list(self.names)),
        )
        np.savez(f"{self.path}.part.npz", **arrays)
        os.rename(f"{self.path}.part.npz", self.path)
        return sum(lengths) / 360000


def frames_of(length):
    """frames of the model of `length` frames of features"""
    return (length + 3) // 4


def read_shard(path):
    """-> list of (features, text, phonemes, letters) and the phonemes' names"""
    with np.load(path) as file:
        shard = {name: file[name] for name in file.files}
    starts = np.cumsum([0, *shard["lengths"]])
    frame_starts = np.cumsum([0, *(frames_of(length) for length in shard["lengths"])])
    utterances = [
        (
            shard["features"][starts[at] : starts[at + 1]],
            str(shard["texts"][at]),
            shard["phonemes"][frame_starts[at] : frame_starts[at + 1]],
            shard["letters"][frame_starts[at] : frame_starts[at + 1]],
        )
        for at in range(len(shard["lengths"]))
    ]
    return utterances, list(map(str, shard["names"]))


def shard_paths(pattern):
    return sorted(glob.glob(work("stt", pattern)))
