"""The labels that scikit-learn's users have: of any type, one a row or a set of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ...data.labels.coded import holds_sets, is_set, listed
from ...data.labels.reading import LabelRule, read_labels, written_classes
from ...data.labels.text import BAR
from ...ground.arrays import as_array, door, is_frame, objects
from ...ground.checks import check_size
from ...ground.problem import Refusal


class CandidateSet(frozenset[Any]):
    """A set of labels that is no class: it cannot be ordered, and so be made a number.

    scikit-learn numbers classes by sorting them. Sets sort by what they hold of each other, which
    raises nothing and means nothing: a model would learn a class for each different set.
    """

    def _refuse(self, other: object) -> bool:
        raise Refusal(
            "sets of labels have no order, so scikit-learn cannot make numbers of classes of them,"
            ' as cross_val_predict does where method="predict_proba".',
            "give it the matrix of the sets, read_sets(y).member",
        )

    __lt__ = __le__ = __gt__ = __ge__ = _refuse


@dataclass(frozen=True)
class LabelSets:
    """Which labels each row may have.

    Attributes:
        member: bool (n, q), no row without one.
        classes: (q,), the labels in their own type.
        plain: whether every row was given as one label, and none as a set.
        names: the labels as candidly names classes, (q,).
    """

    member: np.ndarray
    classes: np.ndarray
    plain: bool
    names: tuple[str, ...]

    @door
    def holds(self, predicted: Any) -> np.ndarray:
        """Whether each row's set has what was predicted, (n,) of any labels: bool (n,)."""
        place = {label: k for k, label in enumerate(self.classes.tolist())}
        found = [place.get(label, -1) for label in np.asarray(predicted).tolist()]
        columns = np.array(found, np.int64)
        return (columns >= 0) & self.member[np.arange(len(columns)), np.maximum(columns, 0)]


@door
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
    known = None if classes is None else _array([*classes])
    _check_encoded(y)
    y = _one_column(y)
    matrix = is_frame(y) or hasattr(y, "toarray") or getattr(y, "ndim", 1) == 2
    sets = matrix or holds_sets(listed("`y`", y), written_classes(classes))
    kind = "candidates" if sets else "given"
    read = read_labels({kind: y}, LabelRule(classes), {kind: "`y`"})
    member = read.labels[kind]
    if not sets:
        check_size("`y`", (len(member), len(read.classes)), 1)
        member = member[:, None] == np.arange(len(read.classes))
    _check_empty(member.sum(1))
    if known is None and matrix:
        known = _array([*y.columns]) if is_frame(y) else np.arange(len(read.classes))
    elif known is None:
        known = _array([*read.own])
    return LabelSets(member, known, not sets, read.classes)


@door
def candidate_sets(y: Any, classes: Sequence[Any] | None = None) -> np.ndarray:
    """The same sets in a form that scikit-learn hands on: object (n,), ``CandidateSet``.

    ``cross_val_score``, ``GridSearchCV`` and ``train_test_split`` take this, a bool matrix and a
    data frame of bools. They refuse lists of lists and lists of sets, and the first of them sparse
    matrices. ``cross_val_predict`` with ``method="predict_proba"`` takes a matrix alone
    (``read_sets(y).member``): of anything else it makes numbers of classes first, a class for each
    different set.

    Args:
        y, classes: see ``read_sets``.

    >>> candidate_sets(["dog|cat", "dog"])[1]
    CandidateSet({'dog'})
    """
    sets = read_sets(y, classes)
    labels = sets.classes.tolist()
    return objects([CandidateSet(labels[k] for k in np.flatnonzero(row)) for row in sets.member])


def _check_encoded(y: Any) -> None:
    """Refuse numbers that ``cross_val_predict`` made of sets before anybody could see these.

    Raises:
        Refusal: they stand for texts of several labels, and what to give instead.
    """
    if not isinstance(y, np.ndarray) or y.ndim != 1 or y.dtype.kind not in "iu":
        return
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "cross_val_predict":
        frame = frame.f_back  # type: ignore[assignment]
    classes = getattr(None if frame is None else frame.f_locals.get("le"), "classes_", ())
    for one in classes:
        if is_set(one) or (isinstance(one, str) and BAR in one):
            raise Refusal(
                f"scikit-learn makes a class of each set, such as {str(one)!r}, before the model"
                ' sees them, where method="predict_proba".',
                "give it the matrix of the sets, read_sets(y).member",
            )


def _one_column(y: Any) -> Any:
    """A table of one column as scikit-learn takes it; anything else as it is."""
    if is_frame(y) and y.shape[1] == 1:
        return as_array(y, "y")[:, 0]
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
        return column_or_1d(y, warn=True)
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.dtype.kind in "OUT":
        raise ValueError(
            f"`y` has {y.shape[1]} columns of labels. Give a set a row: [set(row) for row in y]."
        )
    if (
        hasattr(y, "__array__") and not hasattr(y, "dtype") and not is_frame(y)
    ):  # says that it is an array
        return np.asarray(y)
    if isinstance(y, list) and y and isinstance(y[0], float):
        y = np.asarray(y)
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind == "f":
        check_classification_targets(y)  # which has its own words for continuous numbers
    return y


def _check_empty(lengths: np.ndarray) -> None:
    if not lengths.all():
        row = int(np.argmin(lengths))
        raise ValueError(
            f"`y` has no label at row {row}. Where nothing is known of a row, every class is a "
            "candidate; or leave the row out."
        )


def _array(labels: list[Any]) -> np.ndarray:
    return objects(labels) if any(isinstance(label, str) for label in labels) else np.array(labels)
