"""A paper's table, as CSV: one number an algorithm and data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from ...data.ingest import read_frame
from ...ground.files import raw
from .changes import NOT_STATED, Place, ResultSet, SideEntry

NAMES = {  # of columns, and what else they may be called
    "algorithm": ("algorithm", "method"),
    "dataset": ("dataset", "data set"),
    "criterion": ("criterion",),
    "metric": ("metric",),
    "mean": ("mean", "accuracy"),
    "error": ("error", "standard error", "accuracy standard error"),
    "splits": ("splits",),
    "warm_ups": ("in warm-up",),
}
NUMBERS = ("mean", "error", "splits", "warm_ups")
EMPTY = ("", "-", "–", "nan", "none", "null", "na")


def read_paper_table(path: Path | str, criteria: Sequence[str], metric: str = "top1") -> ResultSet:
    """The table as a side to compare.

    Args:
        path: of a table with the columns algorithm, dataset and mean (or accuracy), and, where they
            are known, error (a standard error), splits, criterion, metric, and in how many splits
            the model lies in the warm-up. `bench table --format csv` writes such a file. Means
            above 1 make it a table in percent.
        criteria: those asked for; rows without a criterion stand beside each, and the set says so.
        metric: rows of another are left out.

    Raises:
        ValueError: a column is missing, a cell is no number, or a place comes twice with two
            values; the message names file, column and row.
    """
    path = Path(path)
    frame = read_frame(path).frame
    columns = {}
    for name, known in NAMES.items():
        found = [column for column in frame.columns if column.strip().lower() in known]
        if found:
            columns[name] = [_text(cell) for cell in frame[found[0]].to_list()]
        elif name in ("algorithm", "dataset", "mean"):
            raise ValueError(
                f"{path} has no column {' or '.join(known)}; a table to compare with needs "
                "algorithm, dataset and mean, and may have error, splits, criterion and metric."
            )
    numbers = {
        name: [_number(cell, path, name, row) for row, cell in enumerate(columns[name])]
        for name in NUMBERS
        if name in columns
    }
    unit = 100 if any(value is not None and value > 1 for value in numbers["mean"]) else 1
    entries: dict[Place, SideEntry] = {}
    stated = []
    for row in range(len(frame)):
        if columns.get("metric") and columns["metric"][row].lower() not in (metric, ""):
            continue
        mean, error, splits, warm_ups = (numbers[n][row] if n in numbers else None for n in NUMBERS)
        entry = SideEntry(
            None if mean is None else mean / unit,
            None if error is None else error / unit,
            None if splits is None else int(splits),
            warm_ups=int(warm_ups or 0),
        )
        own = columns["criterion"][row] if "criterion" in columns else ""
        stated.append(bool(own))
        for criterion in criteria:
            if own and own.lower() != criterion.lower():
                continue
            place = (criterion, columns["dataset"][row], columns["algorithm"][row])
            if entries.setdefault(place, entry) != entry:
                raise ValueError(
                    f"{path}: row {row} gives {place[2]} on {place[1]} another value than a row "
                    "before it. Leave one of them. (Rows count from 0, the header left out.)"
                )
    notes = (f"{path.name}: {stated.count(False)} rows do not say what chose their models.",)
    return ResultSet(
        path.name,
        entries,
        notes=notes if any(stated) and not all(stated) else (),
        chosen="" if any(stated) else NOT_STATED,
    )


def criteria_in(path: Path | str) -> tuple[str, ...]:
    """The criteria that a table names, in its order; () where it names none."""
    frame = read_frame(Path(path)).frame
    cells = [
        _text(cell)
        for column in frame.columns
        if column.strip().lower() in NAMES["criterion"]
        for cell in frame[column].to_list()
    ]
    return tuple(dict.fromkeys(cell for cell in cells if cell))


def _text(cell: object) -> str:
    return "" if cell is None else raw(str(cell).strip())


def _number(cell: str, path: Path, column: str, row: int) -> float | None:
    if cell.lower() in EMPTY:
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.inf
    if not math.isfinite(value) or value < 0:
        raise ValueError(
            f"{path}: column {column!r} has {cell!r} at row {row}, which is no number of at least "
            "0. Correct it or leave it empty. (Rows count from 0, the header left out.)"
        )
    return value
