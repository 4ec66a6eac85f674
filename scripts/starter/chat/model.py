"""A Qwen3-architecture decoder small enough to train on one CPU core.

The layout follows llama.cpp's `qwen3` graph (RMSNorm, per-head query/key norm, half-rotation rope,
SwiGLU, tied embeddings), so export.py only renames tensors. Plain matrix products are used for
attention: on a CPU they train faster than the fused kernel. train.py compiles the blocks.
"""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

CONFIG = dict(
    vocab=2048, dim=256, layers=4, heads=4, kv_heads=2, head_dim=64, ff=640, rope_base=1e6, eps=1e-6, rope_rows=3072
)


def rope_tables(rows, head_dim, base):
    frequencies = base ** (-torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(torch.arange(rows).float(), frequencies)
    # The sine carries the sign of the half that it is multiplied with.
    return torch.cat([angles.cos(), angles.cos()], -1), torch.cat([-angles.sin(), angles.sin()], -1)


def rotate(x, cos, sin):
    return torch.addcmul(x * cos, torch.roll(x, x.shape[-1] // 2, -1), sin)


def rms_norm(x, weight, eps):
    scale = torch.rsqrt(x.float().square().mean(-1, keepdim=True) + eps)
    return x * scale.to(x.dtype) * weight


class Block(nn.Module):
    """One layer. Query, key and value are one matrix, gate and up another; export.py splits them."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        dim, head_dim = config["dim"], config["head_dim"]
        self.qkv = nn.Linear(dim, (config["heads"] + 2 * config["kv_heads"]) * head_dim, bias=False)
        self.out = nn.Linear(config["heads"] * head_dim, dim, bias=False)
        self.gate_up = nn.Linear(dim, 2 * config["ff"], bias=False)
        self.down = nn.Linear(config["ff"], dim, bias=False)
        self.attention_norm = nn.Parameter(torch.ones(dim))
        self.feed_norm = nn.Parameter(torch.ones(dim))
        self.query_norm = nn.Parameter(torch.ones(head_dim))
        self.key_norm = nn.Parameter(torch.ones(head_dim))

    def attention(self, x, cos, sin, mask):
        heads, kv_heads, head_dim, eps = (self.config[key] for key in ("heads", "kv_heads", "head_dim", "eps"))
        batch, length, _ = x.shape
        by_head = self.qkv(x).view(batch, length, -1, head_dim).transpose(1, 2)
        query, key, value = (part.contiguous() for part in by_head.split((heads, kv_heads, kv_heads), 1))
        query = rotate(rms_norm(query, self.query_norm, eps), cos, sin)
        key = rotate(rms_norm(key, self.key_norm, eps), cos, sin)
        # Query heads that share a key head become more rows of one product.
        query = query.view(batch * kv_heads, heads // kv_heads * length, head_dim)
        key = key.view(batch * kv_heads, length, head_dim)
        value = value.view(batch * kv_heads, length, head_dim)
        mixed = torch.baddbmm(mask, query, key.mT, alpha=head_dim**-0.5).softmax(-1) @ value
        return self.out(mixed.view(batch, heads, length, head_dim).transpose(1, 2).reshape(batch, length, -1))

    def forward(self, x, cos, sin, mask):
        eps = self.config["eps"]
        x = x + self.attention(rms_norm(x, self.attention_norm, eps), cos, sin, mask)
        gate, up = self.gate_up(rms_norm(x, self.feed_norm, eps)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class LanguageModel(nn.Module):
    def __init__(self, config=CONFIG):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config["vocab"], config["dim"])
        self.blocks = nn.ModuleList(Block(config) for _ in range(config["layers"]))
        self.norm = nn.Parameter(torch.ones(config["dim"]))
        cos, sin = rope_tables(config["rope_rows"], config["head_dim"], config["rope_base"])
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        nn.init.normal_(self.embedding.weight, std=0.05)
        for block in self.blocks:
            for matrix, scale in ((block.qkv, 1), (block.out, 0.3), (block.gate_up, 1), (block.down, 0.3)):
                nn.init.normal_(matrix.weight, std=scale / math.sqrt(matrix.in_features))

    def hidden(self, ids):
        length = ids.shape[1]
        x = self.embedding(ids)
        cos, sin = self.cos[:length].to(x.dtype), self.sin[:length].to(x.dtype)
        mask = torch.full((length, length), float("-inf"), dtype=x.dtype).triu(1)
        mask = mask.repeat(self.config["heads"] // self.config["kv_heads"], 1)
        for block in self.blocks:
            x = block(x, cos, sin, mask)
        return rms_norm(x, self.norm, self.config["eps"])

    def loss(self, ids, weights):
        """Loss and accuracy of predicting each token of positive weight from what stands before it."""
        weights = weights[:, 1:]
        counted = weights > 0
        logits = F.linear(self.hidden(ids)[:, :-1][counted], self.embedding.weight)
        targets, weights = ids[:, 1:][counted], weights[counted]
        losses = F.cross_entropy(logits.float(), targets, reduction="none")
        with torch.no_grad():
            accuracy = (logits.argmax(-1) == targets).float().mean()
        return (losses * weights).sum() / weights.sum(), accuracy
