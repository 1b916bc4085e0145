"""Given labels: checked once, at the door."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._source import from_tensor, load_array, load_member

UNLABELLED = -1


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
    labels = _array(given, classes)
    if labels.ndim != 1 or len(labels) != n:
        raise ValueError(f"`given` has shape {labels.shape}; `probs` has {n} rows.")
    if labels.dtype.kind in "OUST":
        labels = _by_name(labels, classes)
    if labels.dtype.kind == "f":
        if len(bad := np.flatnonzero(labels != np.floor(labels))):
            raise ValueError(f"`given` is {labels[bad[0]]} at row {bad[0]}; labels are integers.")
    elif labels.dtype.kind not in "iu":
        raise TypeError(f"`given` holds {labels.dtype}; labels are integers or names of classes.")
    lowest = UNLABELLED if unlabelled else 0
    if len(bad := np.flatnonzero((labels < lowest) | (labels >= m))):
        row, value = int(bad[0]), labels[bad[0]]
        hint = (
            " Pass unlabelled=True (--unlabelled) if -1 means that there is no label."
            if value == UNLABELLED
            else ""
        )
        raise ValueError(
            f"`given` is {value} at row {row}; {m} classes are numbered 0 to {m - 1}.{hint}"
        )
    return labels.astype(np.int16 if m < 2**15 else np.int32)


def label_column(given: Any, classes: Sequence[str] | None = None) -> np.ndarray:
    """Labels (n,) as they are, names as numbers, however many classes there may be.

    Args:
        given, classes: see ``read_given``.

    Raises:
        ValueError: several columns, or a name that is no class.
    """
    labels = _array(given, classes)
    if labels.ndim != 1:
        raise ValueError(f"`given` has shape {labels.shape}; labels are one an example.")
    return _by_name(labels, classes) if labels.dtype.kind in "OUST" else labels


def _array(given: Any, classes: Sequence[str] | None) -> np.ndarray:
    if hasattr(given, "detach"):
        given = from_tensor(given)
    if isinstance(given, str | Path):
        given = read_column(Path(given), classes)
    labels = np.asarray(given)
    if labels.dtype == object and all(isinstance(label, int | np.integer) for label in labels.flat):
        return labels.astype(np.int64)
    if labels.dtype.kind == "S":
        return np.char.decode(labels, "utf-8")
    return labels


def read_column(path: Path, classes: Sequence[str] | None = None) -> np.ndarray:
    """The one column of an ``.npy``, ``.csv`` or ``.parquet`` file; ``given`` of an ``.npz``.

    With the names of the classes, a first line of names that is none of them is left out.

    Raises:
        FileNotFoundError, ValueError: no such file, or none that holds one column.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if path.suffix == ".npy":
        return load_array(path)
    if path.suffix == ".npz":
        return load_member(path, "given")
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path} is no .npy, .npz, .csv or .parquet file.")
    import polars as pl

    try:
        if path.suffix == ".csv":
            table = pl.read_csv(path, has_header=False, infer_schema_length=None)
            first = table.to_series(0)
            if first.dtype == pl.String and _is_header(first, classes):
                table = pl.read_csv(path, infer_schema_length=None)
        else:
            table = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"{path} cannot be read ({error}).") from None
    if table.width != 1:
        raise ValueError(f"{path} has {table.width} columns; one is needed.")
    return table.to_series(0).to_numpy()


def _is_header(column: Any, classes: Sequence[str] | None) -> bool:
    """Whether the first line is no label where all others are."""
    known, others = set(classes or ()), column[1:]
    if len(others) == 0 or column[0] in known:
        return False
    return (
        bool(others.is_in(list(known)).all()) or others.cast(float, strict=False).null_count() == 0
    )


def _by_name(labels: np.ndarray, classes: Sequence[str] | None) -> np.ndarray:
    if classes is None:
        raise ValueError(
            f"`given` holds names ({str(labels[0])!r}); say which column of `probs` is which with "
            "`classes` (--classes)."
        )
    number = {name: i for i, name in enumerate(classes)}
    found = np.array([number.get(str(label), -2) for label in labels], dtype=np.int64)
    if len(bad := np.flatnonzero(found == -2)):
        raise ValueError(
            f"`given` is {str(labels[bad[0]])!r} at row {bad[0]}, which is no class; the classes "
            f"are {', '.join(list(number)[:10])}{', ...' if len(number) > 10 else ''}."
        )
    return found
