"""Given labels: checked once, at the door."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import as_array
from .._tables import column_of, is_number, odd_cell, read_cells, read_parquet
from ..ingest.probabilities import load_array, load_member

UNLABELLED = -1
EMPTY = (
    "If the cell is empty as there is no label, write -1 and pass unlabelled=True (--unlabelled)."
)


def read_given(
    given: Any, n: int, m: int, classes: Sequence[str] | None = None, unlabelled: bool = False
) -> np.ndarray:
    """Labels as the smallest signed integers that hold them, (n,).

    Args:
        given: integers in 0..m-1, or names of ``classes``; an array, tensor, list, or the path of
            an ``.npy``, ``.csv`` or ``.parquet`` file with one column, or of an ``.npz`` with an
            array ``given``. A first line of a ``.csv`` file that is no label is the column's name.
        unlabelled: whether -1 is allowed.

    Raises:
        ValueError: names the first wrong label, its place, and what would do.
    """
    labels, what = _array(given, classes, n)
    if labels.ndim != 1 or len(labels) != n:
        raise ValueError(f"{what} has shape {labels.shape}; `probs` has {n} rows.")
    if labels.dtype.kind in "OUST":
        labels = _by_name(labels, what, classes)
    if labels.dtype.kind == "f":
        if len(bad := np.flatnonzero(labels != np.floor(labels))):
            value = labels[bad[0]]
            raise ValueError(
                f"{what} is {value} at row {bad[0]}; labels are integers."
                + (f" {EMPTY}" if np.isnan(value) else "")
            )
    elif labels.dtype.kind not in "iu":
        raise TypeError(f"{what} holds {labels.dtype}; labels are integers or names of classes.")
    lowest = UNLABELLED if unlabelled else 0
    if len(bad := np.flatnonzero((labels < lowest) | (labels >= m))):
        row, value = int(bad[0]), labels[bad[0]]
        hint = (
            " Pass unlabelled=True (--unlabelled) if -1 means that there is no label."
            if value == UNLABELLED
            else ""
        )
        raise ValueError(
            f"{what} is {value} at row {row}; {m} classes are numbered 0 to {m - 1}.{hint}"
        )
    return labels.astype(class_dtype(m))


def class_dtype(m: int) -> np.dtype:
    """The smallest integers that hold 0..m-1, and what is below 0 for none."""
    return np.result_type(np.min_scalar_type(-2), np.min_scalar_type(-m))


def label_column(given: Any, classes: Sequence[str] | None = None) -> np.ndarray:
    """Labels (n,) as they are, names as numbers, however many classes there may be.

    Args:
        given, classes: see ``read_given``.

    Raises:
        ValueError: several columns, or a name that is no class.
    """
    labels, what = _array(given, classes)
    if labels.ndim != 1:
        raise ValueError(f"{what} has shape {labels.shape}; labels are one an example.")
    return _by_name(labels, what, classes) if labels.dtype.kind in "OUST" else labels


def _array(
    given: Any, classes: Sequence[str] | None, n: int | None = None
) -> tuple[np.ndarray, str]:
    """Labels as they are, and what a message calls them; n should be there, where that is known."""
    what = "`given`"
    if isinstance(given, str | Path):
        given, what = _column(Path(given), classes, n)
    labels = as_array(given, "given")
    if labels.dtype == object and all(isinstance(label, int | np.integer) for label in labels.flat):
        return labels.astype(np.int64), what
    if labels.dtype.kind == "S":
        return np.char.decode(labels, "utf-8"), what
    return labels, what


def read_column(path: Path, classes: Sequence[str] | None = None) -> np.ndarray:
    """The one column of an ``.npy``, ``.csv`` or ``.parquet`` file; ``given`` of an ``.npz``.

    With the names of the classes, a first line of names that is none of them is left out.

    Raises:
        FileNotFoundError, ValueError: no such file, or none that holds one column.
    """
    return _column(path, classes)[0]


def _column(
    path: Path, classes: Sequence[str] | None, n: int | None = None
) -> tuple[np.ndarray, str]:
    """The column, and what a message calls it."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if path.suffix == ".npy":
        return load_array(path), f"`given` ({path})"
    if path.suffix == ".npz":
        return load_member(path, "given"), f"`given` ({path})"
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path} is no .npy, .npz, .csv or .parquet file.")
    import polars as pl

    named = path.suffix == ".parquet"
    if named:
        table = read_parquet(path)
    else:
        table = read_cells(path, has_header=False, infer_schema_length=None)
        first = table.to_series(0)
        if first.dtype == pl.String and _is_header(first, classes, n):
            table, named = read_cells(path, infer_schema_length=None), True
    if table.width != 1:
        raise ValueError(f"{path} has {table.width} columns; one is needed.")
    column = table.to_series(0)
    return column.to_numpy(), f"`given` ({path}, {column_of(column.name, 0, named)})"


def _is_header(column: Any, classes: Sequence[str] | None, n: int | None) -> bool:
    """Whether the first line is no label where all others are, or where n others follow."""
    known, others = set(classes or ()), column[1:].drop_nulls()
    if len(others) == 0 or column[0] in known:
        return False
    if len(column) - 1 == n and not is_number(column[0]):
        return True
    return (
        bool(others.is_in(list(known)).all()) or others.cast(float, strict=False).null_count() == 0
    )


def _by_name(labels: np.ndarray, what: str, classes: Sequence[str] | None) -> np.ndarray:
    if classes is None:
        row = odd_cell(labels)
        if row:
            raise ValueError(
                f"{what} {_cell(labels, row)}, among numbers. Correct it; if labels are names, say "
                "which classes there are, in order, with `classes` (--classes)."
            )
        raise ValueError(
            f"{what} holds names ({str(labels[0])!r}); say which classes there are, in "
            "order, with `classes` (--classes)."
        )
    number = {name: i for i, name in enumerate(classes)}
    found = np.array([number.get(str(label), -2) for label in labels], dtype=np.int64)
    if len(bad := np.flatnonzero(found == -2)):
        row = int(bad[odd_cell(labels[bad])])
        raise ValueError(
            f"{what} {_cell(labels, row)}, which is no class; the classes "
            f"are {', '.join(list(number)[:10])}{', ...' if len(number) > 10 else ''}."
        )
    return found


def _cell(labels: np.ndarray, row: int) -> str:
    label = labels[row]
    return f"is empty at row {row}" if label is None else f"is {str(label)!r} at row {row}"
