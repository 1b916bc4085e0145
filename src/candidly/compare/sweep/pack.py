"""Packing what is left to do into stacks."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ...ground.device import free_bytes
from ...learn.algorithms import algorithm
from ...learn.engine import checkpoint
from ...learn.nets import network
from .facts import Facts, Wanted
from .rounds import Pruning
from .trial import Trial

# A stack's parameters, gradients and moments (16 bytes a parameter in float32) should stay in the
# processor's last-level cache: measured in bench/engine.py, stacks of 5-20 help small networks and
# any stack hurts one of 775,000 parameters.
CACHE_BYTES = 16e6
MOST = 20  # trials of a stack on a CPU
# An accelerator waits for its next operation while the one before is small: it wants as many trials
# as make a batch's forward pass so many multiply-adds, and as half of a worker's share of its
# memory holds.
ENOUGH_MACS = 1e10
MOST_ON_ACCELERATOR = 100  # every update draws for each of them on the host
ENOUGH = 8  # stacks a worker, the longest first: the last to finish keeps nobody waiting long


@dataclass(frozen=True)
class StackTask:
    """Trials to train as one stack.

    Attributes:
        resume: the checkpoint to go on from.
        pruning: what may stop some of them early.
        metrics: names of somebody's own, to be recorded.
    """

    trials: tuple[Trial, ...]
    resume: Path | None = None
    pruning: Pruning | None = None
    metrics: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(trial.key for trial in self.trials)


@dataclass(frozen=True)
class Size:
    """What one trial takes, over all its networks.

    Attributes:
        parameters: how many.
        macs: multiply-adds of a row's forward pass.
        bytes: that a row keeps for the backward pass in float32.
        together: whether a stack's trials are computed in the same operations.
    """

    parameters: int
    macs: int
    bytes: int
    together: bool


def size_of(trial: Trial, facts: Facts) -> Size:
    """What one such trial takes."""
    static = tuple((name, trial.hyper[name]) for name in _static(trial.algorithm, trial.variant))
    size = _size(trial.algorithm, trial.variant, trial.net, facts.wanted, static)
    if not facts.length:
        return size
    return replace(size, macs=round(size.macs * facts.length / facts.input_shape[0]))


def bytes_of(trial: Trial, facts: Facts) -> tuple[float, float]:
    """Memory for the parameters of one such trial, and for what a batch keeps for going back."""
    size, width = size_of(trial, facts), 8 if trial.dtype == "float64" else 4
    state = size.parameters * 4 * width  # with gradients and two moments
    return state, trial.hyper["batch_size"] * size.bytes * width / 4


@cache
def _size(
    name: str,
    variant: str,
    net_text: str,
    wanted: Wanted,
    static: tuple[tuple[str, float | int], ...],
) -> Size:
    method = algorithm(name, variant)
    classes = wanted[1]
    made = method.networks_on(network(net_text, *wanted), classes, dict(static))
    nets = [*made.values()] * method.networks
    beside = [values(classes).size for values in method.parameters.values()]
    return Size(
        sum(beside) + sum(math.prod(s) for each in nets for s in each.shapes.values()),
        sum(each.macs for each in nets),
        sum(each.bytes for each in nets),
        made["net"].together,
    )


@cache
def _static(name: str, variant: str) -> tuple[str, ...]:
    """The hyper-parameters that a stack's trials have in common."""
    settings = algorithm(name, variant).settings()
    return tuple(each for each, setting in settings.items() if setting.static)


def stack_key(trial: Trial) -> tuple[object, ...]:
    """Trials that agree in this can train as one stack."""
    static = (trial.hyper[name] for name in _static(trial.algorithm, trial.variant))
    return (*trial.stack_key, *static)


def stack_size(
    trial: Trial, facts: Facts, devices: Sequence[str] = ("cpu",), workers: int = 1
) -> int:
    """How many such trials train best as one, whichever of the devices has them.

    Args:
        workers: processes that share the devices.
    """
    size, (state, rows) = size_of(trial, facts), bytes_of(trial, facts)
    if devices[0] == "cpu":
        return min(MOST, max(1, int(CACHE_BYTES // state))) if size.together else 1
    batch = int(trial.hyper["batch_size"])
    wanted = ENOUGH_MACS / max(1, batch * size.macs)
    sharing = math.ceil(workers / len(devices))
    free = min((b for b in map(free_bytes, devices) if b is not None), default=math.inf)
    fit = free / sharing / 2 / (state + rows)
    return max(1, int(min(MOST_ON_ACCELERATOR, wanted, fit)))


def cost(trial: Trial, facts: Facts) -> float:
    """Relative cost of one trial: multiply-adds of a batch, and a constant for the rest."""
    return trial.steps * (trial.hyper["batch_size"] * size_of(trial, facts).macs / 1e6 + 1)


def make_tasks(
    trials: Sequence[Trial],
    recorded: Mapping[str, Collection[int]],
    checkpoints: Path,
    facts: Mapping[str, Facts],
    devices: Sequence[str] = ("cpu",),
    workers: int = 1,
    size: int | None = None,
    now: Sequence[Trial] | None = None,
) -> list[StackTask]:
    """Tasks for the trials that are not finished, the most expensive first.

    Stacks with a checkpoint are taken up as they were; only what is left is packed anew, into
    stacks of at most ``size`` (by default what suits the devices), evenly. Where that makes few
    stacks, each group is divided among all workers: smaller stacks are slower, idle workers more
    so. Checkpoints of no use are deleted, and those behind which a record is missing: training
    would go on behind it, and nobody would ever make it again.

    Args:
        recorded: the steps of the records that there are, by trial key.
        now: those that are to be trained now; checkpoints of the others are left as they are.
    """
    left = {
        trial.key: trial
        for trial in trials
        if not set(trial.record_steps) <= set(recorded.get(trial.key, ()))
    }
    turn = {trial.key for trial in (left.values() if now is None else now)}
    tasks = []
    for torn in checkpoints.glob(".*.part"):  # a kill while one was being written
        torn.unlink()
    for path in sorted(checkpoints.glob("*.npz")):
        saved = checkpoint.saved_at(path)
        if saved is not None and _continues(saved, left, recorded):
            task = StackTask(tuple(left.pop(key) for key in saved.keys), path)
            tasks += [task] if turn.issuperset(task.keys) else []
        else:
            path.unlink()
    fresh = tuple(trial for trial in left.values() if trial.key in turn)
    tasks += packed(fresh, facts, devices, workers, size)
    return longest_first(tasks, facts)


def longest_first(tasks: Sequence[StackTask], facts: Mapping[str, Facts]) -> list[StackTask]:
    """Tasks in the order in which they are handed out."""

    def total(task: StackTask) -> float:
        return sum(cost(trial, facts[trial.dataset]) for trial in task.trials)

    return sorted(tasks, key=total, reverse=True)


def packed(
    trials: Sequence[Trial],
    facts: Mapping[str, Facts],
    devices: Sequence[str] = ("cpu",),
    workers: int = 1,
    size: int | None = None,
) -> list[StackTask]:
    """Stacks of trials that none has trained yet; see ``make_tasks``."""
    groups: dict[tuple[object, ...], list[Trial]] = {}
    for trial in trials:
        groups.setdefault(stack_key(trial), []).append(trial)

    def most(trial: Trial) -> int:
        return stack_size(trial, facts[trial.dataset], devices, workers) if size is None else size

    counts = [math.ceil(len(group) / most(group[0])) for group in groups.values()]
    sharing = workers if sum(counts) < ENOUGH * workers else 1
    tasks = []
    for group, fewest in zip(groups.values(), counts):
        count = max(fewest, min(sharing, len(group)))
        for part in range(count):
            start, stop = (len(group) * p // count for p in (part, part + 1))
            tasks.append(StackTask(tuple(group[start:stop])))
    return tasks


def _continues(
    saved: checkpoint.Saved, left: Mapping[str, Trial], recorded: Mapping[str, Collection[int]]
) -> bool:
    """Whether what is left can go on from a checkpoint: every record up to there is there."""
    if not saved.keys or not all(key in left for key in saved.keys):
        return False
    missing = (
        step
        for key in saved.keys
        for step in left[key].record_steps
        if step <= saved.t and step not in recorded.get(key, ())
    )
    return next(missing, None) is None
