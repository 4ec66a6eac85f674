"""An embedder of XLM-R's large shape with random weights of 16 bits, for a machine that has torch, transformers and onnx.

embedder.py export LAYERS FILE            writes it as ONNX
embedder.py measure LAYERS DEVICE ROWS TOKENS SECONDS  prints tokens per second in torch with sdpa, with mean pooling
"""

import sys
import time
import warnings

import torch
from transformers import XLMRobertaConfig, XLMRobertaModel

warnings.filterwarnings("ignore")


class Encoder(torch.nn.Module):
    def __init__(self, layers, attention):
        super().__init__()
        torch.manual_seed(0)
        config = XLMRobertaConfig(
            vocab_size=16000,
            hidden_size=1024,
            num_hidden_layers=layers,
            num_attention_heads=16,
            intermediate_size=4096,
            max_position_embeddings=8194,
            type_vocab_size=1,
            attn_implementation=attention,
        )
        self.model = XLMRobertaModel(config, add_pooling_layer=False).eval().half()

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


def texts(rows, tokens, device="cpu"):
    ids = torch.randint(5, 16000, (rows, tokens), device=device)
    return ids, torch.ones_like(ids)


def export(layers, file):
    axes = {0: "texts", 1: "tokens"}
    names = ["input_ids", "attention_mask"]
    torch.onnx.export(
        Encoder(layers, "eager"),
        texts(2, 16),
        file,
        input_names=names,
        output_names=["last_hidden_state"],
        dynamic_axes={name: axes for name in [*names, "last_hidden_state"]},
        opset_version=17,
        dynamo=False,
    )


def measure(layers, device, rows, tokens, seconds):
    encoder = Encoder(layers, "sdpa").to(device)
    ids, mask = texts(rows, tokens, device)
    with torch.inference_mode():
        embed = lambda: encoder(ids, mask).float().mean(1).cpu()
        for _ in range(3):
            embed()
        runs, begin = 0, time.monotonic()
        while time.monotonic() - begin < seconds:
            embed()
            runs += 1
    print(runs * rows * tokens / (time.monotonic() - begin))


if sys.argv[1] == "export":
    export(int(sys.argv[2]), sys.argv[3])
else:
    measure(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6]))
