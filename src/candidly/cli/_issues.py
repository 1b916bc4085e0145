"""What ``candidly errors`` reads, prints and writes around the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..ground.files import joined
from ..ground.names import nearest
from ..show.grid import Column, Grid
from ._print import show

if TYPE_CHECKING:
    import polars as pl

    from ..errors.confident import Evidence, SetEvidence


def check_place(path: Path | None, option: str, endings: Sequence[str]) -> None:
    """Refuse a file that could not be written, before anything is read.

    Raises:
        ValueError: its ending is none of ``endings``, or it is in no folder.
    """
    if path is None:
        return
    if path.suffix not in endings:
        close = nearest(path.suffix, endings) if path.suffix else "."
        raise ValueError(f"{option} is {path}; it must end in {' or '.join(endings)}{close}")
    if not path.parent.is_dir():
        raise ValueError(f"{option} is {path}, but there is no folder {path.parent}.")


def print_counts(counts: Mapping[str, int], by: str, evidence: Evidence | SetEvidence) -> None:
    from ..errors.confident.issues_page import CALIBRATED, MEANING, OFF_DIAGONAL

    meaning = {"off-diagonal": OFF_DIAGONAL, "calibrated": CALIBRATED, "flagged": MEANING[by]}
    labelled = int(evidence.labelled.sum())
    without = evidence.n - labelled
    told = f", {without:,} without a label" if without else ""
    divided = ", rows divided by their sums" if evidence.normalised else ""
    rows = [
        (f"flagged by {by}" if name == "flagged" else name, number, meaning[name])
        for name, number in counts.items()
    ]
    columns = (Column("", "word"), Column("", form=","), Column("", "text"))
    show(
        f"{evidence.n:,} examples{told}, {evidence.m:,} classes{divided}",
        Grid("", columns, rows),
    )


def print_issues(table: pl.DataFrame, flagged: int) -> None:
    columns = (
        Column("index"),
        # what a reader knows the row by, where there is more than its number
        *(Column(name, "name") for name in ("id", "part", "row") if name in table.columns),
        *(Column(name, "name") for name in ("given", "proposed", "predicted")),
        *(Column(name, form=".4f") for name in ("margin", "self-confidence")),
    )
    shown = joined(table.select([column.name for column in columns]))
    rows = [[v if isinstance(v, float) else str(v) for v in row] for row in shown.iter_rows()]
    show(Grid("", columns, rows), _rest(len(table), flagged, "examples") if rows else "")


def print_classes(table: pl.DataFrame, top: int) -> None:
    from ..errors.confident.issues_page import classes_grid

    if top:
        show(classes_grid(table, top), _rest(top, len(table), "classes"))


def print_overlaps(table: pl.DataFrame, top: int) -> None:
    from ..errors.confident.issues_page import overlaps_grid

    if top and len(table):
        show(overlaps_grid(table, top), _rest(top, len(table), "pairs"))


def _rest(top: int, there: int, what: str) -> str:
    cut = f"the first {top:,} of {there:,} {what}; --top and --out give more"
    return cut if top < there else ""
