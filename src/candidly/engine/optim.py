"""Optimisers over stacked trials, each with its own learning rate and weight decay.

Weight decay is added to the gradient (coupled), except in AdamW. Adam: Kingma & Ba, ICLR 2015, as
``torch.optim.Adam`` computes it, beta 0.9 and 0.999, epsilon 1e-8. AdamW: Loshchilov & Hutter,
ICLR 2019, as ``torch.optim.AdamW``. SGD: ``torch.optim.SGD`` with momentum 0.9 if nothing else is
said. Columns that are ``plain`` have no weight decay, as in a parameter group of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
        plain: columns of ``flat`` without weight decay, in order.
    """

    options: tuple[str, ...] = ()  # further arguments, by the names that a recipe has for them

    def __init__(
        self,
        flat: Tensor,
        grad: Tensor,
        lr: list[float],
        weight_decay: list[float],
        slices: Sequence[slice] | None = None,
        plain: Sequence[slice] = (),
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
        self.pieces = list(_pieces(self.slices, plain))
        if any(spared for _, _, spared in self.pieces):  # (K, width) instead of (K, 1)
            decays = torch.cat(
                [flat.new_full((h.stop - h.start,), not spared) for _, h, spared in self.pieces]
            )
            self.weight_decay = self.weight_decay * decays

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

    def _decay(self, here: slice) -> Tensor:
        """Weight decay of some of the moments' columns, (K, 1), or (K, .) where it differs."""
        return self.weight_decay if self.weight_decay.shape[1] == 1 else self.weight_decay[:, here]


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
        plain: Sequence[slice] = (),
        fused: bool | None = None,
    ):
        super().__init__(flat, grad, lr, weight_decay, slices, plain)
        self.mean, self.square = self._moments(), self._moments()
        self.fused = can_fuse(flat, self.kernel) if fused is None else fused
        # views made once: making them at every update cost about a tenth of a small step
        self.trials = [list(self._groups(k)) for k in range(len(flat))]

    def _groups(self, k: int) -> Iterator[tuple[bool, tuple[list[Tensor], ...], list[Tensor]]]:
        """Trial ``k``'s columns with weight decay, and those without: their tensors and counts."""
        for spared in (False, True):
            places = [(there, here) for there, here, plain in self.pieces if plain == spared]
            if places:
                tensors = (
                    *([t[k][there] for there, _ in places] for t in (self.flat, self.grad)),
                    *([t[k][here] for _, here in places] for t in (self.mean, self.square)),
                )
                yield not spared, tensors, [self.count] * len(places)

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
        for k in live:
            lr, weight_decay = self.rates[k]
            for decays, (flat, grad, mean, square), count in self.trials[k]:
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
                    weight_decay=weight_decay if decays else 0.0,
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
            start = flat * (1 - lr * self._decay(here))
        else:
            start, grad = flat, grad.addcmul(flat, self._decay(here))
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
    """Momentum of a stack: ``buffer``, and ``count`` updates so far."""

    options = ("momentum", "nesterov")

    def __init__(
        self,
        flat: Tensor,
        grad: Tensor,
        lr: list[float],
        weight_decay: list[float],
        slices: Sequence[slice] | None = None,
        plain: Sequence[slice] = (),
        momentum: float = MOMENTUM,
        nesterov: bool = False,
    ):
        super().__init__(flat, grad, lr, weight_decay, slices, plain)
        self.momentum, self.nesterov = momentum, nesterov
        self.buffer = self._moments()

    @property
    def tensors(self) -> dict[str, Tensor]:
        return {"momentum": self.buffer}

    @torch.no_grad()
    def update(self, alive: Tensor, everyone: bool, factors: list[float] | None = None) -> None:
        self.count += 1
        lr = self._lr(factors)
        for there, here in zip(self.slices, self.own):
            flat, buffer = self.flat[:, there], self.buffer[:, here]
            grad = self.grad[:, there].addcmul(flat, self._decay(here))
            new = (buffer.mul_(self.momentum) if everyone else buffer * self.momentum).add_(grad)
            move = grad.add_(new, alpha=self.momentum) if self.nesterov else new
            if everyone:
                flat.addcmul_(move, lr, value=-1)
            else:
                moved = flat.addcmul(move, lr, value=-1)
                _write((buffer, new), (flat, moved), alive=alive[:, None])


def _pieces(slices: Sequence[slice], plain: Sequence[slice]) -> Iterator[tuple[slice, slice, bool]]:
    """The slices, cut where ``plain`` columns begin or end: where in the parameters, where in the
    moments, and whether they are plain."""
    here = 0
    for whole in slices:
        at = whole.start
        inside = [s for s in plain if s.start < whole.stop and s.stop > whole.start]
        for part in (*inside, slice(whole.stop, whole.stop)):
            ends = (max(part.start, at), False), (min(part.stop, whole.stop), True)
            for end, spared in ends:
                if end > at:
                    yield slice(at, end), slice(here, here + end - at), spared
                    here, at = here + end - at, end


def _write(*pairs: tuple[Tensor, Tensor], alive: Tensor | None) -> None:
    for old, new in pairs:
        old.copy_(new if alive is None else torch.where(alive, new, old))


OPTIMISERS: dict[str, type[Optimiser]] = {"adam": Adam, "adamw": AdamW, "sgd": SGD}


def can_fuse(flat: Tensor, kernel: str = "_fused_adam_") -> bool:
    """Whether the fused kernel exists and is the faster way for tensors like this one."""
    return flat.device.type == "cpu" and hasattr(torch, kernel)
