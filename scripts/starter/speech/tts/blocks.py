"""The layer that both parts of the synthesizer are made of."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    """A depthwise convolution and two dense layers beside the input: [N, width, T] -> the same"""

    def __init__(self, width, hidden, kernel):
        super().__init__()
        self.depthwise = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.norm = nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.scale = nn.Parameter(torch.full((width,), 0.3))

    def forward(self, x):
        inner = F.relu(self.wide(self.norm(self.depthwise(x).transpose(1, 2))))
        return x + (self.narrow(inner) * self.scale).transpose(1, 2)
