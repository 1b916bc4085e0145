"""Trials that turn non-finite: noted at once, and buried, so that nothing of them spreads."""

from __future__ import annotations

import torch
from torch import Tensor

from .batches import StackBatch
from .optim import square_norms
from .stack import Stack

FLAGS_EVERY = 100  # updates between looks at the divergence flags on an accelerator


def note(stack: Stack, objective: Tensor, batch: StackBatch) -> None:
    """Add the objective (K,) to the running mean; bury trials where it or a gradient is off."""
    stack.loss_sum += objective
    stack.loss_count += 1
    # a gradient whose square overflows has already killed Adam's second moment
    grads = [stack.flats[name].grad for name in stack.movers.networks(stack.stage)]
    of_rows = [batch.grad_of(name) for name in stack.algorithm.learned]
    norms = [square_norms(g.flatten(1)) for g in (*grads, *of_rows) if g is not None]
    sound = (objective * 0 + sum(norms)).isfinite()
    if stack.device.type == "cpu":
        if not bool(sound.all()):
            bury(stack, stack.alive & ~sound)
    else:
        stack.alive &= sound
        stack.everyone = False  # mask writes until the flags are read
        if stack.t % FLAGS_EVERY == 0:
            read_flags(stack)


def read_flags(stack: Stack) -> None:
    """Bring an accelerator's divergence flags to the host."""
    alive = stack.alive.tolist()
    fallen = [not a and at is None for a, at in zip(alive, stack.diverged_at)]
    if any(fallen):
        bury(stack, torch.tensor(fallen, device=stack.device))


def bury(stack: Stack, dead: Tensor) -> None:
    """Freeze trials, bool (K,): nothing of theirs is written again.

    Their parameters and buffers become zeros and their tables finite, so that nothing downstream
    meets a NaN on their behalf.
    """
    tables = [t for t in (*stack.rows.values(), *stack.memory.values()) if t.is_floating_point()]
    moments = [*stack.movers.tensors.values(), *stack.learned.momenta.values()]
    for k in dead.nonzero().flatten().tolist():
        stack.diverged_at[k] = stack.t
        for flat in stack.flats.values():
            flat.bury(k)
        for tensor in moments:
            tensor[k] = 0
        for table in tables:
            table[k].nan_to_num_(0.0, 0.0, 0.0)
    stack.alive = stack.alive & ~dead
    stack.everyone = bool(stack.alive.all())
