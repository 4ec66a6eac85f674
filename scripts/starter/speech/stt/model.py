"""The transcription model: 80 mel bands every 10 ms -> letters every 40 ms, for CTC.

Everything but the front end is matrix products, which a CPU does fastest in bfloat16. The first half learns phonemes,
the second how they are spelled.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

from blocks import Block
from stt.alphabet import TOKENS

WIDTH, HIDDEN = 256, 512
SOUND_DILATIONS = (1, 1, 2, 1)
SPELLING_DILATIONS = (1, 2, 4, 1)
PHONEMES = 128


class Voice(nn.Module):
    """Adds to each frame what the mean of all frames says: who speaks, and through what."""

    def __init__(self):
        super().__init__()
        self.norm, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH)
        nn.init.normal_(self.out.weight, 0, 0.01)

    def forward(self, x, mask):
        mean = (self.norm(x) * mask).sum(1, keepdim=True) / mask.sum(1, keepdim=True)
        return x + self.out(mean)


class Transcriber(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv1d(80, 160, 5, 2, 2), nn.Conv1d(160, WIDTH, 5, 2, 2)
        self.first_voice, self.second_voice = Voice(), Voice()
        self.sounds = nn.ModuleList(Block(WIDTH, HIDDEN, dilation) for dilation in SOUND_DILATIONS)
        self.spelling = nn.ModuleList(Block(WIDTH, HIDDEN, dilation) for dilation in SPELLING_DILATIONS)
        self.sound_norm, self.norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.phonemes, self.letters = nn.Linear(WIDTH, PHONEMES), nn.Linear(WIDTH, len(TOKENS))

    def hidden(self, features, lengths):
        """-> after the first half, after the second, lengths in frames of 40 ms"""
        present = (torch.arange(features.shape[1])[None] < lengths[:, None])[..., None].float()
        x = (features + 8.0) / 4.0 * present
        x = x - 0.5 * x.sum(1, keepdim=True) / present.sum(1, keepdim=True)
        x = F.silu(self.first((x * present).transpose(1, 2)))
        x = self.second(x).transpose(1, 2)
        lengths = (lengths + 3) // 4
        mask = (torch.arange(x.shape[1])[None] < lengths[:, None])[..., None].to(x.dtype)
        x = self.first_voice(x, mask)
        for block in self.sounds:
            x = block(x, mask)
        sounds = x
        x = self.second_voice(x, mask)
        for block in self.spelling:
            x = block(x, mask)
        return sounds, x, lengths

    def forward(self, features, lengths):
        """[N, T, 80], [N] -> log probabilities [N, T / 4, letters], their lengths"""
        _, x, lengths = self.hidden(features, lengths)
        return torch.log_softmax(self.letters(self.norm(x)).float(), -1), lengths

    def forward_training(self, features, lengths):
        """also scores of phonemes"""
        sounds, x, lengths = self.hidden(features, lengths)
        letters = torch.log_softmax(self.letters(self.norm(x)).float(), -1)
        return letters, self.phonemes(self.sound_norm(sounds)).float(), lengths
