"""The journal: append-only lines of JSON, one file per process, on the disk before a checkpoint.

Each line ends with a checksum of what stands before it, so that a changed digit is found.
``compact`` makes one compressed file of all.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...ground.files import sync_folder
from ...stats.criteria import FlipRate
from .facts import Facts
from .failed import notes_of, read_failed
from .lines import in_columns, journal_files, lines_of, parsed, read_file, read_parts
from .plan import Plan, planned_runs, read_plan
from .protocol import protocol_note, published_note, told_note
from .records import Record, Run
from .results import Results
from .search import search, search_note
from .select import CRITERIA
from .versions import check_sources, made_otherwise, measured_otherwise

if TYPE_CHECKING:
    from .columns import SortedRows
    from .runs import Runs

__all__ = [
    "Journal",
    "journal_files",
    "lines_of",
    "read_file",
    "read_new",
    "read_records",
    "read_results",
    "runs_with",
]


class Journal:
    """A process's own file of a journal. Every ``write`` is one append of whole lines."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        # a new file per process: nothing is ever appended behind a torn line
        self.path = folder / f"{time.time_ns():x}-{os.getpid()}.jsonl"
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        self._named = False  # on the disk

    def write(self, records: Iterable[Record]) -> None:
        """Append records; see ``append``."""
        self.append(lines_of(records))

    def append(self, lines: bytes) -> None:
        """Append whole lines, as ``lines_of`` makes them.

        Raises:
            OSError: the disk is full; a torn line is left, which readers skip.
        """
        written = 0
        while written < len(lines):
            try:
                written += os.write(self._file, lines[written:])
            except OSError as error:
                message = f"could not write {self.path}: {error.strerror}"
                raise OSError(error.errno, message) from error

    def sync(self) -> None:
        """Wait until everything written is on the disk, with the file's name.

        Raises:
            OSError: the disk is full or broken.
        """
        try:
            os.fsync(self._file)
            if not self._named:
                sync_folder(self.path.parent)
                self._named = True
        except OSError as error:
            message = f"could not write {self.path}: {error.strerror}"
            raise OSError(error.errno, message) from error

    def close(self) -> None:
        os.close(self._file)


def read_records(folder: Path) -> tuple[dict[str, dict[int, Record]], list[str]]:
    """Every readable record, by trial key and step, and a note on each file with others.

    A kill between a record and its checkpoint repeats lines: the first of equal (key, step) counts.
    """
    found: dict[str, dict[int, Record]] = defaultdict(dict)
    notes = []
    try:
        for path in journal_files(folder):
            records, note = read_file(path)
            for record in records:
                found[record.key].setdefault(record.step, record)
            if note:
                notes.append(note)
    except FileNotFoundError:  # compacted since it was listed: what it held is in another file
        return read_records(folder)
    return found, notes


def read_new(folder: Path, places: dict[str, int]) -> list[Record]:
    """The records in whole lines that came since the last call; repeated lines come again.

    Args:
        folder: the folder of the journal.
        places: how many bytes of each file were read, by its name; empty at first, kept up to date
            here.
    """
    found: list[Record] = []
    for path in journal_files(folder):
        begun = places.get(path.name, 0)
        try:
            if path.suffix != ".jsonl":  # written at once
                size = path.stat().st_size
                found += read_file(path)[0] if size != begun else []
                places[path.name] = size
                continue
            with path.open("rb") as file:
                file.seek(begun)
                text = file.read()
        except FileNotFoundError:  # compacted since it was listed: it comes with that file
            continue
        whole = text.rfind(b"\n") + 1
        places[path.name] = begun + whole
        found += [one for line in text[:whole].splitlines() if (one := parsed(line)) is not None]
    return found


def runs_with(plan: Plan, found: Mapping[str, Mapping[int, Record]]) -> tuple[Run, ...]:
    """The planned runs with those of their records, by key and step, that are due."""
    runs = []
    for run in planned_runs(plan):
        mine = found.get(run.key, {})
        runs.append(
            replace(run, records=tuple(mine[step] for step in run.record_steps if step in mine))
        )
    return tuple(runs)


def read_runs(plan: Plan, folder: Path) -> tuple[Runs, list[str]]:
    """The planned runs with their records, and notes on what cannot be read.

    Args:
        folder: the folder of the journal.

    Raises:
        ValueError: a compact file is damaged; says what to do.
    """
    from .runs import Runs, runs_in  # which loads polars

    if search(plan.settings.search).waits:  # runs that are not known yet are among them
        found, notes = read_records(folder)
        return Runs.of(runs_with(plan, found)), notes
    try:
        notes = []
        return runs_in(plan, partial(sources_of, journal_files(folder), notes)), notes
    except FileNotFoundError:  # compacted since it was listed
        return read_runs(plan, folder)


def sources_of(files: Sequence[Path], notes: list[str]) -> list[SortedRows]:
    """The records of these files as columns; the first of equal ones counts.

    Args:
        notes: gets a note on each file with lines that cannot be read.

    Raises:
        FileNotFoundError: one is not there any more. ValueError: a compact file is damaged.
    """
    from .columns import FrameRows, frame_of, in_order
    from .packed import opened_file

    found: list[SortedRows] = [opened_file(path) for path in files if in_columns(path)]
    lines = (path for path in files if not in_columns(path))
    frames = [frame_of(part) for path in lines for part in read_parts(path, notes) if part]
    return [*found, FrameRows(in_order(frames))] if frames else found


def read_results(folder: Path | str) -> Results:
    """All that a directory's plan and journal say.

    Raises:
        FileNotFoundError: there is no plan.
        ValueError: a plug-in's algorithm is of another source than the one imported here, or the
            compact file is damaged; says what to do.
    """
    folder = Path(folder)
    plan = read_plan(folder)
    if plan is None:
        raise FileNotFoundError(
            f"{folder} holds no plan.json: it is no results directory. `candidly bench run` "
            "makes one."
        )
    check_sources(folder, plan)
    runs, notes = read_runs(plan, folder / "journal")
    return Results(
        runs=runs,
        settings=plan.settings.model_dump(mode="json"),
        ddof=0 if plan.settings.variant == "plench" else 1,
        notes=(
            *filter(
                None,
                [
                    protocol_note(plan.settings),
                    published_note(plan.settings),
                    told_note(plan.settings),
                    _search_note(plan, runs),
                ],
            ),
            *(_track_note(name, facts.track) for name, facts in plan.facts.items() if facts.track),
            *(_tested_note(name, facts) for name, facts in plan.facts.items() if facts.tested),
            *notes,
            *notes_of(read_failed(folder)),
            *made_otherwise(plan.methods),
            *measured_otherwise(plan),
            *map(_truth_note, sorted(runs.untested)),
        ),
        flip_rates={
            name: FlipRate(facts.flip_rate, facts.flip_rate_error or 0.0, facts.flip_doubt)
            for name, facts in plan.facts.items()
            if facts.flip_rate is not None
        },
        fingerprints={name: facts.fingerprint for name, facts in plan.facts.items()},
    )


def _search_note(plan: Plan, runs: Runs) -> str:
    asked = search(plan.settings.search)
    by = [asked.criterion(method.reads).name for method in plan.methods.values()]
    known = sum(bool(hyper) for group in runs.groups for hyper in group.hyper)
    return search_note(plan.settings.search, by, len(runs), known)


def _track_note(dataset: str, track: str) -> str:
    return f"{dataset}: {track}, a track of its own; compare with such results alone"


def _tested_note(dataset: str, facts: Facts) -> str:
    share = facts.tested / facts.n
    return (
        f"{dataset}: the true label is known of {facts.tested:,} of {facts.n:,} rows; test "
        f"accuracies are those of about {share * facts.n_test:,.0f} of {facts.n_test:,} test rows"
    )


def _truth_note(dataset: str) -> str:
    reading = ", ".join(name for name, criterion in CRITERIA.items() if criterion.reads_truth)
    return (
        f"{dataset} has no true labels: there is no test accuracy, cells show the criterion's own "
        f"value on the validation rows, and {reading} need the truth"
    )
