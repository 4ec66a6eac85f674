"""Training of the transcription model: python -m stt.train STEPS

An interrupted training goes on from its last checkpoint. The learning rate is constant for most of the steps and then
falls. At first espeak's own times teach each frame, then CTC alone; phonemes are taught throughout.
"""

import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

from averages import Average
from paths import work
from stt.alphabet import decode
from stt.batches import Data, tensors
from stt.model import Transcriber
from stt.shard import read_shard
from word_errors import word_errors

RATE, WARM_UP_STEPS, FALLING_SHARE = 1.5e-3, 300, 0.35
GUIDED_STEPS = 3000  # letters have targets of frames
PHONEME_WEIGHT = 0.5
SAVE_EVERY, CHECK_EVERY, LOG_EVERY = 500, 1000, 100
TESTS = "test-clean", "test-augmented", "test-own"


def loss_of(model, batch, step, generator):
    features, lengths, letters, counts, phoneme_targets, letter_targets = tensors(batch, generator)
    with torch.autocast("cpu", torch.bfloat16):
        scores, phonemes, frames = model.forward_training(features, lengths)
    ctc = F.ctc_loss(scores.transpose(0, 1), letters, frames, counts, zero_infinity=True)
    loss = ctc
    if (phoneme_targets >= 0).any():
        loss = loss + PHONEME_WEIGHT * F.cross_entropy(phonemes.flatten(0, 1), phoneme_targets.flatten())
        if step < GUIDED_STEPS:
            guided = F.nll_loss(scores.flatten(0, 1), letter_targets.flatten())
            loss = loss + 2 * (1 - step / GUIDED_STEPS) * guided
    return loss, ctc.item()


def word_error_rate(model, name):
    utterances, _ = read_shard(work("stt", f"{name}.npz"))
    wrong = words = 0
    for features, text, _, _ in utterances:
        row = torch.from_numpy(features.astype(np.float32))[None]
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            scores = model(row, torch.tensor([row.shape[1]]))[0][0]
        errors, count = word_errors(text, decode(scores.argmax(-1).tolist()))
        wrong, words = wrong + errors, words + count
    return 100 * wrong / words


class Training:
    def __init__(self, steps):
        torch.set_num_threads(1)
        torch.manual_seed(0)
        self.steps, self.model, self.data = steps, Transcriber(), Data()
        parameters = self.model.parameters()
        self.optimizer = torch.optim.AdamW(parameters, RATE, betas=(0.9, 0.98), weight_decay=0.02, fused=True)
        self.average = Average(self.model, 0.999)
        self.step = self.passes = 0
        self.path = work("stt", "checkpoint.pt")
        if os.path.exists(self.path):
            self.load(torch.load(self.path))

    def load(self, saved):
        self.model.load_state_dict(saved["model"])
        self.average.values = saved["average"]
        self.optimizer.load_state_dict(saved["optimizer"])
        self.data.phoneme_ids = saved["phoneme_ids"]
        self.step, self.passes = saved["step"], saved["passes"]
        self.average.updates = self.step

    def save(self):
        saved = dict(
            model=self.model.state_dict(),
            average=self.average.values,
            optimizer=self.optimizer.state_dict(),
            phoneme_ids=self.data.phoneme_ids,
            step=self.step,
            passes=self.passes,
        )
        torch.save(saved, f"{self.path}.part")
        os.replace(f"{self.path}.part", self.path)

    def rate(self):
        left = max(0.0, 1 - self.step / self.steps)
        return RATE * min(1, (self.step + 1) / WARM_UP_STEPS) * min(1, left / FALLING_SHARE)

    def update(self, batch):
        generator = np.random.default_rng(self.step)
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
        loss, ctc = loss_of(self.model, batch, self.step, generator)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 3)
        self.optimizer.step()
        self.average.update(self.model)
        self.step += 1
        return ctc

    def check(self):
        with self.average.applied(self.model):
            rates = [f"{name} {word_error_rate(self.model, name):.1f}%" for name in TESTS]
        print(f"step {self.step}: wrong words {', '.join(rates)}", flush=True)

    def run(self):
        losses = []
        while self.step < self.steps:
            for batch in self.data.one_pass(self.passes):
                losses.append(self.update(batch))
                if self.step % LOG_EVERY == 0:
                    print(f"step {self.step}: {np.mean(losses[-LOG_EVERY:]):.3f}", flush=True)
                if self.step % CHECK_EVERY == 0:
                    self.check()
                if self.step % SAVE_EVERY == 0 or self.step == self.steps:
                    self.save()
                if self.step == self.steps:
                    return
            self.passes += 1


if __name__ == "__main__":
    Training(int(sys.argv[1])).run()
