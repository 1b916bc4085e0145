"""A worker process: reads tasks as lines of JSON, trains them, answers with lines of JSON.

Run as ``python -P -m candidly.compare.sweep.worker OUT FOLDER DEVICE PLUGIN ...`` by ``run``. Its
standard input is its leash: when that closes, the parent is gone, and the worker ends at once.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import traceback
from dataclasses import asdict, replace
from pathlib import Path
from typing import TextIO

import numpy as np
import torch

from ...data.labels.labelled import Labelled
from ...ground.problem import said_of
from ...ground.process import tune_memory
from .execute import execute
from .journal import Journal
from .keeping import OnDisk
from .own_files import open_copies, open_plugins
from .pack import StackTask
from .rounds import pruning_of_json
from .trial import Trial


def encode(task: StackTask) -> str:
    """A task as a line."""
    about = {
        "trials": [asdict(trial) for trial in task.trials],
        "resume": str(task.resume) if task.resume else None,
        "pruning": asdict(task.pruning) if task.pruning else None,
        "metrics": task.metrics,
    }
    return json.dumps(about)


def decode(line: str) -> StackTask:
    about = json.loads(line)
    return StackTask(
        trials=tuple(Trial(**trial) for trial in about["trials"]),
        resume=Path(about["resume"]) if about["resume"] else None,
        pruning=pruning_of_json(about["pruning"]) if about["pruning"] else None,
        metrics=tuple(about["metrics"]),
    )


def hand_over(data: Labelled, folder: Path, name: str) -> None:
    """Write data for workers: pixels into a file of their own, which all of them map."""
    if data.kind.pixels:
        np.save(folder / f"{name}.npy", data.inputs, allow_pickle=False)
        data = replace(data, inputs=np.zeros((data.n, 1), np.float32), features=None)
    data.save(folder / f"{name}.npz")


def taken_over(folder: Path, name: str) -> Labelled:
    """What ``hand_over`` wrote; pixels stay in their file, and in memory once for all workers."""
    data, pixels = Labelled.load(folder / f"{name}.npz"), folder / f"{name}.npy"
    if pixels.exists():
        data = replace(data, inputs=np.load(pixels, mmap_mode="r", allow_pickle=False))
    return data


def _tell(answers: TextIO, **what: object) -> None:
    try:
        answers.write(json.dumps(what) + "\n")
        answers.flush()
    except BrokenPipeError:
        os._exit(1)  # the parent is gone


def _own_stdout() -> TextIO:
    """The parent's end, kept for answers: what a library prints goes to stderr instead."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def _read(lines: queue.Queue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    os._exit(1)  # the parent is gone


def main(out: str, folder: str, device: str, *plugins: str) -> None:
    answers = _own_stdout()
    tune_memory()
    torch.set_num_threads(1)
    if ":" in device:  # else what torch puts on a GPU unasked is put on the first
        torch.cuda.set_device(device)
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    journal = Journal(Path(out) / "journal")
    loaded: dict[str, Labelled] = {}
    while True:
        task = decode(lines.get())
        name = task.trials[0].data
        try:
            open_plugins(plugins)
            open_copies(Path(out), task.trials[0])
            if name not in loaded:
                loaded[name] = taken_over(Path(folder), name)
            keeping = OnDisk(journal, Path(out) / "checkpoints")
            for step in execute(task, loaded[name], keeping, device):
                _tell(answers, updates=step.updates, restored=step.restored)
            _tell(answers, done=True)
        except Exception as error:
            trace = "".join(traceback.format_exception(error))
            _tell(answers, error=said_of(error), kind=type(error).__name__, trace=trace)


if __name__ == "__main__":
    main(*sys.argv[1:])
