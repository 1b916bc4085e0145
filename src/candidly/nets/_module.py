"""K trials' copies of one network as flat tensors, with named views."""

from __future__ import annotations

import math
from collections.abc import Mapping

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
        self.net, self.seeds, self.copies = net, seeds, copies
        self.starts, self.size = {}, 0
        for parameter, shape in net.shapes.items():
            self.starts[parameter] = self.size
            self.size += -(-math.prod(shape) // ALIGN) * ALIGN
        self.flat = torch.tensor(self._drawn(name), dtype=dtype, device=device)
        self.grad = torch.zeros_like(self.flat)
        self.parameters: dict[str, Tensor] = {}
        each, each_grad = (t.view(len(seeds) * copies, -1) for t in (self.flat, self.grad))
        for parameter, shape in net.shapes.items():
            here = self._place(parameter)
            leaf = each[:, here].unflatten(1, shape).detach().requires_grad_()
            leaf.grad = each_grad[:, here].unflatten(1, shape)
            self.parameters[parameter] = leaf
        self._latest: tuple[Tensor, Output] | None = None

    def _place(self, parameter: str) -> slice:
        start = self.starts[parameter]
        return slice(start, start + math.prod(self.net.shapes[parameter]))

    def _drawn(self, name: str) -> np.ndarray:
        """Initial parameters of every copy, float64 (K, copies * P)."""
        rows = np.zeros((len(self.seeds), self.copies, self.size))
        for row, seed in zip(rows, self.seeds):
            for copy in range(self.copies):
                for parameter, values in self.net.init(draw(seed, name, copy)).items():
                    row[copy, self._place(parameter)] = values.ravel()
        return rows.reshape(len(self.seeds), -1)

    def slices(self, part: str = "") -> list[slice]:
        """Where in a trial's ``flat`` a part of the network lies, a slice per copy.

        Raises:
            KeyError: the network has no part of that name.
        """
        if not part:
            return [slice(0, self.copies * self.size)]
        if part not in self.net.parts:
            known = ", ".join(self.net.parts) or "none"
            raise KeyError(f"the network has no part {part!r}; its parts: {known}")
        places = [self._place(parameter) for parameter in self.net.parts[part]]
        starts = range(0, self.copies * self.size, self.size)
        return [slice(s + places[0].start, s + places[-1].stop) for s in starts]

    def anew(self, name: str, part: str = "") -> Tensor:
        """``flat`` with the network, or a part of it, started from other random numbers."""
        fresh = torch.tensor(self._drawn(name), dtype=self.flat.dtype, device=self.flat.device)
        flat = self.flat.clone()
        for here in self.slices(part):
            flat[:, here] = fresh[:, here]
        return flat

    def replaced(self, values: Mapping[str, Tensor]) -> Tensor:
        """``flat`` with other values of some parameters, each (K * copies, *shape)."""
        flat = self.flat.clone()
        each = flat.view(len(self.seeds) * self.copies, -1)
        for parameter, new in values.items():
            each[:, self._place(parameter)] = new.to(flat.dtype).flatten(1)
        return flat

    def __call__(self, x: Tensor) -> Output:
        """Logits and features of inputs (K, B, d): (K, B, .), or (K, copies, B, .) of several.

        Of several, each may have inputs of its own, (K, copies, B, d). Asked again of the same
        tensor before the parameters have moved, it says the same again.
        """
        if self._latest is None or self._latest[0] is not x or _lacks_gradient(self._latest[1]):
            features = self.trunk(x)
            self._latest = x, Output(self.head(features), features)
        logits, features = self._latest[1]
        if torch.is_grad_enabled():
            return Output(logits, features)
        return Output(logits.detach(), features.detach())

    def trunk(self, x: Tensor) -> Tensor:
        """Features alone; arguments and shapes as when called."""
        return self._apart(self.net.trunk(self.parameters, self._together(x)))

    def head(self, features: Tensor) -> Tensor:
        """Logits of features as ``trunk`` gives them."""
        return self._apart(self.net.head(self.parameters, self._together(features)))

    def _together(self, x: Tensor) -> Tensor:
        """(K, B, d) or (K, copies, B, d) -> (K * copies, B, d)."""
        if self.copies == 1:
            return x
        if x.dim() == 3:
            x = x[:, None].expand(-1, self.copies, -1, -1)
        return x.flatten(0, 1)

    def _apart(self, y: Tensor) -> Tensor:
        return y if self.copies == 1 else y.unflatten(0, (len(self.seeds), self.copies))

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
