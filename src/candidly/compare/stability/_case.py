"""What is compared: models on one test set, under original and corrected labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...data.labels.reading import LabelRule, read_labels, written_classes
from ...ground.arrays import as_array, as_table, door, same_rows
from ...ground.logits import classes_ahead
from ...ground.problem import Refusal

PRUNED = -1
TOP = 5
ROWS = 1 << 22  # entries of a table of probabilities that are looked at together


@dataclass(frozen=True)
class Case:
    """R models on n items, and two versions of the items' labels, or one.

    The items fall into three sets. C: the label was changed. U: the item was pruned, as no single
    label is right. B: the rest, items that nobody doubted and doubted ones that people confirmed.
    P is what is kept, B and C. (The paper also calls B "not flagged"; with confirmed items both
    cannot hold.)

    Attributes:
        names: the names of the models, (R,).
        classes: how many there are.
        original: int64 (n,), the labels as published.
        corrected: int64 (n,), -1 where pruned.
        predictions: int64 (R, n).
        top5: name -> bool (2, n), whether the original and the corrected label are among the five
            most probable classes; of models with probabilities.
        flagged: bool (n,) or None, items that a detector proposed.
        checked: bool (n,), items whose corrected label people have seen; changed and pruned ones
            always.
        ids: (n,) names of the items, or None.
        versions: 2; with 1 nobody corrected the labels, and ``corrected`` is ``original``.

    Source: Northcutt, Athalye & Mueller, NeurIPS 2021, Definitions 1 to 6.
    """

    names: tuple[str, ...]
    classes: int
    original: np.ndarray
    corrected: np.ndarray
    predictions: np.ndarray
    top5: Mapping[str, np.ndarray]
    flagged: np.ndarray | None
    checked: np.ndarray
    ids: np.ndarray | None
    versions: int = 2

    @property
    def n(self) -> int:
        return len(self.original)

    @cached_property
    def changed(self) -> np.ndarray:
        """bool (n,): C."""
        return (self.corrected != self.original) & (self.corrected != PRUNED)

    @cached_property
    def kept(self) -> np.ndarray:
        """bool (n,): P."""
        return self.corrected != PRUNED

    @cached_property
    def benign(self) -> np.ndarray:
        """bool (n,): B."""
        return self.corrected == self.original

    @cached_property
    def right_original(self) -> np.ndarray:
        """bool (R, n): the prediction is the original label."""
        return self.predictions == self.original

    @cached_property
    def right_corrected(self) -> np.ndarray:
        """bool (R, n): the prediction is the corrected label; never where pruned."""
        return self.predictions == self.corrected

    @property
    def prevalence(self) -> float:
        """c: the share of the kept items whose label was changed, in [0, 1]."""
        return int(self.changed.sum()) / int(self.kept.sum())

    def sizes(self) -> dict[str, int | None]:
        """How many items each set has, by its letter; None where nobody said."""
        flagged = self.flagged
        if self.versions == 1:
            return {"D": self.n, **dict.fromkeys("FKCUB"), "P": self.n}
        return {
            "D": self.n,
            "F": None if flagged is None else int(flagged.sum()),
            "K": None if flagged is None else int((flagged & self.benign).sum()),
            "C": int(self.changed.sum()),
            "U": int((~self.kept).sum()),
            "B": int(self.benign.sum()),
            "P": int(self.kept.sum()),
        }


@door
def make_case(
    original: Any,
    corrected: Any,
    models: Mapping[str, Any],
    *,
    classes: int | Sequence[str] | None = None,
    flagged: Any = None,
    checked: Any = None,
    ids: Sequence[Any] | np.ndarray | None = None,
) -> Case:
    """A checked case.

    Args:
        original: labels (n,): 0..q-1, or, where ``classes`` names them, as ``from_arrays`` takes
            labels.
        corrected: (n,), the same where the label stands, another where it was wrong, and -1 where
            no single label is right; None where nobody corrected them.
        models: name -> predicted classes int (n,), or probabilities or other scores float (n, q),
            of which the highest wins, the lowest class among equals. A value may be a function
            that gives the array, so that only one is in memory at a time.
        classes: names in order, or how many; otherwise columns of probabilities, or one more than
            the largest label.
        flagged: bool (n,), items that a detector proposed; for counts only.
        checked: bool (n,), items whose corrected label people have seen besides those that changed.
        ids: (n,) names of the items, each once.

    Raises:
        ValueError: what does not fit, by name, value and place.
    """
    same_rows(original=original, corrected=corrected, flagged=flagged, checked=checked, ids=ids)
    published = original
    names = written_classes(classes)
    q_given = len(names) if names else classes
    original = _labels(_numbers(original, "original", names), "original", 0)
    versions = 1 if corrected is None else 2
    corrected = (
        original
        if corrected is None
        else _labels(_numbers(corrected, "corrected", names), "corrected", PRUNED)
    )
    n = len(original)
    if n == 0:
        raise ValueError("`original` is empty; there is nothing to compare.")
    if len(corrected) != n:
        raise ValueError(f"`corrected` has {len(corrected)} labels and `original` {n}.")
    if not (corrected != PRUNED).any():
        raise ValueError("`corrected` is -1 everywhere; no item is left to compare models on.")
    if len(models) < 2:
        raise ValueError(f"`models` has {len(models)}; a ranking needs at least two.")
    reduced = {
        name: _reduced(_made(value, published, name, names), original, corrected, name)
        for name, value in models.items()
    }
    q = _classes(q_given, original, corrected, {name: r[2] for name, r in reduced.items()})
    for name, (predicted, _, _) in reduced.items():
        _refuse_beyond(predicted, q, f"the prediction of {name!r}")
    _refuse_scores(original, {name: r[0] for name, r in reduced.items()})
    touched = corrected != original
    flags = None if flagged is None else _mask(flagged, n, "flagged")
    if flags is not None and len(bad := np.flatnonzero(touched & ~flags)):
        raise ValueError(f"item {bad[0]} was corrected or pruned, but `flagged` leaves it out.")
    seen = touched if checked is None else touched | _mask(checked, n, "checked")
    return Case(
        names=tuple(str(name) for name in models),
        classes=q,
        original=original,
        corrected=corrected,
        predictions=np.stack([predicted for predicted, _, _ in reduced.values()]),
        top5={name: top for name, (_, top, _) in reduced.items() if top is not None},
        flagged=flags,
        checked=seen,
        ids=None if ids is None else _ids(ids, n),
        versions=versions,
    )


def _refuse_scores(original: np.ndarray, predictions: Mapping[str, np.ndarray]) -> None:
    """Zeros and ones of every model, where labels have many classes, are no predicted classes."""
    seen = len(np.unique(original))
    if seen > 2 and all(predicted.max(initial=0) <= 1 for predicted in predictions.values()):
        raise Refusal(
            f"Every model's predictions are 0 and 1, and the labels have {seen} classes: these "
            "look like scores, 1 for right and 0 for wrong.",
            "give predicted classes",
            "rank scores with candidly rank",
        )


def _labels(values: Any, name: str, lowest: int) -> np.ndarray:
    labels = as_array(values, name)
    if labels.ndim != 1:
        raise ValueError(f"`{name}` has shape {labels.shape}; labels are (items,).")
    labels = _integers(labels, f"`{name}`")
    if len(bad := np.flatnonzero(labels < lowest)):
        row = int(bad[0])
        if lowest or labels[row] != -1:
            raise ValueError(f"`{name}` is {labels[row]} at row {row}.")
        raise Refusal(
            f"`{name}` is -1 at row {row}; only corrected labels may be -1, for pruned.",
            "if it is a class, name all classes with `classes`",
        )
    return labels


def _integers(values: np.ndarray, what: str) -> np.ndarray:
    if values.dtype.kind == "f":
        if len(bad := np.flatnonzero(values != np.floor(values))):  # NaN differs from itself
            raise ValueError(f"{what} is {values[bad[0]]} at row {bad[0]}; labels are integers.")
    elif values.dtype.kind not in "iu":
        raise ValueError(f"{what} holds {values.dtype}; labels are integers.")
    return values.astype(np.int64)


def _numbers(values: Any, name: str, classes: Sequence[str]) -> Any:
    """Labels as numbers of the classes that were named; as they are where none were."""
    if not classes:
        return values
    rule = LabelRule(tuple(classes))
    return read_labels({name: values}, rule, {name: f"`{name}`"}).labels[name]


def _made(value: Any, original: Any, name: str, classes: Sequence[str]) -> np.ndarray:
    """A model's predictions, made if need be; their rows must be the labels'."""
    made = value() if callable(value) else value
    same_rows(original=original, **{f"models[{name!r}]": made})
    if classes and len(np.shape(made)) == 1:
        made = _numbers(made, f"models[{name!r}]", classes)
    return as_table(made, f"models[{name!r}]")


def _reduced(
    array: np.ndarray, original: np.ndarray, corrected: np.ndarray, name: str
) -> tuple[np.ndarray, np.ndarray | None, int]:
    """Predictions (n,), top-5 hits (2, n) or None, and the number of columns or 0."""
    n = len(original)
    if array.ndim not in (1, 2) or len(array) != n:
        raise ValueError(
            f"the predictions of {name!r} have shape {array.shape}; there are {n} labels, so they "
            f"must be ({n},) classes or ({n}, classes) probabilities."
        )
    if array.ndim == 1:
        predicted = _integers(array, f"the prediction of {name!r}")
        if len(bad := np.flatnonzero(predicted < 0)):
            raise ValueError(
                f"the prediction of {name!r} is {predicted[bad[0]]} at row {bad[0]}; classes are "
                "numbered from 0."
            )
        return predicted, None, 0
    q = array.shape[1]
    if q < 2:
        raise ValueError(f"the probabilities of {name!r} have {q} columns; classes are at least 2.")
    for labels, what in ((original, "`original`"), (corrected, "`corrected`")):
        _refuse_beyond(labels, q, what)
    predicted, top = np.empty(n, np.int64), np.empty((2, n), bool)
    step = max(1, ROWS // q)
    for start in range(0, n, step):
        here = slice(start, start + step)
        rows = np.asarray(array[here], dtype=np.float64)
        if len(bad := np.flatnonzero(~np.isfinite(rows).all(1))):
            raise ValueError(
                f"the probabilities of {name!r} are not finite in row {start + bad[0]}."
            )
        predicted[here] = rows.argmax(1)
        for kind, labels in enumerate((original, corrected)):
            known = labels[here] >= 0
            top[kind, here] = known & (classes_ahead(rows, np.maximum(labels[here], 0)) < TOP)
    return predicted, top, q


def _classes(
    classes: Any, original: np.ndarray, corrected: np.ndarray, columns: Mapping[str, int]
) -> int:
    wide = {name: q for name, q in columns.items() if q}
    if len(set(wide.values())) > 1:
        (a, p), (b, q) = next(
            (first, other)
            for first in wide.items()
            for other in wide.items()
            if first[1] != other[1]
        )
        raise ValueError(f"{a!r} has probabilities of {p} classes and {b!r} of {q}.")
    needed = int(max(original.max(), corrected.max())) + 1
    q = classes if classes is not None else max([*wide.values(), needed, 2])
    for name, width in wide.items():
        if width != q:
            raise ValueError(f"{name!r} has probabilities of {width} classes; there are {q}.")
    for labels, what in ((original, "`original`"), (corrected, "`corrected`")):
        _refuse_beyond(labels, q, what)
    return q


def _refuse_beyond(labels: np.ndarray, q: int, what: str) -> None:
    if len(bad := np.flatnonzero(labels >= q)):
        raise ValueError(
            f"{what} is {labels[bad[0]]} at row {bad[0]}; {q} classes are numbered 0 to {q - 1}. "
            "If there are more, say how many with `classes`."
        )


def _mask(values: Any, n: int, name: str) -> np.ndarray:
    mask = as_array(values, name)
    if mask.shape != (n,) or mask.dtype != bool:
        raise ValueError(
            f"`{name}` has shape {mask.shape} and holds {mask.dtype}; it must be true or false for "
            f"each of the {n} items."
        )
    return mask


def _ids(values: Any, n: int) -> np.ndarray:
    ids = as_array(values, "ids")
    if ids.shape != (n,):
        raise ValueError(f"`ids` has shape {ids.shape}; there are {n} items.")
    names, first, counts = np.unique(ids, return_index=True, return_counts=True)
    if len(names) < n:
        twice = first[counts > 1].min()
        raise ValueError(f"`ids` has {str(ids[twice])!r} more than once; each item has its own.")
    return ids
