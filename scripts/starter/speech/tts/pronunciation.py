"""Training of the pronunciation: python -m tts.pronunciation STEPS

Characters -> for each the chunk of phonemes that it stands for. Digits are spoken one by one, punctuation is a pause.
"""

import math
import pickle
import re
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from espeak import Espeak
from paths import work
from tts.blocks import Block
from tts.letters import CHARACTERS, Splitter
from tts.speakers import ACCENT

PAUSE = ("_:", "_")
RATE, WARM_UP_STEPS, SENTENCES_OF_BATCH, HELD_OUT = 3e-3, 100, 32, 300
_IDS = {character: number for number, character in enumerate(CHARACTERS)}


class Pronunciation(nn.Module):
    def __init__(self, chunks, width=112, hidden=336, blocks=4):
        super().__init__()
        self.embedding = nn.Embedding(len(CHARACTERS), width)
        self.blocks = nn.Sequential(*[Block(width, hidden, 7) for _ in range(blocks)])
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, chunks)

    def forward(self, characters):
        """[N, L] -> scores [N, L, chunks]"""
        return self.out(self.norm(self.blocks(self.embedding(characters).transpose(1, 2)).transpose(1, 2)))


def without_pauses(phonemes):
    return tuple(phoneme for phoneme in phonemes if not phoneme.startswith("_"))


def words_of(text, by_position):
    """-> (place, word, phonemes) of each word"""
    for match in re.finditer("[a-z']+", text):
        yield match.start(), match.group(), without_pauses(by_position.get(match.start(), []))


def digits():
    espeak = Espeak()
    marks = {digit: espeak.speak(digit, ACCENT, 320)[1] for digit in "0123456789"}
    return {digit: without_pauses(mark.phoneme or "_" for mark in found) for digit, found in marks.items()}


def targets_of(text, by_position, splitter, ids):
    """-> id of a chunk for each character (-1: none is asked for), None if a word cannot be split"""
    targets = [0 if character in " '-" else ids[PAUSE] if character in ",.?!:;" else -1 for character in text]
    for place, word, phonemes in words_of(text, by_position):
        chunks = splitter.chunks_of(word, phonemes)
        if chunks is None:
            return None
        targets[place : place + len(word)] = [ids[chunk] for chunk in chunks]
    return targets


def training_data():
    """-> list of (characters, targets), chunks, chunks of the digits"""
    with open(work("tts", "pronunciations.pickle"), "rb") as file:
        sentences = pickle.load(file)
    words = {(word, phonemes) for sentence in sentences for _, word, phonemes in words_of(*sentence) if phonemes}
    splitter, of_digits = Splitter(sorted(words)), digits()
    chunks = splitter.chunks + [chunk for chunk in of_digits.values() if chunk not in splitter.known] + [PAUSE]
    ids, rows = {chunk: number for number, chunk in enumerate(chunks)}, []
    for text, by_position in sentences:
        targets = targets_of(text, by_position, splitter, ids)
        if targets is not None:
            rows.append(([_IDS[character] for character in text], targets))
    return rows, chunks, of_digits


def batch_of(rows):
    longest = max(len(characters) for characters, _ in rows)
    characters, targets = torch.zeros(len(rows), longest, dtype=torch.long), torch.full((len(rows), longest), -1)
    for number, (row, target) in enumerate(rows):
        characters[number, : len(row)], targets[number, : len(row)] = torch.tensor(row), torch.tensor(target)
    return characters, targets


def right_words(model, rows, chunks):
    """share of words whose phonemes are all right"""
    right = count = 0
    phonemes = lambda ids: [phoneme for number in ids for phoneme in chunks[number]]  # noqa: E731
    for characters, targets in rows:
        with torch.no_grad():
            said = model(torch.tensor([characters]))[0].argmax(-1).tolist()
        for match in re.finditer("[a-z']+", "".join(CHARACTERS[number] for number in characters)):
            place = slice(*match.span())
            right, count = right + (phonemes(said[place]) == phonemes(targets[place])), count + 1
    return right / count


def train(steps):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rows, chunks, of_digits = training_data()
    model, rng = Pronunciation(len(chunks)), np.random.default_rng(0)
    print(f"{len(rows)} sentences, {len(chunks)} chunks", flush=True)
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=1e-2, fused=True)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARM_UP_STEPS) * (0.5 + 0.5 * math.cos(math.pi * step / steps))
        characters, targets = batch_of([rows[at] for at in rng.integers(HELD_OUT, len(rows), SENTENCES_OF_BATCH)])
        with torch.autocast("cpu", torch.bfloat16):
            scores = model(characters)
        loss = F.cross_entropy(scores.float().flatten(0, 1), targets.flatten(), ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % 500 == 0:
            print(f"step {step + 1}: {loss.item():.3f}", flush=True)
    model.eval()
    print(f"{100 * right_words(model, rows[:HELD_OUT], chunks):.1f}% of held-out words are right")
    torch.save(dict(model=model.state_dict(), chunks=chunks, digits=of_digits), work("tts", "pronunciation.pt"))


if __name__ == "__main__":
    train(int(sys.argv[1]))
