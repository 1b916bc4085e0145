"""Classes made one in data that has been read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .labelled import Labelled
from .reading import merges
from .votes import Votes


def merge_classes(data: Labelled, merge: bool | Mapping[str, str]) -> Labelled:
    """The same data with one class for several, as ``LabelRule`` says it; classes keep their order.

    Raises:
        ValueError: a name to replace that is no class.

    >>> data = Labelled(np.eye(3), ("Cat", "cat", "dog"), given=np.array([1, 0, 2]))
    >>> merge_classes(data, {"Cat": "cat"}).classes
    ('cat', 'dog')
    """
    new = merges(rows_of(data), merge)
    if not new:
        return data
    named = [new.get(name, name) for name in data.classes]
    classes = tuple(dict.fromkeys(named))
    place = np.array([classes.index(name) for name in named])
    changes: dict[str, object] = {}
    for name in ("given", "truth"):
        labels = getattr(data, name)
        if labels is not None:
            changes[name] = np.where(labels < 0, -1, place[labels])
    for name in ("candidates", "tags"):
        sets = getattr(data, name)
        if sets is not None:
            changes[name] = np.stack([sets[:, place == k].any(1) for k in range(len(classes))], 1)
    if data.votes is not None:
        changes["votes"] = _of_votes(data.votes, place)
    return replace(data, classes=classes, **changes)  # type: ignore[arg-type]


def rows_of(data: Labelled) -> dict[str, int]:
    """How many labels say each class: those of rows, of sets and of answers."""
    counts = np.zeros(data.q, np.int64)
    for labels in (data.given, data.truth):
        counts += 0 if labels is None else np.bincount(labels[labels >= 0], minlength=data.q)
    for sets in (data.candidates, data.tags):
        counts += 0 if sets is None else sets.sum(0)
    if data.votes is not None:
        counts += np.bincount(data.votes.labels, minlength=data.q)
    return dict(zip(data.classes, counts.tolist()))


def _of_votes(votes: Votes, place: np.ndarray) -> Votes:
    """Answers in which a class stands once."""
    rows = [
        (item, who, dict.fromkeys(place[list(labels)].tolist()))
        for item, who, labels in votes.rows()
    ]
    return Votes.from_rows(rows)
