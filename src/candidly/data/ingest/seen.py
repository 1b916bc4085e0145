"""Which rows people have seen: a column of truth values, or one that says where labels are from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ._columns import Named, check_kind, read_columns, rows_of, values_of
from ._roles import CORRECTED_BY, Roles
from .arrays import load_array
from .labels import ARRAYS, LABELS

SEEN = ("confirmed", "corrected", "pruned", "undecided", "decided")  # where a label is from
UNSEEN = ("unflagged", "pending")


def read_mask(
    path: Path | str,
    roles: Roles | None = None,
    of: Named | None = None,
    n: int | None = None,
) -> np.ndarray:
    """A column of truth values, bool (n,): true and false, or 1 and 0.

    Args:
        n: how many there should be, where that is known.
        of: how the labels name their rows; where both do, these come in the labels' order.

    Raises:
        FileNotFoundError, ValueError: no such file, several columns, or another value.
    """
    path = Path(path)
    check_kind(path)
    rows = None
    if path.suffix.lower() == ".npy":
        values = np.asarray(load_array(path))
    else:
        columns = values_of(read_columns(path, roles, n=n), of)
        rows = rows_of(of, columns, str(path))
        cells = columns.frame.to_series(0).cast(str).str.strip_chars().str.to_lowercase()
        words = {"true": 1, "1": 1, "1.0": 1, "false": 0, "0": 0, "0.0": 0}
        values = cells.replace_strict(words, default=-1).fill_null(-1).to_numpy()
        values = values if columns.frame.width == 1 else np.empty((0, 0))
    if values.ndim != 1 or not np.isin(values, (0, 1)).all():
        raise ValueError(f"{path} must hold true and false, or 1 and 0, in one column.")
    return values.astype(bool) if rows is None else values.astype(bool)[rows]


def read_seen(
    path: Path | str, roles: Roles | None = None, of: Named | None = None
) -> np.ndarray | None:
    """Which rows people have seen, bool (n,), from the column that says where each label is from.

    That is ``provenance``, or ``label corrected by`` beside ``label corrected``, as ``candidly
    validate`` writes them.

    Args:
        roles: ``label``, ``id`` and ``separator``.
        of: how the labels name their rows; where both do, these come in the labels' order.

    Returns:
        None where there is no such column, or more than one, or it holds something else.
    """
    path, roles = Path(path), roles or Roles()
    if path.suffix.lower() in ARRAYS:
        return None
    columns = read_columns(path, replace(roles, drop=()), usual=LABELS)
    named = [n for n in columns.frame.columns if n.endswith(CORRECTED_BY) or n == "provenance"]
    if roles.label is not None:
        named = [n for n in named if n in (roles.label + CORRECTED_BY, "provenance")]
    if len(named) != 1:
        return None
    told = columns.frame[named[0]].cast(str).to_list()
    if not set(told) <= {*SEEN, *UNSEEN}:
        return None
    seen = np.array([word in SEEN for word in told])
    rows = rows_of(of, columns, str(path))
    return seen if rows is None else seen[rows]
