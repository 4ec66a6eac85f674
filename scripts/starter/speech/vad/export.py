"""The voice activity detection as sherpa-onnx reads Silero's version 5: python -m vad.export MODEL"""

import sys

import torch

from onnx_file import export
from paths import work
from vad.model import BEFORE, NEW, STATE, Detector, Step

if __name__ == "__main__":
    detector = Detector()
    detector.load_state_dict(torch.load(work("vad", "model.pt")))
    arguments = torch.randn(1, BEFORE + NEW) * 0.1, torch.zeros(2, 1, STATE), torch.tensor(16000)
    dynamic = {"input": {0: "N"}, "state": {1: "N"}, "output": {0: "N"}, "stateN": {1: "N"}}
    inputs, outputs = ["input", "state", "sr"], ["output", "stateN"]
    export(Step(detector).eval(), arguments, sys.argv[1], inputs, outputs, dynamic, exact=("front_end.",))
