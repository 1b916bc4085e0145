"""What a network's functions are given: the parameters and buffers of some trials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor


@dataclass(frozen=True)
class One:
    """One network of one trial.

    Attributes:
        parameters: contiguous leaves by name; their ``.grad`` views the stack's flat gradient.
        buffers: by name, to be written in place.
        training: whether it trains, or is evaluated.
        moves: whether running statistics move; if not, ``buffers`` are to be left as they are.
        seed: what torch's generator is seeded with, of networks that draw from it.
        precision: what its operations round to on the way; None: as its parameters are.
    """

    parameters: Mapping[str, Tensor]
    buffers: Mapping[str, Tensor]
    training: bool
    moves: bool
    seed: int | None = None
    precision: torch.dtype | None = None


class Stacked(Protocol):
    """Who can give trials one by one; None stands for a buried one."""

    def __call__(self) -> Sequence[One | None]: ...


class State(Mapping[str, Tensor]):
    """Parameters of K networks by name, (K, *shape), and the same one by one.

    Args:
        stacked: the parameters, (K, *shape) each.
        trials: asked for the networks one by one.
    """

    def __init__(self, stacked: Mapping[str, Tensor], trials: Stacked):
        self._stacked, self.trials = stacked, trials

    def __getitem__(self, name: str) -> Tensor:
        return self._stacked[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stacked)

    def __len__(self) -> int:
        return len(self._stacked)

    @property
    def dtype(self) -> torch.dtype:
        """Of the parameters, and of what is made with them."""
        return next(iter(self._stacked.values())).dtype


def fixed(parameters: Mapping[str, Tensor], buffers: Mapping[str, Tensor]) -> State:
    """Networks that are evaluated and never trained: (copies, *shape) by name, each."""

    def trials() -> list[One | None]:
        copies = len(next(iter(parameters.values())))
        return [
            One(
                {name: tensor[i] for name, tensor in parameters.items()},
                {name: tensor[i] for name, tensor in buffers.items()},
                training=False,
                moves=False,
            )
            for i in range(copies)
        ]

    return State(parameters, trials)


def each(call: Callable[[One, Tensor], Tensor], size: int) -> Callable[[State, Tensor], Tensor]:
    """A function of a whole stack, made of one that works on a single network.

    Torch's generator is seeded around each call where the network draws from it, and is after that
    as it was. Buried trials are not called; theirs are zeros.

    Args:
        call: (network, inputs (B, ...)) -> (B, size).
        size: the size of an output's last axis.

    Returns:
        (state, inputs (K, B, ...)) -> (K, B, size).

    Raises:
        ValueError: ``call`` returns another shape.
    """

    def together(state: State, x: Tensor) -> Tensor:
        outs = []
        for one, rows in zip(state.trials(), x, strict=True):
            if one is None:
                out = rows.new_zeros(len(rows), size, dtype=state.dtype)
            else:
                out = of_one(call, one, rows)
            if out.shape != (len(rows), size):
                raise ValueError(
                    f"the network returned {tuple(out.shape)} for a batch of {len(rows)}; it has to"
                    f" be ({len(rows)}, {size}) whatever the batch."
                )
            outs.append(out)
        return torch.stack(outs) if len(outs) > 1 else outs[0][None]

    return together


def of_one(call: Callable[[One, Tensor], Tensor], one: One, x: Tensor) -> Tensor:
    """What a call makes of a network's inputs, in its precision and with its random numbers."""
    if one.precision is not None:
        with torch.autocast(x.device.type, one.precision):
            return _drawn(call, one, x).to(next(iter(one.parameters.values())).dtype)
    return _drawn(call, one, x)


def _drawn(call: Callable[[One, Tensor], Tensor], one: One, x: Tensor) -> Tensor:
    if one.seed is None:
        return call(one, x)
    with torch.random.fork_rng([x.device] if x.device.type == "cuda" else []):
        torch.manual_seed(one.seed)
        return call(one, x)
