"""What happens to speech on its way to a server: rooms, telephone bands, noise, coarse samples, gain."""

import numpy as np
from scipy.signal import butter, fftconvolve, lfilter

SAMPLE_RATE = 16000
_NYQUIST = SAMPLE_RATE / 2


def band_noise(white, rng):
    """noise in the band of speech whose level goes up and down like a crowd's"""
    count = len(white)
    points = max(2, count // 4000)
    level = np.interp(np.arange(count), np.linspace(0, count, points), rng.uniform(0.2, 1, points))
    return lfilter(*butter(2, [200 / _NYQUIST, 3000 / _NYQUIST], "band"), white) * level


def hum(white, rng):
    time, base = np.arange(len(white)) / SAMPLE_RATE, rng.uniform(50, 200)
    harmonics = range(1, 6)
    return sum(np.sin(2 * np.pi * base * h * time + rng.uniform(0, 6)) / h for h in harmonics) + 0.3 * white


def falling_noise(white, exponent):
    spectrum = np.fft.rfft(white)
    return np.fft.irfft(spectrum / np.maximum(np.arange(len(spectrum)), 1.0) ** exponent, len(white))


def noise(count, rng):
    """`count` samples of noise with an effective value of 1"""
    white = rng.standard_normal(count).astype(np.float32)
    kinds = {
        "white": lambda: white,
        "pink": lambda: falling_noise(white, 0.5),
        "brown": lambda: falling_noise(white, 1.0),
        "hum": lambda: hum(white, rng),
        "crowd": lambda: band_noise(white, rng),
    }
    made = kinds[rng.choice(list(kinds))]()
    return (made / (np.sqrt(np.mean(made**2)) + 1e-9)).astype(np.float32)


def in_room(samples, rng):
    count = int(rng.uniform(0.1, 0.5) * SAMPLE_RATE)
    response = rng.standard_normal(count) * np.exp(-6.9 * np.arange(count) / count) * rng.uniform(0.02, 0.12)
    response[:20] = 0
    response[0] = 1.0
    return fftconvolve(samples, response.astype(np.float32))[: len(samples)].astype(np.float32)


def telephone(samples, rng):
    band = [rng.uniform(80, 300) / _NYQUIST, rng.uniform(3200, 3800) / _NYQUIST]
    return lfilter(*butter(4, band, "band"), samples).astype(np.float32)


def equalised(samples, rng):
    shape = butter(1, rng.uniform(800, 6000) / _NYQUIST, rng.choice(["low", "low", "low", "high"]))
    return (samples + rng.uniform(-0.6, 2) * lfilter(*shape, samples)).astype(np.float32)


def coarse(samples):
    loudest = np.abs(samples).max() + 1e-6
    return np.round(samples / loudest * 127) / 127 * loudest


def augment(samples, rng, share=0.7, noise_decibels=(8, 35)):
    """`share`: how likely noise is, and the rest in proportion; `noise_decibels`: range of the distance to the noise"""
    samples = samples.astype(np.float32)
    if rng.random() < 0.57 * share:
        samples = in_room(samples, rng)
    draw = rng.random()
    if draw < 0.36 * share:
        samples = telephone(samples, rng)
    elif draw < 0.64 * share:
        samples = equalised(samples, rng)
    if rng.random() < share:
        level = (np.sqrt(np.mean(samples**2)) + 1e-6) * 10 ** (-rng.uniform(*noise_decibels) / 20)
        samples = samples + noise(len(samples), rng) * level
    if rng.random() < 0.15:
        samples = coarse(samples)
    loudest = np.abs(samples).max() + 1e-6
    return (samples / loudest * 10 ** (-rng.uniform(0.5, 22) / 20)).astype(np.float32)
