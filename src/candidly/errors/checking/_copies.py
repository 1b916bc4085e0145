"""Rows that are equal and have different labels: wrong labels that no classifier has to find."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.labels.labelled import Labelled
from ..crossval import digests

SAME = {  # by kind of inputs, what two such rows have in common
    "texts": "the same text",
    "images": "the same picture",
    "media": "the same file",
}


@dataclass(frozen=True)
class Contradiction:
    """Rows with equal inputs, not all of which have one label.

    Attributes:
        kind: of the inputs, one of ``SAME``.
        rows: int64, ascending.
        pair: two of them that are equal and have different labels.
        least: how many of their labels are wrong at least, if equal rows have one right label.
    """

    kind: str
    rows: np.ndarray
    pair: tuple[int, int]
    least: int

    def __str__(self) -> str:
        are = "is" if self.least == 1 else "are"
        return (
            f"{len(self.rows):,} rows hold {SAME[self.kind]} as another row with another label, "
            f"such as rows {self.pair[0]} and {self.pair[1]}: where one label is right, at least "
            f"{self.least:,} of these {are} wrong."
        )


def contradiction(data: Labelled) -> Contradiction | None:
    """What equal rows with different given labels say; None where there are none.

    Of texts and pictures alone: rows of a table may be equal in the columns that are there, and of
    different classes all the same.
    """
    if data.given is None or data.kind not in SAME:
        return None
    labelled = np.flatnonzero(data.given >= 0)
    _, group = np.unique(digests(data)[labelled], return_inverse=True)
    given = data.given[labelled]
    pairs, counts = np.unique(np.stack([group, given], 1), axis=0, return_counts=True)
    labels = np.bincount(pairs[:, 0])  # different ones of each group
    rows = np.flatnonzero(labels[group] > 1)
    if not len(rows):
        return None
    most = np.zeros(len(labels), np.int64)
    np.maximum.at(most, pairs[:, 0], counts)
    several = labels > 1
    least = int((np.bincount(group)[several] - most[several]).sum())
    first = rows[0]
    other = np.flatnonzero((group == group[first]) & (given != given[first]))[0]
    pair = int(labelled[first]), int(labelled[other])
    return Contradiction(data.kind, labelled[rows], pair, least)
