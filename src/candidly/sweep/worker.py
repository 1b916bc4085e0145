"""A worker process: reads tasks as lines of JSON, trains them, answers with lines of JSON.

Run as ``python -P -m candidly.sweep.worker OUT FOLDER DEVICE`` by ``run``. Its standard input is
its leash: when that closes, the parent is gone, and the worker ends at once.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from dataclasses import asdict
from pathlib import Path

import torch

from .._process import tune_memory
from ..labelled import Labelled
from .execute import execute
from .journal import Journal
from .pack import Task
from .trial import Trial


def encode(task: Task) -> str:
    """A task as a line."""
    trials = [asdict(trial) for trial in task.trials]
    return json.dumps({"trials": trials, "resume": str(task.resume) if task.resume else None})


def decode(line: str) -> Task:
    about = json.loads(line)
    resume = Path(about["resume"]) if about["resume"] else None
    return Task(tuple(Trial(**trial) for trial in about["trials"]), resume)


def _tell(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def _read(lines: queue.Queue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    os._exit(1)  # the parent is gone


def main(out: str, folder: str, device: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    tune_memory()
    torch.set_num_threads(1)
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    journal = Journal(Path(out) / "journal")
    loaded: dict[str, Labelled] = {}
    while True:
        task = decode(lines.get())
        name = task.trials[0].data
        try:
            if name not in loaded:
                loaded[name] = Labelled.load(Path(folder) / f"{name}.npz")
            for step in execute(task, loaded[name], journal, Path(out) / "checkpoints", device):
                _tell(updates=step.updates)
            _tell(done=True)
        except Exception as error:
            _tell(error=f"{type(error).__name__}: {error}", kind=type(error).__name__)


if __name__ == "__main__":
    main(*sys.argv[1:])
