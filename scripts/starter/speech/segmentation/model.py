"""Who speaks when within 10 s: samples -> classes every 270 samples.

The classes are nobody, one of three speakers, or two of them; which speaker is which holds within the window alone.
"""

import itertools
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from blocks import Block
from filterbank import mel_bands

WINDOW, STRIDE, RECEPTIVE, FRAMES = 160000, 270, 991, 589
SPEAKERS, BANDS = 3, 64
CLASSES = [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
SPEAKERS_OF_CLASS = np.array([[speaker in each for speaker in range(SPEAKERS)] for each in CLASSES])
ORDERS = list(itertools.permutations(range(SPEAKERS)))
_FFT = 512
NARROW, WIDE, STATE, HEADS = 64, 160, 96, 4


class FrontEnd(nn.Module):
    """[N, 1, samples] -> [N, BANDS, FRAMES]: mel bands of 32 ms in the middle of what a frame stands for"""

    def __init__(self):
        super().__init__()
        angles = 2 * math.pi * torch.arange(1, _FFT // 2)[:, None] * torch.arange(_FFT) / _FFT
        waves = torch.cat([torch.cos(angles), torch.sin(angles)]) * torch.hann_window(_FFT)
        self.register_buffer("waves", waves[:, None].contiguous())
        bands = mel_bands(BANDS, _FFT, 40, 7800)[:, 1 : _FFT // 2]
        self.register_buffer("bands", torch.tensor(bands).contiguous())

    def forward(self, samples):
        samples = samples - samples.mean(-1, keepdim=True)
        samples = samples / (samples.std(-1, keepdim=True) + 1e-5)
        spectrum = F.conv1d(samples[:, :, (RECEPTIVE - _FFT) // 2 :], self.waves, stride=STRIDE)[:, :, :FRAMES]
        half = _FFT // 2 - 1
        return torch.log(torch.matmul(self.bands, spectrum[:, :half] ** 2 + spectrum[:, half:] ** 2) + 1e-4)


class Attention(nn.Module):
    """Each frame looks at all others, so that it finds its voice again."""

    def __init__(self):
        super().__init__()
        self.norm, self.all = nn.LayerNorm(WIDE), nn.Linear(WIDE, 3 * WIDE)
        self.out = nn.Linear(WIDE, WIDE)
        nn.init.normal_(self.out.weight, 0, 0.01)

    def forward(self, x):
        count, frames, _ = x.shape
        parts = self.all(self.norm(x)).reshape(count, frames, 3, HEADS, WIDE // HEADS).permute(2, 0, 3, 1, 4)
        queries, keys, values = parts.unbind(0)
        weights = torch.softmax(queries @ keys.transpose(-1, -2) / math.sqrt(WIDE // HEADS), -1)
        return x + self.out((weights @ values).transpose(1, 2).reshape(count, frames, WIDE))


class Recurrence(nn.Module):
    """Carries who has spoken before and who will speak; in full precision, as bfloat16 is slow here."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDE)
        self.gru = nn.GRU(WIDE, STATE, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * STATE, WIDE)

    def forward(self, x):
        with torch.autocast("cpu", enabled=False):
            carried = self.gru(self.norm(x.float()))[0]
        return x + self.out(carried)


class Segmenter(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.fine = nn.Linear(BANDS, NARROW), Block(NARROW, 128, 1)
        self.down = nn.Linear(4 * NARROW, WIDE)
        layers = [Block(WIDE, 320, 1), Block(WIDE, 320, 2), Attention(), Block(WIDE, 320, 4), Recurrence()]
        layers += [Attention(), Block(WIDE, 320, 1), Block(WIDE, 320, 2)]
        self.coarse = nn.ModuleList(layers)
        self.up, self.last = nn.Linear(WIDE, 4 * NARROW), Block(NARROW, 128, 1)
        self.norm, self.out = nn.LayerNorm(NARROW), nn.Linear(NARROW, len(CLASSES))

    def forward(self, features):
        """[N, BANDS, FRAMES] -> log probabilities [N, FRAMES, 7]; a quarter of the frames in the middle"""
        x = (features - features.mean((1, 2), keepdim=True)) / 3.0
        x = F.pad(x.transpose(1, 2), (0, 0, 0, -FRAMES % 4))
        fine = self.fine(F.relu(self.first(x)))
        count, frames, _ = fine.shape
        x = self.down(fine.reshape(count, frames // 4, 4 * NARROW))
        for layer in self.coarse:
            x = layer(x)
        x = self.last(fine + self.up(x).reshape(count, frames, NARROW))[:, :FRAMES]
        return torch.log_softmax(self.out(self.norm(x)).float(), -1)


class WithFrontEnd(nn.Module):
    def __init__(self, segmenter):
        super().__init__()
        self.front_end, self.segmenter = FrontEnd(), segmenter

    def forward(self, samples):
        return self.segmenter(self.front_end(samples))
