"""Detectors that ask an example's nearest neighbours: no training at all.

Source: Zhu, Dong & Liu, Detecting corrupted labels without training a model to predict, ICML 2022
(SimiFeat).
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ._detection import Detection
from ._hoc import estimate_transition
from ._neighbours import Neighbours, nearest
from ._subject import K


def label_shares(given: np.ndarray, q: int, index: np.ndarray) -> np.ndarray:
    """How often each label stands among an example's neighbours: float64 (n, q), rows sum to 1.

    Args:
        given: int (n,), in 0..q-1.
        index: int (n, k).
    """
    n, k = index.shape
    counts = np.bincount(
        (np.arange(n)[:, None] * q + given[index]).ravel(), minlength=n * q
    ).reshape(n, q)
    return counts / k


@door
def knn_vote(
    given: np.ndarray,
    q: int,
    features: np.ndarray | None = None,
    *,
    neighbours: Neighbours | None = None,
    k: int = K,
    metric: str = "cosine",
    repeats: int = 1,
    share: float = 0.5,
    seed: int = 0,
) -> Detection:
    """Flags an example whose neighbours mostly carry another label (SimiFeat-V).

    Args:
        given: int (n,), in 0..q-1.
        features: (n, d); not needed with ``neighbours``.
        neighbours: found before; their first ``k`` columns count.
        k, metric: see ``nearest``.
        repeats: with more than one, each time a random ``share`` of the features counts, an
            example is flagged if most repeats do, and scores are averaged.
        seed: the seed of the choice of features.

    Returns:
        score in [-1, 1]: the largest share of another label less that of the own. Of equally
        frequent labels the lowest is the vote.

    Raises:
        ValueError: ``repeats`` with neighbours, or a share outside (0, 1].
    """
    if repeats == 1:
        found = _found(features, neighbours, k, metric)
        return Detection(*_vote(given, label_shares(given, q, found.index[:, :k])))
    if repeats < 1 or not 0 < share <= 1:
        raise ValueError(f"repeats is {repeats} and share {share}; at least 1, and in (0, 1].")
    if features is None:
        raise ValueError("repeats choose among `features`: pass these, not neighbours.")
    score, votes = np.zeros(len(given)), np.zeros(len(given), np.int64)
    for repeat in range(repeats):
        columns = features.shape[1]
        taken = draw(seed, "detectors.features", repeat).permutation(columns)
        some = features[:, taken[: max(1, round(share * columns))]]
        behind, outvoted = _vote(
            given, label_shares(given, q, nearest(some, k, metric=metric).index)
        )
        score += behind / repeats
        votes += outvoted
    return Detection(score, 2 * votes > repeats)


def _vote(given: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far the own label is behind, float64 (n,), and whether it lost, bool (n,)."""
    at = np.arange(len(given)), given
    own, others = shares[at], shares.copy()
    others[at] = -1
    return others.max(1) - own, shares.argmax(1) != given


def _found(
    features: np.ndarray | None, neighbours: Neighbours | None, k: int, metric: str
) -> Neighbours:
    if neighbours is not None:
        return neighbours
    if features is None:
        raise ValueError("pass `features` (n, d), or neighbours found before.")
    return nearest(features, k, metric=metric)


@door
def knn_rank(
    given: np.ndarray,
    q: int,
    features: np.ndarray | None = None,
    *,
    neighbours: Neighbours | None = None,
    k: int = K,
    metric: str = "cosine",
) -> Detection:
    """Ranks by -ln of the own label's share among the neighbours (SimiFeat-R).

    Of every class as many are flagged, from the top, as are estimated to be wrong: the share
    1 - P(true = given), from ``estimate_transition`` of labels and those of the two nearest.

    Args:
        given, features, neighbours, k, metric: see ``knn_vote``.

    Returns:
        score in [0, inf]; ``about`` has the transition matrix P(given | true) and the shares of
        classes; the estimate is the expected number.

    Raises:
        ValueError: fewer than three examples.
    """
    if len(given) < 3:
        raise ValueError(f"{len(given)} examples have no two neighbours; give at least 3.")
    found = _found(features, neighbours, max(k, 2), metric)
    shares = label_shares(given, q, found.index[:, :k])
    with np.errstate(divide="ignore"):
        score = -np.log(shares[np.arange(len(given)), given]) + 0.0
    fit = estimate_transition(given, given[found.index[:, 0]], given[found.index[:, 1]], q)
    counts = np.bincount(given, minlength=q)
    right = fit.transition.diagonal() * fit.prior * len(given) / np.maximum(counts, 1)
    wrong = counts * (1 - np.clip(right, 0, 1))
    flagged = np.zeros(len(given), bool)
    for klass in np.flatnonzero(counts):
        rows = np.flatnonzero(given == klass)
        order = rows[np.argsort(-score[rows], kind="stable")]
        flagged[order[: round(wrong[klass])]] = True
    about = {"transition": fit.transition.tolist(), "prior": fit.prior.tolist()}
    return Detection(score, flagged, float(wrong.sum()), about)
