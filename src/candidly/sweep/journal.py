"""The journal: append-only lines of JSON, one file per process, flushed per checkpoint."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

from ._flip import FlipRate
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
        lines = "".join(
            json.dumps({"schema": SCHEMA, **asdict(record)}, allow_nan=False) + "\n"
            for record in records
        ).encode()
        written = 0
        while written < len(lines):
            try:
                written += os.write(self._file, lines[written:])
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
    for path in sorted(folder.glob("*.jsonl")):
        bad = []
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            record = _parse(line)
            if record is None:
                bad.append(number)
            else:
                found[record.key].setdefault(record.step, record)
        if bad:
            notes.append(
                f"{path.name}: skipped {'line' if len(bad) == 1 else 'lines'} "
                f"{', '.join(map(str, bad))}, half-written or unreadable"
            )
    return found, notes


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
