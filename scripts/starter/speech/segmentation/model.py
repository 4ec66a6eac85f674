"""Who speaks when within 10 s: samples -> classes every 270 samples.

The classes are nobody, one of three speakers, or two of them; which speaker is which holds within the window alone.
"""

import itertools
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from filterbank import mel_bands

WINDOW, STRIDE, RECEPTIVE, FRAMES = 160000, 270, 991, 589
SPEAKERS, BANDS = 3, 64
CLASSES = [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
SPEAKERS_OF_CLASS = np.array([[speaker in each for speaker in range(SPEAKERS)] for each in CLASSES])
ORDERS = list(itertools.permutations(range(SPEAKERS)))
_FFT = 512
NARROW, WIDE, STATE, HEADS = 64, 112, 96, 4


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


class Convolution(nn.Module):
    """A depthwise convolution and two dense layers beside the input: [N, width, T] -> the same"""

    def __init__(self, width, hidden, kernel):
        super().__init__()
        self.depthwise = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.norm, self.wide, self.narrow = nn.LayerNorm(width), nn.Linear(width, hidden), nn.Linear(hidden, width)
        nn.init.normal_(self.narrow.weight, 0, 0.01)

    def forward(self, x):
        inner = self.norm(self.depthwise(x).transpose(1, 2))
        return x + self.narrow(F.relu(self.wide(inner))).transpose(1, 2)


class Attention(nn.Module):
    """Each frame looks at all others, so that it finds its voice again: [N, T, WIDE] -> the same"""

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

    def __init__(self, width):
        super().__init__()
        self.gru = nn.GRU(WIDE, STATE, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * STATE, width)

    def forward(self, x):
        with torch.autocast("cpu", enabled=False):
            carried = self.gru(x.float())[0]
        return self.out(carried)


class Segmenter(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.fine = nn.Conv1d(BANDS, NARROW, 5, padding=2), Convolution(NARROW, 128, 9)
        self.down = nn.Conv1d(NARROW, WIDE, 5, 4, 2)
        self.before, self.attention = Recurrence(WIDE), Attention()
        self.coarse, self.after = Convolution(WIDE, 224, 15), Recurrence(NARROW)
        self.last, self.out = Convolution(NARROW, 128, 9), nn.Linear(NARROW, len(CLASSES))

    def forward(self, features):
        """[N, BANDS, FRAMES] -> log probabilities [N, FRAMES, 7]; voices are followed in a quarter of the frames"""
        fine = self.fine(F.relu(self.first((features - features.mean((1, 2), keepdim=True)) / 3.0)))
        x = F.relu(self.down(fine)).transpose(1, 2)
        x = self.attention(x + self.before(x))
        x = self.after(self.coarse(x.transpose(1, 2)).transpose(1, 2))
        count, frames, width = x.shape
        x = x[:, :, None].expand(-1, -1, 4, -1).reshape(count, 4 * frames, width)[:, :FRAMES]
        return torch.log_softmax(self.out(self.last(fine + x.transpose(1, 2)).transpose(1, 2)).float(), -1)


class WithFrontEnd(nn.Module):
    def __init__(self, segmenter):
        super().__init__()
        self.front_end, self.segmenter = FrontEnd(), segmenter

    def forward(self, samples):
        return self.segmenter(self.front_end(samples))
