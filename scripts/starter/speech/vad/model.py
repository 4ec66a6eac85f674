"""Whether 32 ms of sound hold speech, with the inputs and outputs of Silero's version 5.

Without the front end of mel bands the network is trained on whole recordings; `Step` runs it piece by piece.
"""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from filterbank import mel_bands

NEW, BEFORE = 512, 64  # samples of a step: new ones, and the last ones of the step before
BANDS, STATE, _FFT = 40, 128, 256


class FrontEnd(nn.Module):
    """[N, 576] -> [N, 120]: mel bands of three overlapping frames of 16 ms"""

    def __init__(self):
        super().__init__()
        angles = 2 * math.pi * torch.arange(1, _FFT // 2)[:, None] * torch.arange(_FFT) / _FFT
        waves = torch.cat([torch.cos(angles), torch.sin(angles)]) * torch.hann_window(_FFT)
        self.register_buffer("waves", waves[:, None].contiguous())
        self.register_buffer("bands", torch.tensor(mel_bands(BANDS, _FFT, 60, 7600)[:, 1 : _FFT // 2]).contiguous())

    def forward(self, samples):
        spectrum = F.conv1d(samples[:, None], self.waves, stride=160)
        half = _FFT // 2 - 1
        power = spectrum[:, :half] ** 2 + spectrum[:, half:] ** 2
        return torch.log(torch.matmul(self.bands, power) + 1e-5).flatten(1)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3 * BANDS, 96)
        self.lstm = nn.LSTM(96, STATE, batch_first=True)
        self.out = nn.Linear(STATE, 1)

    def forward(self, features):
        """[N, T, 120] -> scores [N, T]; above 0 is speech"""
        carried, _ = self.lstm(F.relu(self.first((features + 4) / 4)))
        return self.out(F.relu(carried))[..., 0]


class Step(nn.Module):
    def __init__(self, detector):
        super().__init__()
        self.front_end, self.detector = FrontEnd(), detector

    def forward(self, input, state, sr):
        """samples [N, 576], state [2, N, 128], rate -> probability [N, 1], new state"""
        lstm, detector = self.detector.lstm, self.detector
        x = F.relu(detector.first((self.front_end(input) + 4) / 4))
        gates = F.linear(x, lstm.weight_ih_l0, lstm.bias_ih_l0) + F.linear(state[0], lstm.weight_hh_l0, lstm.bias_hh_l0)
        take, keep, new, show = gates.chunk(4, 1)
        cell = torch.sigmoid(keep) * state[1] + torch.sigmoid(take) * torch.tanh(new)
        hidden = torch.sigmoid(show) * torch.tanh(cell)
        # An input that nothing depends on would vanish from the graph.
        probability = torch.sigmoid(detector.out(F.relu(hidden))) + 0.0 * sr.float()
        return probability, torch.stack([hidden, cell])
