"""Where two models' accuracies cross as the share of wrong labels grows, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...ground.arrays import door
from ...stats import holm
from ...stats.crossing import tie_interval
from ...stats.pairs import discordant, mcnemar, tango
from ...stats.places import competition_ranks
from ._bootstrap import percentile_interval
from ._prevalence import accuracy_at


@dataclass(frozen=True)
class Crossings:
    """Pairs of models whose lines A(N) meet, by the prevalence at which they do.

    Of two disjoint sets of items, benign B and changed C, ``ahead`` is better on B and ``behind``
    on C; beyond the prevalence ``behind`` is the better one.

    Attributes:
        ahead, behind: int64 (k,), numbers of models.
        prevalence: float64 (k,), in (0, 1).
        lead: float64 (k,), u: accuracy of ahead minus that of behind on B.
        gain: float64 (k,), v: accuracy of behind minus that of ahead on C.
        established: bool (k,), both differences exclude 0 after correction for all pairs: ``p`` is
            at most 1 - level, and neither Tango interval, of u and of v, holds 0.
        p: float64 (k,), the larger McNemar p of the two sets, Holm-adjusted over all R(R-1)/2
            pairs.
        interval: float64 (k, 2), of the prevalence, of this pair by itself, see ``tie_interval``.
        bootstrap: float64 (k, 2), percentiles, resampled within B and C; NaN without resamples.
    """

    ahead: np.ndarray
    behind: np.ndarray
    prevalence: np.ndarray
    lead: np.ndarray
    gain: np.ndarray
    established: np.ndarray
    p: np.ndarray
    interval: np.ndarray
    bootstrap: np.ndarray

    def __len__(self) -> int:
        return len(self.ahead)


@door
def find_crossings(
    benign: np.ndarray,
    changed: np.ndarray,
    level: float = 0.95,
    drawn: tuple[np.ndarray, np.ndarray] | None = None,
) -> Crossings:
    """All pairs of models that tie at some prevalence, in its order.

    Args:
        benign: bool (R, |B|), who is right on the benign items.
        changed: bool (R, |C|), who is right on the changed items, under the labels in question.
        level: the level of intervals, and 1 - alpha of what is established, in (0, 1).
        drawn: right answers in bootstrap samples of B and of C, each (resamples, R).
    """
    size_b, size_c = benign.shape[1], changed.shape[1]
    on_b, on_c = discordant(benign), discordant(changed)
    i, j = np.triu_indices(len(benign), 1)
    whole_u, whole_v = (on_b - on_b.T)[i, j], (on_c.T - on_c)[i, j]
    p = np.maximum(mcnemar(on_b[i, j], on_b[j, i]), mcnemar(on_c[i, j], on_c[j, i]))
    meets = whole_u * whole_v > 0
    swapped = (whole_u < 0)[meets]
    p = holm(p)[meets]
    i, j = i[meets], j[meets]
    ahead, behind = np.where(swapped, j, i), np.where(swapped, i, j)
    # of whole numbers, so that equal crossings are equal floats
    over = np.abs(whole_u[meets]) * size_c
    prevalence = over / (over + np.abs(whole_v[meets]) * size_b)
    order = np.lexsort((behind, ahead, prevalence))
    ahead, behind, prevalence, p = (x[order] for x in (ahead, behind, prevalence, p))
    b, c = on_b[ahead, behind], on_b[behind, ahead]
    d, e = on_c[behind, ahead], on_c[ahead, behind]
    u, v = (b - c) / max(size_b, 1), (d - e) / max(size_c, 1)
    of_u, of_v = tango(b, c, size_b, level), tango(d, e, size_c, level)
    alone = (of_u[:, 0] > 0) & (of_v[:, 0] > 0)
    interval = tie_interval(u, v, of_u, of_v)
    established = alone & (p <= 1 - level)
    drawn_interval = _drawn_interval(drawn, ahead, behind, size_b, size_c, level)
    return Crossings(ahead, behind, prevalence, u, v, established, p, interval, drawn_interval)


def _drawn_interval(
    drawn: tuple[np.ndarray, np.ndarray] | None,
    ahead: np.ndarray,
    behind: np.ndarray,
    size_b: int,
    size_c: int,
    level: float,
) -> np.ndarray:
    found = np.full((len(ahead), 2), np.nan)
    if drawn is None:
        return found
    of_b, of_c = drawn
    for k, (a, b) in enumerate(zip(ahead, behind)):
        u = np.maximum(of_b[:, a] - of_b[:, b], 0) * float(size_c)
        v = np.maximum(of_c[:, b] - of_c[:, a], 0) * float(size_b)
        # a lead that is gone in a sample ties at 0, a gain that is gone ties at 1
        tied = np.divide(u, u + v, out=np.full(len(u), 0.5), where=u + v > 0)
        found[k] = percentile_interval(tied, level)
    return found


@door
def rankings(
    benign: np.ndarray, changed: np.ndarray, start: float, ties: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Every ranking that the models go through as the prevalence grows from ``start`` to 1.

    Args:
        benign, changed: float (R,), accuracies on B and C.
        start: the prevalence as it is.
        ties: prevalences at which models meet, see ``Crossings``.

    Returns:
        float64 (s + 1,), edges from start to 1; int64 (s, R), competition ranks between them.
    """
    edges = np.unique(np.concatenate([[start, 1.0], ties[(ties > start) & (ties < 1)]]))
    middles = (edges[:-1] + edges[1:]) / 2
    return edges, competition_ranks(accuracy_at(middles[:, None], benign, changed))


@door
def tau_steps(
    benign: np.ndarray,
    original: np.ndarray,
    corrected: np.ndarray,
    start: float,
    ties: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Kendall's tau b between the rankings by original and by corrected labels, as N grows.

    Args:
        benign, original, corrected: float (R,), accuracies on B, and on C by either labels.
        start: the prevalence as it is.
        ties: prevalences at which models meet under either labels.

    Returns:
        float64 (s + 1,), edges from start to 1, neighbours with equal tau put together; float64
        (s,), tau between them, NaN where all models tie.
    """
    edges, before = rankings(benign, original, start, ties)
    _, after = rankings(benign, corrected, start, ties)
    i, j = np.triu_indices(len(benign), 1)
    old = np.sign(before[:, j] - before[:, i]).astype(np.float64)
    new = np.sign(after[:, j] - after[:, i]).astype(np.float64)
    scale = np.sqrt((old**2).sum(1) * (new**2).sum(1))
    tau = np.divide((old * new).sum(1), scale, out=np.full(len(scale), np.nan), where=scale > 0)
    new_step = ~((tau[1:] == tau[:-1]) | (np.isnan(tau[1:]) & np.isnan(tau[:-1])))
    first = np.concatenate([[True], new_step]) if len(tau) else np.empty(0, bool)
    return np.concatenate([edges[:-1][first], edges[-1:]]), tau[first]
