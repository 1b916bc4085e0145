"""K trials' copies of named parameters as flat tensors, with named views."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from ...ground.seeds import draw
from ._net import Initial

ALIGN = 16  # numbers; parameters start on 64-byte lines, so that a product's rounding is the same
# wherever in a stack a trial lies


class Flat:
    """Named parameters of K trials, ``copies`` times each.

    ``flat`` and ``grad`` are (K, copies * P); ``parameters[name]`` is a leaf (K * copies, *shape)
    that views ``flat`` and whose ``.grad`` views ``grad``. Between a parameter's end and the next
    multiple of 16 lie zeros that never move.

    Args:
        shapes: the shapes of one copy's parameters, by name.
        parts: names of neighbouring parameters by the part that they make up.
        init: (generator) -> an array per parameter; what else it returns is left out.
        name: the name of the random numbers that it starts from.
        trained: whether anything here is moved by gradient; without, there is no ``grad``.
    """

    def __init__(
        self,
        shapes: Mapping[str, tuple[int, ...]],
        parts: Mapping[str, tuple[str, ...]],
        init: Initial,
        seeds: Sequence[int],
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
        copies: int = 1,
        name: str = "init",
        trained: bool = True,
    ):
        self.shapes, self.parts, self.init = shapes, parts, init
        self.plain: tuple[str, ...] = ()  # norms and biases
        self.seeds, self.copies = list(seeds), copies
        self.starts, self.size = {}, 0
        for parameter, shape in shapes.items():
            self.starts[parameter] = self.size
            self.size += -(-math.prod(shape) // ALIGN) * ALIGN
        self.flat = torch.zeros(len(self.seeds), copies * self.size, dtype=dtype, device=device)
        self.grad = torch.zeros_like(self.flat) if trained else None
        self.parameters = self._leaves(slice(None))
        for number, values in self._drawn(name):
            self._write(self.each, number, values)
            self._started(number, values)

    @property
    def each(self) -> Tensor:
        """``flat`` with a row per copy, (K * copies, P)."""
        return self._by_copy(self.flat)

    def _by_copy(self, flat: Tensor) -> Tensor:
        return flat.view(len(self.seeds) * self.copies, self.size)

    def _leaves(self, rows: slice | int) -> dict[str, Tensor]:
        """A leaf per parameter of some copies: (K * copies, *shape), or (*shape) of one alone."""
        leaves = {}
        for parameter, shape in self.shapes.items():
            here = self.place(parameter)
            leaf = self.each[rows, here].unflatten(-1, shape or (1,)).detach()
            leaf = leaf if shape else leaf[..., 0]
            if self.grad is not None:
                grad = self._by_copy(self.grad)[rows, here].unflatten(-1, shape or (1,))
                leaf.requires_grad_().grad = grad if shape else grad[..., 0]
            leaves[parameter] = leaf
        return leaves

    def place(self, parameter: str) -> slice:
        """Where in a copy's numbers a parameter lies."""
        start = self.starts[parameter]
        return slice(start, start + math.prod(self.shapes[parameter]))

    def _drawn(self, name: str) -> Iterator[tuple[int, Mapping[str, np.ndarray]]]:
        """What each copy starts from, by its number: one after the other, so that few lie there."""
        for number in range(len(self.seeds) * self.copies):
            trial, copy = divmod(number, self.copies)
            yield number, self.init(draw(self.seeds[trial], name, copy))

    def _write(self, rows: Tensor, number: int, values: Mapping[str, np.ndarray]) -> None:
        for parameter in self.shapes:
            new = torch.from_numpy(np.asarray(values[parameter])).flatten()
            rows[number, self.place(parameter)] = new.to(rows)

    def _started(self, number: int, values: Mapping[str, np.ndarray]) -> None:
        """Called with what ``init`` returned for a copy; for what is no parameter."""

    def slices(self, part: str = "") -> list[slice]:
        """Where in a trial's ``flat`` a part lies, a slice per copy.

        Raises:
            KeyError: there is no part of that name.
        """
        if not part:
            return [slice(0, self.copies * self.size)]
        if part not in self.parts:
            known = ", ".join(self.parts) or "none"
            raise KeyError(f"the network has no part {part!r}; its parts: {known}")
        places = [self.place(parameter) for parameter in self.parts[part]]
        starts = range(0, self.copies * self.size, self.size)
        return [slice(s + places[0].start, s + places[-1].stop) for s in starts]

    def anew(self, name: str, part: str = "") -> Tensor:
        """``flat`` with everything, or a part, started from other random numbers."""
        fresh = torch.zeros_like(self.flat)
        for number, values in self._drawn(name):
            self._write(self._by_copy(fresh), number, values)
        flat = self.flat.clone()
        for here in self.slices(part):
            flat[:, here] = fresh[:, here]
        return flat

    def replaced(self, values: Mapping[str, Tensor]) -> Tensor:
        """``flat`` with other values of some parameters, each (K * copies, *shape)."""
        flat = self.flat.clone()
        each = self._by_copy(flat)
        for parameter, new in values.items():
            each[:, self.place(parameter)] = new.to(flat.dtype).flatten(1)
        return flat

    def begin(self, t: int) -> None:
        """An update begins, behind ``t`` others."""
        if self.grad is not None:
            self.grad.zero_()

    def bury(self, k: int) -> None:
        """Make everything of trial ``k`` zeros."""
        self.flat[k] = 0
        if self.grad is not None:
            self.grad[k] = 0

    def forget(self) -> None:
        """The parameters have moved: what was said before no longer holds."""
