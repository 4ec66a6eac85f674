"""80 mel bands of the kind Kaldi computes, as sherpa-onnx feeds them to models: 25 ms frames every 10 ms."""

import numpy as np
import scipy.fft

SAMPLE_RATE, FRAME, HOP, FFT = 16000, 400, 160, 512
BANDS = 80
_FLOOR = 1.1920929e-07


def mel(hertz):
    return 1127.0 * np.log(1 + hertz / 700.0)


def mel_bands(bands=BANDS, fft=FFT, low=20.0, high=7600.0):
    """[bands, fft / 2 + 1]: triangles of equal width on the mel scale"""
    edges = np.linspace(mel(low), mel(high), bands + 2)
    positions = mel(np.arange(fft // 2) * SAMPLE_RATE / fft)
    weights = np.zeros((bands, fft // 2 + 1), np.float32)
    for band in range(bands):
        left, centre, right = edges[band : band + 3]
        rising, falling = (positions - left) / (centre - left), (right - positions) / (right - centre)
        weights[band, : fft // 2] = np.maximum(0, np.minimum(rising, falling))
    return weights


_BANDS = mel_bands().T.copy()
_WINDOW = (np.hanning(FRAME) ** 0.85).astype(np.float32)  # Kaldi's "povey"


def filterbank(samples):
    """[frames, 80] of natural logarithms; frames are centred on multiples of 10 ms, edges are mirrored"""
    samples = np.asarray(samples, np.float32)
    count = len(samples)
    frames = (count + HOP // 2) // HOP
    if frames == 0:
        return np.zeros((0, BANDS), np.float32)
    places = np.arange(frames)[:, None] * HOP + HOP // 2 - FRAME // 2 + np.arange(FRAME)[None]
    places = np.where(places < 0, -places - 1, places)
    places = np.where(places >= count, 2 * count - 1 - places, places).clip(0, count - 1)
    framed = samples[places]
    framed -= framed.mean(1, keepdims=True)
    emphasised = framed.copy()
    emphasised[:, 1:] -= 0.97 * framed[:, :-1]
    emphasised[:, 0] -= 0.97 * framed[:, 0]
    spectrum = scipy.fft.rfft(emphasised * _WINDOW, FFT, axis=1)
    power = spectrum.real**2 + spectrum.imag**2
    return np.log(np.maximum(power @ _BANDS, _FLOOR)).astype(np.float32)
