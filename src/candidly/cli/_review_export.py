"""What ``candidly review export`` writes: a function per kind of file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .._files import replacing
from ._issues import write_json, write_table

if TYPE_CHECKING:
    from ..review import Project

TABLES = (".csv", ".parquet", ".json")


def _votes(project: Project, out: Path, labels: Path | None, reading: str) -> int:
    from ..review import votes

    table = votes(project)
    write_table(table, out)
    return len(table)


def _everything(project: Project, out: Path, labels: Path | None, reading: str) -> int:
    from ..review import votes

    table = votes(project, everything=True)
    write_table(table, out)
    return len(table)


def _totals(project: Project, out: Path, labels: Path | None, reading: str) -> int:
    from ..review import released

    rows = released(project)
    write_json(rows, out)
    return len(rows)


def _corrected(project: Project, out: Path, labels: Path | None, reading: str) -> int:
    from ..review import corrected_labels
    from .validate import _labels, _write

    assert labels is not None
    if reading not in ("exact", "seen"):
        raise ValueError(f"--reading is {reading!r}; choose exact or seen.")
    made = corrected_labels(project, _labels(labels, list(project.rules.classes)), reading)
    _write(made, out)
    return len(made)


def _label_studio(project: Project, out: Path, labels: Path | None, reading: str) -> int:
    from ..review import label_studio

    tasks, setup = label_studio(project)
    write_json(tasks, out)
    with replacing(out.with_suffix(".xml")) as file:
        file.write(setup.encode())
    return len(tasks)


def _argilla(project: Project, out: Path, labels: Path | None, reading: str) -> int:
    from ..review import argilla

    records = argilla(project)
    write_json(records, out)
    return len(records)


def _log(project: Project, out: Path, labels: Path | None, reading: str) -> int:
    from ..review import log

    number = -1
    with replacing(out) as file:
        for line in log(project):
            file.write(line.encode() + b"\n")
            number += 1
    return number


Export = tuple[tuple[str, ...], Callable[["Project", Path, "Path | None", str], int]]
EXPORTS: dict[str, Export] = {
    "votes": (TABLES, _votes),
    "all": (TABLES, _everything),
    "totals": ((".json",), _totals),
    "corrected": ((".npz", ".npy", ".csv", ".parquet"), _corrected),
    "label-studio": ((".json",), _label_studio),
    "argilla": ((".json",), _argilla),
    "log": ((".jsonl",), _log),
}
