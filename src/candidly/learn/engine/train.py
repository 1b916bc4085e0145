"""The one training loop. What happens at an update is the algorithm's; that it happens, here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from ...ground.problem import users_place
from ..algorithms import Updates
from .arithmetic import arithmetic
from .batches import StackBatch, of_first
from .divergence import note, read_flags
from .stack import Stack
from .writing import move, write

Watcher = Callable[[Stack, StackBatch], None]


def update(stack: Stack, watchers: Sequence[Watcher] = ()) -> None:
    """One step of every live trial: losses are summed over trials and nothing else crosses them."""
    with arithmetic(stack.device, stack.recipe.precision), _told(stack):
        _update(stack, watchers)


@contextmanager
def _told(stack: Stack) -> Iterator[None]:
    """Errors in the block know what somebody's own code in it was called with."""
    try:
        yield
    except Exception as error:
        if users_place(error):
            error.add_note(
                f"called with K = {stack.K} trials, a batch of {stack.B} of {stack.n} rows, q = "
                f"{stack.q} classes and inputs of shape {tuple(stack.examples.inputs.shape[1:])}"
            )
        raise


def _update(stack: Stack, watchers: Sequence[Watcher]) -> None:
    enter(stack)
    batches = stack.next_batches()
    batch = batches[0]
    for flat in stack.flats.values():
        flat.begin(stack.t)
    each, updates = objective(stack, batches)
    if each.requires_grad:
        if stack.row_weights is not None:
            _weigh(stack, batch, stack.row_weights)
        each.sum().backward()  # the only sum over trials
    with torch.no_grad():
        note(stack, each.detach(), batch)
        if watchers:
            watched = shown(stack, batch)
        move(stack, batch)
        finish(stack, batches, updates)
    for watch in watchers:
        watch(stack, watched)


# an update, before and behind the gradient and the optimiser: ``own_loop`` has these in common


def enter(stack: Stack) -> None:
    """Begin the stage of the next update, where that is its first one."""
    if stack.enters():
        stage = stack.stage
        stack.take_up(stage)
        if stage.begin:
            with torch.no_grad():
                write(stack, stage.begin(stack))


def objective(stack: Stack, batches: Sequence[StackBatch]) -> tuple[Tensor, Updates]:
    """What each trial minimises at an update, (K,), and what its method updates beside.

    Raises:
        ValueError: what the step returns is no objective.
    """
    out = stack.stage.step(stack, *batches)
    found, updates = out if isinstance(out, tuple) else (out, {})
    _check_objective(stack, found, updates)
    return found.flatten(1).sum(1) if found.dim() > 1 else found, updates


def finish(stack: Stack, batches: Sequence[StackBatch], updates: Updates) -> None:
    """What follows when everything has moved by gradient; the update is done then."""
    write_batch(stack, batches, updates)
    end(stack, batches[0].ids.shape[-1])


def write_batch(stack: Stack, batches: Sequence[StackBatch], updates: Updates) -> None:
    """Write what the method updates by these batches: what its step returned, and what follows."""
    stage, batch = stack.stage, batches[0]
    write(stack, updates, batch)
    if stage.after:
        write(stack, stage.after(stack, *batches), batch)


def end(stack: Stack, rows: int) -> None:
    """The update is done, of so many rows."""
    stage = stack.stage
    stack.count(rows)
    if stage.whole:
        write(stack, stage.whole(stack))


def _weigh(stack: Stack, batch: StackBatch, weights: Tensor) -> None:
    """Have each row count by its weight: the gradient at its logits is multiplied by it.

    Of an objective that is a mean over rows, of terms that depend on that row's logits alone, this
    is the gradient of the weighted mean (``algorithms.WEIGHTED``).
    """
    of_rows = weights.gather(1, batch.ids)[..., None]
    for module in stack.modules.values():
        for said in module.answers():
            if said.logits.requires_grad:
                said.logits.register_hook(lambda gradient: gradient * of_rows)


def _check_objective(stack: Stack, objective: Any, updates: Any) -> None:
    """Refuse what is no objective of each trial, with updates by name beside it."""
    given = type(objective).__name__
    if isinstance(objective, Tensor):
        if objective.dim() and len(objective) == stack.K and objective.is_floating_point():
            given = (
                "" if isinstance(updates, Mapping) else f"a tuple with a {type(updates).__name__}"
            )
        else:
            given = f"{objective.dtype} of shape {tuple(objective.shape)}"
    if given:
        raise ValueError(
            f"the step of {stack.algorithm.name} returns {given}; it has to return the objective "
            f"of each trial, here ({stack.K},) floats, or a tuple of that and updates by name."
        )


def shown(stack: Stack, batch: StackBatch) -> StackBatch:
    """The batch for watchers: with what the first network says of the inputs trained on.

    Where the method has asked it about them, that is its answer, without another forward pass.
    """
    logits, features = (part.detach() for part in stack.net.said(batch.x) or stack.net(batch.x))
    if stack.net.copies > 1:
        logits, features = logits[:, 0], features[:, 0]
    if batch.ids.dim() == 3:
        batch = of_first(batch)
    batch.logits, batch.features = logits, features
    return batch


def train(
    stack: Stack, record_steps: Sequence[int], watchers: Sequence[Watcher] = ()
) -> Iterator[int]:
    """Train until ``stack.T``, pausing after each of ``record_steps`` (numbers of updates done).

    Yields:
        the number of updates done; the consumer measures and saves, then asks for more.
        ``stack.seconds`` counts the time spent in here: the processor's on a CPU, so that other
        work on the machine does not count, and the clock's on an accelerator.
    """
    clock = time.process_time if stack.device.type == "cpu" else time.perf_counter
    due = set(record_steps)
    while stack.t < stack.T:
        started = clock()
        with without_denormals():
            while True:
                update(stack, watchers)
                if stack.t in due or stack.t >= stack.T:
                    break
        read_flags(stack)
        stack.seconds += clock() - started
        yield stack.t


@contextmanager
def without_denormals() -> Iterator[None]:
    """Results too small for a normal float count as zero, and the caller's setting comes back.

    Weights that only weight decay moves, and the moments of a network that has learned its rows by
    heart, decay to such numbers (below 1.2e-38 in float32), and processors are up to thirty times
    slower with them: ``bench/denormals.py``. It is a setting of the calling thread, and of a CPU.
    """
    before = bool(torch.full((1,), 1e-39) * 1 == 0)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


@contextmanager
def one_thread() -> Iterator[None]:
    """Train on one thread, and give the caller's number back.

    A second one gains little on such nets, and on a busy machine costs a hundredfold.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
