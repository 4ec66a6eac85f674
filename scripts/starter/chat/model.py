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
    vocab=2048, dim=256, layers=5, heads=4, kv_heads=2, head_dim=64, ff=640, rope_base=1e6, eps=1e-6, rope_rows=17408
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


def attended_with(before, query, scores, value):
    """Attention over the row itself (`scores`, masked) and over the common beginning of all rows."""
    key_before, value_before = before
    kv_heads, length, head_dim = key_before.shape
    by_head = query.view(-1, kv_heads, query.shape[1], head_dim).transpose(0, 1)
    far = by_head.reshape(kv_heads, -1, head_dim) @ key_before.mT * head_dim**-0.5
    far = far.view(kv_heads, -1, query.shape[1], length).transpose(0, 1).reshape(len(query), -1, length)
    far, near = torch.cat([far, scores], -1).softmax(-1).split((length, scores.shape[-1]), -1)
    far = far.view(-1, kv_heads, query.shape[1], length).transpose(0, 1).reshape(kv_heads, -1, length) @ value_before
    far = far.view(kv_heads, -1, query.shape[1], head_dim).transpose(0, 1).reshape(query.shape)
    return far + near @ value


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

    def projected(self, x, cos, sin):
        """Query, key and value of each head: batch, heads, length, head_dim."""
        heads, kv_heads, head_dim, eps = (self.config[key] for key in ("heads", "kv_heads", "head_dim", "eps"))
        batch, length, _ = x.shape
        by_head = self.qkv(x).view(batch, length, -1, head_dim).transpose(1, 2)
        query, key, value = (part.contiguous() for part in by_head.split((heads, kv_heads, kv_heads), 1))
        query = rotate(rms_norm(query, self.query_norm, eps), cos, sin)
        key = rotate(rms_norm(key, self.key_norm, eps), cos, sin)
        return query, key, value

    def attention(self, x, cos, sin, mask, before=None):
        heads, kv_heads, head_dim = (self.config[key] for key in ("heads", "kv_heads", "head_dim"))
        batch, length, _ = x.shape
        query, key, value = self.projected(x, cos, sin)
        # Query heads that share a key head become more rows of one product.
        query = query.view(batch * kv_heads, heads // kv_heads * length, head_dim)
        key = key.view(batch * kv_heads, length, head_dim)
        value = value.view(batch * kv_heads, length, head_dim)
        scores = torch.baddbmm(mask, query, key.mT, alpha=head_dim**-0.5)
        if before is None:
            mixed = scores.softmax(-1) @ value
        else:
            mixed = attended_with(before, query, scores, value)
        return self.out(mixed.view(batch, heads, length, head_dim).transpose(1, 2).reshape(batch, length, -1))

    def forward(self, x, cos, sin, mask):
        return self.fed_forward(
            x + self.attention(rms_norm(x, self.attention_norm, self.config["eps"]), cos, sin, mask)
        )

    def after(self, x, cos, sin, mask, before):
        """The same for rows that all follow `before`, the keys and values of one common beginning."""
        normed = rms_norm(x, self.attention_norm, self.config["eps"])
        return self.fed_forward(x + self.attention(normed, cos, sin, mask, before))

    def read(self, x, cos, sin):
        """The same for one long row without gradients: (x, its keys and values)."""
        config = self.config
        query, key, value = self.projected(rms_norm(x, self.attention_norm, config["eps"]), cos, sin)
        shared = config["heads"] // config["kv_heads"]
        every = lambda part: part.repeat_interleave(shared, 1)
        mixed = F.scaled_dot_product_attention(query, every(key), every(value), is_causal=True)
        return self.fed_forward(x + self.out(mixed.transpose(1, 2).flatten(2))), (key[0], value[0])

    def fed_forward(self, x):
        eps = self.config["eps"]
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

    def hidden(self, ids, places=None, pictures=None, before=None):
        """Hidden states after the last norm. `pictures` stand where `places` is set, in row order;
        `before` is what read() returned for the common beginning of the rows."""
        x = self.embedding(ids)
        if places is not None:
            x = x.masked_scatter(places[..., None], pictures.to(x.dtype))
        length, start = ids.shape[1], before[0][0].shape[1] if before else 0
        cos, sin = (table[start : start + length].to(x.dtype) for table in (self.cos, self.sin))
        mask = torch.full((length, length), float("-inf"), dtype=x.dtype).triu(1)
        mask = mask.repeat(self.config["heads"] // self.config["kv_heads"], 1)
        for index, block in enumerate(self.blocks):
            x = block.after(x, cos, sin, mask, before[index]) if before else block(x, cos, sin, mask)
        return rms_norm(x, self.norm, self.config["eps"])

    @torch.no_grad()
    def read(self, ids):
        """Keys and values of each layer for one row of ids: the common beginning of other rows."""
        x = self.embedding(ids[None])
        cos, sin = (table[: len(ids)].to(x.dtype) for table in (self.cos, self.sin))
        before = []
        for block in self.blocks:
            x, kept = block.read(x, cos, sin)
            before.append(kept)
        return before

    def loss(self, ids, weights, places=None, pictures=None, before=None):
        """Loss and accuracy of predicting each token of positive weight from what stands before it."""
        weights = weights[:, 1:]
        counted = weights > 0
        logits = F.linear(self.hidden(ids, places, pictures, before)[:, :-1][counted], self.embedding.weight)
        targets, weights = ids[:, 1:][counted], weights[counted]
        losses = F.cross_entropy(logits.float(), targets, reduction="none")
        with torch.no_grad():
            accuracy = (logits.argmax(-1) == targets).float().mean()
        return (losses * weights).sum() / weights.sum(), accuracy
