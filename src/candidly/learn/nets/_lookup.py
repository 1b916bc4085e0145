"""Rows of a table of embeddings, and their gradient without one of the whole table."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import embedding

from ._net import _accumulates


class _Lookup(torch.autograd.Function):
    """Rows, whose backward adds to those rows of ``table.grad`` and touches no others."""

    @staticmethod
    def forward(ctx, table, ids):
        ctx.save_for_backward(ids)
        ctx.leaf = table
        return embedding(ids, table)

    @staticmethod
    def backward(ctx, d_out):
        (ids,) = ctx.saved_tensors
        rows, places = d_out.reshape(-1, d_out.shape[-1]), ids.reshape(-1)
        if _accumulates(ctx.leaf, ctx, (0,)):
            ctx.leaf.grad.index_add_(0, places, rows.to(ctx.leaf.grad.dtype))
            return None, None
        whole = torch.zeros_like(ctx.leaf, dtype=d_out.dtype)
        return whole.index_add_(0, places, rows), None


def lookup(table: Tensor, ids: Tensor) -> Tensor:
    """``table[ids]``: (V, e), int64 (...) -> (..., e).

    Ordinary autograd makes a gradient of the whole table and adds it to what there is, which for a
    large vocabulary costs more than the rows do. On a CPU the rows are added alone, one after the
    other; elsewhere that would be in no fixed order.
    """
    if torch.is_grad_enabled() and table.requires_grad and table.device.type == "cpu":
        return _Lookup.apply(table, ids)
    return embedding(ids, table)
