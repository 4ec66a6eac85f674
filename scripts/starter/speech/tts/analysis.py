"""Speech as pitch and two envelopes every 10 ms: of its harmonics and of its noise.

`HARMONICS` and `NOISE` are natural logarithms of amplitudes at 48 frequencies, equally spaced on the mel scale.
"""

import numpy as np
from scipy.signal import medfilt

from filterbank import mel

SAMPLE_RATE, HOP, BANDS = 16000, 160, 48
LOWEST_HZ, HIGHEST_HZ = 60.0, 7800.0
GRID = 700 * (np.exp(np.linspace(mel(LOWEST_HZ), mel(HIGHEST_HZ), BANDS) / 1127) - 1)
FEATURES = 1 + 2 * BANDS
PITCH, HARMONICS, NOISE = slice(0, 1), slice(1, 1 + BANDS), slice(1 + BANDS, FEATURES)
QUIETEST = np.log(2e-5)
_WINDOW = np.hanning(801)[:800].astype(np.float32)
_FFT = 2048
_HZ_OF_BIN = SAMPLE_RATE / _FFT
_SHORTEST_LAG, _LONGEST_LAG = 40, 240  # samples: 400 to 67 Hz


def framed(samples):
    count = len(samples) // HOP + 1
    padded = np.pad(samples, (400, 800))
    return padded[np.arange(count)[:, None] * HOP + np.arange(800)[None]]


def pitch_of(frames):
    """-> logarithm of the pitch in Hz, going on through unvoiced frames; whether a frame is voiced

    The peak of the autocorrelation, divided by that of the window: the first within 87% of the highest.
    """
    power = np.abs(np.fft.rfft(frames * _WINDOW, _FFT)) ** 2
    correlation = np.fft.irfft(power)[:, :320]
    of_window = np.fft.irfft(np.abs(np.fft.rfft(_WINDOW, _FFT)) ** 2)[:320]
    normal = correlation / (correlation[:, :1] + 1e-9) / (of_window / of_window[0])[None]
    lags = normal[:, _SHORTEST_LAG:_LONGEST_LAG]
    highest = lags.max(1)
    before = normal[:, _SHORTEST_LAG - 1 : _LONGEST_LAG - 1]
    after = normal[:, _SHORTEST_LAG + 1 : _LONGEST_LAG + 1]
    peaks = (lags >= before) & (lags >= after) & (lags >= 0.87 * highest[:, None])
    lag = np.where(peaks.any(1), peaks.argmax(1), lags.argmax(1)) + _SHORTEST_LAG
    left, top, right = (normal[np.arange(len(frames)), lag + step] for step in (-1, 0, 1))
    hertz = SAMPLE_RATE / (lag + 0.5 * (left - right) / (left - 2 * top + right - 1e-9))
    loudness = np.sqrt((frames[:, 200:600] ** 2).mean(1))
    voiced = medfilt(((highest > 0.55) & (loudness > 2e-3)).astype(float), 3) > 0.5
    pitch = np.log(np.clip(hertz, 65, 400))
    if voiced.sum() > 2:
        places = np.where(voiced)[0]
        pitch = medfilt(np.interp(np.arange(len(frames)), places, pitch[places]), 5)
    return pitch, voiced


def smooth_envelope(spectrum):
    """mean power around each frequency of GRID"""
    sums = np.cumsum(np.pad(spectrum**2, ((0, 0), (1, 0))), 1)
    edges = np.clip((np.r_[20.0, (GRID[1:] + GRID[:-1]) / 2, 8000.0] / _HZ_OF_BIN).astype(int), 0, 1024)
    edges[1:] = np.maximum(edges[1:], edges[:-1] + 2)
    power = (sums[:, edges[1:]] - sums[:, edges[:-1]]) / (edges[1:] - edges[:-1])[None]
    return np.log(np.sqrt(power) / np.sqrt((_WINDOW**2).sum()) + 1e-6)


def voiced_envelopes(spectrum, hertz):
    """of one frame: amplitudes at multiples of the pitch, and between them"""
    multiples = np.arange(1, int(7900 / hertz) + 1) * hertz
    bins = np.round(multiples / _HZ_OF_BIN).astype(int)
    tops = np.maximum(np.maximum(spectrum[bins], spectrum[bins - 1]), spectrum[np.minimum(bins + 1, 1024)])
    valleys = multiples - hertz / 2
    bins = np.round(valleys / _HZ_OF_BIN).astype(int)
    floor = np.minimum(np.minimum(spectrum[bins], spectrum[np.maximum(bins - 1, 0)]), spectrum[bins + 1])
    harmonics = np.interp(GRID, multiples, np.log(tops / (_WINDOW.sum() / 2) + 1e-5))
    return harmonics, np.interp(GRID, valleys, np.log(floor / np.sqrt((_WINDOW**2).sum()) + 1e-6)) - 0.5


def analyse(samples):
    """-> [frames, FEATURES], [frames] whether voiced"""
    frames = framed(samples)
    pitch, voiced = pitch_of(frames)
    spectrum = np.abs(np.fft.rfft(frames * _WINDOW, _FFT)).astype(np.float32)
    features = np.empty((len(frames), FEATURES), np.float32)
    features[:, PITCH] = pitch[:, None]
    features[:, HARMONICS] = np.log(1e-5)
    features[:, NOISE] = smooth_envelope(spectrum)
    for at in np.where(voiced)[0]:
        features[at, HARMONICS], features[at, NOISE] = voiced_envelopes(spectrum[at], np.exp(pitch[at]))
    features[:, 1:] = np.maximum(features[:, 1:], QUIETEST)
    return features, voiced
