"""A running average of a model's weights, which errs less than the last weights."""

import contextlib

import torch


class Average:
    def __init__(self, model, decay):
        self.decay, self.updates = decay, 0
        self.values = {name: value.clone() for name, value in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        share = 1 - min(self.decay, self.updates / (self.updates + 10))
        for name, value in model.state_dict().items():
            if value.is_floating_point():
                self.values[name].lerp_(value, share)

    @contextlib.contextmanager
    def applied(self, model):
        now = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(self.values)
        try:
            yield
        finally:
            model.load_state_dict(now)
