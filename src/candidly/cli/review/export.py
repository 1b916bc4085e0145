"""What ``candidly review export`` writes: a function per kind of file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _progress

if TYPE_CHECKING:
    from ...data.ingest import Roles
    from ...people.review import Project


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for; of corrected labels alone all but ``out`` and ``codes``."""

    out: Path
    labels: Path | None
    reading: str
    undecided: str
    codes: bool
    into: Path | None
    roles: Roles
    overwrite: bool


def _file(kind: str) -> Callable[[Project, Wanted], int]:
    def write(project: Project, wanted: Wanted) -> int:
        from ...people.review.files import FILES

        return FILES[kind](project, wanted.out)

    return write


def _corrected(project: Project, wanted: Wanted) -> int:
    from ...data import ingest
    from ...data.ingest.unused import LABELS, OF_CELLS, as_read, refuse_unused
    from ...data.sources import load
    from ...people.review import corrected_file, corrected_folder, corrected_labels
    from ...people.validation.files import (
        checked_reading,
        checked_undecided,
        read_label_file,
        write_corrected,
    )

    reading, undecided = checked_reading(wanted.reading), checked_undecided(wanted.undecided)
    if wanted.into is not None and wanted.into.is_dir():
        if wanted.overwrite:
            raise ValueError("--overwrite is for a table; of a folder, --out is a new one.")
        roles = replace(wanted.roles, classes=project.rules.classes)
        with _progress.reading() as watch:
            data = load(wanted.into, None, watch=watch, roles=roles)
        with _progress.reading("copying", "copied") as watch:
            done = corrected_folder(project, data, wanted.out, reading, undecided, watch)
        return len(done)
    # a project of a table knows which of its columns is the labels'
    looked_at = OF_CELLS if wanted.into and project.origin else LABELS
    refuse_unused(wanted.roles, as_read(wanted.into or wanted.labels, looked_at))
    if wanted.into is not None:
        sheet = ingest.read_frame(
            wanted.into, wanted.roles.separator, wanted.roles.table(), sheet=wanted.roles.sheet
        )
        label = None if project.origin else ingest.label_column(sheet, wanted.roles)
        made = corrected_file(
            project, sheet, wanted.out, label, reading, wanted.overwrite, undecided
        )
        return len(made)
    assert wanted.labels is not None
    classes = list(project.rules.classes)
    read = read_label_file(wanted.labels, wanted.roles, classes)
    labels = corrected_labels(project, read.labels, reading, undecided)
    write_corrected(labels, read, wanted.out)
    return len(labels)


def _gallery(project: Project, wanted: Wanted) -> int:
    from ...people.web import write_gallery

    with _progress.reading("writing pages", "written") as watch:
        return write_gallery(project, wanted.out, codes=wanted.codes, watch=watch)


TABLES = (".csv", ".parquet", ".json")
Export = tuple[tuple[str, ...], Callable[["Project", Wanted], int]]
EXPORTS: dict[str, Export] = {  # endings of the file, none for a folder
    "votes": (TABLES, _file("votes")),
    "all": (TABLES, _file("all")),
    "crowd": ((".csv", ".parquet"), _file("crowd")),
    "pay": (TABLES, _file("pay")),
    "totals": ((".json",), _file("totals")),
    "corrected": ((".npz", ".npy", ".csv", ".parquet"), _corrected),
    "label-studio": ((".json",), _file("label-studio")),
    "argilla": ((".json",), _file("argilla")),
    "log": ((".jsonl",), _file("log")),
    "events": (TABLES, _file("events")),
    "gallery": ((), _gallery),
}
