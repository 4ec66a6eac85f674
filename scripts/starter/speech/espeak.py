"""The synthesizer espeak-ng in this process: samples with the times of words and phonemes."""

import ctypes
from dataclasses import dataclass

import numpy as np
from scipy.signal import resample_poly

SAMPLE_RATE = 16000
_WORD, _PHONEME = 1, 7
_RATE, _PITCH, _RANGE = 1, 3, 4
_SYNCHRONOUS, _PHONEME_EVENTS = 2, 1


class _Id(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class _Event(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _Id),
    ]


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


@dataclass
class Mark:
    """The start of a word or phoneme; `position` counts characters of the text from 0."""

    seconds: float
    position: int
    phoneme: str | None  # None: a word


class Espeak:
    """One instance a process: the library has global state."""

    def __init__(self):
        self.library = ctypes.CDLL("libespeak-ng.so.1")
        self.native_rate = self.library.espeak_Initialize(_SYNCHRONOUS, 0, None, _PHONEME_EVENTS)
        if self.native_rate != 22050:
            raise RuntimeError("espeak-ng did not start at 22,050 samples a second. Install the package espeak-ng.")
        self.pieces, self.marks, self.voice = [], [], None
        self.callback = _CALLBACK(self._receive)  # kept: the library holds no reference
        self.library.espeak_SetSynthCallback(self.callback)

    def _receive(self, samples, count, events):
        if count > 0 and samples:
            self.pieces.append(np.ctypeslib.as_array(samples, (count,)).copy())
        number = 0
        while events[number].type:
            event = events[number]
            if event.type in (_WORD, _PHONEME):
                name = bytes(event.id.string).split(b"\0")[0].decode("utf8", "replace")
                phoneme = name if event.type == _PHONEME else None
                self.marks.append(Mark(event.audio_position / 1000, event.text_position - 1, phoneme))
            number += 1
        return 0

    def speak(self, text, voice, words_per_minute=165, pitch=50, pitch_range=50):
        """-> (samples at 16 kHz, marks). Voices have file names: `gmw/en-US`, `gmw/en-US+f2`."""
        if voice != self.voice:
            if self.library.espeak_SetVoiceByName(voice.encode()) != 0:
                raise ValueError(f"espeak-ng has no voice {voice}")
            self.voice = voice
        for parameter, value in ((_RATE, words_per_minute), (_PITCH, pitch), (_RANGE, pitch_range)):
            self.library.espeak_SetParameter(parameter, int(value), 0)
        self.pieces.clear()
        self.marks.clear()
        encoded = text.encode()
        self.library.espeak_Synth(encoded, len(encoded) + 1, 0, 1, 0, 1, None, None)
        self.library.espeak_Synchronize()
        samples = np.concatenate(self.pieces).astype(np.float32) / 32768 if self.pieces else np.zeros(1, np.float32)
        return resample_poly(samples, 320, 441).astype(np.float32), list(self.marks)
