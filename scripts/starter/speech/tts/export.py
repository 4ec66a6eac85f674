"""The synthesizer as one graph, read by sherpa-onnx as VITS of characters: python -m tts.export MODEL TOKENS"""

import sys

import torch
import torch.nn as nn

from onnx_file import export, write_tokens
from paths import work
from tts.acoustic import Acoustic
from tts.analysis import FEATURES, SAMPLE_RATE
from tts.letters import CHARACTERS
from tts.pronunciation import PAUSE, Pronunciation
from tts.speakers import SPEAKERS
from tts.vocoder import Vocoder

LONGEST_PHONEME_FRAMES = 120.0
FIRST_SILENCE = 800  # samples: who listens misses a first sound that comes at once
INPUTS = ["x", "x_length", "noise_scale", "length_scale", "noise_scale_w", "sid"]


def chunk_table(chunks, names):
    """[chunks, phonemes of the longest] ids, -1 behind them"""
    ids = {name: number for number, name in enumerate(names)}
    table = torch.full((len(chunks), max(map(len, chunks))), -1, dtype=torch.long)
    for number, chunk in enumerate(chunks):
        table[number, : len(chunk)] = torch.tensor([ids[name] for name in chunk], dtype=torch.long)
    return table


def fixed_chunks(chunks, of_digits):
    """[characters] the chunk of digits, punctuation and spaces; -1: the pronunciation decides"""
    ids, fixed = {chunk: number for number, chunk in enumerate(chunks)}, []
    for character in CHARACTERS:
        if character.isdigit():
            fixed.append(ids[of_digits[character]])
        else:
            fixed.append(ids[PAUSE] if character in ",.?!:;" else 0 if character in " -'" else -1)
    return torch.tensor(fixed)


class Synthesizer(nn.Module):
    def __init__(self):
        super().__init__()
        letters, sounds = torch.load(work("tts", "pronunciation.pt")), torch.load(work("tts", "acoustic.pt"))
        self.pronunciation = Pronunciation(len(letters["chunks"]))
        self.pronunciation.load_state_dict(letters["model"])
        self.acoustic = Acoustic(len(sounds["phonemes"]), torch.zeros(FEATURES), torch.zeros(FEATURES))
        self.acoustic.load_state_dict(sounds["model"])
        self.vocoder, self.pause = Vocoder(), sounds["phonemes"].index("_")
        self.register_buffer("table", chunk_table(letters["chunks"], sounds["phonemes"]))
        self.register_buffer("fixed", fixed_chunks(letters["chunks"], letters["digits"]))

    def phonemes(self, characters):
        fixed = self.fixed[characters[0]]
        chunks = torch.where(fixed >= 0, fixed, self.pronunciation(characters)[0].argmax(-1))
        found = self.table[chunks].reshape(-1)
        found = torch.cat([found, torch.full_like(found[:1], self.pause)])
        return found[torch.nonzero(found >= 0)[:, 0]][None]

    def forward(self, x, x_length, noise_scale, length_scale, noise_scale_w, sid):
        """ids of characters [1, L] -> samples [1, 1, S]; a larger length_scale is slower"""
        phonemes = self.phonemes(x)
        hidden, logarithms = self.acoustic.encode(phonemes, sid)
        durations = torch.clamp(torch.exp(logarithms[0]) * length_scale.reshape(()), 1.0, LONGEST_PHONEME_FRAMES)
        ends = torch.cumsum(durations, 0)
        frames = torch.arange(torch.ceil(ends[-1]).long(), dtype=torch.long).float()
        place = (frames[:, None] >= ends[None]).long().sum(1)
        place = torch.minimum(place, torch.ones_like(place) * (phonemes.shape[1] - 1))
        length = durations[place]
        share = ((frames - (ends - durations)[place] + 0.5) / length).clamp(0, 1)
        features = self.acoustic.decode(hidden, place[None], share[None], length[None], sid)[0]
        samples = self.vocoder(features * self.acoustic.deviation + self.acoustic.mean)
        # Inputs that nothing depends on would vanish from the graph, and sherpa-onnx names all six.
        unused = noise_scale.sum() + noise_scale_w.sum() + x_length.sum().float()
        samples = torch.cat([torch.zeros_like(samples[:FIRST_SILENCE]), samples])
        return torch.tanh(0.9 * (samples + 0.0 * unused))[None, None]


METADATA = dict(
    sample_rate=SAMPLE_RATE,
    n_speakers=len(SPEAKERS),
    language="English",
    comment="inferd-starter",
    frontend="characters",
    add_blank=0,
    punctuation=". : ? ! , ;",
    blank_id=0,
    bos_id=0,
    eos_id=0,
    use_eos_bos=0,
    pad_id=0,
)

if __name__ == "__main__":
    model_path, tokens_path = sys.argv[1:3]
    example = torch.tensor([[CHARACTERS.index(character) for character in "hello, these are seven words."]])
    one = torch.ones(1)
    arguments = (example, torch.tensor([example.shape[1]]), one, one, one, torch.tensor([0]))
    dynamic = {"x": {1: "L"}, "y": {2: "S"}}
    export(Synthesizer().eval(), arguments, model_path, INPUTS, ["y"], dynamic, METADATA, exact=("vocoder.",))
    write_tokens(tokens_path, CHARACTERS)
