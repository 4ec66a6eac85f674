"""Features of tts/analysis.py -> samples, inside the graph: a sum of harmonics, and noise with an envelope.

The noise is the same second over and over, so the same text always gives the same samples.
"""

import math

import torch
import torch.nn as nn

from tts.analysis import BANDS, HARMONICS, HIGHEST_HZ, HOP, LOWEST_HZ, NOISE, SAMPLE_RATE

COUNT_OF_HARMONICS, HIGHEST_HARMONIC_HZ = 96, 7700
SILENT = 3e-5
NOISE_FRAME = 2 * HOP


def mel(hertz):
    return 1127 * torch.log(1 + hertz / 700.0)


_LOWEST, _HIGHEST = (1127 * math.log(1 + hertz / 700) for hertz in (LOWEST_HZ, HIGHEST_HZ))


def place_in_bands(hertz):
    return ((mel(hertz) - _LOWEST) / (_HIGHEST - _LOWEST) * (BANDS - 1)).clamp(0, BANDS - 1)


class Vocoder(nn.Module):
    def __init__(self):
        super().__init__()
        noise = torch.randn(SAMPLE_RATE + NOISE_FRAME, generator=torch.Generator().manual_seed(1))[:SAMPLE_RATE]
        bins = NOISE_FRAME // 2 + 1
        angles = torch.arange(bins)[None] * torch.arange(NOISE_FRAME)[:, None] * (2 * math.pi / NOISE_FRAME)
        weights = torch.full((bins,), 2.0)
        weights[0] = weights[-1] = 1
        bands = place_in_bands(torch.arange(bins) * (SAMPLE_RATE / NOISE_FRAME))
        multiples = torch.arange(1, COUNT_OF_HARMONICS + 1).float()
        buffers = dict(
            noise=noise,
            window=torch.hann_window(NOISE_FRAME),
            cosines=torch.cos(angles),
            sines=torch.sin(angles),
            inverse_cosines=(torch.cos(angles) * weights / NOISE_FRAME).T.contiguous(),
            inverse_sines=(torch.sin(angles) * weights / NOISE_FRAME).T.contiguous(),
            bin_of_band=torch.relu(1 - (bands[:, None] - torch.arange(BANDS)[None]).abs()).T.contiguous(),
            multiples=multiples,
            bands=torch.arange(BANDS).float(),
            ramp=torch.arange(HOP).float() / HOP,
            samples_of_frame=torch.arange(NOISE_FRAME),
            phases=multiples**2 * 0.013,  # spread, so that the harmonics' peaks do not coincide
        )
        for name, value in buffers.items():
            self.register_buffer(name, value)

    def between(self, frames):
        """[T, ...] -> [T, HOP, ...], in a straight line to the next frame"""
        after = torch.cat([frames[1:], frames[-1:]], 0)
        ramp = self.ramp.reshape(1, HOP, *[1] * (frames.dim() - 1))
        return frames[:, None] + (after - frames)[:, None] * ramp

    def harmonics(self, pitch, envelope):
        hertz = torch.exp(pitch)
        each = hertz[:, None] * self.multiples
        weights = torch.relu(1 - (place_in_bands(each)[..., None] - self.bands).abs())
        loudness = torch.exp((weights * envelope[:, None]).sum(-1)) * (each < HIGHEST_HARMONIC_HZ).float()
        loudness = self.between(torch.relu(loudness - SILENT))
        turns = torch.cumsum(self.between(hertz).reshape(-1) / SAMPLE_RATE, 0)
        turns = (turns - torch.floor(turns)).reshape(-1, HOP)[..., None] * self.multiples + self.phases
        return (loudness * torch.sin(2 * math.pi * (turns - torch.floor(turns)))).sum(-1)

    def hiss(self, envelope):
        starts = torch.cumsum(torch.ones_like(envelope[:, 0]).long(), 0)[:, None] * HOP
        frames = self.noise[(starts + self.samples_of_frame) % SAMPLE_RATE] * self.window
        loudness = torch.exp(envelope @ self.bin_of_band)
        real, imaginary = (frames @ self.cosines) * loudness, (frames @ self.sines) * loudness
        shaped = real @ self.inverse_cosines + imaginary @ self.inverse_sines
        tail = torch.cat([torch.zeros_like(shaped[:1, HOP:]), shaped[:-1, HOP:]], 0)
        return shaped[:, :HOP] + tail

    def forward(self, features):
        """[T, FEATURES] -> [T * HOP]"""
        return (self.harmonics(features[:, 0], features[:, HARMONICS]) + self.hiss(features[:, NOISE])).reshape(-1)
