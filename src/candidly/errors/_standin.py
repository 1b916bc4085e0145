"""STAND-IN for ``errors.health`` and ``Issues.table``: swap the two imports of it and delete this.

Used by ``cli/errors.py`` and ``report/issues.py``, which read nothing but what is returned here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _select
from ._evidence import Evidence
from ._scores import OF_COLUMNS

if TYPE_CHECKING:
    import polars as pl

    from . import Issues

Z = 1.959963984540054  # of a two-sided 95 % interval


def issues_table(issues: Issues) -> pl.DataFrame:
    """A row per flagged example, the most suspicious first; classes by number, no guess is null."""
    import polars as pl

    evidence, rows = issues.evidence, issues.indices
    given = evidence.given[rows].astype(np.int64)
    predicted = evidence.predicted[rows].astype(np.int64)
    guess = evidence.guess[rows].astype(np.int64)
    proposed = np.where((guess >= 0) & (guess != given), guess, predicted)
    own, other = evidence.own[rows], evidence.other[rows]
    masks = {name: _select.flagged(evidence, how) for name, how in _select.METHODS.items()}
    masks[issues.by] = issues.mask
    names = np.array(list(masks))
    flagged = np.stack([mask[rows] for mask in masks.values()], axis=1)
    return pl.DataFrame(
        {
            "index": rows,
            "given": given,
            "predicted": predicted,
            "guess": pl.Series(guess, dtype=pl.Int64).replace(-1, None),
            "proposed": proposed,
            **{name: score(own, other) for name, score in OF_COLUMNS.items()},
            "flagged by": pl.Series(["|".join(names[row]) for row in flagged], dtype=pl.String),
        }
    )


def health_of(evidence: Evidence) -> dict[str, Any]:
    """Classes worst first, overlapping classes, two health numbers; plain values."""
    joint = evidence.calibrated
    given = evidence.given_counts
    total = int(given.sum())
    stays = joint.diagonal()
    out, into = joint.sum(1) - stays, joint.sum(0) - stays
    classes = []
    for k in range(evidence.m):
        n = int(given[k])
        quality = 1 - int(out[k]) / n if n else None
        low, high = wilson(quality, n) if quality is not None else (None, None)
        arrived = int(joint[:, k].sum())
        classes.append(
            {
                "class": k,
                "examples": n,
                "label issues": int(out[k]),
                "inverse issues": int(into[k]),
                "label noise": None if quality is None else 1 - quality,
                "inverse noise": int(into[k]) / arrived if arrived else None,
                "quality": quality,
                "low": low,
                "high": high,
            }
        )
    classes.sort(key=lambda row: (row["quality"] is None, row["quality"], row["class"]))
    both = np.triu(joint + joint.T, 1)
    first, second = np.nonzero(both)
    order = np.argsort(-both[first, second], kind="stable")
    overlaps = [
        {
            "first": a,
            "second": b,
            "examples": int(both[a, b]),
            "first given, second likely": int(joint[a, b]),
            "second given, first likely": int(joint[b, a]),
        }
        for a, b in zip(first[order].tolist(), second[order].tolist())
    ]
    off = int((_select.by_guess(evidence, joint) & ~evidence.near_tie).sum())
    return {
        "classes": classes,
        "overlaps": overlaps,
        "health": {
            "off-diagonal": 1 - off / max(total, 1),
            "calibrated": float(stays.sum() / max(joint.sum(), 1)),
        },
    }


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share of n."""
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)
