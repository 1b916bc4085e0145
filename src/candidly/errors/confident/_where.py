"""Which labels are wrong as which class: a map of classes by classes, and classes as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...show.grid import Column, Datum, Grid
from ...show.heat import heat_table
from ...show.pieces import Piece, Section, SideBySide
from ._sets import SetEvidence

if TYPE_CHECKING:
    from . import Issues

HEAT = 30  # classes up to which confusions are a map
PAIRS = 20  # confusions that are listed where there is no map
BARS = 20  # classes that are listed

EXPECTED = (
    "Expected wrong, of labels that the classifier contradicts: given class (rows), predicted "
    "class (columns)"
)
FLAGGED = "Flagged examples by given class (rows) and proposed class (columns)"


@dataclass(frozen=True, eq=False)
class Where:
    """Doubts by classes.

    Attributes:
        counts: float64 (m, m), by given and other class; the diagonal is 0.
        labels: int64 (m,), how often each class is given.
        expected: whether they are expected to be wrong; otherwise flagged.
    """

    counts: np.ndarray
    labels: np.ndarray
    expected: bool

    @cached_property
    def by_class(self) -> np.ndarray:
        """Of the labels of each class: float64 (m,)."""
        return self.counts.sum(1)


def doubts_by_class(issues: Issues) -> Where:
    """By given and predicted class how many of the contradicted labels are expected to be wrong,
    where chances are known; else what is flagged, by given and proposed class.

    Args:
        issues: of one given label per example.
    """
    evidence = issues.evidence
    assert not isinstance(evidence, SetEvidence)
    m = evidence.m
    labelled = evidence.labelled
    counts = np.zeros((m, m))
    expected = issues.chance is not None and bool(np.isfinite(issues.chance[labelled]).all())
    if expected:
        assert issues.chance is not None
        there = labelled & (evidence.predicted != evidence.given)
        rows, columns = evidence.given[there], evidence.predicted[there]
        np.add.at(counts, (rows, columns), issues.chance[there])
    else:
        table = issues.table()
        np.add.at(counts, (table["given"].to_numpy(), table["proposed"].to_numpy()), 1)
    given = np.bincount(evidence.given[labelled], minlength=m)
    return Where(counts, given, expected)


def where_section(found: Where, names: Sequence[str]) -> Iterator[Section]:
    """A map where classes are few, else pairs; and classes as bars. Nothing without a doubt."""
    if found.counts.sum() < 0.5:
        return
    first: Piece = _map(found, names) if len(names) <= HEAT else pairs_grid(found, names, PAIRS)
    yield Section("Which labels", (SideBySide((first, bars_grid(found, names))),))


def _map(found: Where, names: Sequence[str]) -> Piece:
    rounded = np.rint(found.counts).astype(np.int64)
    return heat_table(
        EXPECTED if found.expected else FLAGGED,
        names,
        found.counts / max(float(found.counts.max()), 1e-9),
        lambda row, column: f"{rounded[row, column]:,}" if rounded[row, column] else "",
    )


def bars_grid(found: Where, names: Sequence[str]) -> Grid:
    """Classes whose labels are in doubt most often, the share of their labels as bars."""
    share = found.by_class / np.maximum(found.labels, 1)
    order = [k for k in np.argsort(-found.by_class, kind="stable").tolist() if found.labels[k]]
    largest = max(float(share.max()), 1e-9)
    rows = [
        (
            *(names[k], int(found.labels[k]), Datum(float(found.by_class[k]))),
            *(100 * float(share[k]), float(share[k]) / largest),
        )
        for k in order[:BARS]
    ]
    what = "expected wrong" if found.expected else "flagged"
    columns = (
        *(Column("given class", "name"), Column("labels", form=",")),
        *(Column(what, form=",.0f"), Column("%", form=".1f"), Column("", "bar")),
    )
    cut = f": the first {BARS} of {len(order):,}" if len(order) > BARS else ""
    return Grid(f"By given class, the most first{cut}", columns, rows)


def pairs_grid(found: Where, names: Sequence[str], most: int) -> Grid:
    """The pairs of given and other class that are in doubt most often."""
    order = np.argsort(-found.counts, axis=None, kind="stable")[:most]
    pairs = [divmod(int(k), len(names)) for k in order]
    largest = float(found.counts.max())
    what = "expected wrong" if found.expected else "flagged"
    columns = (
        *(Column("given", "name"), Column("likely" if found.expected else "proposed", "name")),
        *(Column(what, form=",.0f"), Column("", "bar")),
    )
    rows = [
        (names[a], names[b], float(found.counts[a, b]), float(found.counts[a, b]) / largest)
        for a, b in pairs
        if round(float(found.counts[a, b]))
    ]
    return Grid("Which class for which, the most frequent", columns, rows)
