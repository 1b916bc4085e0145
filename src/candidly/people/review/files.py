"""What people said, as files that others read: a function per kind, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...ground.files import replacing, write_json, write_table
from .deeds import events
from .export import argilla, crowd, label_studio, log, pay_list, released, votes
from .project import Project


def _votes(project: Project, path: Path) -> int:
    table = votes(project)
    write_table(table, path)
    return len(table)


def _everything(project: Project, path: Path) -> int:
    table = votes(project, everything=True)
    write_table(table, path)
    return len(table)


def _crowd(project: Project, path: Path) -> int:
    table = crowd(project)
    write_table(table, path)
    return len(table)


def _totals(project: Project, path: Path) -> int:
    rows = released(project)
    write_json(rows, path)
    return len(rows)


def _label_studio(project: Project, path: Path) -> int:
    tasks, setup = label_studio(project)
    write_json(tasks, path)
    with replacing(path.with_suffix(".xml")) as file:
        file.write(setup.encode())
    return len(tasks)


def _argilla(project: Project, path: Path) -> int:
    records = argilla(project)
    write_json(records, path)
    return len(records)


def _events(project: Project, path: Path) -> int:
    table = events(project)
    write_table(table, path)
    return len(table)


def _pay(project: Project, path: Path) -> int:
    table = pay_list(project)
    write_table(table, path)
    return len(table)


def _log(project: Project, path: Path) -> int:
    number = -1
    with replacing(path) as file:
        for line in log(project):
            file.write(line.encode() + b"\n")
            number += 1
    return number


FILES: dict[str, Callable[[Project, Path], int]] = {  # each returns the number of rows
    "votes": _votes,
    "all": _everything,
    "crowd": _crowd,
    "pay": _pay,
    "totals": _totals,
    "label-studio": _label_studio,
    "argilla": _argilla,
    "log": _log,
    "events": _events,
}
