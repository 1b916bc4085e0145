"""Turning what people have (tables, lists, names) into the plain arrays of ``Labelled``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ._checks import check_range
from ._names import nearest


@dataclass(frozen=True)
class Named:
    """Labels as they were given, before classes are known: ``lengths[i]`` of them for row i.

    ``values`` is int64, or object of ``str``; a row with a missing label has length 0.
    """

    values: np.ndarray
    lengths: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


@dataclass(frozen=True)
class Matrix:
    """A bool (n, q) matrix, and its columns' names when it was a data frame."""

    values: np.ndarray
    columns: tuple[str, ...] | None


def as_inputs(X: Any) -> np.ndarray:
    """Inputs as ``Labelled`` stores them.

    Float tables keep float32 or float64. Bool and integer tables become the smallest of the two
    that holds them exactly (numpy's rule: 8 and 16 bits float32, wider float64). uint8 with 3 or
    4 dimensions is images. Strings are texts, ``pathlib.Path`` are media files.

    Raises:
        ValueError: nothing of the sort; the message names the column or shape.
    """
    if _is_frame(X):
        return _number_columns(X)
    if hasattr(X, "toarray"):
        X = X.toarray()
    if isinstance(X, np.ma.MaskedArray):
        raise ValueError("`inputs` is a masked array. Fill it in first: X.filled(value).")
    if not isinstance(X, np.ndarray) or X.dtype.kind in "OUT":
        listed = list(X)
        if not listed:
            raise ValueError("`inputs` has no rows.")
        if all(isinstance(value, (str, Path)) for value in listed):
            return objects([str(v) if isinstance(v, str) else v for v in listed])
        try:
            X = np.asarray(listed if not isinstance(X, np.ndarray) else X.astype(np.float64))
        except (TypeError, ValueError) as error:
            raise ValueError(
                "`inputs` is neither a table of numbers, images, strings nor paths"
                f" ({error}). Pass a number array (n, d), or one string or Path an example."
            ) from None
    if X.ndim == 1:
        raise ValueError(
            f"`inputs` has shape {X.shape}: one number an example. Use X.reshape(-1, 1)."
        )
    if X.ndim == 2:
        return _float_table(X)
    return X


def as_labels(name: str, y: Any) -> Named:
    """One label or none for each row, from integers (-1: none) or strings (None: none)."""
    y = _plain(y)
    if isinstance(y, np.ndarray) and y.dtype.kind in "iu" and y.ndim == 1:
        return Named(y[y != -1].astype(np.int64), (y != -1).astype(np.int64))
    if isinstance(y, np.ndarray) and (y.ndim != 1 or y.dtype.kind not in "OUT"):
        hint = " Use .astype(int)." if y.ndim == 1 and y.dtype.kind in "fb" else ""
        raise ValueError(
            f"`{name}` is {y.dtype} of shape {y.shape}; labels are integers or strings (n,).{hint}"
        )
    rows = [[] if _missing(value) else [value] for value in y]
    values = _label_values(name, rows)
    lengths = np.array([len(row) for row in rows], np.int64)
    if values.dtype == np.int64 and (values == -1).any():
        lengths[np.flatnonzero(lengths)[values == -1]] = 0
        values = values[values != -1]
    return Named(values, lengths)


def as_sets(name: str, y: Any) -> Named | Matrix:
    """A set of labels for each row, from a 0/1 matrix (n, q) or from lists of labels."""
    columns = None
    if _is_frame(y):
        columns = tuple(str(column) for column in y.columns)
        y = y.to_numpy()
    y = y.toarray() if hasattr(y, "toarray") else _plain(y)
    if isinstance(y, np.ndarray) and y.ndim == 2:
        wrong = ~np.isin(y, (0, 1))
        if wrong.any():
            row, column = (int(i) for i in np.argwhere(wrong)[0])
            raise ValueError(
                f"`{name}` has {y[row, column]} at row {row}, column {column}; a matrix of sets"
                " holds only 0 and 1 (or False and True). Lists of labels go in as lists."
            )
        return Matrix(np.ascontiguousarray(y, bool), columns)
    rows = []
    for row, labels in enumerate(y):
        if not is_set(labels):
            raise ValueError(f"`{name}` has {labels!r} at row {row}; write a list of labels there.")
        rows.append(list(labels))
    return Named(_label_values(name, rows), np.array([len(row) for row in rows], np.int64))


def holds_sets(y: Any) -> bool:
    """Whether ``y`` says several labels a row: a matrix, or rows that are lists or sets."""
    if _is_frame(y) or hasattr(y, "toarray"):
        return True
    if isinstance(y, np.ndarray) and y.dtype != object:
        return y.ndim == 2
    return any(is_set(value) for value in _plain(y))


def is_set(value: Any) -> bool:
    """Whether one row's entry is a collection of labels."""
    return isinstance(value, (set, frozenset, list, tuple, np.ndarray))


def as_classes(classes: Any, parts: Mapping[str, Named | Matrix]) -> tuple[str, ...]:
    """The names given, ``"0"..`` for a number of classes, or what the labels show when None.

    Raises:
        ValueError: None was given and the labels do not settle it (integers from 1; matrices
            of different widths; names beside a matrix or beside integers).
    """
    if isinstance(classes, (int, np.integer)):
        return _numbered(int(classes))
    if classes is not None:
        return tuple(str(name) for name in classes)
    matrices = {name: part for name, part in parts.items() if isinstance(part, Matrix)}
    named = {name: p for name, p in parts.items() if isinstance(p, Named) and len(p.values)}
    texts = [name for name, part in named.items() if part.values.dtype == object]
    if matrices:
        widths = {name: part.values.shape[1] for name, part in matrices.items()}
        columns = next((p.columns for p in matrices.values() if p.columns is not None), None)
        if len(set(widths.values())) > 1:
            raise ValueError(f"different numbers of classes (columns): {widths}. Make them agree.")
        if texts and columns is None:
            raise ValueError(
                f"`{texts[0]}` has class names, but the matrix `{next(iter(matrices))}` does not"
                " say which column is which. Pass classes=[...] in the order of the columns."
            )
        return columns or _numbered(next(iter(widths.values())))
    if not named:
        raise ValueError("no labels to tell the classes from. Pass classes=[...], their names.")
    if texts and len(texts) < len(named):
        numbers = next(name for name in named if name not in texts)
        raise ValueError(
            f"`{texts[0]}` has class names and `{numbers}` integers. Pass classes=[...], so that"
            " integers can be read as positions in it."
        )
    values = np.concatenate([part.values for part in named.values()])
    if texts:
        return tuple(sorted(set(values)))
    if values.min() >= 1:
        raise ValueError(
            f"labels run from {values.min()} to {values.max()} and 0 is never used. If they start"
            f" at 1, subtract 1; if class 0 just never occurs, pass classes={values.max() + 1}."
        )
    return _numbered(int(values.max()) + 1)


def to_labels(name: str, part: Named | Matrix, classes: Sequence[str]) -> np.ndarray:
    """int64 (n,) positions in ``classes``, -1 for none."""
    assert isinstance(part, Named)
    labels = np.full(len(part.lengths), -1, np.int64)
    labels[part.rows] = _positions(name, part, classes)
    return labels


def to_sets(name: str, part: Named | Matrix, classes: Sequence[str]) -> np.ndarray:
    """bool (n, q)."""
    if isinstance(part, Matrix):
        if part.columns is not None and set(part.columns) == set(classes):
            return part.values[:, [part.columns.index(c) for c in classes]]
        return part.values
    sets = np.zeros((len(part.lengths), len(classes)), bool)
    sets[part.rows, _positions(name, part, classes)] = True
    return sets


def as_ids(ids: Any) -> np.ndarray:
    """int64 or object-of-strings (n,); whether they differ is for ``Labelled`` to check."""
    ids = np.asarray(list(_plain(ids)))
    if ids.dtype.kind in "iu":
        return ids.astype(np.int64)
    return objects([value if not isinstance(value, str) else str(value) for value in ids])


def objects(values: Sequence[Any]) -> np.ndarray:
    """An object array (n,) of these values, whatever they are."""
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _positions(name: str, part: Named, classes: Sequence[str]) -> np.ndarray:
    if part.values.dtype != object:
        wrong = (part.values < 0) | (part.values >= len(classes))
        row = int(part.rows[wrong.argmax()]) if wrong.any() else 0
        check_range(name, part.values, len(classes), lowest=0, at=row)
        return part.values
    position = {label: place for place, label in enumerate(classes)}
    for row, value in zip(part.rows, part.values):
        if value not in position:
            raise ValueError(
                f"`{name}` has {value!r} at row {row}, which is not in `classes`"
                f"{nearest(value, classes)}"
            )
    return np.array([position[value] for value in part.values], np.int64)


def _label_values(name: str, rows: Sequence[Sequence[Any]]) -> np.ndarray:
    first: Any = None
    for row, labels in enumerate(rows):
        for label in labels:
            kind = _label_kind(label)
            if kind is None:
                raise ValueError(
                    f"`{name}` has {label!r} ({type(label).__name__}) at row {row}. Labels are"
                    " integers from 0 or strings; a 0/1 matrix goes in as a numpy array."
                )
            first = first or kind
            if kind is not first:
                raise ValueError(
                    f"`{name}` has {label!r} at row {row}, but {first.__name__} before. Use"
                    " either integers or names."
                )
    flat = [label for labels in rows for label in labels]
    if first is str:
        return objects([str(label) for label in flat])
    return np.array(flat, np.int64)


def _label_kind(label: Any) -> type | None:
    if isinstance(label, str):
        return str
    if isinstance(label, (int, np.integer)) and not isinstance(label, bool):
        return int
    return None


def _missing(value: Any) -> bool:
    not_a_number = isinstance(value, float) and value != value
    return value is None or not_a_number or type(value).__name__ == "NAType"  # pandas' own


def _numbered(q: int) -> tuple[str, ...]:
    return tuple(str(label) for label in range(q))


def _is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "to_numpy")


def _plain(values: Any) -> Any:
    """A Series of pandas or polars as a list; anything else as it is."""
    return values.to_list() if hasattr(values, "to_list") else values


def _number_columns(frame: Any) -> np.ndarray:
    columns = []
    for column in frame.columns:
        columns.append(np.asarray(frame[column].to_numpy()))
        if columns[-1].dtype.kind not in "biuf":
            raise ValueError(
                f"`inputs` has a column {str(column)!r} that is not numbers"
                f" ({frame[column].dtype}). Drop it, encode it, or pass one column of texts as a"
                " list."
            )
    if not columns:
        raise ValueError("`inputs` has no columns.")
    return _float_table(np.column_stack(columns))


def _float_table(table: np.ndarray) -> np.ndarray:
    if table.dtype.kind not in "biuf":
        raise ValueError(f"`inputs` is {table.dtype} of shape {table.shape}, not real numbers.")
    smallest = np.result_type(table.dtype, np.float32)
    # by rows, as batches are gathered by row; MATLAB files come by columns
    return np.ascontiguousarray(table, np.float32 if smallest == np.float32 else np.float64)
