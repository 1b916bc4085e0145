"""Turning labels as people have them (lists, names, text) into the plain arrays of ``Labelled``."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ground.arrays import as_array, column_order, is_frame, objects, plain
from ...ground.checks import MOST_CLASSES, check_highest, check_range, check_size, checked_classes
from ...ground.names import nearest
from .text import BAR, check_name, label_in, labels_in

SETS = ("candidates", "tags")  # kinds of labels that are several a row
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)")
WHOLE = re.compile(r"[-+]?\d+(\.0*)?")
LARGEST = np.iinfo(np.int64).max


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


def listed(name: str, values: Any) -> Any:
    """One entry a row: a list, or an array, frame or sparse matrix as it is.

    Raises:
        ValueError: one value, one string, or a table of names and values.
    """
    if is_frame(values) or hasattr(values, "toarray"):
        return values
    named = isinstance(values, np.ma.MaskedArray) or hasattr(values, "detach")  # a tensor
    values = as_array(values, name) if named else plain(values)
    if isinstance(values, np.ndarray) and values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    if isinstance(values, np.ndarray) and values.ndim:
        return values.tolist() if values.dtype.kind in "UT" else values
    if isinstance(values, (str, bytes, Mapping, np.ndarray)) or not hasattr(values, "__iter__"):
        raise ValueError(
            f"`{name}` is {_shown(values)}, of the type {type(values).__name__}; give a list or an"
            " array with one entry a row."
        )
    return list(values)


def written(name: str, y: Any) -> bool:
    """Whether sets of labels are written as text, such as ``cat|dog``."""
    return name in SETS and not is_frame(y) and any(isinstance(row, str) for row in y)


def from_text(columns: Mapping[str, Any], classes: Collection[str] = ()) -> dict[str, Any]:
    """Labels from cells of text: lists of them for sets, one or None for the others.

    Where the labels of all columns are whole numbers, they become numbers. Cells may also hold
    numbers or lists of labels, as those of a parquet file do.

    Args:
        columns: cells a row by name; those in ``SETS`` hold several labels.
        classes: names that somebody wrote down.

    Raises:
        ValueError: see ``_label_text``; or numbers that are not whole.
    """
    rows = {name: _rows_of(name, cells, classes) for name, cells in columns.items()}
    flat = [label for cells in rows.values() for labels in cells for label in labels]
    numbers = [label for label in flat if label.lower() != "nan"]
    if numbers and all(map(NUMBER.fullmatch, numbers)) and not set(numbers) & set(classes):
        rows = {
            name: [
                [_whole(label, name, row) for label in labels if label.lower() != "nan"]
                for row, labels in enumerate(cells)
            ]
            for name, cells in rows.items()
        }
    return {
        name: cells if name in SETS else [labels[0] if labels else None for labels in cells]
        for name, cells in rows.items()
    }


def _rows_of(name: str, cells: Any, classes: Collection[str]) -> list[list[Any]]:
    """The labels of each cell; each text is looked at once."""
    known: dict[str, list[Any]] = {}
    rows = []
    for row, cell in enumerate(cells):
        labels = known.get(cell) if isinstance(cell, str) else None
        if labels is None:
            labels = _labels_of(cell, name, row, classes)
            if isinstance(cell, str):
                known[cell] = labels
        rows.append(labels)
    return rows


def _labels_of(cell: Any, name: str, row: int, classes: Collection[str]) -> list[Any]:
    """The labels of one cell, as text."""
    if _missing(cell):
        return []
    if isinstance(cell, str):
        if name in SETS:
            return labels_in(cell, name, row, classes)
        label = label_in(cell, name, row, classes)
        return [] if label is None else [label]
    labels = [str(label) for label in cell] if is_set(cell) else [str(cell)]
    if name not in SETS and len(labels) > 1:
        raise ValueError(f"`{name}` has {labels} at row {row}; it takes one label.")
    for label in labels:
        check_name(label, name, row, classes)
    return labels


def _whole(label: str, name: str, row: int) -> int:
    if not WHOLE.fullmatch(label):
        raise ValueError(
            f"`{name}` has {label} at row {row}; numbers of classes are whole, from 0."
        )
    return int(label.partition(".")[0])


def as_labels(name: str, y: Any, classes: Collection[str] = ()) -> Named:
    """One label or none for each row, from integers (-1: none) or strings (None, "": none)."""
    if is_frame(y) or hasattr(y, "toarray"):
        raise ValueError(f"`{name}` is a table of shape {y.shape}; it takes one label a row.")
    if isinstance(y, np.ndarray) and y.dtype.kind in "iu" and y.ndim == 1:
        if len(y) and y.max() > LARGEST:
            raise _too_large(name, int(y.max()), int(y.argmax()))
        return Named(y[y != -1].astype(np.int64), (y != -1).astype(np.int64))
    if isinstance(y, np.ndarray) and (y.ndim != 1 or y.dtype.kind not in "OUT"):
        hint = " Use .astype(int)." if y.ndim == 1 and y.dtype.kind in "fb" else ""
        raise ValueError(
            f"`{name}` is {y.dtype} of shape {y.shape}; labels are integers or strings (n,).{hint}"
        )
    rows = []
    known: dict[str, str | None] = {}  # each text is looked at once
    for row, value in enumerate(y):
        if isinstance(value, str):
            if value not in known:
                known[value] = label_in(value, name, row, classes)
            value = known[value]
        rows.append([] if _missing(value) else [value])
    values = _label_values(name, rows)
    lengths = np.array([len(row) for row in rows], np.int64)
    if values.dtype == np.int64 and (values == -1).any():
        lengths[np.flatnonzero(lengths)[values == -1]] = 0
        values = values[values != -1]
    return Named(values, lengths)


def as_sets(name: str, y: Any, classes: Collection[str] = ()) -> Named | Matrix:
    """A set of labels for each row, from a 0/1 matrix (n, q) or from lists of labels."""
    columns = None
    if is_frame(y):
        columns = tuple(str(column) for column in y.columns)
        y = as_array(y, name)
    if hasattr(y, "toarray"):
        check_size(f"`{name}`", y.shape, y.dtype.itemsize)
        y = y.toarray()
    if isinstance(y, np.ndarray) and y.ndim == 2:
        wrong = ~np.isin(y, (0, 1))
        if wrong.any():
            row, column = (int(i) for i in np.argwhere(wrong)[0])
            raise ValueError(
                f"`{name}` has {y[row, column]} at row {row}, column {column}; a matrix of sets"
                " holds only 0 and 1 (or False and True). Lists of labels go in as lists."
            )
        return Matrix(np.ascontiguousarray(y, bool), columns)
    if isinstance(y, np.ndarray) and y.ndim != 1:
        raise ValueError(f"`{name}` has shape {y.shape}; a matrix of sets is (rows, classes).")
    rows = []
    for row, labels in enumerate(y):
        if not is_set(labels):
            raise ValueError(
                f"`{name}` has {_shown(labels)} at row {row}; write a list of labels there."
            )
        rows.append([label.strip() if isinstance(label, str) else label for label in labels])
        for label in rows[-1]:
            if isinstance(label, str):
                check_name(label, name, row, classes)
    return Named(_label_values(name, rows), np.array([len(row) for row in rows], np.int64))


def holds_sets(y: Any, classes: Collection[str] = ()) -> bool:
    """Whether ``y`` says several labels a row: a matrix, or rows that are sets or ``cat|dog``."""
    if is_frame(y) or hasattr(y, "toarray"):
        return True
    if isinstance(y, np.ndarray) and y.dtype != object:
        return y.ndim == 2
    return any(is_set(row) or _is_text_of_a_set(row, classes) for row in y)


def _is_text_of_a_set(row: Any, classes: Collection[str]) -> bool:
    return isinstance(row, str) and BAR in row and row.strip() not in classes


def is_set(value: Any) -> bool:
    """Whether one row's entry is a collection of labels."""
    return isinstance(value, (set, frozenset, list, tuple, np.ndarray))


def as_classes(classes: Any, parts: Mapping[str, Named | Matrix]) -> tuple[str, ...]:
    """The names given, ``"0"..`` for a number of classes, or what the labels show when None.

    Raises:
        ValueError: None was given and the labels do not settle it (integers from 1; matrices
            of different widths; names beside a matrix or beside integers).
    """
    if isinstance(classes, (int, np.integer)) and not isinstance(classes, bool):
        return _numbered(int(classes))
    if classes is not None:
        return written_classes(classes)
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
    for name, part in named.items():
        check_highest(name, part.values, part.rows, len(part.lengths))
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
        if part.columns is not None:
            return part.values[:, column_order(part.columns, classes, f"`{name}`")]
        return part.values
    check_size(f"`{name}`", (len(part.lengths), len(classes)), 1)
    sets = np.zeros((len(part.lengths), len(classes)), bool)
    sets[part.rows, _positions(name, part, classes)] = True
    return sets


def as_ids(ids: Any) -> np.ndarray:
    """int64 or object-of-strings (n,); whether they differ is for ``Labelled`` to check."""
    ids = as_array(ids, "ids") if isinstance(ids, np.ma.MaskedArray) else ids
    ids = np.asarray(list(plain(ids)) if hasattr(ids, "__iter__") else [ids])
    if ids.dtype.kind in "iu":
        return ids.astype(np.int64)
    for row, value in enumerate(ids):
        if not isinstance(value, str):
            raise ValueError(f"`ids` has {_shown(value)} at row {row}. Use strings or integers.")
    return objects([str(value) for value in ids])


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
                    f"`{name}` has {_shown(label)} ({type(label).__name__}) at row {row}. Labels"
                    " are integers from 0 or strings; a 0/1 matrix goes in as a numpy array."
                )
            first = first or kind
            if kind is not first:
                raise ValueError(
                    f"`{name}` has {_shown(label)} at row {row}, but {first.__name__} before. Use"
                    " either integers or names."
                )
            if kind is int and abs(int(label)) > LARGEST:
                raise _too_large(name, int(label), row)
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


def written_classes(classes: Any) -> tuple[str, ...]:
    """The names of classes that somebody wrote down, as strings; none for a number or nothing."""
    if classes is None or (isinstance(classes, (int, np.integer)) and classes is not True):
        return ()
    if isinstance(classes, np.ndarray):
        classes = classes.tolist()
    if isinstance(plain(classes), (list, tuple)):
        classes = [
            str(name) if isinstance(name, (int, np.integer, str)) else name
            for name in plain(classes)
        ]
    return checked_classes(classes)


def _shown(value: Any) -> str:
    """For messages, without the names of NumPy's types and in a line."""
    return reprlib.repr(value.item() if isinstance(value, np.generic) else value)


def _too_large(name: str, label: int, row: int) -> ValueError:
    return ValueError(f"`{name}` has {label} at row {row}, which is no class number.")


def _numbered(q: int) -> tuple[str, ...]:
    if q > MOST_CLASSES:
        raise ValueError(f"`classes` is {q:,}; there may be at most {MOST_CLASSES:,}.")
    return tuple(str(label) for label in range(q))
