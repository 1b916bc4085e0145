"""What ``candidly errors`` reads, prints and writes around the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

from .._files import joined, lines_of
from .._names import nearest

if TYPE_CHECKING:
    import polars as pl

    from ..errors import Evidence, SetEvidence


def read_classes(text: str | None) -> list[str] | None:
    """Names from a list with commas, or from a text file with a name a line.

    Raises:
        ValueError: no such file, a name twice, or none.
    """
    if text is None:
        return None
    path = Path(text)
    if path.is_file():
        names = lines_of(path)
    elif "," in text:
        names = text.split(",")
    else:
        raise ValueError(
            f"--classes is {text!r}, which is no file; a list of names has commas, such as cat,dog."
        )
    names = [name.strip() for name in names]
    names = [name for name in names if name]
    if not names:
        raise ValueError(f"--classes is {text!r}, in which there is no name.")
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise ValueError(f"--classes has {twice[0]!r} twice.")
    return names


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
    from ..report.issues import CALIBRATED, MEANING, OFF_DIAGONAL

    meaning = {"off-diagonal": OFF_DIAGONAL, "calibrated": CALIBRATED, "flagged": MEANING[by]}
    labelled = int(evidence.labelled.sum())
    without = evidence.n - labelled
    told = f", {without:,} without a label" if without else ""
    divided = ", rows divided by their sums" if evidence.normalised else ""
    print(f"{evidence.n:,} examples{told}, {evidence.m:,} classes{divided}")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column()
    for name, number in counts.items():
        grid.add_row(
            f"flagged by {by}" if name == "flagged" else name, f"{number:,}", meaning[name]
        )
    _out(grid)


def print_issues(table: pl.DataFrame, flagged: int) -> None:
    if not len(table):
        return
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    names = ("index", "given", "proposed", "predicted", "margin", "self-confidence")
    for name in names:
        words = name in names[1:4]
        shown.add_column(
            name,
            justify="left" if words else "right",
            no_wrap=not words,
            overflow="fold",
            min_width=len(name),
        )
    for row in joined(table.select(names)).iter_rows():
        shown.add_row(*(f"{v:.4f}" if isinstance(v, float) else str(v) for v in row))
    _out(shown)
    _say_of_the_rest(len(table), flagged, "examples")


def print_classes(table: pl.DataFrame, top: int) -> None:
    if not top:
        return
    from ..errors import FEW

    shown = Table(title="classes, worst first", box=box.SIMPLE_HEAD, padding=(0, 1))
    shown.add_column("class", overflow="fold")
    for name in ("given", "label issues", "inverse issues", "quality %", "95 % interval"):
        shown.add_column(name, justify="right", no_wrap=name[0].isdigit())
    rows = table.head(top).rows(named=True)
    for row in rows:
        few = "*" if row["given"] < FEW else ""
        numbers = (f"{row[name]:,}" for name in ("label issues", "inverse issues"))
        shown.add_row(str(row["class"]), f"{row['given']:,}{few}", *numbers, *_qualities(row))
    _out(shown)
    if any(row["given"] < FEW for row in rows):
        print(f"*: fewer than {FEW} examples; the rates say little")
    _say_of_the_rest(top, len(table), "classes")


def _qualities(row: dict[str, Any]) -> tuple[str, str]:
    if row["quality"] is None:
        return "-", "-"
    low, high = row["quality from"], row["quality to"]
    return f"{100 * row['quality']:.1f}", f"{100 * low:.1f} to {100 * high:.1f}"


def print_overlaps(table: pl.DataFrame, top: int) -> None:
    if not len(table) or not top:
        return
    shown = Table(title="overlapping classes", box=box.SIMPLE_HEAD, padding=(0, 1))
    for name in ("given", "likely"):
        shown.add_column(name, overflow="fold")
    shown.add_column("examples", justify="right")
    shown.add_column("the other way", justify="right")
    for row in table.head(top).rows(named=True):
        a, b, away, back = str(row["a"]), str(row["b"]), row["a to b"], row["b to a"]
        if back > away:
            a, b, away, back = b, a, back, away
        shown.add_row(a, b, f"{away:,}", f"{back:,}")
    _out(shown)
    _say_of_the_rest(top, len(table), "pairs")


def _say_of_the_rest(top: int, there: int, what: str) -> None:
    if top < there:
        print(f"the first {top:,} of {there:,} {what}; --top and --out give more")


def _out(table: Table) -> None:
    Console(markup=False, emoji=False, highlight=False).print(table)  # names may hold [...]
