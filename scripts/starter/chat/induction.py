"""A working copy circuit, planted before training.

A model this small does not discover copying in the time we give it: after 8 million tokens from
random weights it was still at chance. So the two attention heads that copying needs are set by hand.
Layer 0, head 0 attends to the previous token: a constant component of the embedding feeds query and
key, and rope's fast pairs make the score peak at distance 1. It writes the previous token's signature
into a second subspace. Layer 1, head 0 compares the current token's signature with that one on rope's
slow pairs, which are nearly blind to distance, and copies the token that followed to the output
through the tied embedding.
"""

import torch


@torch.no_grad()
def plant(model, constant=0.35, seed=1):
    config = model.config
    dim, head_dim = config["dim"], config["head_dim"]
    half = head_dim // 2
    generator = torch.Generator().manual_seed(seed)
    # Three groups of directions at right angles, all apart from component 0, which holds the constant.
    basis = torch.zeros(3 * head_dim, dim)
    basis[:, 1:] = torch.linalg.qr(torch.randn(dim - 1, dim - 1, generator=generator))[0][: 3 * head_dim]
    signature, previous, copied = basis[:half], basis[head_dim : head_dim + half], basis[2 * head_dim :]

    model.embedding.weight[:, 0] = constant
    for block in model.blocks:  # everything else starts small beside the embedding
        block.down.weight.mul_(0.1)
        block.out.weight.mul_(0.1)
    query, key, value = planted_rows(config)

    theta = config["rope_base"] ** (-torch.arange(half).float() / half)
    fast = torch.zeros(half)
    fast[:10] = 1
    first, second = model.blocks[0], model.blocks[1]
    for rows in (query, key, value):
        first.qkv.weight[rows] = 0
    first.qkv.weight[query][:half, 0] = fast * theta.cos()
    first.qkv.weight[query][half:, 0] = -fast * theta.sin()
    first.qkv.weight[key][:half, 0] = fast
    first.qkv.weight[value][:half] = signature
    first.query_norm.fill_(3.5)
    first.key_norm.fill_(3.5)
    first.out.weight[:, :head_dim] = 0
    first.out.weight[:, :half] = 0.12 * previous.T

    slow = torch.cat([torch.arange(half // 2, half), torch.arange(half + half // 2, head_dim)])
    for rows in (query, key):
        second.qkv.weight[rows] = 0
    second.qkv.weight[query][slow] = signature
    second.qkv.weight[key][slow] = previous
    second.qkv.weight[value] = copied
    second.query_norm.fill_(2.2)
    second.key_norm.fill_(2.2)
    second.out.weight[:, :head_dim] = 0.5 * copied.T
    return model


def planted_rows(config):
    """Rows of the fused query/key/value matrix that belong to the planted head."""
    heads, kv_heads, head_dim = config["heads"], config["kv_heads"], config["head_dim"]
    starts = 0, heads * head_dim, (heads + kv_heads) * head_dim
    return tuple(slice(start, start + head_dim) for start in starts)


def hold(model):
    """Drop the gradients of the planted weights, so that the rest learns around a circuit that works."""
    for block in model.blocks[:2]:
        for rows in planted_rows(model.config):
            block.qkv.weight.grad[rows] = 0
        block.out.weight.grad[:, : model.config["head_dim"]] = 0
        block.query_norm.grad.zero_()
        block.key_norm.grad.zero_()
    model.embedding.weight.grad[:, 0] = 0
