"""The vision model with what only its training needs."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from vision.captions import VOCABULARY
from vision.lessons import INKS, LABELS, SLOT_WEIGHTS
from vision.model import CONFIG, VisionModel

PATCH_LAYERS = 4  # after so many layers the patches' labels are asked for
# Logits of the embedding that is met exactly lie so far above those of others, on average.
DISTINCTNESS = 16


class Pupil(nn.Module):
    """`rows` are the language model's embeddings of VOCABULARY. Without them the slots are told apart by a
    head of their own, and the projector's last matrix learns nothing."""

    def __init__(self, rows=None):
        super().__init__()
        self.model = VisionModel(CONFIG)
        self.patch_head = nn.Linear(CONFIG["dim"], len(LABELS) + len(INKS))
        self.slot_head = nn.Linear(CONFIG["hidden"], len(VOCABULARY))
        self.rows = rows
        if rows is None:
            self.model.project2.requires_grad_(False)
        else:
            self.slot_head.requires_grad_(False)
            self.distance = torch.cdist(rows, rows).square().mean()

    def forward(self, pictures, practice=0):
        """(states between the projector's matrices, but for the first `practice` pictures; logits of all patches)"""
        x = self.model.embedded(pictures)
        for block in self.model.blocks[:PATCH_LAYERS]:
            x = block(x)
        patch_logits = self.patch_head(x)
        x = x[practice:]
        for block in self.model.blocks[PATCH_LAYERS:]:
            x = block(x)
        return self.model.hidden(self.model.norm(x)), patch_logits

    def told(self, hidden, slots):
        """(logits of the slots, loss). With the language model's embeddings the nearest one counts, and its distance."""
        if self.rows is None:
            logits = self.slot_head(hidden).float()
            return logits, F.cross_entropy(logits.flatten(0, 1), slots.flatten(), SLOT_WEIGHTS)
        embeddings = self.model.project2(hidden).float()
        scale = 2 * DISTINCTNESS / self.distance
        logits = scale * (embeddings @ self.rows.mT - self.rows.square().sum(-1) / 2)
        weights = SLOT_WEIGHTS[slots]
        missed = ((embeddings - self.rows[slots]).square().sum(-1) * weights).sum() / weights.sum() / self.distance
        return logits, F.cross_entropy(logits.flatten(0, 1), slots.flatten(), SLOT_WEIGHTS) + missed
