"""Multiply-adds of a module's forward, counted as torch's functions are called."""

from __future__ import annotations

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
        count = MACS.get(getattr(function, "__name__", ""))
        if count is not None:
            self.macs += count(out, *[each for each in args if isinstance(each, Tensor)])
        return out


def _per_output(out: Tensor, x: Tensor, weight: Tensor, *more: Tensor) -> int:
    return out.numel() * weight[0].numel()


def _per_input(out: Tensor, x: Tensor, weight: Tensor, *more: Tensor) -> int:
    return x.numel() * weight[0].numel()


def _product(out: Tensor, left: Tensor, right: Tensor) -> int:
    return out.numel() * left.shape[-1]


def _added_product(out: Tensor, start: Tensor, left: Tensor, right: Tensor) -> int:
    return out.numel() * left.shape[-1]


def _attention(out: Tensor, query: Tensor, key: Tensor, value: Tensor, *more: Tensor) -> int:
    return query.numel() * key.shape[-2] + out.numel() * key.shape[-2]


def _heads(
    out: Any, query: Tensor, key: Tensor, value: Tensor, *weights: Tensor
) -> int:  # each (length, B, width)
    length, width = key.shape[0], query.shape[-1]
    projected = (2 * query.numel() + key.numel() + value.numel()) * width
    return projected + 2 * query.numel() * length


MACS: Mapping[str, Callable[..., int]] = {
    "conv1d": _per_output,
    "conv2d": _per_output,
    "conv3d": _per_output,
    "conv_transpose1d": _per_input,
    "conv_transpose2d": _per_input,
    "conv_transpose3d": _per_input,
    "linear": _per_output,
    "matmul": _product,
    "__matmul__": _product,
    "mm": _product,
    "bmm": _product,
    "addmm": _added_product,
    "baddbmm": _added_product,
    "scaled_dot_product_attention": _attention,
    "multi_head_attention_forward": _heads,
}
