"""The journal: append-only lines of JSON, one file per process, flushed per checkpoint.

``compact`` makes one compressed file of them.
"""

from __future__ import annotations

import json
import lzma
import os
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..criteria import FlipRate
from .plan import planned_runs, read_plan
from .records import SCHEMA, Record, Results


class Journal:
    """A process's own file of a journal. Every ``write`` is one append of whole lines."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        # a new file per process: nothing is ever appended behind a torn line
        self.path = folder / f"{time.time_ns():x}-{os.getpid()}.jsonl"
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)

    def write(self, records: Iterable[Record]) -> None:
        """Append records.

        Raises:
            OSError: the disk is full; a torn line is left, which readers skip.
        """
        lines = lines_of(records)
        written = 0
        while written < len(lines):
            try:
                written += os.write(self._file, lines[written:])
            except OSError as error:
                message = f"could not write {self.path}: {error.strerror}"
                raise OSError(error.errno, message) from error

    def close(self) -> None:
        os.close(self._file)


def lines_of(records: Iterable[Record]) -> bytes:
    """Records as lines of a journal.

    Raises:
        ValueError: a value is NaN or infinite.
    """
    return "".join(
        json.dumps({"schema": SCHEMA, **_written(record)}, allow_nan=False) + "\n"
        for record in records
    ).encode()


def _written(record: Record) -> dict[str, Any]:
    """The fields of a line; data without given labels is written as it always was."""
    values = asdict(record)
    if record.confusion is None:
        del values["confusion"]
    return values


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


def journal_files(folder: Path) -> list[Path]:
    """The files of a journal in order of age: compressed ones hold what there was before."""
    there = [*sorted(folder.glob("*.jsonl.xz")), *sorted(folder.glob("*.jsonl"))]
    return [path for path in there if path.is_file()]


def read_file(path: Path) -> tuple[list[Record], str]:
    """The readable records of one file in order, and a note on the rest; '' without any.

    Raises:
        FileNotFoundError: it is not there any more.
    """
    lines, damage = _lines(path)
    parsed = [_parse(line) for line in lines]
    bad = [number for number, record in enumerate(parsed, 1) if record is None]
    records = [record for record in parsed if record is not None]
    if damage:
        return records, f"{path.name}: damaged behind line {len(lines)}; the rest is skipped"
    if bad:
        return records, (
            f"{path.name}: skipped {'line' if len(bad) == 1 else 'lines'} "
            f"{', '.join(map(str, bad))}, half-written or unreadable"
        )
    return records, ""


def _lines(path: Path) -> tuple[list[bytes], bool]:
    """Lines, and whether the file is damaged behind them."""
    if ".xz" not in path.suffixes:
        return path.read_bytes().splitlines(), False
    lines = []
    with lzma.open(path) as file:
        try:
            for line in file:
                lines.append(line)
        except (lzma.LZMAError, EOFError):
            return lines, True
    return lines, False


def _parse(line: bytes) -> Record | None:
    try:
        values = json.loads(line)
        if values.pop("schema") != SCHEMA:
            return None
        return Record(**values)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def read_results(folder: Path | str) -> Results:
    """All that a directory's plan and journal say.

    Raises:
        FileNotFoundError: there is no plan.
    """
    folder = Path(folder)
    plan = read_plan(folder)
    if plan is None:
        raise FileNotFoundError(
            f"{folder} holds no plan.json: it is no results directory. `candidly bench run --out "
            f"{folder} ...` makes one."
        )
    found, notes = read_records(folder / "journal")
    runs = []
    for run in planned_runs(plan):
        mine = found.get(run.key, {})
        runs.append(
            replace(run, records=tuple(mine[step] for step in run.record_steps if step in mine))
        )
    return Results(
        runs=tuple(runs),
        settings=plan.settings.model_dump(mode="json"),
        ddof=0 if plan.settings.variant == "plench" else 1,
        notes=tuple(notes),
        flip_rates={
            name: FlipRate(facts.flip_rate, facts.flip_rate_error or 0.0, facts.flip_doubt)
            for name, facts in plan.facts.items()
            if facts.flip_rate is not None
        },
    )
