"""A report's crossings and rankings as wrong labels become more frequent."""

from __future__ import annotations

import numpy as np

from ...stats.rank_correlation import correlation
from ._case import Case
from ._crossings import Crossings, rankings, tau_steps
from ._prevalence import x_mixture, x_removed
from ._report import Association, Crossing, Order, TauStep


def crossings_of(case: Case, found: Crossings) -> tuple[Crossing, ...]:
    c = case.prevalence
    rows = []
    for k in range(len(found)):
        at, drawn = float(found.prevalence[k]), found.bootstrap[k].tolist()
        already = at < c
        rows.append(
            Crossing(
                ahead=case.names[found.ahead[k]],
                behind=case.names[found.behind[k]],
                prevalence=at,
                low=float(found.interval[k, 0]),
                high=float(found.interval[k, 1]),
                bootstrap=None if drawn[0] != drawn[0] else (drawn[0], drawn[1]),
                established=bool(found.established[k]),
                adjusted=float(found.p[k]),
                already=already,
                x_removed=None if already else float(x_removed(at, c)),
                x_mixture=None if already else float(x_mixture(at, c)),
            )
        )
    return tuple(rows)


def orders_of(
    benign: np.ndarray, changed: np.ndarray, start: float, ties: np.ndarray
) -> tuple[Order, ...]:
    edges, ranks = rankings(benign, changed, start, ties)
    steps = zip(edges[:-1].tolist(), edges[1:].tolist(), ranks.tolist())
    return tuple(Order(low, high, tuple(row)) for low, high, row in steps)


def tau_of(
    benign: np.ndarray, old: np.ndarray, new: np.ndarray, start: float, ties: np.ndarray
) -> tuple[TauStep, ...]:
    edges, tau = tau_steps(benign, old, new, start, ties)
    steps = zip(edges[:-1].tolist(), edges[1:].tolist(), tau.tolist())
    return tuple(TauStep(low, high, None if t != t else t) for low, high, t in steps)


def associations_of(case: Case, seed: int) -> tuple[Association, ...]:
    original, corrected = case.right_original, case.right_corrected
    sides = {
        "all items, original labels, against kept items, corrected labels": (original, corrected),
        "all items, original labels, against unchanged items": (original, original[:, case.benign]),
        "changed items, original against corrected labels": (
            original[:, case.changed],
            corrected[:, case.changed],
        ),
    }
    rows = []
    for name, (x, y) in sides.items():
        found = [correlation(x.sum(1), y.sum(1), by, seed=seed) for by in ("spearman", "kendall")]
        values = [v for one in found for v in (one.value, one.p)]
        rows.append(Association(name, *(None if v != v else float(v) for v in values)))
    return tuple(rows)
