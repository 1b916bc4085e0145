"""What ``candidly errors`` reads, prints and writes around the answers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..ground.files import check_output, joined
from ..ground.names import nearest
from ..show.grid import Column, Grid
from ._print import show
from ._words import running

if TYPE_CHECKING:
    import polars as pl

    from ..errors.confident import Evidence, SetEvidence


def check_place(path: Path | None, option: str, endings: Sequence[str] = ()) -> None:
    """Refuse a file that could not be written, before anything is read.

    Args:
        endings: that it may have; where there are none, it becomes the table of ``--into``, or has
            the ending of a file that is not known yet.

    Raises:
        ValueError: its ending is none of ``endings``, it is in no folder, in one that cannot be
            written or that candidly keeps, or another argument of the command names the same file.
    """
    if path is None:
        return
    if endings and path.suffix not in endings:
        close = nearest(path.suffix, endings) if path.suffix else "."
        raise ValueError(f"{option} is {path}; it must end in {' or '.join(endings)}{close}")
    if not path.parent.is_dir():
        raise ValueError(f"{option} is {path}, but there is no folder {path.parent}.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise ValueError(
            f"{option} is {path}, and nothing can be written in {path.parent.absolute()}; say"
            f" another place with {option}."
        )
    check_output(path)
    if other := _names_too(path, option):
        raise ValueError(f"{option} is {path}, and so is {other}; write to another file.")


def _names_too(path: Path, option: str) -> str | None:
    """Another argument or option of the command that runs which names the same file.

    ``--into`` may: ``ingest.write_back`` knows whether somebody asked for that. A word that is no
    file, such as that of ``--as``, is no path and has no name of a value.
    """
    context = running()
    for one in () if context is None else context.command.params:
        called = str(one.opts[0] if one.param_type_name == "option" else one.metavar)
        value = context.params.get(one.name)
        if option in called.split() or called == "--into":
            continue
        for text in value if isinstance(value, list | tuple) else [value]:
            may_be = isinstance(text, Path) or (isinstance(text, str) and one.metavar is not None)
            if may_be and _same(path, Path(text)):
                return called
    return None


def _same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other) if path.exists() else path.resolve() == other.resolve()
    except (OSError, ValueError):  # the other is no file, and perhaps no name of one
        return False


def print_counts(counts: Mapping[str, int], by: str, evidence: Evidence | SetEvidence) -> None:
    from ..errors.confident.issues_document import CALIBRATED, MEANING, OFF_DIAGONAL, OVERLAP

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
        f"{OVERLAP} How many are wrong: candidly errors amount." if "calibrated" in counts else "",
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
    from ..errors.confident.issues_document import classes_grid

    if top:
        show(classes_grid(table, top), _rest(top, len(table), "classes"))


def print_overlaps(table: pl.DataFrame, top: int) -> None:
    from ..errors.confident.issues_document import overlaps_grid

    if top and len(table):
        show(overlaps_grid(table, top), _rest(top, len(table), "pairs"))


def _rest(top: int, there: int, what: str) -> str:
    cut = f"the first {top:,} of {there:,} {what}; --top and --out give more"
    return cut if top < there else ""
