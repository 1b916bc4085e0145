"""Optimisers over stacked trials, each with its own learning rate and weight decay.

Weight decay is added to the gradient (coupled). Adam: Kingma & Ba, ICLR 2015, as
``torch.optim.Adam`` computes it, beta 0.9 and 0.999, epsilon 1e-8. SGD: ``torch.optim.SGD`` with
momentum 0.9.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
MOMENTUM = 0.9


class Adam:
    """Moments of a stack: ``mean`` and ``square`` (K, P), ``count`` updates so far.

    Args:
        flat, grad: (K, P), read and written in place.
        lr, weight_decay: K numbers.
        fused: one fused call per trial (the CPU's fast way), or broadcast over the stack (an
            accelerator's). The default follows the device and what this torch offers.
    """

    def __init__(
        self,
        flat: Tensor,
        grad: Tensor,
        lr: list[float],
        weight_decay: list[float],
        fused: bool | None = None,
    ):
        self.flat, self.grad = flat, grad
        self.mean, self.square = torch.zeros_like(flat), torch.zeros_like(flat)
        self.count = torch.zeros((), dtype=torch.float32)
        self.fused = can_fuse(flat) if fused is None else fused
        self.rates = list(zip(lr, weight_decay))
        self.lr, self.weight_decay = (flat.new_tensor(v)[:, None] for v in (lr, weight_decay))
        # views made once: making them at every update cost about a tenth of a small step
        self.trials = [
            tuple([t[k]] for t in (flat, grad, self.mean, self.square)) for k in range(len(flat))
        ]

    @property
    def tensors(self) -> dict[str, Tensor]:
        """What changes, (K, P), by name."""
        return {"mean": self.mean, "square": self.square}

    @torch.no_grad()
    def update(self, alive: Tensor, everyone: bool) -> None:
        """One step for the trials in ``alive``, bool (K,); ``everyone``: it is all True."""
        self.count += 1
        if self.fused:
            live = range(len(self.flat)) if everyone else alive.nonzero().flatten().tolist()
            self._update_each(live)
        else:
            self._update_all(None if everyone else alive[:, None])

    def _update_each(self, live: Iterable[int]) -> None:
        count = [self.count]
        for k in live:
            flat, grad, mean, square = self.trials[k]
            lr, weight_decay = self.rates[k]
            # private to torch; tests hold both ways against torch.optim.Adam
            torch._fused_adam_(
                flat,
                grad,
                mean,
                square,
                [],
                count,
                lr=lr,
                beta1=BETA1,
                beta2=BETA2,
                weight_decay=weight_decay,
                eps=EPSILON,
                amsgrad=False,
                maximize=False,
            )

    def _update_all(self, alive: Tensor | None) -> None:
        count = float(self.count)
        grad = self.grad.addcmul(self.flat, self.weight_decay)
        mean = self.mean.lerp(grad, 1 - BETA1)
        square = (self.square * BETA2).addcmul_(grad, grad, value=1 - BETA2)
        scale = (square / (1 - BETA2**count)).sqrt_().add_(EPSILON)
        flat = self.flat - self.lr / (1 - BETA1**count) * mean / scale
        for old, new in ((self.mean, mean), (self.square, square), (self.flat, flat)):
            old.copy_(new if alive is None else torch.where(alive, new, old))


class SGD:
    """Momentum of a stack: ``momentum`` (K, P), ``count`` updates so far. Arguments as Adam's."""

    def __init__(self, flat: Tensor, grad: Tensor, lr: list[float], weight_decay: list[float]):
        self.flat, self.grad = flat, grad
        self.momentum = torch.zeros_like(flat)
        self.count = torch.zeros((), dtype=torch.float32)
        self.lr, self.weight_decay = (flat.new_tensor(v)[:, None] for v in (lr, weight_decay))

    @property
    def tensors(self) -> dict[str, Tensor]:
        """What changes, (K, P), by name."""
        return {"momentum": self.momentum}

    @torch.no_grad()
    def update(self, alive: Tensor, everyone: bool) -> None:
        """One step for the trials in ``alive``, bool (K,); ``everyone``: it is all True."""
        self.count += 1
        grad = self.grad.addcmul(self.flat, self.weight_decay)
        if everyone:
            self.momentum.mul_(MOMENTUM).add_(grad)
            self.flat.addcmul_(self.momentum, self.lr, value=-1)
            return
        momentum = self.momentum * MOMENTUM + grad
        flat = self.flat.addcmul(momentum, self.lr, value=-1)
        for old, new in ((self.momentum, momentum), (self.flat, flat)):
            old.copy_(torch.where(alive[:, None], new, old))


OPTIMISERS = {"adam": Adam, "sgd": SGD}


def can_fuse(flat: Tensor) -> bool:
    """Whether the fused kernel exists and is the faster way for tensors like this one."""
    return flat.device.type == "cpu" and hasattr(torch, "_fused_adam_")
