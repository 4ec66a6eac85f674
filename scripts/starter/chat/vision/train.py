"""Training of the vision model: python -m vision.train PICTURES

The vision model learns alone which token stands in each slot of the caption (captions.py); the language
model's embeddings are not needed yet. Middle layers also learn what stands in each patch, which is easier
and leads the rest: without it, reading takes far longer to begin.
An interrupted training goes on from its last checkpoint.
"""

import os
import sys
import time

import numpy as np
import torch
import torch._dynamo
import torch.nn as nn
import torch.nn.functional as F

from optimizer import Optimizer
from values import rng
from vision.captions import BY_HEIGHT, FILL, LETTERS, VOCABULARY, caption
from vision.drawing import drawn, letters
from vision.model import CONFIG, Block, VisionModel
from vision.scenes import CHARACTERS, COLOURS, SHAPES, scene

WORK = os.environ.get("STARTER_WORK", "work")
BATCH, PRACTICE = 32, 10
LABELS = [None, "bar", *SHAPES, *CHARACTERS]
INKS = [None, *COLOURS]
PATCH_LAYERS = 4
INDEX = {token: index for index, token in enumerate(VOCABULARY)}
# Most slots are empty: they count less, and so do patches where nothing stands.
SLOT_WEIGHTS = torch.ones(len(VOCABULARY))
SLOT_WEIGHTS[INDEX[FILL]] = 0.2
LABEL_WEIGHTS = torch.tensor([0.05] + [1.0] * (len(LABELS) - 1))
INK_WEIGHTS = torch.tensor([0.05] + [1.0] * (len(INKS) - 1))


class Pupil(nn.Module):
    """The vision model with the outputs that only training needs."""

    def __init__(self):
        super().__init__()
        self.model = VisionModel(CONFIG)
        self.patch_head = nn.Linear(CONFIG["dim"], len(LABELS) + len(INKS))
        self.slot_head = nn.Linear(CONFIG["hidden"], len(VOCABULARY))
        self.model.project2.requires_grad_(
            False
        )  # joint training sets it: it belongs to the language model's embeddings

    def forward(self, pictures, practice=0):
        """(logits of the slots, but for the first `practice` pictures; logits of all patches)"""
        x = self.model.embedded(pictures)
        for block in self.model.blocks[:PATCH_LAYERS]:
            x = block(x)
        patch_logits = self.patch_head(x)
        x = x[practice:]
        for block in self.model.blocks[PATCH_LAYERS:]:
            x = block(x)
        return self.slot_head(self.model.hidden(self.model.norm(x))), patch_logits


def pictures(count, practice=0):
    """(pictures, slots, labels and inks of the patches) as tensors; the first `practice` are letters and have no slots."""
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


def losses(slot_logits, patch_logits, slots, patches):
    label_logits, ink_logits = patch_logits.float().split((len(LABELS), len(INKS)), -1)
    slot_loss = F.cross_entropy(slot_logits.float().flatten(0, 1), slots.flatten(), SLOT_WEIGHTS)
    patch_loss = F.cross_entropy(label_logits.flatten(0, 1), patches[..., 0].flatten(), LABEL_WEIGHTS)
    patch_loss = patch_loss + 0.3 * F.cross_entropy(ink_logits.flatten(0, 1), patches[..., 1].flatten(), INK_WEIGHTS)
    with torch.no_grad():
        filled, labelled = slots != INDEX[FILL], patches[..., 0] > 0
        right = slot_logits.argmax(-1) == slots
        read = label_logits.argmax(-1) == patches[..., 0]
        spelled = filled.clone()
        spelled[:, :LETTERS], spelled[:, BY_HEIGHT:] = False, False
        glyphs = patches[..., 0] > 1 + len(SHAPES)
        shares = (
            right[filled].float().mean(),
            right[spelled].float().mean(),
            read[labelled].float().mean(),
            read[glyphs].float().mean(),
        )
    return slot_loss, patch_loss, [share.item() for share in shares]


def save(path, pupil, optimizer, seen):
    weights = {name: master.clone() for name, master in optimizer.masters.items()}
    weights |= {
        f"model.{name}": value.float() for name, value in pupil.model.state_dict().items() if "project2" in name
    }
    torch.save(dict(config=CONFIG, pupil=weights, seen=seen), path + ".part")
    os.replace(path + ".part", path)


def main(total):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    torch._dynamo.config.recompile_limit = 64
    Block.forward = torch.compile(Block.forward, dynamic=False)
    path, seen = os.path.join(WORK, "vision.pt"), 0
    pupil = Pupil()
    if os.path.exists(path):
        saved = torch.load(path)
        pupil.load_state_dict(saved["pupil"])
        seen = saved["seen"]
    pupil = pupil.bfloat16()
    optimizer = Optimizer(pupil, 0.008, 1.5e-3, others=("embedding", "patch", "position", "head"))
    rng.seed(f"vision {seen}")
    began, first, steps, drawing, reports = time.time(), seen, 0, 0.0, []
    while seen < total:
        at = time.time()
        pixels, slots, patches = pictures(BATCH, PRACTICE)
        drawing += time.time() - at
        slot_loss, patch_loss, shares = losses(*pupil(pixels, PRACTICE), slots, patches)
        (slot_loss + patch_loss).backward()
        reports.append([slot_loss.item(), patch_loss.item(), *shares])
        seen, steps = seen + BATCH, steps + 1
        rate = min(1, steps / 100) * (1 - seen / total + 0.01)
        optimizer.step(rate)
        if steps % 100 == 0:
            seconds = time.time() - began
            slots, patches, *right = np.mean(reports, 0)
            print(
                f"{seen} pictures, {seconds:.0f} s, {(seen - first) / seconds:.0f} a second, {drawing / seconds:.0%} of it drawing,",
                f"rate {rate:.2f}, loss of slots {slots:.3f} and patches {patches:.3f};",
                "right: slots %.3f letters %.3f patches %.3f glyphs %.3f" % tuple(right),
                flush=True,
            )
            reports = []
        if steps % 250 == 0 or seen >= total:
            save(path, pupil, optimizer, seen)


if __name__ == "__main__":
    main(int(sys.argv[1]))
