"""Training one stack of planned trials: records to the journal, state to a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.process import peak_memory_bytes
from ...learn.engine import checkpoint
from ...learn.engine.evaluate import OracleView, oracle_measure, oracle_view
from ...learn.engine.own_stage import own_stage_from
from ...learn.engine.train import train
from ...stats.metrics import METRICS, Metric
from .build import Built, build
from .keeping import Keeping
from .pack import StackTask
from .records import Record, pack_confusion, pack_outcomes, pack_right
from .rounds import stopped
from .trial import Trial


@dataclass(frozen=True)
class Step:
    """Progress of a task: updates done since the last one, times trials.

    ``restored``: they are from a checkpoint, and cost no time now.
    """

    updates: int
    restored: bool = False


def execute(
    task: StackTask, data: Labelled, keeping: Keeping, device: str = "cpu"
) -> Iterator[Step]:
    """Train a task to its end, from its checkpoint if it has one.

    Raises:
        OSError: a record or a checkpoint could not be written; what was written stands.
    """
    trials, built = task.trials, build(data, task.trials, device)
    if task.resume:
        checkpoint.load(task.resume, built.stack)
        yield Step(built.stack.t * len(trials), restored=True)
    view, before = oracle_view(data), built.stack.t
    metrics = tuple(METRICS[name] for name in task.metrics)
    history: dict[str, list[Record]] = {trial.key: [] for trial in trials}
    while trials:
        stack, left = built.stack, trials
        for step in train(stack, trials[0].record_steps):
            records = _records(built, trials, view, step, metrics)
            keeping.write(records)
            left = _going_on(task, trials, records, history)
            if len(left) < len(trials):
                break
            if step == stack.T:
                keeping.drop(trials)
            elif keeping.due():
                keeping.save(trials, stack)
            yield Step((step - before) * len(trials))
            before = step
        else:
            return
        gone = [k for k, trial in enumerate(trials) if trial not in left]
        rest = [record for k in gone for record in _unmeasured(trials[k], records[k])]
        if left:  # saved before the others have all their records: no kill leaves both without
            built = _smaller(built, data, left, gone, device)
            keeping.save(left, built.stack)
        keeping.write(rest)
        keeping.drop(trials)
        yield Step((step - before) * len(trials) + (stack.T - step) * len(gone))
        trials, before = left, step


def _going_on(
    task: StackTask,
    trials: tuple[Trial, ...],
    records: Sequence[Record],
    history: Mapping[str, list[Record]],
) -> tuple[Trial, ...]:
    """The trials that nothing stops at these records, which are added to what they have had."""
    pruning = task.pruning
    if pruning is None:
        return trials
    for record in records:
        history[record.key].append(record)
    return tuple(trial for trial in trials if not stopped(pruning, trial, history[trial.key]))


def _smaller(
    built: Built, data: Labelled, left: Sequence[Trial], gone: Sequence[int], device: str
) -> Built:
    """A stack of the trials that are left, in the state that they have reached."""
    kept = [k for k in range(built.stack.K) if k not in gone]
    smaller = build(data, left, device)
    checkpoint.restore(smaller.stack, checkpoint.state_of_some(built.stack, kept))
    return smaller


def _unmeasured(trial: Trial, last: Record) -> Iterator[Record]:
    """The records that a stopped trial will never have, without values."""
    for step in trial.record_steps:
        if step > last.step:
            yield replace(
                last,
                step=step,
                validation=dict.fromkeys(last.validation),
                test=dict.fromkeys(last.test),
                loss=None,
                outcomes=None,
                confusion=None,
                right=None,
                pruned_at=last.step,
            )


def _records(
    built: Built,
    trials: Sequence[Trial],
    view: OracleView,
    step: int,
    metrics: Sequence[Metric],
) -> list[Record]:
    stack = built.stack
    losses, own = stack.mean_loss(), own_stage_from(stack)
    measured = oracle_measure(stack, view, built.validation, built.test, metrics)
    records = []
    for trial, loss, fallen, scores, begins in zip(
        trials, losses, stack.diverged_at, measured, own
    ):
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
                right=pack_right(scores.right),
                warm_up=True if step <= begins else None,
            )
        )
    return records
