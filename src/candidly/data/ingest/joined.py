"""Features from a file, joined to labels by ids: what another network made of the examples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.files import replacing
from ...ground.numbers import LARGEST, beyond
from ...ground.problem import Refusal
from ..labels.describe import with_given_features
from ..labels.labelled import Labelled
from ..labels.storage import read_arrays
from ._columns import number_columns, read_columns
from .arrays import check_kind, load_array
from .table_checks import about


def with_features(data: Labelled, path: Path, ids: Path | None = None) -> Labelled:
    """``data`` with features from a file in place of its inputs.

    Args:
        path: ``.npy`` with numbers (n, d); or ``.npz`` with these as ``features``, and if you like
            ``ids``, of their rows; or a table with a column of numbers each, and perhaps ``id``.
        ids: ``.npy`` with the ids of the rows. Without any, row i belongs to id i.

    Returns:
        The same examples and labels; of the file, rows about others are left out. ``source`` says
        that features were given.

    Raises:
        FileNotFoundError: no such file.
        ValueError: no table of finite numbers, ids that are not those of the rows, or an example
            without features.
    """
    with about(path):
        table, own = read_features(path)
        if own is not None and ids is not None:
            raise ValueError("it has ids of its own; give no other file of them.")
        rows = _rows(data.ids, len(table), own if ids is None else np.asarray(load_array(ids)))
        features = np.asarray(table)[rows].astype(np.float64)
        wrong = ~(np.abs(features) <= LARGEST)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ValueError(
                f"it has {beyond(features[row, column])} at row {rows[row]}, column {column};"
                " features are finite numbers."
            )
    source = with_given_features(data.source, path.name)
    return replace(data, inputs=features, features=None, source=source)


def features_of(data: Labelled, path: Path) -> np.ndarray:
    """Features from a file as the rows of the data, (n, d).

    They go by the file's ids; without any they stay as they are.

    Args:
        path: as for ``with_features``.

    Raises:
        FileNotFoundError, ValueError: see ``with_features``.
    """
    with about(path):
        table, own = read_features(path)
        return np.asarray(table if own is None else table[_rows(data.ids, len(table), own)])


def write_features(path: Path, features: np.ndarray, ids: np.ndarray, made_by: str) -> None:
    """Features as ``with_features`` reads them: the arrays ``features``, ``ids`` and ``made_by``.

    Args:
        features: numbers (n, d).
        ids: (n,), of the examples.
        made_by: what made them, for whoever opens the file.

    Raises:
        OSError: it cannot be written; the message names ``path``.
    """
    named = ids if ids.dtype.kind in "iu" else np.array([str(one) for one in ids.tolist()])
    with replacing(path) as file:
        np.savez(file, allow_pickle=False, features=features, ids=named, made_by=made_by)


def read_features(path: Path) -> tuple[np.ndarray, np.ndarray | None]:
    """Features from a file as it has them, (n, d), and the ids of their rows (n,) or None.

    Args, Raises: see ``with_features``.
    """
    check_kind(path, (".npy", ".npz"))
    if path.suffix.lower() == ".npz":
        arrays = read_arrays(path)[0]
        if "features" not in arrays:
            raise ValueError(f"it has the arrays {', '.join(arrays)}, and no 'features'.")
        table, ids = arrays["features"], arrays.get("ids")
    elif path.suffix.lower() == ".npy":
        table, ids = load_array(path), None
    else:
        columns = read_columns(path)
        table, ids = number_columns(columns), columns.ids
    if table.ndim != 2 or table.dtype.kind not in "iuf" or not table.shape[1]:
        raise ValueError(f"it holds {table.dtype} {table.shape}; features are numbers (n, d).")
    return table, ids


def _rows(wanted: np.ndarray, n: int, ids: np.ndarray | None) -> np.ndarray:
    """int64, the row of each wanted id."""
    if ids is None:
        if wanted.dtype.kind not in "iu":
            raise Refusal(
                f"the data's ids are names such as {wanted[0]!r}, and nothing says which row is "
                "whose.",
                "add an array 'ids' to an .npz file",
                "give the ids of the rows with `ids`",
            )
        ids = np.arange(n)
    if ids.shape != (n,):
        raise ValueError(f"it has {n} rows, and there are ids {ids.shape}.")
    named = wanted.dtype.kind not in "iu" or ids.dtype.kind not in "iu"
    at: dict[Any, int] = {}
    for row, one in enumerate(ids.tolist()):
        key = str(one) if named else one
        if key in at:
            raise ValueError(f"rows {at[key]} and {row} have the same id, {one!r}.")
        at[key] = row
    keys = [str(one) if named else one for one in wanted.tolist()]
    lacking = [one for one in keys if one not in at]
    if lacking:
        raise ValueError(
            f"it has no features of {len(lacking)} examples, such as the one with the id"
            f" {lacking[0]!r}."
        )
    return np.array([at[one] for one in keys], np.int64)
