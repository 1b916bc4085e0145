"""Training one stack of planned trials: records to the journal, state to a checkpoint."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .._process import peak_memory_bytes
from ..engine import checkpoint
from ..engine.evaluate import OracleView, oracle_measure, oracle_view
from ..engine.train import train
from ..labelled import Labelled
from .build import Built, build
from .journal import Journal
from .pack import StackTask
from .records import Record, pack_confusion, pack_outcomes

CHECKPOINT_SHARE = 0.05  # of the time since the last one: what saving may cost


@dataclass(frozen=True)
class Step:
    """Progress of a task: updates done since the last one, times trials.

    ``restored``: they are from a checkpoint, and cost no time now.
    """

    updates: int
    restored: bool = False


def execute(
    task: StackTask, data: Labelled, journal: Journal, checkpoints: Path, device: str = "cpu"
) -> Iterator[Step]:
    """Train a task to its end, from its checkpoint if it has one.

    Raises:
        OSError: a record or a checkpoint could not be written; what was written stands.
    """
    built = build(data, task.trials, device)
    stack = built.stack
    if task.resume:
        checkpoint.load(task.resume, stack)
        yield Step(stack.t * stack.K, restored=True)
    view = oracle_view(data)
    saved_at, cost = time.perf_counter(), 0.0
    before = stack.t
    for step in train(stack, task.trials[0].record_steps):
        journal.write(_records(built, task, view, step))
        now = time.perf_counter()
        if step == stack.T:
            journal.sync()
            checkpoint.path_of(checkpoints, task.keys).unlink(missing_ok=True)
        elif cost <= CHECKPOINT_SHARE * (now - saved_at):
            journal.sync()  # first: a checkpoint without an earlier record is of no use
            checkpoint.save(checkpoints, task.keys, stack)
            saved_at = time.perf_counter()
            cost = saved_at - now
        yield Step((step - before) * stack.K)
        before = step


def _records(built: Built, task: StackTask, view: OracleView, step: int) -> list[Record]:
    stack = built.stack
    losses = stack.mean_loss()
    measured = oracle_measure(stack, view, built.validation, built.test)
    records = []
    for trial, loss, fallen, scores in zip(task.trials, losses, stack.diverged_at, measured):
        records.append(
            Record(
                key=trial.key,
                step=step,
                validation=scores.validation,
                test=scores.test,
                loss=loss if fallen is None and np.isfinite(loss) else None,
                seconds=round(stack.seconds / stack.K, 4),
                memory_bytes=peak_memory_bytes(),
                diverged_at=fallen,
                outcomes=pack_outcomes(scores.shares),
                confusion=pack_confusion(scores.confusion),
            )
        )
    return records
