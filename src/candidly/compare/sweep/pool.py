"""Where tasks are trained: in this process, or in worker processes with a device each."""

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
from pathlib import Path

import torch

from ...data.labels.labelled import Labelled
from ...ground.device import device_of
from ...ground.process import HUGE_PAGES, without_ctrl_c
from .execute import Step, execute
from .journal import Journal
from .keeping import OnDisk
from .own_files import open_copies
from .pack import StackTask
from .worker import encode, hand_over


class Interrupted(RuntimeError):
    """A run could not go on, or records are missing; what is recorded stands."""


Runs = Iterator[tuple[StackTask, Step]]
Train = Callable[[Sequence[StackTask]], Runs]


@contextmanager
def here(data: Mapping[str, Labelled], out: Path, devices: Sequence[str]) -> Iterator[Train]:
    """A function that trains tasks in this process, on one thread.

    Args:
        data: by fingerprint.
    """
    threads = torch.get_num_threads()
    journals: list[Journal] = []  # one, once there is something to write

    def trained(tasks: Sequence[StackTask]) -> Runs:
        torch.set_num_threads(1)
        for task in tasks:
            journals[:] = journals or [Journal(out / "journal")]
            open_copies(out, task.trials[0])
            labelled = data[task.trials[0].data]
            keeping = OnDisk(journals[0], out / "checkpoints")
            for step in execute(task, labelled, keeping, devices[0]):
                yield task, step

    try:
        yield trained
    finally:
        for journal in journals:
            journal.close()
        torch.set_num_threads(threads)


@contextmanager
def in_workers(
    data: Mapping[str, Labelled],
    out: Path,
    devices: Sequence[str],
    workers: int,
    plugins: Sequence[Path] = (),
) -> Iterator[Train]:
    """A function that trains tasks in worker processes, which are handed out one at a time.

    Processes start when they are needed first, and stay until the end.

    Args:
        plugins: files that each process loads first.
    """
    with tempfile.TemporaryDirectory(prefix="candidly-") as folder:
        pool = _Pool(data, out, devices, Path(folder), plugins)
        try:
            yield lambda tasks: pool.trained(tasks, workers)
        finally:
            pool.end()


class _Pool:
    """Worker processes, and what they say."""

    def __init__(
        self,
        data: Mapping[str, Labelled],
        out: Path,
        devices: Sequence[str],
        folder: Path,
        plugins: Sequence[Path],
    ):
        self.data, self.out, self.devices, self.folder = data, out, devices, folder
        self.plugins = plugins
        self.processes: list[subprocess.Popen] = []
        self.events: queue.Queue[tuple[int, dict | None]] = queue.Queue()
        self.handed_over: set[str] = set()

    def trained(self, tasks: Sequence[StackTask], workers: int) -> Runs:
        for fingerprint in {task.trials[0].data for task in tasks} - self.handed_over:
            hand_over(self.data[fingerprint], self.folder, fingerprint)
            self.handed_over.add(fingerprint)
        waiting = list(reversed(tasks))
        current: dict[int, StackTask] = {}
        for number in range(min(workers, len(tasks))):
            if number == len(self.processes):
                device = device_of(number, self.devices)
                how = str(self.folder), device, self.plugins, number, self.events
                self.processes.append(_start(self.out, *how))
            current[number] = waiting.pop()
            _send(self.processes[number], current[number])
        while current:
            number, event = self.events.get()
            if event is None or "error" in event:
                why = _obituary(self.processes[number], current.get(number), event)
                raise Interrupted(why) from Elsewhere((event or {}).get("trace", ""))
            if "updates" in event:
                yield current[number], Step(event["updates"], event["restored"])
            elif waiting:
                current[number] = waiting.pop()
                _send(self.processes[number], current[number])
            else:
                del current[number]

    def end(self) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


def _start(
    out: Path, folder: str, device: str, plugins: Sequence[Path], number: int, events: queue.Queue
):
    """A worker whose lines, then None, arrive in ``events`` under its number."""
    with without_ctrl_c():
        process = subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "candidly.compare.sweep.worker"),
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


def _send(process: subprocess.Popen, task: StackTask) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # its end arrives as an event
        process.stdin.write(encode(task) + "\n")
        process.stdin.flush()


class Elsewhere(Exception):
    """What was raised in another process, by its traceback."""


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
