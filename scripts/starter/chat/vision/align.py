"""The vision model's slots as the language model's own embeddings."""

import torch

from vision.captions import VOCABULARY
from vision.lessons import SLOT_WEIGHTS, pictures

SAMPLE = 1600
BATCH = 100


def vocabulary_embeddings(tokenizer, embedding):
    """One row of the language model's embedding for each entry of VOCABULARY."""
    ids = [tokenizer.encode(token, add_special_tokens=False).ids for token in VOCABULARY]
    # A word that is no single token is the mean of its pieces.
    return torch.stack([embedding[pieces].float().mean(0) for pieces in ids])


@torch.no_grad()
def fit_projector(pupil, rows):
    """Sets the projector's last matrix to the least-squares answer: a start from which training goes on."""
    size = pupil.model.config["hidden"] + 1
    left, right = torch.zeros(size, size), torch.zeros(size, rows.shape[1])
    for _ in range(SAMPLE // BATCH):
        pixels, slots, _ = pictures(BATCH)
        hidden = pupil(pixels)[0].flatten(0, 1).float()
        hidden = torch.cat([hidden, torch.ones(len(hidden), 1)], 1)
        weighted = (hidden * SLOT_WEIGHTS[slots.flatten(), None]).mT
        left += weighted @ hidden
        right += weighted @ rows[slots.flatten()]
    left += 1e-4 * left.diagonal().mean() * torch.eye(size)
    solution = torch.linalg.solve(left.double(), right.double()).float()
    pupil.model.project2.load_state_dict(dict(weight=solution[:-1].mT, bias=solution[-1]))
