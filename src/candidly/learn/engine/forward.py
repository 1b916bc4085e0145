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
    method: Algorithm,
    module: Module,
    examples: Examples,
    prepared: tuple[tuple[Tensor, Tensor] | None, Tensor | None],
    k: int,
    rows: Tensor,
    copy: int | None = None,
    change: Callable[[Tensor], Tensor] | None = None,
    view: Callable[[Tensor], Callable[[Tensor], Tensor] | None] | None = None,
) -> Output:
    """Logits (m, q) and features (m, h) of trial ``k``, without gradient.

    Args:
        module: the network that predicts.
        prepared: every trial's shift and factor, (K, 1, ...) each, and what its token numbers
            are, (K, size + 1); None where there is nothing to do.
        rows: int64 (m,), in the examples.
        copy: which of several networks; None: as predictions are made.
        change: what is done to scaled inputs (1, m, ...) before.
        view: (rows) -> what is done to their pixels or tokens before, or None.
    """
    if copy is None and method.averages:
        each = [
            of_rows(method, module, examples, prepared, k, rows, m, change, view)
            for m in range(method.networks)
        ]
        return Output(*(torch.stack(parts).mean(0) for parts in zip(*each)))
    outs = []
    scaling, words = prepared
    order = by_length(examples, rows)
    for some in in_batches(module.net, examples, rows if order is None else rows[order]):
        x = examples.take(some, view(some) if view else None)[None]
        if scaling:
            shift, factor = scaling
            x.sub_(shift[k]).mul_(factor[k])
        if words is not None:
            x = words[k][x]
        x = change(x) if change else x
        outs.append(module.of_trial(k, x, copy or 0))
    found = Output(*(torch.cat([part[0] for part in parts]) for parts in zip(*outs)))
    return found if order is None else Output(*(part[order.argsort()] for part in found))


def in_batches(net: Net, examples: Examples, rows: Tensor) -> tuple[Tensor, ...]:
    """The rows of each forward pass: of texts, which stand by length, more where these are short.

    ``Net.bytes`` is of the longest text.
    """
    at_once = rows_at_once(net)
    if examples.texts is None or not len(rows):
        return rows.split(at_once)
    lengths = examples.texts.lengths[examples.data_rows(rows)].tolist()
    tokens, sizes, start = at_once * net.shape[0], [], 0
    while start < len(rows):
        last = lengths[min(start + max(1, tokens // lengths[start]), len(rows)) - 1]
        sizes.append(min(max(1, tokens // last), MOST_ROWS, len(rows) - start))
        start += sizes[-1]
    return rows.split(sizes)


def by_length(examples: Examples, rows: Tensor) -> Tensor | None:
    """An order in which texts of like lengths stand together, int64 (m,); None of other inputs."""
    if examples.texts is None or not len(rows):
        return None
    return examples.texts.lengths[examples.data_rows(rows)].argsort(stable=True)
