"""The segmentation as sherpa-onnx and the diarization engine read pyannote's: python -m segmentation.export MODEL"""

import sys

import torch

from onnx_file import export
from paths import work
from segmentation.model import CLASSES, RECEPTIVE, SPEAKERS, STRIDE, WINDOW, Segmenter, WithFrontEnd

METADATA = dict(
    num_speakers=SPEAKERS,
    powerset_max_classes=2,
    num_classes=len(CLASSES),
    sample_rate=16000,
    window_size=WINDOW,
    receptive_field_size=RECEPTIVE,
    receptive_field_shift=STRIDE,
    model_type="pyannote-segmentation-3.0",
    version=1,
    maintainer="inferd",
)

if __name__ == "__main__":
    segmenter = Segmenter()
    segmenter.load_state_dict(torch.load(work("segmentation", "model.pt")))
    model, dynamic = WithFrontEnd(segmenter).eval(), {"x": {0: "N"}, "y": {0: "N"}}
    export(model, (torch.randn(1, 1, WINDOW) * 0.1,), sys.argv[1], ["x"], ["y"], dynamic, METADATA, exact=("waves",))
