"""How sound the labels of a whole data set are, class by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.ingest.probabilities import Probs
from ...ground.arrays import check_distinct, door
from ...stats import wilson
from ._cells import Cells
from ._doubts import of_many
from ._evidence import Evidence
from ._gather import gathered
from ._select import by_guess

if TYPE_CHECKING:
    import polars as pl

FEW = 20  # examples of a class, below which its rates say little


@dataclass(frozen=True)
class Overlaps:
    """Pairs of classes a < b that are taken for one another, the most often first.

    Attributes:
        a, b: int64 (pairs,).
        share: float64, of all labels: given one, truly the other.
        count: int64, the same in examples, rounded.
        a_to_b, b_to_a: int64, examples given a that are truly b, and the other way round.
        gains: int64, the class that would have more examples were these labels right; -1: neither.
    """

    a: np.ndarray
    b: np.ndarray
    share: np.ndarray
    count: np.ndarray
    a_to_b: np.ndarray
    b_to_a: np.ndarray
    gains: np.ndarray


@dataclass(frozen=True)
class Health:
    """How sound labels are: rows of classes, the worst first.

    Attributes:
        classes: int64 (m,), which class each row is about; the arrays below follow it.
        given: int64 (m,), examples that carry the label.
        label_issues: int64 (m,), of these, truly another class.
        inverse_issues: int64 (m,), examples of the class that carry another label.
        label_noise: float64 (m,), P(another class | given); NaN for a class never given.
        inverse_noise: float64 (m,), P(another label | truly); NaN for a class that nobody is.
        quality: float64 (m,), 1 - label noise.
        interval: float64 (m, 2), of the quality: Wilson, 95 %. It covers chance in which examples
            there are, not errors of the model.
        overlaps: pairs of classes.
        off_diagonal: share of labels that are not confidently another class, near-ties aside.
        calibrated: share of labels that are right by the calibrated joint. The two differ.
        warnings: sentences.
    """

    classes: np.ndarray
    given: np.ndarray
    label_issues: np.ndarray
    inverse_issues: np.ndarray
    label_noise: np.ndarray
    inverse_noise: np.ndarray
    quality: np.ndarray
    interval: np.ndarray
    overlaps: Overlaps
    off_diagonal: float
    calibrated: float
    warnings: tuple[str, ...]

    def table(self, classes: Sequence[str] | None = None) -> pl.DataFrame:
        """A row per class, the worst first; with names if ``classes`` has them."""
        import polars as pl

        return pl.DataFrame(
            {
                "class": named(self.classes, classes),
                "given": self.given,
                "label issues": self.label_issues,
                "inverse issues": self.inverse_issues,
                "label noise": self.label_noise,
                "inverse noise": self.inverse_noise,
                "quality": self.quality,
                "quality from": self.interval[:, 0],
                "quality to": self.interval[:, 1],
            }
        )

    def overlap_table(self, classes: Sequence[str] | None = None) -> pl.DataFrame:
        """A row per pair of classes, the most often confused first."""
        import polars as pl

        pairs = self.overlaps
        columns: dict[str, Any] = dict(vars(pairs))
        gains = pl.Series(named(np.maximum(pairs.gains, 0), classes))
        columns |= {"a": named(pairs.a, classes), "b": named(pairs.b, classes)}
        return pl.DataFrame(
            {name.replace("_", " "): column for name, column in columns.items()} | {"gains": gains}
        ).with_columns(pl.when(pl.Series(pairs.gains >= 0)).then(pl.col("gains")).alias("gains"))


def named(numbers: np.ndarray, classes: Sequence[str] | None) -> Any:
    """Numbers of classes, or their names."""
    check_distinct(classes)
    return numbers if classes is None else [classes[k] for k in numbers.tolist()]


@door
def health(given: Any, probs: Probs = None, **options: Any) -> Health:
    """How sound labels are, class by class and for pairs of classes, from the calibrated joint.

    Args:
        given, probs, options: see ``examine``.

    >>> given = np.array([0, 0, 1, 1, 1])
    >>> probs = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9], [0.95, 0.05]])
    >>> found = health(given, probs)
    >>> found.classes, found.label_issues
    (array([1, 0]), array([1, 0]))
    >>> found.calibrated
    0.8
    """
    evidence = gathered(given, probs, options)
    matrix = evidence.calibrated
    rows, columns, right = matrix.row_sums, matrix.column_sums, matrix.diagonal
    n = max(int(rows.sum()), 1)
    noise, inverse = _rate(rows - right, rows), _rate(columns - right, columns)
    order = np.argsort(1 - noise, kind="stable")  # NaN last
    confident = evidence.without_near_ties(by_guess(evidence, matrix))
    labelled = max(int(evidence.given_counts.sum()), 1)
    return Health(
        classes=order,
        given=evidence.given_counts[order],
        label_issues=(rows - right)[order],
        inverse_issues=(columns - right)[order],
        label_noise=noise[order],
        inverse_noise=inverse[order],
        quality=(1 - noise)[order],
        interval=wilson(right, rows)[order],
        overlaps=_overlaps(matrix, n),
        off_diagonal=1 - int(confident.sum()) / labelled,
        calibrated=int(right.sum()) / n,
        warnings=(*_warnings(evidence), *evidence.doubts, *of_many(int(confident.sum()), labelled)),
    )


def _rate(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)


def _overlaps(joint: Cells, n: int) -> Overlaps:
    cells = joint.aside
    first, last = np.minimum(cells.given, cells.other), np.maximum(cells.given, cells.other)
    pairs, number = np.unique(first * joint.m + last, return_inverse=True)
    away, back = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
    up = cells.given < cells.other
    away[number[up]], back[number[~up]] = cells.count[up], cells.count[~up]
    order = np.argsort(-(away + back), kind="stable")
    a, b, away, back = pairs[order] // joint.m, pairs[order] % joint.m, away[order], back[order]
    gains = np.where(away > back, b, np.where(back > away, a, -1))
    return Overlaps(a, b, (away + back) / n, away + back, away, back, gains)


def _warnings(evidence: Evidence) -> tuple[str, ...]:
    counts = evidence.given_counts
    return tuple(
        f"class {evidence.called(k)} was given {counts[k]} times only; its rates say little."
        for k in np.flatnonzero(counts < FEW).tolist()
    )
