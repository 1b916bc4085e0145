"""Optimisers over stacked trials, each with its own learning rate and weight decay.

Weight decay is added to the gradient (coupled), except in AdamW. Adam: Kingma & Ba, ICLR 2015, as
``torch.optim.Adam`` computes it, beta 0.9 and 0.999, epsilon 1e-8. AdamW: Loshchilov & Hutter,
ICLR 2019, as ``torch.optim.AdamW``. SGD: ``torch.optim.SGD`` with momentum 0.9 if nothing else is
said. Columns that are ``plain`` have no weight decay, as in a parameter group of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf

import torch
from torch import Tensor

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
MOMENTUM = 0.9


class Optimiser:
    """What the optimisers share: where they work, at which rates, and how many updates so far.

    A stack moves in one of two ways: by a call of torch's fused kernel for each trial, or by
    operations that are broadcast over the stack. Their results differ by rounding.

    Args:
        flat, grad: (K, P), read and written in place.
        lr, weight_decay: K numbers.
        slices: the columns that are moved; by default all. Nothing else is read or written, and
            the moments are of these columns, one slice after the other.
        plain: columns of ``flat`` without weight decay, in order.
        apart: the trials are computed one by one, so that each moves as it would alone.
        fused: which of the two ways; by default the one that ``can_fuse`` says.

    Attributes:
        tensors: what changes beside ``flat``, (K, the slices' columns), by name.
        masked: the fused kernel reads on the device which trials are alive; else the host does.
    """

    options: tuple[str, ...] = ()  # further arguments, by the names that a recipe has for them
    kernel = ""
    moments: tuple[str, ...] = ()

    def __init__(
        self,
        flat: Tensor,
        grad: Tensor,
        lr: list[float],
        weight_decay: list[float],
        slices: Sequence[slice] | None = None,
        plain: Sequence[slice] = (),
        apart: bool = False,
        fused: bool | None = None,
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
        self.tensors = {name: flat.new_zeros(len(flat), self.width) for name in self.moments}
        self.fused = can_fuse(flat, self.kernel, apart) if fused is None else fused
        self.masked = flat.device.type != "cpu"
        self.steps = self.count.to(flat.device)  # what the kernel reads; on a CPU the count itself
        # views made once: making them at every update cost about a tenth of a small step
        self.trials = [list(self._groups(k)) for k in range(len(flat))]

    def _groups(self, k: int) -> Iterator[tuple[bool, tuple[list[Tensor], ...], list[Tensor]]]:
        """Trial ``k``'s columns with weight decay, and those without: their tensors and counts."""
        for spared in (False, True):
            places = [(there, here) for there, here, plain in self.pieces if plain == spared]
            if places:
                tensors = (
                    *([t[k][there] for there, _ in places] for t in (self.flat, self.grad)),
                    *([t[k][here] for _, here in places] for t in self.tensors.values()),
                )
                yield not spared, tensors, [self.steps] * len(places)

    @torch.no_grad()
    def update(self, alive: Tensor, everyone: bool, factors: list[float] | None = None) -> None:
        """One step for the trials in ``alive``, bool (K,); ``everyone``: it is all True.

        Args:
            factors: what each trial's learning rate is multiplied by, at this step.
        """
        self.count += 1
        if self.fused:
            self._update_each(alive, everyone, factors)
        else:
            for there, here in zip(self.slices, self.own):
                self._update_all(there, here, None if everyone else alive[:, None], factors)

    def _update_each(self, alive: Tensor, everyone: bool, factors: list[float] | None) -> None:
        live: Iterable[int] = range(len(self.flat))
        flags: Sequence[Tensor | None] = [None] * len(self.flat)
        if self.masked and not everyone:  # the host does not wait to hear who is alive
            flags = (~alive).to(torch.float32).unbind()
        elif not everyone:
            live = alive.nonzero().flatten().tolist()
        if self.steps is not self.count:
            self.steps.fill_(self.count.item())
        for k in live:
            lr, weight_decay = self.rates[k]
            lr = lr if factors is None else lr * factors[k]
            for decays, tensors, steps in self.trials[k]:
                self._call(tensors, steps, lr, weight_decay if decays else 0.0, flags[k])

    def _call(
        self,
        tensors: tuple[list[Tensor], ...],
        steps: list[Tensor],
        lr: float,
        weight_decay: float,
        dead: Tensor | None,
    ) -> None:
        """Torch's fused kernel, on one trial's parameters, gradients and moments.

        Args:
            dead: float32 (), 1 where nothing is to be written.
        """
        raise NotImplementedError

    def _update_all(
        self, there: slice, here: slice, alive: Tensor | None, factors: list[float] | None
    ) -> None:
        """Every trial's step, on these columns, which are ``here`` in the moments.

        Args:
            alive: bool (K, 1); None: all are.
        """
        raise NotImplementedError

    def _lr(self, factors: list[float] | None) -> Tensor:
        """Learning rates (K, 1)."""
        return self.lr if factors is None else self.lr * self.lr.new_tensor(factors)[:, None]

    def _decay(self, here: slice) -> Tensor:
        """Weight decay of some of the moments' columns, (K, 1), or (K, .) where it differs."""
        return self.weight_decay if self.weight_decay.shape[1] == 1 else self.weight_decay[:, here]


class Adam(Optimiser):
    """Moments of a stack: ``mean`` and ``square``, and ``count`` updates so far."""

    kernel = "_fused_adam_"
    moments = ("mean", "square")
    decoupled = False

    def _call(self, tensors, steps, lr, weight_decay, dead):
        # private to torch; tests hold both ways against torch.optim.Adam
        getattr(torch, self.kernel)(
            *tensors,
            [],
            steps,
            lr=lr,
            beta1=BETA1,
            beta2=BETA2,
            weight_decay=weight_decay,
            eps=EPSILON,
            amsgrad=False,
            maximize=False,
            found_inf=dead,
        )

    def _update_all(
        self, there: slice, here: slice, alive: Tensor | None, factors: list[float] | None
    ) -> None:
        count, lr = float(self.count), self._lr(factors)
        flat, grad = self.flat[:, there], self.grad[:, there]
        before, squares = (t[:, here] for t in self.tensors.values())
        if self.decoupled:
            start = flat * (1 - lr * self._decay(here))
        else:
            start, grad = flat, grad.addcmul(flat, self._decay(here))
        mean = before.lerp(grad, 1 - BETA1)
        square = (squares * BETA2).addcmul_(grad, grad, value=1 - BETA2)
        scale = (square / (1 - BETA2**count)).sqrt_().add_(EPSILON)
        new = start - lr / (1 - BETA1**count) * mean / scale
        _write((before, mean), (squares, square), (flat, new), alive=alive)


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters themselves, and leaves the moments alone."""

    kernel = "_fused_adamw_"
    decoupled = True


class SGD(Optimiser):
    """Momentum of a stack, and ``count`` updates so far; options as ``torch.optim.SGD``'s."""

    options = ("momentum", "nesterov")
    kernel = "_fused_sgd_"
    moments = ("momentum",)

    def __init__(self, *where, momentum: float = MOMENTUM, nesterov: bool = False, **how):
        super().__init__(*where, **how)
        self.momentum, self.nesterov = momentum, nesterov

    def _call(self, tensors, steps, lr, weight_decay, dead):
        flat, grad, buffers = tensors
        getattr(torch, self.kernel)(
            flat,
            grad,
            buffers if self.momentum else [],  # which the kernel takes with a momentum alone
            lr=lr,
            momentum=self.momentum,
            nesterov=self.nesterov,
            weight_decay=weight_decay,
            dampening=0.0,
            maximize=False,
            is_first_step=False,  # buffers start as zeros, so that the first step is as any
            found_inf=dead,
        )

    def _update_all(
        self, there: slice, here: slice, alive: Tensor | None, factors: list[float] | None
    ) -> None:
        flat, buffer, lr = self.flat[:, there], self.tensors["momentum"][:, here], self._lr(factors)
        grad = self.grad[:, there].addcmul(flat, self._decay(here))
        new = (buffer.mul_(self.momentum) if alive is None else buffer * self.momentum).add_(grad)
        move = grad.add_(new, alpha=self.momentum) if self.nesterov else new
        if alive is None:
            flat.addcmul_(move, lr, value=-1)
        else:
            moved = flat.addcmul(move, lr, value=-1)
            _write((buffer, new), (flat, moved), alive=alive)


def square_norms(rows: Tensor) -> Tensor:
    """Squared norm of each row: (K, P) -> (K,)."""
    if rows.device.type == "cpu":  # a dot product reads a row once and allocates nothing
        return torch.stack([torch.dot(row, row) for row in rows])
    return rows.square().sum(1)


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


# Trials of a stack that move by one fused call each; more move by broadcast operations. On a CPU
# that is measured, and SGD's broadcast form is as fast. A GPU waits for some 15 µs a call, or for
# some 20 broadcast operations whatever the stack: so a few trials, and how many is to be measured
# by bench/gpu.py, whose part `optimisers` times both.
FUSED_AT_MOST: Mapping[str, Mapping[str, float]] = {
    "cpu": {"_fused_adam_": inf, "_fused_adamw_": inf, "_fused_sgd_": 0},
    "cuda": {"_fused_adam_": 8, "_fused_adamw_": 8, "_fused_sgd_": 4},
}


def can_fuse(flat: Tensor, kernel: str, apart: bool = False) -> bool:
    """Whether the fused kernel exists and is the better way for a stack's parameters, (K, P).

    Args:
        apart: its trials are computed one by one; on an accelerator they then step one by one in
            stacks of any size, so that a trial moves as it does alone.
    """
    device = flat.device.type
    most = FUSED_AT_MOST.get(device, {}).get(kernel, 0)
    if apart and device != "cpu" and most:
        most = inf
    return hasattr(torch, kernel) and len(flat) <= most
