"""What a trial predicts for rows of its stack's examples, outside the updates."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from ..algorithms import Algorithm
from ..nets import Module, Net, Output
from .examples import Examples

MOST_ROWS = 8192  # in a forward pass
MOST_BYTES = 64e6  # that its rows would keep for a backward one, where trials go one by one


def rows_at_once(net: Net) -> int:
    """How many rows a forward pass takes, so that a large network's fit in memory."""
    if net.together:
        return MOST_ROWS
    return max(1, min(MOST_ROWS, int(MOST_BYTES // max(1, net.bytes))))


def of_rows(
    page: Algorithm,
    module: Module,
    examples: Examples,
    scaling: tuple[Tensor, Tensor] | None,
    k: int,
    rows: Tensor,
    copy: int | None = None,
    change: Callable[[Tensor], Tensor] | None = None,
    view: Callable[[Tensor], Callable[[Tensor], Tensor] | None] | None = None,
) -> Output:
    """Logits (m, q) and features (m, h) of trial ``k``, without gradient.

    Args:
        module: the network that predicts.
        scaling: every trial's shift and factor, (K, 1, ...) each.
        rows: int64 (m,), in the examples.
        copy: which of several networks; None: as predictions are made.
        change: what is done to scaled inputs (1, m, ...) before.
        view: (rows) -> what is done to their pixels before, or None, where they are pictures.
    """
    if copy is None and page.averages:
        each = [
            of_rows(page, module, examples, scaling, k, rows, m, change, view)
            for m in range(page.networks)
        ]
        return Output(*(torch.stack(parts).mean(0) for parts in zip(*each)))
    outs = []
    for some in rows.split(rows_at_once(module.net)):
        x = examples.take(some, view(some) if view else None)[None]
        if scaling:
            shift, factor = scaling
            x.sub_(shift[k]).mul_(factor[k])
        x = change(x) if change else x
        outs.append(module.of_trial(k, x, copy or 0))
    return Output(*(torch.cat([part[0] for part in parts]) for parts in zip(*outs)))
