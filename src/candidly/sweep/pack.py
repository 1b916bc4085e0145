"""Packing what is left to do into stacks."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..algorithms import algorithm
from ..engine import checkpoint
from ..nets import network
from .facts import Facts
from .trial import Trial

# A stack's parameters, gradients and moments (16 bytes a parameter in float32) should stay in the
# processor's last-level cache: measured in bench/engine.py, stacks of 5-20 help small networks and
# any stack hurts one of 775,000 parameters.
CACHE_BYTES = 16e6
LARGEST = {"cpu": 20, "cuda": 100}  # an accelerator is launch bound, and wants many
ENOUGH = 8  # stacks a worker, the longest first: the last to finish keeps nobody waiting long


@dataclass(frozen=True)
class StackTask:
    """Trials to train as one stack; with ``resume``, from that checkpoint."""

    trials: tuple[Trial, ...]
    resume: Path | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(trial.key for trial in self.trials)


def parameter_count(trial: Trial, facts: Facts) -> int:
    """Parameters of one trial, over all its networks."""
    page = algorithm(trial.algorithm, trial.variant)
    net = page.network(network(trial.net, (facts.d,), facts.q), facts.q)
    nets = [net] * page.networks + [make(net, facts.q) for make in page.modules.values()]
    beside = [values(facts.q).size for values in page.parameters.values()]
    return sum(beside) + sum(math.prod(s) for each in nets for s in each.shapes.values())


def stack_key(trial: Trial) -> tuple[object, ...]:
    """Trials that agree in this can train as one stack."""
    settings = algorithm(trial.algorithm, trial.variant).settings()
    static = (trial.hyper[name] for name, setting in settings.items() if setting.static)
    return (*trial.stack_key, *static)


def stack_size(trial: Trial, facts: Facts, device: str = "cpu") -> int:
    """How many such trials train best as one on this kind of device."""
    kind = device.partition(":")[0]
    if kind != "cpu":
        return LARGEST["cuda"]
    state_bytes = parameter_count(trial, facts) * 4 * (8 if trial.dtype == "float64" else 4)
    return min(LARGEST["cpu"], max(1, int(CACHE_BYTES // state_bytes)))


def cost(trial: Trial, facts: Facts) -> float:
    """Relative cost of one trial: multiply-adds of a batch, and a constant for the rest."""
    return trial.steps * (trial.hyper["batch_size"] * parameter_count(trial, facts) / 1e6 + 1)


def make_tasks(
    trials: Sequence[Trial],
    recorded: Mapping[str, Collection[int]],
    checkpoints: Path,
    facts: Mapping[str, Facts],
    device: str = "cpu",
    workers: int = 1,
    size: int | None = None,
) -> list[StackTask]:
    """Tasks for the trials that are not finished, the most expensive first.

    Stacks with a checkpoint are taken up as they were; only what is left is packed anew, into
    stacks of at most ``size`` (by default what suits the device), evenly. Where that makes few
    stacks, each group is divided among all workers: smaller stacks are slower, idle workers more
    so. Checkpoints of no use are deleted, and those behind which a record is missing: training
    would go on behind it, and nobody would ever make it again.

    Args:
        recorded: the steps of the records that there are, by trial key.
    """
    left = {
        trial.key: trial
        for trial in trials
        if not set(trial.record_steps) <= set(recorded.get(trial.key, ()))
    }
    tasks = []
    for torn in checkpoints.glob(".*.part"):  # a kill while one was being written
        torn.unlink()
    for path in sorted(checkpoints.glob("*.npz")):
        saved = checkpoint.saved_at(path)
        if saved is not None and _continues(saved, left, recorded):
            tasks.append(StackTask(tuple(left.pop(key) for key in saved.keys), path))
        else:
            path.unlink()
    groups: dict[tuple[object, ...], list[Trial]] = {}
    for trial in left.values():
        groups.setdefault(stack_key(trial), []).append(trial)
    counts = [
        math.ceil(len(group) / (size or stack_size(group[0], facts[group[0].dataset], device)))
        for group in groups.values()
    ]
    sharing = workers if sum(counts) < ENOUGH * workers else 1
    for group, fewest in zip(groups.values(), counts):
        count = max(fewest, min(sharing, len(group)))
        for part in range(count):
            start, stop = (len(group) * p // count for p in (part, part + 1))
            tasks.append(StackTask(tuple(group[start:stop])))

    def total(task: StackTask) -> float:
        return sum(cost(trial, facts[trial.dataset]) for trial in task.trials)

    return sorted(tasks, key=total, reverse=True)


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
