"""Training one stack of planned trials: records to the journal, state to a checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch

from .._process import peak_memory_bytes
from ..algorithms import algorithm
from ..engine import checkpoint
from ..engine.evaluate import Measured, oracle_measure, oracle_view
from ..engine.examples import Examples, make_examples, split_scaling, with_oracle_twins
from ..engine.stack import Member, Stack
from ..engine.start import start
from ..engine.train import train
from ..labelled import Labelled, Split
from ..nets import network
from .journal import Journal
from .pack import StackTask
from .records import Record, pack_confusion, pack_outcomes
from .trial import Trial

Scaling = tuple[np.ndarray, np.ndarray] | None

CHECKPOINT_SHARE = 0.05  # of the time since the last one: what saving may cost


class Kept:
    """What a process keeps of its latest task for the next: inputs, and how splits scale them."""

    def __init__(self) -> None:
        self.what: tuple[object, ...] = ()
        self.examples: Examples | None = None
        self._scalings: dict[tuple[object, ...], Scaling] = {}

    def inputs_of(self, what: tuple[object, ...]) -> Examples | None:
        """The examples kept, if they are of this; else all is let go, before more is made."""
        if what != self.what:
            self.what, self.examples, self._scalings = what, None, {}
        return self.examples

    def scaling(self, split: tuple[object, ...], make: Callable[[], Scaling]) -> Scaling:
        """Of the training rows of a split; made when it is first asked for."""
        if split not in self._scalings:
            self._scalings[split] = make()
        return self._scalings[split]


@dataclass(frozen=True)
class Step:
    """Progress of a task: updates done since the last one, times trials.

    ``restored``: they are from a checkpoint, and cost no time now.
    """

    updates: int
    restored: bool = False


def build_stack(
    data: Labelled, trials: tuple[Trial, ...], device: str, kept: Kept | None = None
) -> Stack:
    """A fresh stack of these trials.

    Args:
        kept: what the tasks before have left, if they were of this process.
    """
    first, kept = trials[0], kept or Kept()
    page = algorithm(first.algorithm, first.variant)
    seen = data if page.oracle else data.blind()
    what = first.data, first.scaling, first.dtype, device
    examples = kept.examples = make_examples(
        seen,
        page.reads,
        first.scaling,
        getattr(torch, first.dtype),
        torch.device(device),
        first.test_set == "official",
        kept.inputs_of(what),
    )
    splits = [_split(data, trial) for trial in trials]
    twins = np.zeros(0, dtype=np.int64)  # rows that come a second time, with their true label
    if first.mode == "train-oracle":
        twins = np.unique(np.concatenate([split.validation for split in splits]))
        examples = with_oracle_twins(examples, data, twins)
    members = [
        _member(seen, examples, trial, split, twins, kept) for trial, split in zip(trials, splits)
    ]
    net = network(first.net, examples.shape, examples.q)
    return start(page, net, examples, members, first.steps)


def _member(
    data: Labelled, examples: Examples, trial: Trial, split: Split, twins: np.ndarray, kept: Kept
) -> Member:
    rows = trained = split.train
    if len(twins):
        rows = np.concatenate([rows, data.n + np.searchsorted(twins, split.validation)])
        trained = np.concatenate([trained, split.validation])
    return Member(
        seed=trial.seed,
        rows=rows,
        hyper=trial.hyper,
        scaling=kept.scaling(
            (*(trial.split, trial.test, trial.validation, trial.test_set), trial.mode),
            partial(split_scaling, data, examples, trained, trial.scaling),
        ),
    )


def _split(data: Labelled, trial: Trial) -> Split:
    official = trial.test_set == "official"
    return data.split(trial.split, trial.test, trial.validation, official=official)


def _judged(data: Labelled, trial: Trial) -> tuple[np.ndarray, np.ndarray]:
    """The validation rows, none where they were trained on, and the test rows."""
    split = _split(data, trial)
    return split.validation[: None if trial.mode == "tune" else 0], split.test


def execute(
    task: StackTask,
    data: Labelled,
    journal: Journal,
    checkpoints: Path,
    device: str = "cpu",
    kept: Kept | None = None,
) -> Iterator[Step]:
    """Train a task to its end, from its checkpoint if it has one.

    Args:
        kept: what this process keeps from task to task.

    Raises:
        OSError: a record or a checkpoint could not be written; what was written stands.
    """
    stack = build_stack(data, task.trials, device, kept)
    if task.resume:
        checkpoint.load(task.resume, stack)
        yield Step(stack.t * stack.K, restored=True)
    view = oracle_view(data)
    parts = zip(*(_judged(data, trial) for trial in task.trials))
    held, unseen = (torch.from_numpy(np.stack(rows)) for rows in parts)
    saved_at, cost = time.perf_counter(), 0.0
    before = stack.t
    for step in train(stack, task.trials[0].record_steps):
        journal.write(_records(stack, task, oracle_measure(stack, view, held, unseen), step))
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


def _records(stack: Stack, task: StackTask, measured: list[Measured], step: int) -> list[Record]:
    losses = stack.mean_loss()
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
