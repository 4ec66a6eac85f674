"""A layer made of matrix products alone, which a CPU does fastest in bfloat16."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    """Looks at a frame and those `dilation` before and after it: [N, T, width] -> the same"""

    def __init__(self, width, hidden, dilation):
        super().__init__()
        self.dilation = dilation
        self.norm = nn.LayerNorm(width)
        self.wide = nn.Linear(3 * width, hidden)
        self.narrow = nn.Linear(hidden, width)
        nn.init.normal_(self.narrow.weight, 0, 0.01)

    def forward(self, x, mask=None):
        """`mask` [N, T, 1] is zero where there is no frame"""
        here, reach = self.norm(x), self.dilation
        if mask is not None:
            here = here * mask
        padded = F.pad(here, (0, 0, reach, reach))
        around = torch.cat([padded[:, : -2 * reach], here, padded[:, 2 * reach :]], -1)
        return x + self.narrow(F.relu(self.wide(around)))
