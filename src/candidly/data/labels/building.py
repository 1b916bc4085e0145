"""``from_arrays``: ``Labelled`` of what scikit-learn users have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...ground.arrays import door, is_frame, same_rows
from ..inputs import as_inputs
from .coded import as_ids, holds_sets, listed
from .labelled import Labelled
from .parts import with_parts
from .reading import LabelRule, read_labels, written_classes
from .votes import Votes


@door
def from_arrays(
    X: Any,
    y: Any = None,
    truth: Any = None,
    *,
    candidates: Any = None,
    given: Any = None,
    tags: Any = None,
    votes: Votes | None = None,
    classes: Any = None,
    merge_labels: bool | Mapping[str, str] = False,
    ids: Any = None,
    features: Sequence[str] | None = None,
    source: str = "arrays",
    test: tuple[Any, Any] | None = None,
    validation: tuple[Any, Any] | None = None,
) -> Labelled:
    """``Labelled`` from what scikit-learn users have.

    Args:
        X: number array (n, d), tensor, pandas or polars data frame, scipy sparse matrix, uint8
            images (n, h, w[, c]), or a list of strings (texts) or of ``pathlib.Path`` (media
            files). Bool and integer tables become float32 up to 16 bits and float64 beyond: exact.
            A data frame with categories, dates, texts or missing values becomes a ``Table``. A
            first column without a name that numbers the rows is left out.
        y: the labels, see ``data.labels.reading``. A 0/1 matrix (n, q), or one list or set of
            labels a row, or strings of which some are sets such as ``"cat|dog"``, is
            ``candidates``; one label a row is ``given``: names, whole numbers or bools. None, NaN
            and "" are none, and -1 where ``classes`` says which there are.
        truth: one label a row, in the same way.
        candidates, given, tags: the same by name, when there is more than one kind.
        votes: answers of people, from ``Votes.from_rows``.
        classes: names in order, or how many. By default from the labels: a data frame's columns,
            the categories that a column declares, else the labels that occur, sorted. Where they
            are given, a whole number among the labels is the class of that name, or, if not all
            names are whole numbers, a place from 0.
        merge_labels: make one class of those that differ in case, spaces or the form of letters
            alone; or a dict, old name -> new name.
        ids: different integers or strings; 0..n-1 by default.
        features: names of the columns that ``X`` was taken from; by default a data frame's.
        source: where this came from, in words.
        test, validation: inputs and labels of a test set and of a validation set, whose labels
            count as true: a label a row. They become ``official_test`` and
            ``official_validation``; see ``with_parts``.

    Raises:
        ValueError: nothing in ``X``; labels that do not fit, or text of labels in another notation
            (``data.labels.text``); Series and frames of pandas whose rows are named otherwise than
            each other; masked arrays that hide something; nearly as many different labels as rows,
            without ``classes``. The message says which and where.

    Warns:
        UserWarning: a column was left out; classes that look like spellings of one, names that may
            say that there is no label, many rows without one.

    >>> from_arrays([[0.5], [1.5]], [{"cat", "dog"}, {"dog"}]).candidates.tolist()
    [[True, True], [False, True]]
    """
    same_rows(X=X, y=y, truth=truth, candidates=candidates, given=given, tags=tags, ids=ids)
    raw = {"candidates": candidates, "given": given, "tags": tags, "truth": truth}
    raw = {name: value for name, value in raw.items() if value is not None}
    if y is not None:
        several = holds_sets(listed("`y`", y), written_classes(classes))
        name = "candidates" if several else "given"
        if name in raw:
            raise ValueError(f"`y` holds {name}, and `{name}` is there as well. Pass one of them.")
        raw[name] = y
    read = read_labels(raw, LabelRule(classes, merge=merge_labels))
    made = from_numbers(
        X, read.classes, **read.labels, votes=votes, ids=ids, features=features, source=source
    )
    named = {"test": test, "validation": validation}
    parts = {
        name: from_arrays(*_pair(part, name), classes=read.classes, merge_labels=merge_labels)
        for name, part in named.items()
        if part is not None
    }
    return with_parts(made, **parts)


def _pair(part: Any, name: str) -> tuple[Any, Any]:
    """Inputs and labels.

    Raises:
        ValueError: no pair.
    """
    if not isinstance(part, tuple | list) or len(part) != 2:
        raise ValueError(f"`{name}` is no pair; give inputs and labels: {name}=(X, y).")
    return part[0], part[1]


def from_numbers(
    X: Any,
    classes: tuple[str, ...],
    *,
    candidates: np.ndarray | None = None,
    given: np.ndarray | None = None,
    tags: np.ndarray | None = None,
    truth: np.ndarray | None = None,
    votes: Votes | None = None,
    ids: Any = None,
    features: Sequence[str] | None = None,
    source: str = "arrays",
) -> Labelled:
    """``from_arrays`` of labels that have been read: places among the classes.

    Args:
        classes: names in order.
        candidates, tags: bool (n, q).    given, truth: int64 (n,), -1 for none.
    """
    inputs = as_inputs(X)
    if not len(inputs):
        raise ValueError("`inputs` has no rows.")
    if features is None and is_frame(X) and isinstance(inputs, np.ndarray):
        # a first column may have been left out
        features = [str(name) for name in X.columns][-inputs.shape[1] :]
    return Labelled(
        inputs=inputs,
        classes=classes,
        candidates=candidates,
        given=given,
        tags=tags,
        truth=truth,
        votes=votes,
        ids=None if ids is None else as_ids(ids),  # type: ignore[arg-type]  # as there
        features=None if features is None else tuple(features),
        source=source,
    )
