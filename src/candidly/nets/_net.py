"""Networks as values, and the one layer they are built of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

Parameters = Mapping[str, Tensor]


class Output(NamedTuple):
    """What a network says of a batch: ``logits`` (K, B, q) and ``features`` (K, B, h)."""

    logits: Tensor
    features: Tensor


@dataclass(frozen=True)
class Net:
    """A network as a value: shapes and pure functions, no parameters.

    Attributes:
        shapes: parameter shapes of one trial by name, ordered from trunk to head.
        init: (generator) -> an array per parameter.
        trunk: (parameters, inputs (K, B, ...)) -> features (K, B, h).
        head: (parameters, features) -> logits (K, B, q).
        parts: names of neighbouring parameters by the part that they make up, such as ``head``;
            a stage may train a part alone, and draw it anew.
    """

    shapes: Mapping[str, tuple[int, ...]]
    init: Callable[[np.random.Generator], Mapping[str, np.ndarray]]
    trunk: Callable[[Parameters, Tensor], Tensor]
    head: Callable[[Parameters, Tensor], Tensor]
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class _Affine(torch.autograd.Function):
    """``x @ w + b`` whose backward adds straight into ``w.grad`` and ``b.grad``.

    Ordinary autograd would allocate a gradient per parameter and update, and page-fault; here
    the gradients are views of one flat buffer that lives as long as the stack.
    """

    @staticmethod
    def forward(ctx, x, w, b, rows_out):
        ctx.save_for_backward(x, w)
        ctx.leaves, ctx.rows_out = (w, b), rows_out
        return torch.baddbmm(b, x, w.transpose(1, 2) if rows_out else w)

    @staticmethod
    def backward(ctx, d_out):
        x, w = ctx.saved_tensors
        leaf_w, leaf_b = ctx.leaves
        left, right = (d_out, x) if ctx.rows_out else (x, d_out)
        leaf_w.grad.baddbmm_(left.transpose(1, 2), right)
        leaf_b.grad.add_(d_out.sum(1, keepdim=True))
        if not ctx.needs_input_grad[0]:
            return None, None, None, None
        return torch.bmm(d_out, w if ctx.rows_out else w.transpose(1, 2)), None, None, None


def affine(x: Tensor, w: Tensor, b: Tensor, rows_out: bool = False) -> Tensor:
    """``x @ w + b`` for every trial: (K, B, i), (K, i, o), (K, 1, o) -> (K, B, o).

    When gradients are recorded, ``w`` and ``b`` must be leaves that own a ``.grad`` to add to.

    Args:
        rows_out: ``w`` is (K, o, i), a row per output. The wider axis should come last: its
            gradient is then the faster product.
    """
    if torch.is_grad_enabled() and w.requires_grad:
        return _Affine.apply(x, w, b, rows_out)
    return torch.baddbmm(b, x, w.transpose(1, 2) if rows_out else w)


class _Leaf(torch.autograd.Function):
    """The parameter itself; its gradient goes where ``affine`` puts those of its own."""

    @staticmethod
    def forward(ctx, parameter):
        ctx.leaf = parameter
        return parameter.view_as(parameter)

    @staticmethod
    def backward(ctx, d_out):
        ctx.leaf.grad.add_(d_out)


def leaf(parameter: Tensor) -> Tensor:
    """A parameter for ordinary tensor functions, where ``affine`` does not fit.

    Autograd alone would warn that the flat tensors' views are laid out oddly.
    """
    if torch.is_grad_enabled() and parameter.requires_grad:
        return _Leaf.apply(parameter)
    return parameter
