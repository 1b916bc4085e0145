"""K trials' copies of one network as flat tensors, with named views."""

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
    """The parameters of K trials of ``copies`` networks each.

    ``flat`` and ``grad`` are (K, copies * P); ``parameters[name]`` is a leaf (K * copies, *shape)
    that views ``flat`` and whose ``.grad`` views ``grad``. Between a parameter's end and the next
    multiple of 16 lie zeros that never move.

    Args:
        name: of the random numbers that it starts from.
    """

    def __init__(
        self,
        net: Net,
        seeds: list[int],
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
        copies: int = 1,
        name: str = "init",
    ):
        self.net, self.copies = net, copies
        starts, size = {}, 0
        for parameter, shape in net.shapes.items():
            starts[parameter] = size
            size += -(-math.prod(shape) // ALIGN) * ALIGN
        first = np.zeros((len(seeds) * copies, size))
        for row, (seed, copy) in zip(first, ((s, m) for s in seeds for m in range(copies))):
            for parameter, values in net.init(draw(seed, name, copy)).items():
                row[starts[parameter] : starts[parameter] + values.size] = values.ravel()
        self.flat = torch.tensor(first, dtype=dtype, device=device).view(len(seeds), -1)
        self.grad = torch.zeros_like(self.flat)
        self.parameters: dict[str, Tensor] = {}
        each, each_grad = (t.view(len(first), size) for t in (self.flat, self.grad))
        for parameter, shape in net.shapes.items():
            here = slice(starts[parameter], starts[parameter] + math.prod(shape))
            leaf = each[:, here].unflatten(1, shape).detach().requires_grad_()
            leaf.grad = each_grad[:, here].unflatten(1, shape)
            self.parameters[parameter] = leaf
        self._latest: tuple[Tensor, Output] | None = None

    def __call__(self, x: Tensor) -> Output:
        """Logits and features of inputs (K, B, ...): (K, B, .), or (K, copies, B, .) of several.

        Asked again of the same tensor before the parameters have moved, it says the same again.
        """
        if self._latest is None or self._latest[0] is not x or _lacks_gradient(self._latest[1]):
            self._latest = x, self._forward(x)
        logits, features = self._latest[1]
        if torch.is_grad_enabled():
            return Output(logits, features)
        return Output(logits.detach(), features.detach())

    def _forward(self, x: Tensor) -> Output:
        if self.copies == 1:
            features = self.net.trunk(self.parameters, x)
            return Output(self.net.head(self.parameters, features), features)
        several = x[:, None].expand(-1, self.copies, *x.shape[1:])
        features = self.net.trunk(self.parameters, several.flatten(0, 1))
        logits = self.net.head(self.parameters, features)
        return Output(
            logits.unflatten(0, several.shape[:2]), features.unflatten(0, several.shape[:2])
        )

    def forget(self) -> None:
        """The parameters have moved: what was said before no longer holds."""
        self._latest = None

    def of_trial(self, k: int, x: Tensor, copy: int = 0) -> Output:
        """What one network of trial ``k`` says of inputs (1, n, d), without gradient."""
        with torch.no_grad():
            i = k * self.copies + copy
            mine = {name: leaf[i : i + 1] for name, leaf in self.parameters.items()}
            features = self.net.trunk(mine, x)
            return Output(self.net.head(mine, features), features)


def _lacks_gradient(output: Output) -> bool:
    return torch.is_grad_enabled() and not output.logits.requires_grad
