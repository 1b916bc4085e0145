"""What changes a stack: what a method returned, and the optimisers' steps, for live trials only."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from ...ground.names import UnknownName
from ..algorithms import Slots, Updates
from .batches import StackBatch
from .stack import Stack


def write(stack: Stack, updates: Updates, batch: StackBatch | None = None) -> None:
    """Write what a method returned; row tables by ``batch`` if given.

    A network's name stands for its flat parameters, and ``net.NAME`` for a buffer of its.

    Raises:
        KeyError: a name that is none of these.
        ValueError: rows by a batch of which each network has its own.
    """
    for name, new in updates.items():
        if isinstance(new, Slots):
            _write_slots(stack, stack.memory[name], new)
        elif batch is not None and name in stack.rows:
            _write_rows(stack, name, stack.rows[name], new, batch)
        else:
            old = _target(stack, name)
            _check(stack, name, new, old.shape)
            new = _like_stored(new, old).view_as(old)
            old.copy_(new if stack.everyone else torch.where(_like(stack.alive, old), new, old))


def move(stack: Stack, batch: StackBatch) -> None:
    """Move what the stage trains, and the batch's learned rows."""
    factors, rate = None, stack.movers.rate(stack.stage)
    if rate:
        each = torch.as_tensor(rate(stack), dtype=torch.float64)
        factors = each.flatten().expand(stack.K).tolist()
    stack.movers.update(stack.stage, stack.alive, stack.everyone, factors)
    for name in stack.algorithm.learned:
        if batch.grad_of(name) is None:
            continue
        new, momentum = stack.learned.step(name, batch)
        _write_rows(stack, name, stack.rows[name], new, batch)
        if momentum is not None:
            _write_rows(stack, name, stack.learned.momenta[name], momentum, batch)


def _write_rows(stack: Stack, name: str, table: Tensor, new: Tensor, batch: StackBatch) -> None:
    if batch.ids.dim() == 3:
        raise ValueError(
            f"{stack.algorithm.name} updates rows by a batch of which each network has its own; "
            "the step's first sampler must be common to them."
        )
    flat = table.flatten(0, 1)
    _check(stack, name, new, (*batch.ids.shape[:2], *table.shape[2:]))
    new = batch.latest(_like_stored(new, table))
    if not stack.everyone:
        old = flat.index_select(0, batch.table_rows).view_as(new)
        new = torch.where(_like(stack.alive, new), new, old)
    flat.index_copy_(0, batch.table_rows, new.flatten(0, 1))


def _write_slots(stack: Stack, memory: Tensor, new: Slots) -> None:
    values, at = _like_stored(new.values, memory), new.at.to(memory.device)
    if not stack.everyone:
        values = torch.where(_like(stack.alive, values), values, memory.index_select(1, at))
    memory.index_copy_(1, at, values)


def _target(stack: Stack, name: str) -> Tensor:
    """The tensor of a name, (K, ...)."""
    for tensors in (stack.rows, stack.memory):
        if name in tensors:
            return tensors[name]
    network, _, buffer = name.partition(".")
    if network in stack.modules:
        module = stack.modules[network]
        module.forget()
        if not buffer:
            return module.flat
        if buffer in module.buffers:
            tensor = module.buffers[buffer]
            return tensor.view(stack.K, module.copies, *tensor.shape[1:])
    raise UnknownName(
        f"{stack.algorithm.name} updates {name!r}, which is no row table, memory or network."
    )


def _like_stored(new: Tensor, old: Tensor) -> Tensor:
    """What a method returned, of the type and on the device of what it is written into."""
    return new.detach().to(old.device, old.dtype)


def _check(stack: Stack, name: str, new: Any, shape: tuple[int, ...]) -> None:
    """Refuse what cannot stand in place of a tensor of this shape."""
    if isinstance(new, Tensor) and new.numel() == math.prod(shape):
        return
    given = f"shape {tuple(new.shape)}" if isinstance(new, Tensor) else f"a {type(new).__name__}"
    raise ValueError(
        f"{stack.algorithm.name} updates {name!r} with {given}; it has to be a tensor of shape "
        f"{tuple(shape)}."
    )


def _like(flags: Tensor, values: Tensor) -> Tensor:
    """(K,) shaped to broadcast against (K, ...)."""
    return flags.view(-1, *[1] * (values.dim() - 1))
