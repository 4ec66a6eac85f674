"""Times that the synthesizer knows, as targets of the model's frames: they teach it long before CTC finds them."""

import re

import numpy as np

from stt.alphabet import encode

FRAME_SECONDS = 0.04
UNKNOWN = 255  # no target: the audio is not espeak's


def phoneme_targets(marks, offset, frames, names):
    """[frames] ids in `names`, a dict that grows: the phoneme at the middle of each frame; 0 is silence"""
    targets, starts = np.zeros(frames, np.uint8), [mark for mark in marks if mark.phoneme is not None]
    for mark, after in zip(starts, [*starts[1:], None]):
        first = round((mark.seconds + offset) / FRAME_SECONDS)
        last = round((after.seconds + offset) / FRAME_SECONDS) if after else frames
        silent = mark.phoneme.startswith("_") or mark.phoneme == ""
        targets[first:last] = 0 if silent else names.setdefault(mark.phoneme, len(names) + 1)
    return targets


def letter_targets(text, marks, offset, frames):
    """[frames] ids of letters, spread evenly over the phonemes of their word; 0 between them"""
    targets = np.zeros(frames, np.uint8)
    words = [mark for mark in marks if mark.phoneme is None]
    for mark, after in zip(words, [*words[1:], None]):
        letters = encode(re.sub("[^a-z' ]", "", text[mark.position : after.position if after else None]).strip())
        limit = after.seconds if after else frames * FRAME_SECONDS
        pauses = [m.seconds for m in marks if (m.phoneme or "").startswith("_") and mark.seconds < m.seconds < limit]
        end, place = min([limit, *pauses]), -1
        for number, letter in enumerate(letters):
            seconds = mark.seconds + (end - mark.seconds) * number / len(letters) + offset
            place = max(place + 1, int(seconds / FRAME_SECONDS))
            if place < frames:
                targets[place] = letter
    return targets
