"""Muon for the matrices, Adam for the embedding and the norms.

The model lives in bfloat16 for speed; full-precision copies are kept here and rounded after each step.
"""

import torch


def orthogonalised(gradient, steps=5):
    """Newton-Schulz iteration towards the nearest orthogonal matrix; bfloat16 is precise enough."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = gradient.bfloat16()
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return (x.mT if tall else x).to(gradient.dtype)


class Optimizer:
    def __init__(self, model, matrix_rate, other_rate, momentum=0.95, decay=0.01, others=("embedding",)):
        """Parameters whose name holds one of `others` take Adam though they are matrices; frozen ones are left out."""
        self.matrix_rate, self.other_rate, self.momentum, self.decay = matrix_rate, other_rate, momentum, decay
        self.betas, self.steps = (0.9, 0.98), 0
        self.by_shape, self.others, self.masters = {}, [], {}
        for name, parameter in model.named_parameters():
            if not parameter.requires_grad:
                continue
            state = dict(
                parameter=parameter,
                master=parameter.detach().float().clone(),
                first=torch.zeros_like(parameter, dtype=torch.float32),
            )
            self.masters[name] = state["master"]
            if parameter.dim() == 2 and not any(part in name for part in others):
                self.by_shape.setdefault(tuple(parameter.shape), []).append(state)
            else:
                state["second"] = torch.zeros_like(state["first"])
                self.others.append(state)

    @torch.no_grad()
    def step(self, scale):
        """One update; `scale` is the schedule's share of the full rates."""
        self.steps += 1
        for shape, states in self.by_shape.items():
            self._step_matrices(shape, states, self.matrix_rate * scale)
        for state in self.others:
            self._step_other(state, self.other_rate * scale)

    def _step_matrices(self, shape, states, rate):
        updates = []
        for state in states:
            gradient = state["parameter"].grad.float()
            state["first"].lerp_(gradient, 1 - self.momentum)
            updates.append(gradient.lerp(state["first"], self.momentum))
        height = max(1, shape[0] / shape[1]) ** 0.5
        for state, update in zip(states, orthogonalised(torch.stack(updates))):
            state["master"].mul_(1 - rate * self.decay).add_(update.float(), alpha=-rate * height)
            self._publish(state)

    def _step_other(self, state, rate):
        gradient, (slow, slower) = state["parameter"].grad.float(), self.betas
        state["first"].lerp_(gradient, 1 - slow)
        state["second"].mul_(slower).addcmul_(gradient, gradient, value=1 - slower)
        first = state["first"] / (1 - slow**self.steps)
        second = state["second"] / (1 - slower**self.steps)
        state["master"].addcdiv_(first, second.sqrt().add_(1e-8), value=-rate)
        self._publish(state)

    @staticmethod
    def _publish(state):
        state["parameter"].copy_(state["master"])
        state["parameter"].grad = None
