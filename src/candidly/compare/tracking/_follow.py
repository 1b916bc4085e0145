"""From a journal that grows to a sink: each record once, in the order of its run's steps."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ...ground.files import replacing
from ...ground.problem import why
from ..sweep.journal import read_new
from ..sweep.plan import planned_runs, read_plan
from ..sweep.records import Record, Run

SCHEMA = 1  # of what was sent
EVERY_S = 2.0  # between two looks at the journal


class Sink(Protocol):
    """What records are sent to."""

    def send(self, run: Run, records: Sequence[Record]) -> None:
        """Take records of one run, in the order of their steps; on return they are kept.

        After a crash the last ones may come again.

        Args:
            run: the planned run, without records: data set, algorithm, split, hyper-parameters.
        """

    def close(self) -> None:
        """No more will come."""


@dataclass
class Follower:
    """Sends what is new in a results directory.

    Attributes:
        folder: with the plan and the journal.
        memory: a file that remembers what was sent; None: all is sent again next time.
    """

    folder: Path
    sink: Sink
    memory: Path | None = None
    _sent: dict[str, int] = field(default_factory=dict)  # the last step, by key of the run
    _places: dict[str, int] = field(default_factory=dict)
    _runs: dict[str, Run] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.memory is not None and self.memory.exists():
            self._sent = _read(self.memory)

    def step(self) -> int:
        """Send the records that came since the last step; returns how many.

        Raises:
            FileNotFoundError: the directory has no plan.
        """
        found: dict[str, dict[int, Record]] = {}
        for record in read_new(self.folder / "journal", self._places):
            if record.step > self._sent.get(record.key, -1):
                found.setdefault(record.key, {}).setdefault(record.step, record)
        if not found.keys() <= self._runs.keys():
            self._runs = _runs_of(self.folder)
        number = 0
        for key, records in found.items():
            if key not in self._runs:  # of an older plan
                continue
            self.sink.send(self._runs[key], [records[step] for step in sorted(records)])
            self._sent[key] = max(records)
            number += len(records)
        if number and self.memory is not None:
            self.memory.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self.memory, again=True) as file:
                file.write(json.dumps({"schema": SCHEMA, "sent": self._sent}).encode())
        return number


def track(folder: Path | str, sink: Sink, memory: Path | str | None = None) -> int:
    """Send all records of a results directory that were not sent yet, and close the sink.

    Args:
        memory: a file that remembers what was sent; None: everything is.

    Returns:
        how many were sent.

    Raises:
        FileNotFoundError: the directory has no plan.
    """
    return follow(folder, sink, memory, until=lambda: True)


def follow(
    folder: Path | str,
    sink: Sink,
    memory: Path | str | None = None,
    *,
    until: Callable[[], bool],
    every: float = EVERY_S,
) -> int:
    """Send records as they come, until ``until()`` is true and the rest is sent; closes the sink.

    Args:
        every: seconds between two looks.

    Raises:
        FileNotFoundError: the directory has no plan.
    """
    folder = Path(folder)
    _runs_of(folder)
    follower = Follower(folder, sink, None if memory is None else Path(memory))
    number = 0
    try:
        while not until():
            number += follower.step()
            time.sleep(every)
        return number + follower.step()
    finally:
        sink.close()


def _runs_of(folder: Path) -> dict[str, Run]:
    plan = read_plan(folder)
    if plan is None:
        raise FileNotFoundError(
            f"{folder} holds no plan.json: it is no results directory. `candidly bench run` "
            "makes one."
        )
    return {run.key: run for run in planned_runs(plan)}


def _read(path: Path) -> dict[str, int]:
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        if about["schema"] != SCHEMA:
            raise ValueError(f"schema {about['schema']}")
        return {str(key): int(step) for key, step in about["sent"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} does not say what was sent{why(error)}. Delete it, and everything is sent"
            " again."
        ) from None


@contextmanager
def following(
    folder: Path | str, sink: Sink, memory: Path | str | None = None, every: float = EVERY_S
) -> Iterator[list[Exception]]:
    """Records are sent by a thread while the block trains, and the rest when it ends.

    What goes wrong with a tracker stops no training: it is in the list that the block gets, and
    nothing more is sent then.
    """
    follower = Follower(Path(folder), sink, None if memory is None else Path(memory))
    ended, failed = threading.Event(), list[Exception]()

    def watch() -> None:
        try:
            while not ended.wait(every):
                follower.step()
            follower.step()
            sink.close()
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=watch, name="tracker", daemon=True)
    thread.start()
    try:
        yield failed
    finally:
        ended.set()
        thread.join()
