"""The speaker embedding as sherpa-onnx and the diarization engine read it: python -m embedding.export MODEL"""

import sys

import torch

from embedding.model import NUMBERS, Embedder
from onnx_file import export
from paths import work

METADATA = dict(
    framework="wespeaker",
    language="English",
    output_dim=NUMBERS,
    sample_rate=16000,
    normalize_samples=0,
    feature_normalize_type="global-mean",
    window_type="povey",
    high_freq=-400,
    comment="inferd-starter",
    url="",
)

if __name__ == "__main__":
    model = Embedder()
    model.load_state_dict(torch.load(work("embedding", "model.pt")))
    dynamic = {"feats": {0: "B", 1: "T"}, "embs": {0: "B"}}
    export(model, (torch.randn(1, 100, 80),), sys.argv[1], ["feats"], ["embs"], dynamic, METADATA)
