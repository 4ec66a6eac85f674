"""What the vision model learns from: pictures with the tokens of their slots and the labels of their patches."""

import numpy as np
import torch
import torch.nn.functional as F

from vision.captions import BY_HEIGHT, FILL, LETTERS, VOCABULARY, caption
from vision.drawing import drawn, letters
from vision.scenes import CHARACTERS, COLOURS, SHAPES, scene

LABELS = [None, "bar", *SHAPES, *CHARACTERS]
INKS = [None, *COLOURS]
FIRST_SIGN = LABELS.index(CHARACTERS[0])
INDEX = {token: index for index, token in enumerate(VOCABULARY)}
# Most slots are empty: they count less, and so do patches where nothing stands.
SLOT_WEIGHTS = torch.ones(len(VOCABULARY))
SLOT_WEIGHTS[INDEX[FILL]] = 0.2
LABEL_WEIGHTS = torch.tensor([0.05] + [1.0] * (len(LABELS) - 1))
INK_WEIGHTS = torch.tensor([0.05] + [1.0] * (len(INKS) - 1))


def pictures(count, practice=0):
    """(pictures, slots, labels and inks of the patches); the first `practice` are letters, which have no slots."""
    pixels, slots, patches = [], [], np.zeros((count, 64, 2), np.int64)
    for index in range(count):
        if index < practice:
            image, labels = letters()
        else:
            shown = scene()
            image, labels = drawn(shown)
            slots.append([INDEX[token] for token in caption(shown)])
        pixels.append(image)
        for patch, what, colour in labels:
            patches[index, patch] = LABELS.index(what), INKS.index(colour)
    return torch.from_numpy(np.stack(pixels)), torch.tensor(slots), torch.from_numpy(patches)


def patch_loss(logits, patches):
    labels, inks = logits.float().flatten(0, 1).split((len(LABELS), len(INKS)), -1)
    loss = F.cross_entropy(labels, patches[..., 0].flatten(), LABEL_WEIGHTS)
    return loss + 0.3 * F.cross_entropy(inks, patches[..., 1].flatten(), INK_WEIGHTS)


@torch.no_grad()
def shares_right(slot_logits, patch_logits, slots, patches):
    """How much is right: of the filled slots, of those with signs of texts, of the patches, of those with signs."""
    filled, spelled = slots != INDEX[FILL], torch.zeros_like(slots, dtype=torch.bool)
    spelled[:, LETTERS:BY_HEIGHT] = filled[:, LETTERS:BY_HEIGHT]
    told = slot_logits.argmax(-1) == slots
    read = patch_logits[..., : len(LABELS)].argmax(-1) == patches[..., 0]
    masks = (told, filled), (told, spelled), (read, patches[..., 0] > 0), (read, patches[..., 0] >= FIRST_SIGN)
    return [right[mask].float().mean().item() for right, mask in masks]
