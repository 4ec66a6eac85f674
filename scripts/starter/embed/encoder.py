"""The embedder: a small transformer encoder whose mean over all tokens is the vector of a text.

Layers normalise their input and there is no normalisation at the end, so the token table itself flows through to the
output; a new layer adds nothing. Before the layers are trained the vector is a weighted bag of words.
"""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from tokenizer import VOCABULARY

WIDTH, LAYERS, HEADS, FEED_FORWARD, LONGEST = 256, 3, 4, 512, 512
POSITION_LENGTH = 0.01  # small beside the token table


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.feed_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, FEED_FORWARD), nn.Linear(FEED_FORWARD, WIDTH)
        for last in (self.out, self.down):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def attention(self, x, bias):
        """Plain products: on a CPU the backward pass of the fused kernel took half of a step."""
        batch, length, _ = x.shape
        by_head = [
            part(x).view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        ]
        query, key, value = by_head
        scores = (query @ key.transpose(-1, -2)) * (WIDTH // HEADS) ** -0.5 + bias.to(query.dtype)
        mixed = scores.softmax(-1).to(value.dtype) @ value
        return self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))

    def forward(self, x, bias):
        x = x + self.attention(self.attention_norm(x), bias)
        return x + self.down(F.relu(self.up(self.feed_norm(x))))


def wave_positions():
    frequencies = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(1e4) / WIDTH))
    angles = torch.arange(LONGEST)[:, None] * frequencies
    return torch.stack([angles.sin(), angles.cos()], -1).reshape(-1, WIDTH) * POSITION_LENGTH


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(LONGEST, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.positions.weight.data = wave_positions()

    def forward(self, input_ids, attention_mask):
        """[batch, length, width]; rows of the mask are 1 for tokens and 0 for padding."""
        return self.from_position(0, input_ids, attention_mask)

    def from_position(self, first_position, input_ids, attention_mask):
        positions = torch.arange(input_ids.shape[1], device=input_ids.device) + first_position
        x = self.tokens(input_ids) + self.positions(positions)
        bias = (1.0 - attention_mask.to(x.dtype))[:, None, None, :] * -1e4
        for layer in self.layers:
            x = layer(x, bias)
        return x


def mean_over_tokens(hidden, mask):
    mask = mask.to(hidden.dtype)[..., None]
    return (hidden * mask).sum(1) / mask.sum(1).clamp(min=1)
