"""The labels that scikit-learn's users have: of any type, one a row or a set of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ...data.labels.convert import is_set, listed
from ...data.labels.text import BAR, check_name, labels_in
from ...ground.arrays import as_array, is_frame, objects
from ...ground.checks import check_size
from ...ground.names import nearest


@dataclass(frozen=True)
class LabelSets:
    """Which labels each row may have.

    Attributes:
        member: bool (n, q), no row without one.
        classes: (q,), the labels in their own type.
        plain: whether every row was given as one label, and none as a set.
    """

    member: np.ndarray
    classes: np.ndarray
    plain: bool

    @property
    def names(self) -> list[str]:
        """The labels as text, as candidly names classes."""
        return [str(label) for label in self.classes.tolist()]

    def holds(self, predicted: Any) -> np.ndarray:
        """Whether each row's set has what was predicted, (n,) of any labels: bool (n,)."""
        place = {label: k for k, label in enumerate(self.classes.tolist())}
        found = [place.get(label, -1) for label in np.asarray(predicted).tolist()]
        columns = np.array(found, np.int64)
        return (columns >= 0) & self.member[np.arange(len(columns)), np.maximum(columns, 0)]


def read_sets(y: Any, classes: Sequence[Any] | None = None) -> LabelSets:
    """Labels in any form that people have them in.

    Args:
        y: one label a row (integers, strings, bools), which is a set of one; sets of labels: a list
            of lists, tuples or sets, or strings such as ``"cat|dog"``; or a 0/1 matrix (n, q),
            dense or sparse, or a data frame of pandas or polars whose columns are the classes.
        classes: the labels, in the order of the columns of what is predicted; by default those that
            occur, sorted, or of a matrix its columns.

    Raises:
        ValueError: a row without a label, a label that is not in ``classes``, labels of different
            types, a matrix with another number than 0 and 1 or of another width; names the row.

    >>> read_sets([["dog", "cat"], ["dog"]]).member.tolist()
    [[True, True], [False, True]]
    >>> read_sets(["dog|cat", "dog"]).classes.tolist()
    ['cat', 'dog']
    """
    if y is None:
        raise ValueError(
            "learning and scoring requires y to be passed, but the target y is None. Give labels, "
            "or sets of them."
        )
    known = None if classes is None else _checked_classes(classes)
    if is_frame(y) and y.shape[1] != 1:
        return _of_matrix(as_array(y, "y"), list(y.columns), known)
    if hasattr(y, "toarray"):
        check_size("`y`", y.shape, 1)
        return _of_matrix(y.toarray(), None, known)
    if is_frame(y):
        y = as_array(y, "y")
    if not isinstance(y, np.ndarray):
        y = np.asarray(y) if _is_array_like(y) else listed("y", y)
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] != 1 and y.dtype != object:
        return _of_matrix(y, None, known)
    if isinstance(y, np.ndarray) and y.dtype.kind not in "OUT":
        return _of_labels(y, known)
    rows = [row.item() if isinstance(row, np.generic) else row for row in list(y)]
    if not any(is_set(row) or (isinstance(row, str) and BAR in row) for row in rows):
        return _of_labels(y, known)
    if isinstance(y, np.ndarray) and y.ndim == 2:
        raise ValueError(
            f"`y` has {y.shape[1]} columns of labels. Give a set a row: [set(row) for row in y]."
        )
    names = () if known is None else [str(label) for label in known.tolist()]
    return _of_rows([_row(row, number, names) for number, row in enumerate(rows)], known)


def candidate_sets(y: Any, classes: Sequence[Any] | None = None) -> np.ndarray:
    """The same sets in a form that all of scikit-learn hands on: object (n,), frozensets.

    ``cross_val_score``, ``GridSearchCV`` and ``train_test_split`` take this, a bool matrix and a
    data frame of bools. They refuse lists of lists and lists of sets, and the first of them sparse
    matrices.

    Args:
        y, classes: see ``read_sets``.

    >>> candidate_sets(["dog|cat", "dog"])[1]
    frozenset({'dog'})
    """
    sets = read_sets(y, classes)
    labels = sets.classes.tolist()
    return objects([frozenset(labels[k] for k in np.flatnonzero(row)) for row in sets.member])


def _is_array_like(y: Any) -> bool:
    """Whether it says that it is an array; tensors and masked arrays have rules of their own."""
    return hasattr(y, "__array__") and not hasattr(y, "detach")


def _row(row: Any, number: int, names: Sequence[str]) -> list[Any]:
    """The labels of one row."""
    if isinstance(row, str):
        return list(labels_in(row, "y", number, names))
    labels = list(row) if is_set(row) else [row]
    for label in labels:
        if isinstance(label, str):
            check_name(label, "y", number, names)
    return [label.item() if isinstance(label, np.generic) else label for label in labels]


def _of_rows(rows: Sequence[Sequence[Any]], known: np.ndarray | None) -> LabelSets:
    lengths = np.array([len(row) for row in rows])
    _check_empty(lengths)
    flat = _typed([label for row in rows for label in row], lengths)
    labels, positions = _positions(flat, known, np.repeat(np.arange(len(rows)), lengths))
    check_size("`y`", (len(rows), len(labels)), 1)
    member = np.zeros((len(rows), len(labels)), bool)
    member[np.repeat(np.arange(len(rows)), lengths), positions] = True
    return LabelSets(member, labels, plain=False)


def _of_labels(y: Any, known: np.ndarray | None) -> LabelSets:
    """One label a row."""
    y = column_or_1d(y, warn=True)
    if y.dtype.kind in "OUT":
        y = _typed(y.tolist(), np.ones(len(y), int))
    check_classification_targets(y)
    labels, positions = _positions(y, known, np.arange(len(y)))
    check_size("`y`", (len(y), len(labels)), 1)
    return LabelSets(positions[:, None] == np.arange(len(labels)), labels, plain=True)


def _of_matrix(
    values: np.ndarray, columns: list[Any] | None, known: np.ndarray | None
) -> LabelSets:
    if not np.isin(values, (0, 1)).all():
        row, column = (int(i) for i in np.argwhere(~np.isin(values, (0, 1)))[0])
        raise ValueError(
            f"`y` has {values[row, column]} at row {row}, column {column}; a matrix of candidate "
            "sets holds only 0 and 1 (or False and True)."
        )
    member = np.ascontiguousarray(values.astype(bool))
    labels = np.arange(values.shape[1]) if columns is None else _array(columns)
    if known is not None and columns is None:
        if len(known) != values.shape[1]:
            raise ValueError(
                f"`y` has {values.shape[1]} columns, and `classes` names {len(known)} labels. Give "
                "a column for each."
            )
        labels = known
    elif known is not None:
        if set(known.tolist()) != set(labels.tolist()):
            strange = sorted(map(str, set(labels.tolist()) ^ set(known.tolist())))
            raise ValueError(
                f"the columns of `y` and `classes` differ in {', '.join(strange[:5])}. Name a "
                "column for each class."
            )
        order = [labels.tolist().index(label) for label in known.tolist()]
        member, labels = member[:, order], known
    _check_empty(member.sum(1))
    return LabelSets(member, labels, plain=False)


def _check_empty(lengths: np.ndarray) -> None:
    if not lengths.all():
        row = int(np.argmin(lengths))
        raise ValueError(
            f"`y` has an empty set at row {row}. Where nothing is known of a row, every class is a "
            "candidate; or leave the row out."
        )


def _typed(labels: list[Any], lengths: np.ndarray) -> np.ndarray:
    """Labels of one type as an array: strings as objects."""
    first: type | None = None
    for place, label in enumerate(labels):
        kind = next((k for k in (str, bool, int, float) if isinstance(label, k)), None)
        first = first or kind
        if kind is None or kind is not first or label != label:
            row = int(np.searchsorted(np.cumsum(lengths), place, side="right"))
            was = "" if kind is first or first is None else f", and {first.__name__} before"
            raise ValueError(
                f"`y` has {label!r} ({type(label).__name__}) at row {row}{was}. Labels are all "
                "strings, all integers or all bools, and every row has one."
            )
    return _array(labels)


def _array(labels: list[Any]) -> np.ndarray:
    return objects(labels) if any(isinstance(label, str) for label in labels) else np.array(labels)


def _checked_classes(classes: Sequence[Any]) -> np.ndarray:
    labels = [label.item() if isinstance(label, np.generic) else label for label in classes]
    if not labels or len(set(labels)) < len(labels):
        raise ValueError(f"`classes` is {labels}; name each label once.")
    return _typed(labels, np.ones(len(labels), int))


def _positions(
    values: np.ndarray, known: np.ndarray | None, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The labels, and the place of each value among them."""
    labels, positions = np.unique(values, return_inverse=True)
    if known is None:
        return labels, positions
    place = {label: k for k, label in enumerate(known.tolist())}
    moved = np.array([place.get(label, -1) for label in labels.tolist()], np.int64)[positions]
    if (moved < 0).any():
        at = int(np.argmax(moved < 0))
        label = values.tolist()[at]
        raise ValueError(
            f"`y` has {label!r} at row {rows[at]}, which is not in `classes`"
            f"{nearest(str(label), map(str, place))}"
        )
    return known, moved
