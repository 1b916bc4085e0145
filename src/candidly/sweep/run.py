"""Running a plan: here or in worker processes, resumable at any moment."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import torch

from .._device import check_devices, device_of
from .._files import sync_folder
from .._numbers import whole
from .._process import HUGE_PAGES
from ..engine.recipe import recipe, unsuited_to
from ..labelled import Labelled
from .execute import Step, execute
from .journal import Journal, read_records
from .lock import locked
from .own_files import check_seen, keep_copies, keep_plugins, open_copies
from .pack import StackTask, cost, make_tasks
from .plan import Plan, extended, read_plan, write_plan
from .worker import encode, hand_over


@dataclass(frozen=True)
class RunProgress:
    """How far a run is. ``work`` counts up to ``total`` in units of equal expected time.

    ``fresh`` is the part of ``work`` that was done since the run began; the rest was there before.
    """

    work: float
    total: float
    runs_done: int
    runs: int
    fresh: float = 0.0


class Interrupted(RuntimeError):
    """A run could not go on, or records are missing; what is recorded stands."""


def run_plan(
    plan: Plan,
    datasets: Mapping[str, Labelled],
    out: Path,
    *,
    device: str = "cpu",
    workers: int | None = None,
    stack: int | None = None,
    watch: Callable[[RunProgress], None] = lambda progress: None,
    accept_code: bool = False,
) -> None:
    """Train every trial of ``plan`` that ``out`` does not hold yet.

    Args:
        datasets: the data by the plan's names.
        out: the results directory; made when it is missing, resumed when it holds this plan or a
            smaller one.
        device: ``cpu``, ``cuda``, ``cuda:1``, or several GPUs: ``cuda:0,cuda:1``.
        workers: processes, each with one thread; by default one per core, or one per GPU. Each has
            one of the GPUs, in turn.
        stack: trials per stack at most; by default what suits the device.
        watch: called with the progress after every record.
        accept_code: resume although the code of an algorithm has changed since.

    Raises:
        BlockingIOError: another process is at work on ``out``.
        ValueError: the plan contradicts the one in ``out``, or an argument is impossible.
        OSError: ``out`` cannot be written.
        Interrupted: a worker died or failed, or records were lost while training went on.
    """
    devices = check_devices(device)
    workers = check_workers(workers, devices)
    stack = None if stack is None else whole(stack, "stack", low=1)
    for text in dict.fromkeys(trial.recipe for trial in plan.trials):
        if problem := unsuited_to(devices[0], recipe(text)):
            raise ValueError(problem)
    for name in ("checkpoints", "journal"):
        make_folder(out / name)
    with locked(out):
        old = read_plan(out)
        if old is not None:
            plan = extended(out, old, plan, accept_code)
        if workers > 1:
            check_seen(plan.pages)
        keep_copies(out, plan.trials)
        plugins = keep_plugins(out, plan.pages)
        write_plan(out, plan)
        recorded = recorded_steps(out)
        finished = finished_keys(plan, recorded)
        tasks = make_tasks(
            plan.trials, recorded, out / "checkpoints", plan.facts, devices, workers, stack
        )
        by_print = {facts.fingerprint: name for name, facts in plan.facts.items()}
        data = {mark: datasets[name] for mark, name in by_print.items()}
        meter = _Meter(plan, finished, watch)
        if not tasks:
            return
        runner = _run_here if workers == 1 else _run_in_workers
        seats = min(workers, len(tasks))
        for task, step in runner(tasks, data, out, devices, seats, plugins):
            meter.advance(task, step)
        _check_records(plan, out)


def check_workers(workers: int | None, devices: Sequence[str]) -> int:
    """How many processes train; by default one per core, or one per GPU.

    Raises:
        ValueError: it is no whole number from 1 on, or there are more devices.
    """
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if devices == ("cpu",) else len(devices)
    workers = whole(workers, "workers", low=1)
    if workers < len(devices):
        raise ValueError(
            f"workers is {workers}, and {len(devices)} devices are named ({', '.join(devices)}): a "
            "worker has one. Name fewer devices, or leave workers out."
        )
    return workers


def recorded_steps(out: Path) -> dict[str, set[int]]:
    """The steps of the readable records of a directory, by trial key."""
    found, _ = read_records(out / "journal")
    return {key: set(steps) for key, steps in found.items()}


def finished_keys(plan: Plan, recorded: Mapping[str, Collection[int]]) -> set[str]:
    """Trials with every record that is due."""
    return {
        trial.key
        for trial in plan.trials
        if set(trial.record_steps) <= set(recorded.get(trial.key, ()))
    }


def _check_records(plan: Plan, out: Path) -> None:
    """Whether what was trained is in the journal, and can be read again.

    Raises:
        Interrupted: it is not; says how much, and what to do.
    """
    finished = finished_keys(plan, recorded_steps(out))
    missing = [trial for trial in plan.trials if trial.key not in finished]
    if missing:
        first = missing[0]
        raise Interrupted(
            f"{len(missing)} of {len(plan.trials)} runs lack records that were written to "
            f"{out / 'journal'} (the first: {first.label} on {first.dataset}, split {first.split}):"
            " they were deleted or damaged meanwhile. Run the same command to train what is lost."
        )


def make_folder(folder: Path) -> None:
    """Make a folder, those above it too, and wait until their names are on the disk."""
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for place in made:
            sync_folder(place.parent)
    except OSError as error:
        raise OSError(error.errno, f"could not make {folder}: {error.strerror}") from error


class _Meter:
    """Adds up what the tasks report."""

    def __init__(self, plan: Plan, finished: set[str], watch: Callable[[RunProgress], None]):
        self.facts, self.watch = plan.facts, watch
        self.total = sum(self._cost(t.dataset, t) for t in plan.trials)
        self.work = sum(self._cost(t.dataset, t) for t in plan.trials if t.key in finished)
        self.done, self.runs = len(finished), len(plan.trials)
        self.fresh = 0.0
        self.updates: dict[tuple[str, ...], int] = {}
        self._show()

    def _cost(self, dataset: str, trial) -> float:
        return cost(trial, self.facts[dataset])

    def advance(self, task: StackTask, step: Step) -> None:
        trials = task.trials
        due = trials[0].steps * len(trials)
        work = sum(self._cost(t.dataset, t) for t in trials) * step.updates / due
        self.work += work
        self.fresh += 0 if step.restored else work
        self.updates[task.keys] = self.updates.get(task.keys, 0) + step.updates
        if self.updates[task.keys] >= due:
            self.done += len(trials)
        self._show()

    def _show(self) -> None:
        self.watch(RunProgress(self.work, self.total, self.done, self.runs, self.fresh))


Runs = Iterator[tuple[StackTask, Step]]


def _run_here(
    tasks: Sequence[StackTask],
    data: Mapping[str, Labelled],
    out: Path,
    devices: Sequence[str],
    workers: int,
    plugins: Sequence[Path],
) -> Runs:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    journal = Journal(out / "journal")
    try:
        for task in tasks:
            open_copies(out, task.trials[0])
            labelled = data[task.trials[0].data]
            for step in execute(task, labelled, journal, out / "checkpoints", devices[0]):
                yield task, step
    finally:
        journal.close()
        torch.set_num_threads(threads)


def _run_in_workers(
    tasks: Sequence[StackTask],
    data: Mapping[str, Labelled],
    out: Path,
    devices: Sequence[str],
    workers: int,
    plugins: Sequence[Path],
) -> Runs:
    """Tasks on worker processes, each with its device, handed out one at a time."""
    waiting = list(reversed(tasks))
    events: queue.Queue[tuple[int, dict | None]] = queue.Queue()
    current: dict[int, StackTask] = {}
    with tempfile.TemporaryDirectory(prefix="candidly-") as folder:
        for fingerprint in {task.trials[0].data for task in tasks}:
            hand_over(data[fingerprint], Path(folder), fingerprint)
        pool: list[subprocess.Popen] = []
        try:
            for number in range(workers):
                pool.append(
                    _start(out, folder, device_of(number, devices), plugins, number, events)
                )
                current[number] = waiting.pop()
                _send(pool[number], current[number])
            while current:
                number, event = events.get()
                if event is None or "error" in event:
                    raise Interrupted(_obituary(pool[number], current.get(number), event))
                if "updates" in event:
                    yield current[number], Step(event["updates"], event["restored"])
                elif waiting:
                    current[number] = waiting.pop()
                    _send(pool[number], current[number])
                else:
                    del current[number]
        finally:
            for process in pool:
                process.kill()
            for process in pool:
                process.wait()


def _start(
    out: Path, folder: str, device: str, plugins: Sequence[Path], number: int, events: queue.Queue
):
    """A worker whose lines, then None, arrive in ``events`` under its number."""
    with _without_ctrl_c():
        process = subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "candidly.sweep.worker"),
                *(str(out), folder, device, *map(str, plugins)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **HUGE_PAGES, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        )

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            event = None
            with suppress(ValueError):  # cut short where it was killed, or no answer
                event = json.loads(line)
            if isinstance(event, dict):
                events.put((number, event))
        events.put((number, None))

    threading.Thread(target=listen, daemon=True).start()
    return process


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Processes started in here never get a Ctrl-C: a child inherits which signals are held back.

    The terminal sends it to them too, and before they could ask not to be told they import for
    seconds. What comes for this process meanwhile arrives behind the block.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _send(process: subprocess.Popen, task: StackTask) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # its end arrives as an event
        process.stdin.write(encode(task) + "\n")
        process.stdin.flush()


def _obituary(process: subprocess.Popen, task: StackTask | None, event: dict | None) -> str:
    what = f"{task.trials[0].label} on {task.trials[0].dataset}" if task else "its start"
    if event is not None:
        reason = event["error"]
    else:
        status = process.wait()
        reason = (
            f"the worker was ended by signal {-status} (out of memory?)"
            if status < 0
            else f"the worker ended with status {status}"
        )
    return f"stopped at {what}: {reason}. What is recorded stands; run the same command to go on."
