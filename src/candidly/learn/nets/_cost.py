"""Multiply-adds of a module's forward, counted as torch's functions are called."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode


class Counted(TorchFunctionMode):
    """While it is entered, ``macs`` adds up the multiply-adds of products and convolutions.

    An estimate: what is added or multiplied number by number is left out. ``FlopCounterMode`` of
    torch finds more kinds, and first loads torch's compiler, which takes seconds.
    """

    def __init__(self) -> None:
        super().__init__()
        self.macs = 0

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        out = function(*args, **(kwargs or {}))
        name = getattr(function, "__name__", "")
        if name == "einsum":
            self.macs += _einsum(*args)
        needed, count = MACS.get(name, (0, None))
        given = [each for each in (*args, *(kwargs or {}).values()) if isinstance(each, Tensor)]
        if count is not None and len(given) >= needed:
            self.macs += count(out, *given[:needed])
        return out


def _per_output(out: Tensor, x: Tensor, weight: Tensor) -> int:
    return out.numel() * weight[0].numel()


def _per_input(out: Tensor, x: Tensor, weight: Tensor) -> int:
    return x.numel() * weight[0].numel()


def _product(out: Tensor, left: Tensor, right: Tensor) -> int:
    return out.numel() * left.shape[-1]


def _added_product(out: Tensor, start: Tensor, left: Tensor, right: Tensor) -> int:
    return out.numel() * left.shape[-1]


def _attention(out: Tensor, query: Tensor, key: Tensor, value: Tensor) -> int:
    return (query.numel() + out.numel()) * key.shape[-2]


def _heads(out: Any, query: Tensor, key: Tensor, value: Tensor) -> int:
    """Of inputs (length, B, width): the four projections, and attention."""
    projected = (2 * query.numel() + key.numel() + value.numel()) * query.shape[-1]
    return projected + 2 * query.numel() * key.shape[0]


def _einsum(equation: str, *operands: Any) -> int:
    """The product of all sizes: ``...`` stands for none here.

    >>> import torch
    >>> _einsum("ibd,jbd->bij", torch.ones(2, 3, 5), torch.ones(4, 3, 5))  # 3 * 2 * 4 * 5
    120
    """
    given = operands[0] if len(operands) == 1 and not isinstance(operands[0], Tensor) else operands
    terms = equation.partition("->")[0].replace(" ", "").split(",")
    if len(terms) < 2 or "." in equation:
        return 0
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, given):
        sizes |= dict(zip(term, operand.shape))
    return math.prod(sizes.values())


def _lstm(out: Any, x: Tensor) -> int:
    """Of inputs (B, L, d) and states (B, L, h), of one layer in one direction."""
    states = out[0]
    return 4 * states.numel() * (x.shape[-1] + states.shape[-1])


# by the function's name: how many tensors its first arguments are, and the count
MACS: Mapping[str, tuple[int, Callable[..., int]]] = {
    "conv1d": (2, _per_output),
    "conv2d": (2, _per_output),
    "conv3d": (2, _per_output),
    "conv_transpose1d": (2, _per_input),
    "conv_transpose2d": (2, _per_input),
    "conv_transpose3d": (2, _per_input),
    "linear": (2, _per_output),
    "matmul": (2, _product),
    "__matmul__": (2, _product),
    "mm": (2, _product),
    "bmm": (2, _product),
    "addmm": (3, _added_product),
    "baddbmm": (3, _added_product),
    "lstm": (1, _lstm),
    "scaled_dot_product_attention": (3, _attention),
    "multi_head_attention_forward": (3, _heads),
}
