"""Given labels: checked once, at the door."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...data.ingest.label_parts import labels_beside
from ...data.ingest.labels import (
    UNLABELLED,
    LabelColumn,
    class_names,
    label_numbers,
)
from ...data.ingest.prob_rows import ProbRows
from ...data.labels.reading import beyond
from ...ground.arrays import as_array
from ...ground.problem import Refusal


def read_given(
    given: Any, n: int, m: int, classes: Sequence[str] | None = None, unlabelled: bool = False
) -> np.ndarray:
    """Labels as the smallest signed integers that hold them, (n,).

    Args:
        given: integers in 0..m-1, or names of ``classes``; an array, tensor, list, a file's
            ``LabelColumn``; see ``matched``.
        unlabelled: whether -1, an empty name or an empty cell is allowed, for no label.

    Raises:
        ValueError: names the first wrong label, its place, and what would do.
    """
    if not isinstance(given, LabelColumn):
        given = _of_array(given)
    what = given.what
    if given.values.ndim != 1 or len(given.values) != n:
        raise ValueError(f"{what} has shape {given.values.shape}; `probs` has {n} rows.")
    labels = label_numbers(given, _declared(given, m) if classes is None else classes)
    lowest = UNLABELLED if unlabelled else 0
    if len(bad := np.flatnonzero((labels < lowest) | (labels >= m))):
        row, value = int(bad[0]), labels[bad[0]]
        if value == UNLABELLED:
            count = int((labels == UNLABELLED).sum())
            raise Refusal(
                f"{what} has no label (-1, or an empty cell) at row {row}, and in {count} row"
                f"{'s' * (count != 1)} in all.",
                "leave such rows out with `unlabelled=True`",
            )
        raise ValueError(beyond(what, value, row, m))
    return labels.astype(class_dtype(m))


def matched(
    given: Any, source: ProbRows, classes: Sequence[str] | None
) -> tuple[Any, ProbRows, Sequence[str] | None]:
    """Labels, the probabilities in their order, and the classes.

    Where two files name their rows, the probabilities go by the labels' ids. Where labels are names
    and nobody said which classes there are, the columns' names are the classes, if labels are among
    them.
    """
    if isinstance(given, str | Path):
        given = labels_beside(given, source, classes=classes)
    if not isinstance(given, LabelColumn):
        if classes is None and source.columns is not None and _holds_names(given):
            classes = class_names(_of_array(given), source.columns)
        return given, source, classes
    if classes is None:
        classes = class_names(given, source.columns)
    return given, source.by_id(given.ids, given.keys), classes


def ids_of(given: Any) -> np.ndarray | None:
    """Names of the rows, where labels are a file's."""
    return given.ids if isinstance(given, LabelColumn) else None


def class_dtype(m: int) -> np.dtype:
    """The smallest integers that hold 0..m-1, and what is below 0 for none."""
    return np.result_type(np.min_scalar_type(-2), np.min_scalar_type(-m))


def _holds_names(given: Any) -> bool:
    """Whether labels in memory are names, one a row."""
    several = isinstance(given, list | tuple)
    values = np.asarray(given[:1], object) if several else as_array(given, "given")
    if values.dtype.kind == "O":
        return values.ndim == 1 and any(isinstance(value, str) for value in values)
    return values.ndim == 1 and values.dtype.kind in "UTS"


def _of_array(given: Any) -> LabelColumn:
    """Labels in memory as those of a file."""
    labels = as_array(given, "given")
    if labels.dtype.kind == "S":
        labels = np.char.decode(labels, "utf-8")
    return LabelColumn(
        Path(), "`given`", labels.astype(object) if labels.dtype.kind in "UT" else labels
    )


def _declared(labels: LabelColumn, m: int) -> Sequence[str] | None:
    """Without names, the columns of probabilities are the classes 0 to m - 1."""
    numbers = labels.values.dtype.kind not in "iu" and labels.odd is None
    return [str(k) for k in range(m)] if numbers else None
