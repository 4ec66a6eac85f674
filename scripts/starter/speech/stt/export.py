"""The transcription model as sherpa-onnx reads a Zipformer with CTC: python -m stt.export MODEL TOKENS"""

import sys

import torch

from onnx_file import export, write_tokens
from paths import work
from stt.alphabet import TOKENS
from stt.model import Transcriber

if __name__ == "__main__":
    model_path, tokens_path = sys.argv[1:3]
    model = Transcriber()
    model.load_state_dict(torch.load(work("stt", "checkpoint.pt"))["average"])
    dynamic = {
        "x": {0: "N", 1: "T"},
        "x_lens": {0: "N"},
        "log_probs": {0: "N", 1: "T4"},
        "log_probs_len": {0: "N"},
    }
    arguments = torch.randn(1, 100, 80), torch.tensor([100])
    export(model, arguments, model_path, ["x", "x_lens"], ["log_probs", "log_probs_len"], dynamic)
    write_tokens(tokens_path, TOKENS)
