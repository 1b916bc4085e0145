"""How long a plan takes on a device, from a few updates and a forward pass measured there.

The updates are CC's, or ce's for what learns from one label, with the planned network, recipe,
batch sizes and stacks, on random inputs of the planned shape. Other algorithms take a multiple of
that (``algorithms.costs``); those of plug-ins are measured themselves, in their first stage. What
a run's records take follows from the forward pass.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch

from ...data.inputs.tokens import Tokens
from ...ground.device import check_devices
from ...ground.process import peak_memory_bytes
from ...ground.progress import OnProgress
from ...learn.algorithms import ALGORITHMS, algorithm
from ...learn.algorithms.costs import compared_with, cost_of, is_measured
from ...learn.engine.examples import Examples
from ...learn.engine.forward import rows_at_once
from ...learn.engine.recipe import recipe
from ...learn.engine.stack import Member, Stack
from ...learn.engine.start import start
from ...learn.engine.texts import held
from ...learn.engine.train import one_thread, update, without_denormals
from ...learn.nets import network
from .facts import Facts, Wanted
from .pack import StackTask, bytes_of, longest_first, packed
from .plan import Plan
from .run import check_workers
from .trial import Trial

MOST_S = 12.0  # that measuring takes, about; what would take longer is scaled
LEAST_S, MOST_UPDATES = 0.1, 100  # of one batch size, behind the first update
FIRST_BATCH = 8  # says how long the others will take
EVALUATED = 2e9  # multiply-adds of the forward pass that is measured
ANSWERS, ANNOTATORS = 3, 50  # of random examples
ENDLESS = 10**9  # updates of a training that is broken off


@dataclass(frozen=True)
class Timed:
    """One update of one trial, measured.

    Attributes:
        net, shape: the network and one input of it.
        algorithm: whose update it is.
        batch: examples; trials: in the stack.
        seconds: the stack's, divided by its trials.
        scaled: taken in proportion from a smaller batch or stack, as it would have taken long.
    """

    net: str
    shape: tuple[int, ...]
    algorithm: str
    batch: int
    trials: int
    seconds: float
    scaled: bool = False


@dataclass(frozen=True)
class Hours:
    """What is left of a plan takes.

    Attributes:
        device, workers: where, and how many at a time.
        runs, updates: how many.
        timed: what was measured.
        multiples: by label, how often an algorithm's update takes the measured one's time: the
            highest over the data sets, and of those that are not measured themselves.
        work_s: seconds of one worker alone.
        records_s: what of that is for records.
        wall_s: seconds with all workers.
        memory_bytes: the memory, in bytes, of one worker's process, or on its GPU.
    """

    device: str
    workers: int
    runs: int
    updates: int
    timed: tuple[Timed, ...]
    multiples: Mapping[str, float]
    work_s: float
    records_s: float
    wall_s: float
    memory_bytes: float

    def as_dict(self) -> dict[str, Any]:
        """The same numbers by name, times in hours."""
        return {
            "device": self.device,
            "workers": self.workers,
            "runs": self.runs,
            "updates": self.updates,
            "measured": [asdict(one) for one in self.timed],
            "multiples": dict(self.multiples),
            "hours_of_one_worker": self.work_s / 3600,
            "of_these_for_records": self.records_s / 3600,
            "hours": self.wall_s / 3600,
            "memory_bytes_of_a_worker": round(self.memory_bytes),
        }


class UpdateKind(NamedTuple):
    """What trials agree in whose updates take the same time, but for batch and stack."""

    net: str
    wanted: Wanted
    length: int
    recipe: str
    dtype: str
    algorithm: str


def hours(
    plan: Plan,
    done: Collection[str] = (),
    device: str = "cpu",
    workers: int | None = None,
    stack: int | None = None,
    watch: OnProgress = lambda done, total: None,
) -> Hours:
    """Measure for at most some twenty seconds, and add up.

    Args:
        done: keys of runs that are finished.
        device, workers, stack: as for ``run_plan``.
        watch: called with measurements done and in all.

    Raises:
        ValueError: as for ``run_plan``, or one update does not fit in memory.
    """
    devices = check_devices(device)
    workers = check_workers(workers, devices)
    left = [trial for trial in plan.trials if trial.key not in done]
    tasks = longest_first(packed(left, plan.facts, devices, workers, stack), plan.facts)
    stacks = _usual_stacks(tasks, plan.facts)
    before = peak_memory_bytes()
    timed: dict[tuple[UpdateKind, int], Timed] = {}
    rows: dict[UpdateKind, float] = {}
    ends = time.monotonic() + MOST_S
    with one_thread(), without_denormals():
        for number, (what, by_batch) in enumerate(stacks.items()):
            share = (ends - time.monotonic()) / (len(stacks) - number)
            found, rows[what] = _measured(what, by_batch, devices[0], share)
            timed |= {(what, one.batch): one for one in found}
            watch(number + 1, len(stacks))
    each = [_seconds(task, plan.facts, timed, rows) for task in tasks]
    on_cpu = devices[0] == "cpu"
    largest = max(
        (
            len(t.trials) * sum(bytes_of(t.trials[0], plan.facts[t.trials[0].dataset]))
            for t in tasks
        ),
        default=0.0,
    )
    return Hours(
        device=device,
        workers=workers,
        runs=len(left),
        updates=sum(trial.steps for trial in left),
        timed=tuple(timed.values()),
        multiples=_multiples(left, plan.facts),
        work_s=sum(sum(parts) for parts in each),
        records_s=sum(recording for _, recording in each),
        # workers on one GPU share its time
        wall_s=_wall([sum(parts) for parts in each], workers if on_cpu else len(devices)),
        memory_bytes=largest + (before if on_cpu else 0),
    )


def _kind_of(trial: Trial, facts: Mapping[str, Facts]) -> UpdateKind:
    about = facts[trial.dataset]
    how = trial.recipe, trial.dtype, _timed_as(trial)
    return UpdateKind(trial.net, about.wanted, about.length, *how)


def _timed_as(trial: Trial) -> str:
    """Whose update is measured for this trial: its own, where no multiple of another's is known."""
    return compared_with(trial.algorithm) if is_measured(trial.algorithm) else trial.label


def _usual_stacks(
    tasks: Sequence[StackTask], facts: Mapping[str, Facts]
) -> dict[UpdateKind, dict[int, int]]:
    """What is to be measured, with batch sizes, the smallest first, and the usual stack of each."""
    counts: dict[UpdateKind, dict[int, Counter[int]]] = {}
    for task in tasks:
        trial = task.trials[0]
        sizes = counts.setdefault(_kind_of(trial, facts), {})
        sizes.setdefault(int(trial.hyper["batch_size"]), Counter())[len(task.trials)] += 1
    return {
        what: {batch: by_batch[batch].most_common(1)[0][0] for batch in sorted(by_batch)}
        for what, by_batch in counts.items()
    }


def _measured(
    what: UpdateKind, by_batch: Mapping[int, int], device: str, share: float
) -> tuple[list[Timed], float]:
    """Updates of each batch size, and seconds of a row's forward pass, in about ``share``."""
    begun = time.monotonic()
    net = network(what.net, *what.wanted)
    judged = max(64, min(rows_at_once(net), int(EVALUATED / max(1, net.macs))))
    examples = _random_examples(what, max(judged, *by_batch), device)
    first = _stack(what, examples, FIRST_BATCH, 1)
    update(first)  # what is loaded or prepared at the first one
    last, size = _time(partial(update, first), device, LEAST_S / 3), FIRST_BATCH
    rows = torch.arange(judged)
    per_row = _time(partial(first.logits, 0, rows), device, LEAST_S / 3)[0] / judged
    timed = []
    for batch, trials in by_batch.items():
        seconds, waited = (each * batch * trials / size for each in last)
        scaled = time.monotonic() - begun + 2 * waited > share
        if not scaled:
            stack = _stack(what, examples, batch, trials)
            update(stack)
            last, size = _time(partial(update, stack), device, LEAST_S), batch * trials
            seconds = last[0]
        about = what.net, what.wanted[0], what.algorithm, batch, trials
        timed.append(Timed(*about, seconds / trials, scaled))
    return timed, per_row


def _random_examples(what: UpdateKind, n: int, device: str) -> Examples:
    """Random inputs with labels of every kind that a method may read."""
    g = np.random.default_rng(0)
    shape, classes, words, _ = what.wanted
    given = g.integers(0, classes, n)
    candidates = g.random((n, classes)) < 1.5 / classes
    candidates[np.arange(n), given] = True
    labels = {"candidates": torch.from_numpy(candidates), "given": torch.from_numpy(given)}
    labels["truth"] = labels["given"]
    answers = np.stack([g.integers(0, ANNOTATORS, (n, ANSWERS)), np.stack([given] * ANSWERS, 1)], 2)
    labels["votes"] = torch.from_numpy(answers)
    dtype = getattr(torch, what.dtype)
    there = {name: values.to(device) for name, values in labels.items()}
    if words is not None:
        ids = g.integers(1, words.size + 1, n * what.length)
        texts = held(Tokens(ids, np.arange(n + 1) * what.length, words), device)
        none = np.zeros(0)
        return Examples(texts.ids, there, none, none, classes, dtype, texts=texts)
    if len(shape) == 3:
        channels, *size = shape
        inputs = torch.from_numpy(g.integers(0, 256, (n, *size, channels), dtype=np.uint8))
        per_feature: tuple[int, ...] = (channels, 1, 1)
        centre, spread = np.full(per_feature, 128.0), np.full(per_feature, 64.0)
    else:
        inputs = torch.from_numpy(g.normal(size=(n, *shape))).to(dtype)
        centre, spread = np.zeros(shape), np.ones(shape)
    return Examples(inputs.to(device), there, centre, spread, classes, dtype)


def _stack(what: UpdateKind, examples: Examples, batch: int, trials: int) -> Stack:
    method = algorithm(what.algorithm)
    hyper = {name: setting.default for name, setting in method.settings().items()}
    members = [
        Member(seed, np.arange(examples.n), hyper | {"batch_size": batch}) for seed in range(trials)
    ]
    net = network(what.net, *what.wanted)
    return start(method, net, examples, members, ENDLESS, recipe(what.recipe))


def _time(act: Callable[[], object], device: str, least: float) -> tuple[float, float]:
    """Seconds of one call, and seconds that it took by the clock.

    The first are processor time on a CPU: other work on the machine does not count.
    """
    on_cpu = device == "cpu"
    clock = time.process_time if on_cpu else time.monotonic
    if not on_cpu:
        torch.cuda.synchronize(device)
    begun, waited, calls = clock(), time.monotonic(), 0
    while calls < MOST_UPDATES and (calls == 0 or clock() - begun < least):
        act()
        calls += 1
    if not on_cpu:
        torch.cuda.synchronize(device)
    return (clock() - begun) / calls, (time.monotonic() - waited) / calls


def _seconds(
    task: StackTask,
    facts: Mapping[str, Facts],
    timed: Mapping[tuple[UpdateKind, int], Timed],
    rows: Mapping[UpdateKind, float],
) -> tuple[float, float]:
    """Of training a task's trials, and of their records."""
    trial, count = task.trials[0], len(task.trials)
    about, method = facts[trial.dataset], ALGORITHMS[trial.algorithm]
    what = _kind_of(trial, facts)
    an_update = timed[what, int(trial.hyper["batch_size"])].seconds * _multiple(trial, facts)
    held = about.n_validation if trial.mode == "tune" else 0
    passes = (held + about.n_test) * (method.networks if method.averages else 1)
    passes += held * (method.networks - 1)  # do they agree?
    return count * an_update * trial.steps, count * passes * rows[what] * len(trial.record_steps)


def _multiple(trial: Trial, facts: Mapping[str, Facts]) -> float:
    if not is_measured(trial.algorithm):
        return 1.0
    return cost_of(trial.algorithm, facts[trial.dataset].pictures)


def _multiples(trials: Sequence[Trial], facts: Mapping[str, Facts]) -> dict[str, float]:
    found: dict[str, float] = {}
    for trial in trials:
        if _timed_as(trial) not in (trial.algorithm, trial.label):
            multiple = _multiple(trial, facts)
            found[trial.label] = max(found.get(trial.label, 0.0), multiple)
    return found


def _wall(seconds: Sequence[float], workers: int) -> float:
    """Until the last of the tasks is over, where each worker takes the next one when it is free.

    >>> _wall([3, 2, 2, 1], 2)
    4
    """
    free_at = [0.0] * max(1, min(workers, len(seconds)))
    for one in seconds:
        heapq.heapreplace(free_at, free_at[0] + one)
    return max(free_at)
