"""Running a plan: here or in worker processes, resumable at any moment."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import filelock
import torch

from .._process import HUGE_PAGES
from ..labelled import Labelled
from .execute import execute
from .journal import Journal, read_records
from .pack import Task, cost, make_tasks
from .plan import Plan, check_extends, read_plan, write_plan
from .worker import encode


@dataclass(frozen=True)
class Progress:
    """How far a run is. ``work`` counts up to ``total`` in units of equal expected time."""

    work: float
    total: float
    runs_done: int
    runs: int


class Interrupted(RuntimeError):
    """A worker could not go on; what is recorded stands."""


def run_plan(
    plan: Plan,
    datasets: Mapping[str, Labelled],
    out: Path,
    *,
    device: str = "cpu",
    workers: int | None = None,
    stack: int | None = None,
    watch: Callable[[Progress], None] = lambda progress: None,
) -> None:
    """Train every trial of ``plan`` that ``out`` does not hold yet.

    Args:
        datasets: the data by the plan's names.
        out: the results directory; made when it is missing, resumed when it holds this plan or a
            smaller one.
        device: ``cpu``, ``cuda`` or ``cuda:1``.
        workers: processes, each with one thread; by default one per core (an accelerator: 1).
        stack: trials per stack at most; by default what suits the device.
        watch: called with the progress after every record.

    Raises:
        BlockingIOError: another process is at work on ``out``.
        ValueError: the plan contradicts the one in ``out``.
        OSError: ``out`` cannot be written.
        Interrupted: a worker died or failed.
    """
    check_device(device)
    workers = workers or (len(os.sched_getaffinity(0)) if device == "cpu" else 1)
    make_folder(out / "checkpoints")
    with locked(out):
        old = read_plan(out)
        if old is not None:
            check_extends(out, old, plan)
        write_plan(out, plan)
        finished = finished_keys(plan, out)
        tasks = make_tasks(
            plan.trials, finished, out / "checkpoints", plan.facts, device, workers, stack
        )
        by_print = {facts.fingerprint: name for name, facts in plan.facts.items()}
        data = {mark: datasets[name] for mark, name in by_print.items()}
        meter = _Meter(plan, finished, watch)
        if not tasks:
            return
        runner = _run_here if workers == 1 else _run_in_workers
        for task, updates in runner(tasks, data, out, device, min(workers, len(tasks))):
            meter.advance(task, updates)


def check_device(device: str) -> None:
    """Refuse a device that is not there.

    Raises:
        ValueError: says what is.
    """
    kind = device.partition(":")[0]
    if kind not in ("cpu", "cuda"):
        raise ValueError(f"device {device!r} is unknown: use cpu, cuda or cuda:0.")
    if kind == "cuda" and not torch.cuda.is_available():
        raise ValueError("device 'cuda' is not available to this torch; use --device cpu.")


def finished_keys(plan: Plan, out: Path) -> set[str]:
    """Trials with every record that is due."""
    found, _ = read_records(out / "journal")
    return {
        trial.key
        for trial in plan.trials
        if trial.key in found and set(trial.record_steps) <= set(found[trial.key])
    }


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Hold the directory's lock, which ends with the process however it ends."""
    lock = filelock.FileLock(out / "lock")
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        raise BlockingIOError(
            f"another process is at work on {out}. Wait for it (`candidly bench status {out}`), "
            "or use another --out."
        ) from None
    try:
        yield
    finally:
        lock.release()


def is_locked(out: Path) -> bool:
    """Whether a process is at work on the directory."""
    lock = filelock.FileLock(out / "lock")
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        return True
    except OSError:  # a directory we may not write in: nobody of ours is at work there
        return False
    lock.release()
    return False


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(error.errno, f"could not make {folder}: {error.strerror}") from error


class _Meter:
    """Adds up what the tasks report."""

    def __init__(self, plan: Plan, finished: set[str], watch: Callable[[Progress], None]):
        self.facts, self.watch = plan.facts, watch
        self.total = sum(self._cost(t.dataset, t) for t in plan.trials)
        self.work = sum(self._cost(t.dataset, t) for t in plan.trials if t.key in finished)
        self.done, self.runs = len(finished), len(plan.trials)
        self.updates: dict[tuple[str, ...], int] = {}
        self._show()

    def _cost(self, dataset: str, trial) -> float:
        return cost(trial, self.facts[dataset])

    def advance(self, task: Task, updates: int) -> None:
        trials = task.trials
        due = trials[0].steps * len(trials)
        self.work += sum(self._cost(t.dataset, t) for t in trials) * updates / due
        self.updates[task.keys] = self.updates.get(task.keys, 0) + updates
        if self.updates[task.keys] >= due:
            self.done += len(trials)
        self._show()

    def _show(self) -> None:
        self.watch(Progress(self.work, self.total, self.done, self.runs))


Runs = Iterator[tuple[Task, int]]


def _run_here(
    tasks: Sequence[Task], data: Mapping[str, Labelled], out: Path, device: str, workers: int
) -> Runs:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    journal = Journal(out / "journal")
    try:
        for task in tasks:
            labelled = data[task.trials[0].data]
            for step in execute(task, labelled, journal, out / "checkpoints", device):
                yield task, step.updates
    finally:
        journal.close()
        torch.set_num_threads(threads)


def _run_in_workers(
    tasks: Sequence[Task], data: Mapping[str, Labelled], out: Path, device: str, workers: int
) -> Runs:
    """Tasks on worker processes, handed out one at a time."""
    waiting = list(reversed(tasks))
    events: queue.Queue[tuple[int, dict | None]] = queue.Queue()
    current: dict[int, Task] = {}
    with tempfile.TemporaryDirectory(prefix="candidly-") as folder:
        for fingerprint in {task.trials[0].data for task in tasks}:
            data[fingerprint].save(Path(folder) / f"{fingerprint}.npz")
        pool = [_start(out, folder, device, number, events) for number in range(workers)]
        try:
            for number, process in enumerate(pool):
                current[number] = waiting.pop()
                _send(process, current[number])
            while current:
                number, event = events.get()
                if event is None or "error" in event:
                    raise Interrupted(_obituary(pool[number], current.get(number), event))
                if "updates" in event:
                    yield current[number], event["updates"]
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


def _start(out: Path, folder: str, device: str, number: int, events: queue.Queue):
    """A worker whose lines, then None, arrive in ``events`` under its number."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "candidly.sweep.worker", str(out), folder, device],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **HUGE_PAGES, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
    )

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            events.put((number, json.loads(line)))
        events.put((number, None))

    threading.Thread(target=listen, daemon=True).start()
    return process


def _send(process: subprocess.Popen, task: Task) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # its end arrives as an event
        process.stdin.write(encode(task) + "\n")
        process.stdin.flush()


def _obituary(process: subprocess.Popen, task: Task | None, event: dict | None) -> str:
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
