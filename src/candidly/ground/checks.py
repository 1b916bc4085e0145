"""Checks at the door of the data layer: each returns a read-only view or says what is wrong.

Every message names the field, the row, the value and the next step. Nothing is converted here:
``from_arrays`` does that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from .arrays import as_array
from .problem import Refusal

LABEL_ARRAYS = ("candidates", "given", "tags", "truth")  # of a Labelled, a row an example
OFFICIAL = ("official_test", "official_validation")  # of a Labelled, bool (n,)
NUMBERED = 1000  # classes that numbers in labels may name, however few the rows are
MOST_CLASSES = 10**7
LARGEST_BYTES = 2**34  # of one array that candidly makes out of something smaller


def checked_sets(name: str, sets: Any, n: int, q: int, *, may_be_empty: bool) -> np.ndarray:
    """A read-only view of a bool (n, q) matrix, with a True in each row unless ``may_be_empty``."""
    sets = as_array(sets, name) if isinstance(sets, np.ma.MaskedArray) else sets
    _check_array(name, sets, np.dtype(bool), (n, q))
    if not may_be_empty:
        empty = ~sets.any(1)
        if empty.any():
            raise ValueError(
                f"`{name}` has no label at row {int(empty.argmax())} ({int(empty.sum())} such"
                f" rows of {n}). Drop them, or name every class there: 'it could be any class'."
            )
    return read_only(sets)


def checked_labels(name: str, labels: Any, n: int, q: int) -> np.ndarray:
    """A read-only view of int64 (n,) labels in -1..q-1; -1 is 'none'."""
    labels = as_array(labels, name) if isinstance(labels, np.ma.MaskedArray) else labels
    _check_array(name, labels, np.dtype(np.int64), (n,))
    check_range(name, labels, q, lowest=-1)
    return read_only(labels)


def checked_flags(name: str, flags: Any, n: int) -> np.ndarray:
    """A read-only view of bool (n,)."""
    flags = as_array(flags, name) if isinstance(flags, np.ma.MaskedArray) else flags
    _check_array(name, flags, np.dtype(bool), (n,))
    return read_only(flags)


def check_range(name: str, labels: np.ndarray, q: int, lowest: int, at: int | None = None) -> None:
    """Raises ValueError when a label is outside ``lowest``..q-1; ``at`` overrides its row."""
    wrong = (labels < lowest) | (labels >= q)
    if wrong.any():
        place = int(wrong.argmax())
        from_one = labels.max() == q and not (labels == 0).any()
        hint = " Correct the label, or name all the classes."
        if from_one:
            hint = " If labels start at 1, subtract 1 before loading."
        if labels[place] < lowest:
            hint = " Numbers of classes start at 0."
        none = ", or -1 for none" if lowest < 0 else ""
        raise ValueError(
            f"`{name}` has label {int(labels[place])} at row {place if at is None else at}, but"
            f" there {'is 1 class' if q == 1 else f'are {q} classes'} (0..{q - 1}{none}).{hint}"
        )


def checked_classes(classes: Any) -> tuple[str, ...]:
    """The class names as a tuple of different strings that are not empty.

    Raises:
        ValueError: none, something else, or a name twice; the message names the place.
    """
    if isinstance(classes, (str, bytes, Set, Mapping)) or not hasattr(classes, "__iter__"):
        raise ValueError(
            f"`classes` is {classes!r}. Write a list of names in order, such as ['cat', 'dog']."
        )
    classes = tuple(classes)
    if not classes:
        raise ValueError("`classes` is empty. Name at least one class.")
    for place, name in enumerate(classes):
        if not isinstance(name, str):
            raise ValueError(f"`classes` has {name!r} at position {place}. Names are strings.")
        if not name.strip():
            raise ValueError(f"`classes` has an empty name at position {place}.")
    check_different("classes", classes, "position", "Rename one of them.")
    return classes


def check_highest(name: str, labels: np.ndarray, rows: Sequence[Any] | np.ndarray, n: int) -> None:
    """Refuse numbers that would name more classes than n rows can tell of.

    Args:
        name: the name of the labels.    labels: integers (k,).    rows: (k,), the row of each.
        n: rows in all; ``NUMBERED`` classes are possible with any number of them.

    Raises:
        ValueError: the message names the row.
    """
    if len(labels) and labels.max() >= max(n, NUMBERED):
        place = int(labels.argmax())
        raise Refusal(
            f"`{name}` has class number {labels[place]} at row {rows[place]}, which would make"
            f" {int(labels[place]) + 1:,} classes of {n:,} rows.",
            "correct the number",
            "if there are so many classes, say so with `classes`",
        )


def check_size(what: str, shape: tuple[int, ...], bytes_each: int) -> None:
    """Refuse an array before it is made, where it would take more than 17 GB.

    Raises:
        ValueError: the message names its shape and size.
    """
    size = bytes_each
    for length in shape:
        size *= int(length)
    if size > LARGEST_BYTES:
        sides = " x ".join(f"{length:,}" for length in shape)
        raise ValueError(
            f"{what} would be an array of {sides}, which takes {size / 1e9:,.0f} GB; candidly makes"
            f" none above {LARGEST_BYTES / 1e9:.0f} GB. Take fewer rows, columns or classes."
        )


def checked_ids(ids: Any, n: int) -> np.ndarray:
    """A read-only view of n different ids: int64 (n,), or an object array of ``str``."""
    if not isinstance(ids, np.ndarray) or ids.dtype not in (np.int64, object) or ids.ndim != 1:
        raise ValueError(
            "`ids` must be a numpy array (n,) of int64, or of object holding strings."
            " from_arrays() converts."
        )
    if len(ids) != n:
        raise ValueError(f"`ids` has {len(ids)} entries, but `inputs` has {n} rows.")
    if ids.dtype == object:
        for row, value in enumerate(ids):
            if not isinstance(value, str):
                raise ValueError(f"`ids` has {value!r} at row {row}. Use strings or integers.")
    check_different("ids", ids.tolist(), "row", "Give each example its own id.")
    return read_only(ids)


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written to; the caller's own array stays as it is."""
    view = array.view()
    view.flags.writeable = False
    return view


def _check_array(name: str, array: Any, dtype: np.dtype, shape: tuple[int, ...]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"`{name}` is {found}, not an array of {dtype}. from_arrays() converts.")
    if array.shape != shape:
        raise ValueError(
            f"`{name}` has shape {array.shape}, but {shape} is needed: `inputs` has {shape[0]}"
            " rows" + (f" and `classes` {shape[1]} names." if len(shape) == 2 else ".")
        )


def check_different(name: str, values: Any, place: str, remedy: str) -> None:
    if len(set(values)) == len(values):
        return
    seen: dict[Any, int] = {}
    for row, value in enumerate(values):
        if value in seen:
            raise ValueError(
                f"`{name}` has {value!r} at {place} {seen[value]} and again at {place} {row}."
                f" {remedy}"
            )
        seen[value] = row
