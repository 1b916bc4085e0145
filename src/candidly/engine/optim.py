"""Optimisers over stacked trials, each with its own learning rate and weight decay.

Weight decay is added to the gradient (coupled), except in AdamW. Adam: Kingma & Ba, ICLR 2015, as
``torch.optim.Adam`` computes it, beta 0.9 and 0.999, epsilon 1e-8. AdamW: Loshchilov & Hutter,
ICLR 2019, as ``torch.optim.AdamW``. SGD: ``torch.optim.SGD`` with momentum 0.9.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import torch
from torch import Tensor

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
MOMENTUM = 0.9


class Optimiser:
    """What the optimisers share: where they work, at which rates, and how many updates so far.

    Args:
        flat, grad: (K, P), read and written in place.
        lr, weight_decay: K numbers.
        slices: the columns that are moved; by default all. Nothing else is read or written, and
            the moments are of these columns, one slice after the other.
    """

    def __init__(
        self,
        flat: Tensor,
        grad: Tensor,
        lr: list[float],
        weight_decay: list[float],
        slices: Sequence[slice] | None = None,
    ):
        self.slices = [slice(0, flat.shape[1])] if slices is None else list(slices)
        sizes = [s.stop - s.start for s in self.slices]
        self.flat, self.grad = flat, grad
        self.width = sum(sizes)
        ends = torch.tensor([0, *sizes]).cumsum(0).tolist()
        self.own = [slice(start, stop) for start, stop in pairwise(ends)]
        self.count = torch.zeros((), dtype=torch.float32)
        self.rates = list(zip(lr, weight_decay))
        self.lr, self.weight_decay = (flat.new_tensor(v)[:, None] for v in (lr, weight_decay))

    def _moments(self) -> Tensor:
        return self.flat.new_zeros(len(self.flat), self.width)

    @property
    def tensors(self) -> dict[str, Tensor]:
        """What changes beside ``flat``, (K, the slices' columns), by name."""
        raise NotImplementedError

    def update(self, alive: Tensor, everyone: bool, factors: list[float] | None = None) -> None:
        """One step for the trials in ``alive``, bool (K,); ``everyone``: it is all True.

        Args:
            factors: what each trial's learning rate is multiplied by, at this step.
        """
        raise NotImplementedError

    def _lr(self, factors: list[float] | None) -> Tensor:
        """Learning rates (K, 1)."""
        return self.lr if factors is None else self.lr * self.lr.new_tensor(factors)[:, None]


class Adam(Optimiser):
    """Moments of a stack: ``mean`` and ``square``, and ``count`` updates so far.

    Args:
        fused: one fused call per trial (the CPU's fast way), or broadcast over the stack (an
            accelerator's). The default follows the device and what this torch offers.
    """

    kernel = "_fused_adam_"
    decoupled = False

    def __init__(
        self,
        flat: Tensor,
        grad: Tensor,
        lr: list[float],
        weight_decay: list[float],
        slices: Sequence[slice] | None = None,
        fused: bool | None = None,
    ):
        super().__init__(flat, grad, lr, weight_decay, slices)
        self.mean, self.square = self._moments(), self._moments()
        self.fused = can_fuse(flat, self.kernel) if fused is None else fused
        # views made once: making them at every update cost about a tenth of a small step
        self.trials = [
            (
                *([t[k][s] for s in self.slices] for t in (flat, grad)),
                *([t[k][s] for s in self.own] for t in (self.mean, self.square)),
            )
            for k in range(len(flat))
        ]

    @property
    def tensors(self) -> dict[str, Tensor]:
        return {"mean": self.mean, "square": self.square}

    @torch.no_grad()
    def update(self, alive: Tensor, everyone: bool, factors: list[float] | None = None) -> None:
        self.count += 1
        if self.fused:
            live = range(len(self.flat)) if everyone else alive.nonzero().flatten().tolist()
            self._update_each(live, factors)
        else:
            for there, here in zip(self.slices, self.own):
                self._update_all(there, here, None if everyone else alive[:, None], factors)

    def _update_each(self, live: Iterable[int], factors: list[float] | None) -> None:
        kernel = getattr(torch, self.kernel)
        count = [self.count] * len(self.slices)
        for k in live:
            flat, grad, mean, square = self.trials[k]
            lr, weight_decay = self.rates[k]
            # private to torch; tests hold both ways against torch.optim.Adam
            kernel(
                flat,
                grad,
                mean,
                square,
                [],
                count,
                lr=lr if factors is None else lr * factors[k],
                beta1=BETA1,
                beta2=BETA2,
                weight_decay=weight_decay,
                eps=EPSILON,
                amsgrad=False,
                maximize=False,
            )

    def _update_all(
        self, there: slice, here: slice, alive: Tensor | None, factors: list[float] | None
    ) -> None:
        count, lr = float(self.count), self._lr(factors)
        flat, grad = self.flat[:, there], self.grad[:, there]
        if self.decoupled:
            start = flat * (1 - lr * self.weight_decay)
        else:
            start, grad = flat, grad.addcmul(flat, self.weight_decay)
        mean = self.mean[:, here].lerp(grad, 1 - BETA1)
        square = (self.square[:, here] * BETA2).addcmul_(grad, grad, value=1 - BETA2)
        scale = (square / (1 - BETA2**count)).sqrt_().add_(EPSILON)
        new = start - lr / (1 - BETA1**count) * mean / scale
        _write((self.mean[:, here], mean), (self.square[:, here], square), (flat, new), alive=alive)


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters themselves, and leaves the moments alone."""

    kernel = "_fused_adamw_"
    decoupled = True


class SGD(Optimiser):
    """Momentum of a stack: ``momentum``, and ``count`` updates so far."""

    def __init__(
        self,
        flat: Tensor,
        grad: Tensor,
        lr: list[float],
        weight_decay: list[float],
        slices: Sequence[slice] | None = None,
    ):
        super().__init__(flat, grad, lr, weight_decay, slices)
        self.momentum = self._moments()

    @property
    def tensors(self) -> dict[str, Tensor]:
        return {"momentum": self.momentum}

    @torch.no_grad()
    def update(self, alive: Tensor, everyone: bool, factors: list[float] | None = None) -> None:
        self.count += 1
        lr = self._lr(factors)
        for there, here in zip(self.slices, self.own):
            flat, moment = self.flat[:, there], self.momentum[:, here]
            grad = self.grad[:, there].addcmul(flat, self.weight_decay)
            if everyone:
                moment.mul_(MOMENTUM).add_(grad)
                flat.addcmul_(moment, lr, value=-1)
                continue
            momentum = moment * MOMENTUM + grad
            new = flat.addcmul(momentum, lr, value=-1)
            _write((moment, momentum), (flat, new), alive=alive[:, None])


def _write(*pairs: tuple[Tensor, Tensor], alive: Tensor | None) -> None:
    for old, new in pairs:
        old.copy_(new if alive is None else torch.where(alive, new, old))


OPTIMISERS: dict[str, type[Optimiser]] = {"adam": Adam, "adamw": AdamW, "sgd": SGD}


def can_fuse(flat: Tensor, kernel: str = "_fused_adam_") -> bool:
    """Whether the fused kernel exists and is the faster way for tensors like this one."""
    return flat.device.type == "cpu" and hasattr(torch, kernel)
