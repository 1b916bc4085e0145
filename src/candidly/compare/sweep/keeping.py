"""Where a task's records and states go: to the disk at once, or as messages to who writes them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ...ground.files import replacing
from ...learn.engine import checkpoint
from ...learn.engine.stack import Stack
from .journal import Journal, lines_of
from .records import Record
from .trial import Trial

CHECKPOINT_SHARE = 0.05  # of the time since the last one: what saving may cost


class Keeping(Protocol):
    """What training hands its results to. What is handed over first is on the disk first."""

    def write(self, records: Sequence[Record]) -> None:
        """Keep records."""

    def due(self) -> bool:
        """Whether saving a state costs little of the time since the last one."""

    def save(self, trials: Sequence[Trial], stack: Stack) -> None:
        """Keep a stack's state, which replaces the one before, behind all records so far."""

    def drop(self, trials: Sequence[Trial]) -> None:
        """Delete a stack's state: it is finished, and all its records are kept."""


class _Timed:
    """When the next state is due."""

    def __init__(self) -> None:
        self._saved_at, self._cost = time.perf_counter(), 0.0

    def due(self) -> bool:
        return self._cost <= CHECKPOINT_SHARE * (time.perf_counter() - self._saved_at)

    def saved(self, begun: float) -> None:
        self._saved_at = time.perf_counter()
        self._cost = self._saved_at - begun


class OnDisk(_Timed):
    """Records in a journal, states in a folder."""

    def __init__(self, journal: Journal, checkpoints: Path):
        super().__init__()
        self.journal, self.folder = journal, checkpoints

    def write(self, records: Sequence[Record]) -> None:
        self.journal.write(records)

    def save(self, trials: Sequence[Trial], stack: Stack) -> None:
        begun = time.perf_counter()
        self.journal.sync()  # first: a checkpoint without an earlier record is of no use
        checkpoint.save(self.folder, keys_of(trials), stack)
        self.saved(begun)

    def drop(self, trials: Sequence[Trial]) -> None:
        self.journal.sync()
        checkpoint.path_of(self.folder, keys_of(trials)).unlink(missing_ok=True)


@dataclass(frozen=True)
class Kept:
    """A message: lines for the journal, then a state to write or to delete.

    Attributes:
        lines: the lines of records, with their checksums.
        keys: the keys of the trials whose state it is; empty without one.
        state: a whole checkpoint file; None: delete that of ``keys``.
    """

    lines: bytes = b""
    keys: tuple[str, ...] = ()
    state: bytes | None = None


class Messages(_Timed):
    """Collects messages for another process, which ``put_on_disk`` writes in their order."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[Kept] = []

    def write(self, records: Sequence[Record]) -> None:
        self._kept.append(Kept(lines_of(records)))

    def save(self, trials: Sequence[Trial], stack: Stack) -> None:
        begun = time.perf_counter()
        keys = keys_of(trials)
        with tempfile.TemporaryDirectory(prefix="candidly-") as folder:
            state = checkpoint.save(Path(folder), keys, stack, synced=False).read_bytes()
        self._kept.append(Kept(keys=keys, state=state))
        self.saved(begun)

    def drop(self, trials: Sequence[Trial]) -> None:
        self._kept.append(Kept(keys=keys_of(trials)))

    def taken(self) -> list[Kept]:
        """What came since the last call."""
        kept, self._kept = self._kept, []
        return kept


def put_on_disk(kept: Kept, journal: Journal, checkpoints: Path) -> None:
    """Write what another process has kept.

    Raises:
        OSError: the disk is full or broken; what was written stands.
    """
    if kept.lines:
        journal.append(kept.lines)
    if not kept.keys:
        return
    journal.sync()  # first: a checkpoint without an earlier record is of no use
    path = checkpoint.path_of(checkpoints, kept.keys)
    if kept.state is None:
        path.unlink(missing_ok=True)
        return
    with replacing(path, synced=True, again=True) as file:
        file.write(kept.state)


def keys_of(trials: Sequence[Trial]) -> tuple[str, ...]:
    return tuple(trial.key for trial in trials)
