"""Tables of classes to make one: an old name and the new one in each row."""

from __future__ import annotations

from pathlib import Path

from ._sheet import read_frame
from .table_checks import about, check_columns


def read_merges(path: Path | str) -> dict[str, str]:
    """Old name -> new name, of a table with the columns ``old`` and ``new``.

    Raises:
        FileNotFoundError, ValueError: no such table, a column or a name that is missing, or an old
            name twice.
    """
    frame = read_frame(Path(path)).frame
    with about(path):
        check_columns(frame.columns, ("old", "new"))
        found: dict[str, str] = {}
        for row, (old, new) in enumerate(frame.select("old", "new").iter_rows()):
            if not str(old or "").strip() or not str(new or "").strip():
                raise ValueError(f"row {row} lacks a name; give an old and a new one.")
            if old in found:
                raise ValueError(f"{old!r} is replaced twice, at row {row} again.")
            found[str(old).strip()] = str(new).strip()
    return found
