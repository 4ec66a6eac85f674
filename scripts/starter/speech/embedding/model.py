"""The speaker embedding: 80 mel bands every 10 ms, less their mean -> 96 numbers, compared by their cosine."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from blocks import Block

WIDTH, HIDDEN, NUMBERS = 160, 320, 96
DILATIONS = (1, 2, 1, 3, 1)


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(80, WIDTH, 5, 2, 2)
        self.blocks = nn.ModuleList(Block(WIDTH, HIDDEN, dilation) for dilation in DILATIONS)
        self.norm, self.wide = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 384)
        self.weight = nn.Linear(384, 1)
        self.out = nn.Linear(2 * 384, NUMBERS)

    def forward(self, features):
        """[N, T, 80] -> [N, 96]: mean and deviation over time, where frames that tell voices apart weigh more"""
        x = F.relu(self.first(features.transpose(1, 2) / 3.0)).transpose(1, 2)
        for block in self.blocks:
            x = block(x)
        x = F.relu(self.wide(self.norm(x))).float()
        weights = torch.softmax(self.weight(x).float(), 1)
        mean = (x * weights).sum(1)
        deviation = torch.sqrt((((x - mean[:, None]) ** 2) * weights).sum(1) + 1e-5)
        return self.out(torch.cat([mean, deviation], 1))
