"""K copies of one network as flat tensors, with named views."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from ..seeds import draw
from ._net import Net, Output

ALIGN = 16  # numbers; parameters start on 64-byte lines, so that a product's rounding is the same
# wherever in a stack a trial lies


class Module:
    """The parameters of K trials of one ``net``.

    ``flat`` and ``grad`` are (K, P); ``parameters[name]`` is a leaf (K, *shape) that views
    ``flat`` and whose ``.grad`` views ``grad``. Between a parameter's end and the next multiple of
    16 lie zeros that never move.
    """

    def __init__(
        self,
        net: Net,
        seeds: list[int],
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ):
        self.net = net
        starts, size = {}, 0
        for name, shape in net.shapes.items():
            starts[name] = size
            size += -(-math.prod(shape) // ALIGN) * ALIGN
        first = np.zeros((len(seeds), size))
        for row, seed in zip(first, seeds):
            for name, values in net.init(draw(seed, "init")).items():
                row[starts[name] : starts[name] + values.size] = values.ravel()
        self.flat = torch.tensor(first, dtype=dtype, device=device)
        self.grad = torch.zeros_like(self.flat)
        self.parameters: dict[str, Tensor] = {}
        for name, shape in net.shapes.items():
            here = slice(starts[name], starts[name] + math.prod(shape))
            leaf = self.flat[:, here].unflatten(1, shape).detach().requires_grad_()
            leaf.grad = self.grad[:, here].unflatten(1, shape)
            self.parameters[name] = leaf

        self.remember = False  # whether to keep the latest logits, for watchers
        self._latest: tuple[Tensor, Tensor] | None = None

    def __call__(self, x: Tensor) -> Output:
        features = self.net.trunk(self.parameters, x)
        logits = self.net.head(self.parameters, features)
        if self.remember:
            self._latest = x, logits.detach()
        return Output(logits, features)

    def logits_of(self, x: Tensor) -> Tensor:
        """Logits of ``x``, without gradient: those just computed, or of a pass of their own."""
        if self._latest is not None and self._latest[0] is x:
            return self._latest[1]
        with torch.no_grad():
            return self(x).logits

    def of_trial(self, k: int, x: Tensor) -> Tensor:
        """Logits (1, n, q) of trial ``k`` alone for inputs (1, n, d), without gradient."""
        with torch.no_grad():
            mine = {name: leaf[k : k + 1] for name, leaf in self.parameters.items()}
            return self.net.head(mine, self.net.trunk(mine, x))
