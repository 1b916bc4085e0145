"""STAND-IN for ``errors.health``, its ``Health``, ``FEW``, and ``Issues.table``, by their names.

To swap: in ``cli/errors.py`` and ``report/issues.py`` take ``health`` from ``candidly.errors``,
``FEW`` from ``candidly.errors._health``, replace ``issues_table(issues, ...)`` by
``issues.table(classes=...)``, and delete this file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _select
from ._evidence import Evidence
from ._scores import OF_COLUMNS

if TYPE_CHECKING:
    import polars as pl

    from . import Issues

FEW = 20  # examples of a class, below which its rates say little
Z = 1.959963984540054  # of a two-sided 95 % interval


@dataclass(frozen=True)
class Health:
    off_diagonal: float
    calibrated: float
    warnings: tuple[str, ...]
    joint: np.ndarray
    given: np.ndarray

    def table(self, classes: Sequence[str] | None = None) -> pl.DataFrame:
        import polars as pl

        rows = []
        for k, n in enumerate(self.given.tolist()):
            out = n - int(self.joint[k, k])
            arrived = int(self.joint[:, k].sum())
            into = arrived - int(self.joint[k, k])
            quality = 1 - out / n if n else math.nan
            low, high = _wilson(quality, n) if n else (math.nan, math.nan)
            inverse = into / arrived if arrived else math.nan
            name = k if classes is None else classes[k]
            rows.append((name, n, out, into, 1 - quality, inverse, quality, low, high))
        rows.sort(key=lambda row: (math.isnan(row[6]), row[6]))
        names = ["class", "given", "label issues", "inverse issues", "label noise"]
        names += ["inverse noise", "quality", "quality from", "quality to"]
        return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)

    def overlap_table(self, classes: Sequence[str] | None = None) -> pl.DataFrame:
        import polars as pl

        both = np.triu(self.joint + self.joint.T, 1)
        a, b = np.nonzero(both)
        order = np.argsort(-both[a, b], kind="stable")
        a, b = a[order], b[order]
        away, back = self.joint[a, b], self.joint[b, a]
        gains = np.where(away > back, b, np.where(back > away, a, -1))
        texts = _named(np.maximum(gains, 0), classes)
        table = pl.DataFrame(
            {
                "a": _named(a, classes),
                "b": _named(b, classes),
                "share": (away + back) / self.joint.sum(),
                "count": away + back,
                "a to b": away,
                "b to a": back,
                "gains": texts,
            }
        )
        return table.with_columns(pl.when(pl.Series(gains >= 0)).then(pl.col("gains")))


def health(evidence: Evidence) -> Health:
    joint, given = evidence.calibrated, evidence.given_counts
    total = max(int(given.sum()), 1)
    off = int((_select.by_guess(evidence, joint) & ~evidence.near_tie).sum())
    return Health(
        1 - off / total,
        float(joint.trace() / max(joint.sum(), 1)),
        tuple(
            f"class {k} was given {given[k]} times only; its rates say little."
            for k in np.flatnonzero(given < FEW).tolist()
        ),
        joint,
        given,
    )


def issues_table(issues: Issues, classes: Sequence[str] | None = None) -> pl.DataFrame:
    import polars as pl

    evidence, rows = issues.evidence, issues.indices
    given, guess = evidence.given[rows], evidence.guess[rows]
    predicted = evidence.predicted[rows]
    proposed = np.where((guess >= 0) & (guess != given), guess, predicted)
    columns: dict[str, Any] = {"index": rows, "given": _named(given, classes)}
    columns["predicted"] = _named(predicted, classes)
    columns["guess"] = _named(guess, classes)
    columns["proposed"] = _named(proposed, classes)
    for name in ("self-confidence", "margin"):
        columns[name] = OF_COLUMNS[name](evidence.own[rows], evidence.other[rows])
    for name, method in _select.METHODS.items():
        columns[f"by {name}"] = _select.flagged(evidence, method)[rows]
    table = pl.DataFrame(columns)
    return table.with_columns(pl.when(pl.Series(guess >= 0)).then(pl.col("guess")))


def _named(numbers: np.ndarray, classes: Sequence[str] | None) -> Any:
    return numbers if classes is None else [classes[k] for k in numbers.tolist()]


def _wilson(share: float, n: int) -> tuple[float, float]:
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)
