"""Networks as values, and the one layer they are built of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ...data.inputs.tokens import Words
from ._state import State

Initial = Callable[[np.random.Generator], Mapping[str, np.ndarray]]
Part = Callable[[State, Tensor], Tensor]


class Output(NamedTuple):
    """What a network says of a batch: ``logits`` (K, B, q) and ``features`` (K, B, h)."""

    logits: Tensor
    features: Tensor


class Buffer(NamedTuple):
    """A tensor that a network keeps and no gradient moves, such as running statistics.

    Attributes:
        shape: one trial's shape.
        dtype: floating ones take the parameters' dtype instead.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype


@dataclass(frozen=True)
class Net:
    """A network as a value: shapes and pure functions, no parameters.

    Attributes:
        shape: the shape of one input, ``(d,)``, ``(C, H, W)``, or ``(L,)`` of texts.
        width: features that the trunk makes of an input.
        shapes: parameter shapes of one trial by name, ordered from trunk to heads.
        init: (generator) -> an array per parameter and per buffer.
        trunk: (state, inputs (K, B, *shape)) -> features (K, B, width).
        heads: (state, features) -> (K, B, ...) by name; ``head`` gives logits (K, B, q).
        parts: names of neighbouring parameters by the part that they make up, such as ``head``;
            a stage may train a part alone, and draw it anew.
        buffers: by name; saved, resumed and buried with their trial.
        plain: parameters that a rule of weight decay may leave out: norms and biases.
        random: training draws from torch's generator, as dropout does.
        macs: multiply-adds of one input's forward pass.
        bytes: that one input keeps for the backward pass in float32.
        together: a stack's trials are computed in the same operations, and not one by one.
        words: for networks that take texts: what is known of token numbers. Inputs are then int64
            (K, B, L) with 0 behind a text's end, L whatever a batch's longest text has, and
            ``shape`` is that of the longest of all, ``(L,)``.
        embed: of these, (state, tokens (K, B, L)) -> (K, B, L, e + 1), which ``trunk`` takes in
            place of tokens: embeddings, and behind them a 1 where there is a token, else 0; mixed
            with another's, what is above 0 is a token. None where a network has no such part.
    """

    shape: tuple[int, ...]
    width: int
    shapes: Mapping[str, tuple[int, ...]]
    init: Initial
    trunk: Part
    heads: Mapping[str, Part]
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    buffers: Mapping[str, Buffer] = field(default_factory=dict)
    plain: tuple[str, ...] = ()
    random: bool = False
    macs: int = 0
    bytes: int = 0
    together: bool = True
    words: Words | None = None
    embed: Part | None = None

    def head(self, state: State, features: Tensor) -> Tensor:
        """Logits (K, B, q) of features."""
        return self.heads["head"](state, features)


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
        saved_x, saved_w = ctx.saved_tensors
        x, w = saved_x.to(d_out.dtype), saved_w.to(d_out.dtype)  # which autocast has rounded
        left, right = (d_out, x) if ctx.rows_out else (x, d_out)
        d_w = d_b = d_x = None
        if _accumulates(ctx.leaves[0], ctx, (1, 2)):
            leaf_w, leaf_b = ctx.leaves
            if leaf_w.grad.dtype == d_out.dtype:
                leaf_w.grad.baddbmm_(left.transpose(1, 2), right)
            else:
                leaf_w.grad.add_(torch.bmm(left.transpose(1, 2), right))
            leaf_b.grad.add_(d_out.sum(1, keepdim=True))
        else:
            d_w, d_b = torch.bmm(left.transpose(1, 2), right), d_out.sum(1, keepdim=True)
        if ctx.needs_input_grad[0]:
            d_x = torch.bmm(d_out, w if ctx.rows_out else w.transpose(1, 2))
        return d_x, d_w, d_b, None


def _accumulates(leaf: Tensor, ctx, inputs: tuple[int, ...]) -> bool:
    """Whether these inputs' gradients go to ``.grad``, and not to a caller of ``autograd.grad``.

    In a loop of somebody's own there may be no ``.grad`` yet, and it is for autograd to make one.
    """
    if not leaf.is_leaf or leaf.grad is None:
        return False
    try:
        return all(torch._C._will_engine_execute_node(ctx.next_functions[i][0]) for i in inputs)
    except RuntimeError:  # what torch says of a leaf that autograd.grad was asked for
        return False


def affine(x: Tensor, w: Tensor, b: Tensor, rows_out: bool = False) -> Tensor:
    """``x @ w + b`` for every trial: (K, B, i), (K, i, o), (K, 1, o) -> (K, B, o).

    Where ``w`` and ``b`` are leaves that own a ``.grad``, as a stack's do, gradients are added to
    it; else, and for ``torch.autograd.grad``, they go where those of any tensor go.

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
        if not _accumulates(ctx.leaf, ctx, (0,)):
            return d_out
        ctx.leaf.grad.add_(d_out)
        return None


def leaf(parameter: Tensor) -> Tensor:
    """A parameter for ordinary tensor functions, where ``affine`` does not fit.

    Autograd alone would warn that the flat tensors' views are laid out oddly.
    """
    if torch.is_grad_enabled() and parameter.requires_grad:
        return _Leaf.apply(parameter)
    return parameter
