"""Rows that were drawn for a count, in a table; what verdicts on them come to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...data.ingest import Roles, read_frame
from ...data.ingest.table_checks import about, check_columns, typed, whole_column
from ...ground.arrays import door
from ...stats.checked import COLUMNS, WRONG, CheckedRows, RowsToCheck, rows_of_columns

if TYPE_CHECKING:
    import polars as pl

WORDS = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}


def says_how(columns: Sequence[str]) -> bool:
    """Whether a table says how its rows were drawn; one with a ``stratum`` of its own does not."""
    return not {*columns}.isdisjoint(COLUMNS[1:])


@door
def drawn_in(frame: pl.DataFrame, rows: np.ndarray) -> RowsToCheck | None:
    """The rows that a table is about, if it says how they were drawn, in ascending order.

    Args:
        frame: with the columns of ``RowsToCheck.columns``; without these, None.
        rows: int (n,), the row that each row of the table is about; the same perhaps several times.

    Raises:
        ValueError: some of the columns alone, cells that are no numbers, rows that disagree.
    """
    if not says_how(frame.columns):
        return None
    check_columns(frame.columns, COLUMNS)
    which, first = np.unique(rows, return_index=True)
    stratum, size = (whole_column(frame[name])[first] for name in COLUMNS[:2])
    chance = typed(frame[COLUMNS[2]]).cast(float, strict=False).to_numpy()[first]
    return rows_of_columns(which, dict(zip(COLUMNS, (stratum, size, chance))))


def read_drawn(path: Path | str) -> RowsToCheck | None:
    """How the rows of an issues file were drawn, in the order of the file; None if they were not.

    Raises:
        FileNotFoundError, ValueError: see ``drawn_in``; a row twice.
    """
    frame = read_frame(Path(path)).frame
    with about(path):
        if not says_how(frame.columns):
            return None
        check_columns(frame.columns, ("index", *COLUMNS))
        rows = whole_column(frame["index"])
        drawn = drawn_in(frame, rows)
        assert drawn is not None
        if len(drawn.rows) < len(rows):
            raise ValueError("a row stands twice.")
        place = np.searchsorted(drawn.rows, rows)
        return RowsToCheck(rows, drawn.stratum[place], drawn.sizes, drawn.chance)


def read_marked(path: Path | str, roles: Roles | None = None) -> CheckedRows | None:
    """Rows that somebody marked, without any project: a table of drawn rows and a column ``wrong``.

    A row whose cell is empty was not checked. None where the table has no such column.

    Raises:
        FileNotFoundError, ValueError: no such file; other cells than yes and no; rows that nothing
            says how they were drawn.
    """
    frame = read_frame(Path(path), (roles or Roles()).separator).frame
    if WRONG not in frame.columns:
        return None
    with about(path):
        check_columns(frame.columns, ("index", *COLUMNS))
        drawn = read_drawn(path)
        assert drawn is not None
        cells = [str(cell or "").strip().lower() for cell in _texts(frame[WRONG])]
        for row, cell in enumerate(cells):
            if cell and cell not in WORDS:
                raise ValueError(
                    f"column {WRONG!r} has {frame[WRONG][row]!r} at row {row}; it says yes or no, "
                    "and nothing where nobody looked."
                )
        said = np.array([bool(cell) for cell in cells])
        wrong = np.array([WORDS.get(cell, False) for cell in cells])[said]
        given = _texts(frame["given"]) if "given" in frame.columns else None
        labels = None if given is None else [g for g, there in zip(given, said) if there]
        return CheckedRows(drawn.some(said), wrong, labels, len(said), str(path))


def _texts(column: pl.Series) -> list[str | None]:
    import polars as pl

    return column.cast(pl.String).to_list()
