"""A small vision transformer and the projector that turns its patches into embeddings of the language model.

The layout is that of llama.cpp's `janus_pro` projector, the one that asks least of the language model: a SigLIP-style
transformer (normalisation before each part, learned positions, GELU by tanh), then two matrices with a GELU between
them; one embedding a patch, no tokens around the picture. So export.py only renames tensors.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

CONFIG = dict(image=96, patch=12, dim=192, layers=6, heads=6, ff=576, eps=1e-6, hidden=512, out=256)


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        dim, self.heads = config["dim"], config["heads"]
        self.norm1 = nn.LayerNorm(dim, config["eps"])
        self.norm2 = nn.LayerNorm(dim, config["eps"])
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.up = nn.Linear(dim, config["ff"])
        self.down = nn.Linear(config["ff"], dim)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.down.weight)

    def attention(self, x):
        batch, patches, dim = x.shape
        by_head = self.qkv(x).view(batch, patches, 3, self.heads, dim // self.heads).permute(2, 0, 3, 1, 4)
        query, key, value = by_head.reshape(3, batch * self.heads, patches, dim // self.heads)
        mixed = ((query @ key.mT) * (dim // self.heads) ** -0.5).softmax(-1) @ value
        return self.out(mixed.view(batch, self.heads, patches, -1).transpose(1, 2).reshape(batch, patches, dim))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class VisionModel(nn.Module):
    def __init__(self, config=CONFIG):
        super().__init__()
        self.config = config
        dim, self.side = config["dim"], config["image"] // config["patch"]
        self.patch = nn.Linear(3 * config["patch"] ** 2, dim)
        self.position = nn.Parameter(torch.randn(self.side**2, dim) * 0.02)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config["layers"]))
        self.norm = nn.LayerNorm(dim, config["eps"])
        self.project1 = nn.Linear(dim, config["hidden"])
        self.project2 = nn.Linear(config["hidden"], config["out"])

    def patches(self, pictures):
        """(batch, height, width, 3) bytes -> (batch, patches, 3 * patch * patch) numbers of -1 to 1."""
        side, patch = self.side, self.config["patch"]
        scaled = pictures.to(self.patch.weight.dtype) / 127.5 - 1
        cut = scaled.view(-1, side, patch, side, patch, 3).permute(0, 1, 3, 5, 2, 4)
        return cut.reshape(-1, side * side, 3 * patch * patch)

    def embedded(self, pictures):
        return self.patch(self.patches(pictures)) + self.position

    def features(self, pictures):
        x = self.embedded(pictures)
        for block in self.blocks:
            x = block(x)
        return self.norm(x)

    def hidden(self, features):
        """What stands between the two matrices of the projector."""
        return F.gelu(self.project1(features), approximate="tanh")

    def forward(self, pictures):
        """(batch, height, width, 3) bytes -> (batch, patches, out) embeddings."""
        return self.project2(self.hidden(self.features(pictures)))
