"""How alike two rankings are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..ground.arrays import door
from ..ground.names import lookup
from ..ground.seeds import draw

TOGETHER = 500  # permutations that are looked at together


@dataclass(frozen=True)
class Correlation:
    """How alike two orders are, and how often chance makes them as much alike or more.

    Attributes:
        value: in [-1, 1]; NaN where one of the two is constant.
        p: two-sided, by permutations; NaN likewise.
    """

    value: float
    p: float


@door
def correlation(
    x: np.ndarray,
    y: np.ndarray,
    by: str = "spearman",
    permutations: int = 10_000,
    seed: int = 0,
) -> Correlation:
    """Rank correlation of two lists of scores, with a permutation p.

    Args:
        x, y: (R,), R at least 2.
        by: spearman (of mid-ranks) or kendall (tau b, which allows for ties).
        permutations: the permutations of y; p counts the observed order as one more of them.

    Raises:
        UnknownName: no such correlation.
    """
    make = lookup(CORRELATIONS, by, "rank correlation")[1]
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1 or len(x) < 2:
        raise ValueError(f"`x` has shape {x.shape} and `y` {y.shape}; both must be (R,), R > 1.")
    of = make(x, y)
    value = float(of(np.arange(len(x))[None])[0])
    rng = draw(seed, "stability: permutations")
    orders = rng.permuted(np.tile(np.arange(len(x)), (permutations, 1)), axis=1)
    # sums in another order differ in their last bits
    as_far = sum(int((np.abs(of(some)) >= abs(value) - 1e-12).sum()) for some in _parts(orders))
    return Correlation(value, (1 + as_far) / (1 + permutations) if value == value else np.nan)


@door
def kendall(x: np.ndarray, y: np.ndarray) -> float:
    """Kendall's tau b, in [-1, 1]; NaN where one is constant.

    Source: Kendall, Biometrika 33, 1945.

    >>> round(kendall(np.array([1, 2, 3]), np.array([1, 3, 2])), 4)
    0.3333
    """
    return float(_kendall(x, y)(np.arange(len(x))[None])[0])


def _parts(orders: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(orders), TOGETHER):
        yield orders[start : start + TOGETHER]


Orders = Callable[[np.ndarray], np.ndarray]


def _spearman(x: np.ndarray, y: np.ndarray) -> Orders:
    from scipy.stats import rankdata

    u, v = rankdata(x), rankdata(y)
    u, v = u - u.mean(), v - v.mean()
    scale = np.sqrt((u @ u) * (v @ v))
    return lambda orders: _ratio(v[orders] @ u, scale)


def _kendall(x: np.ndarray, y: np.ndarray) -> Orders:
    a, b = np.triu_indices(len(x), 1)
    u, v = np.sign(np.subtract.outer(x, x)), np.sign(np.subtract.outer(y, y))
    scale = np.sqrt((u[a, b] ** 2).sum() * (v[a, b] ** 2).sum())
    return lambda orders: _ratio(v[orders[:, a], orders[:, b]] @ u[a, b], scale)


def _ratio(above: np.ndarray, below: float) -> np.ndarray:
    return above / below if below else np.full(len(above), np.nan)


CORRELATIONS: dict[str, Callable[[np.ndarray, np.ndarray], Orders]] = {
    "spearman": _spearman,
    "kendall": _kendall,
}
