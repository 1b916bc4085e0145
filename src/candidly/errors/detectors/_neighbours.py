"""Exact nearest neighbours in blocks: a product of two blocks at a time, never (n, n)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ...ground.arrays import door
from ...ground.compiled import compiler
from ...ground.names import lookup
from ...ground.numbers import whole
from ._features import checked_table

BLOCK = 2048  # rows; a product of two blocks is 16 MB
SPARE = 6  # more than asked for, to be put in order in float64
ROWS_AT_ONCE = 512


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Of every example, the nearest others, nearest first.

    Attributes:
        index: int64 (n, k).
        distance: float64 (n, k): 1 - cosine, in [0, 2], or Euclidean.
    """

    index: np.ndarray
    distance: np.ndarray


@door
def nearest(
    features: np.ndarray, k: int = 10, *, metric: str = "cosine", block: int = BLOCK
) -> Neighbours:
    """The ``k`` nearest other examples of each, by brute force.

    Candidates are found in float32, ``SPARE`` more than asked for, and put in order by distances
    in float64, equal ones by index. So an example that is as far as the last candidate up to
    float32's rounding may be missed, and no other. The time is that of n² d / 2 multiplications;
    the memory, two blocks and n (k + SPARE) numbers.

    Args:
        features: numbers (n, d), finite.
        k: at most n - 1 are returned.
        metric: ``cosine`` (a row of zeros has distance 1 to all) or ``l2``.
        block: rows per block; it changes no more than float32's rounding.

    Raises:
        ValueError: fewer than two rows, k or block below 1, what is no finite number.
        KeyError: no such metric.

    >>> nearest(np.array([[0.0], [1.0], [3.0]]), 1, metric="l2").index.ravel()
    array([1, 0, 1])
    """
    table = checked_table(features)
    prepare, exact = lookup(METRICS, metric, "metric")[1]
    k, block = whole(k, "k", low=1), whole(block, "block", low=1)
    n = len(table)
    if n < 2:
        raise ValueError(f"{n} example has no neighbours; give at least 2.")
    k = min(k, n - 1)
    rows, half = prepare(table)
    found = _candidates(rows, half, min(k + SPARE, n - 1), block)
    distance = _exact(table, found, exact)
    order = np.lexsort((found, distance), axis=-1)[:, :k]
    return Neighbours(np.take_along_axis(found, order, 1), np.take_along_axis(distance, order, 1))


def _candidates(rows: np.ndarray, half: np.ndarray, count: int, block: int) -> np.ndarray:
    """Indices (n, count) of the smallest ``half_i + half_j - rows_i rows_j``."""
    n = len(rows)
    best = np.full((n, count), np.inf, np.float32)
    worst = best[:, -1].copy()  # of each row, beside one another: most offers end here
    index = np.full((n, count), -1, np.int64)
    starts = range(0, n, block)
    for a in starts:
        for b in starts[a // block :]:
            products = rows[a : a + block] @ rows[b : b + block].T
            _offer(products, a, b, half, best, worst, index)
    return index


@compiler()
def _offer(products, a, b, half, best, worst, index):
    """Offer every pair of two blocks to both of its examples.

    Pairs come in an order in which a row meets the others by index, so that of equals the first
    stays.
    """
    for i in range(products.shape[0]):
        for j in range(i + 1 if a == b else 0, products.shape[1]):
            d = half[a + i] + half[b + j] - products[i, j]
            if d < worst[a + i]:
                worst[a + i] = _insert(best[a + i], index[a + i], d, b + j)
            if d < worst[b + j]:
                worst[b + j] = _insert(best[b + j], index[b + j], d, a + i)


@compiler()
def _insert(best, index, d, which):
    at = len(best) - 1
    while at > 0 and best[at - 1] > d:
        best[at], index[at] = best[at - 1], index[at - 1]
        at -= 1
    best[at], index[at] = d, which
    return best[-1]


def _exact(
    table: np.ndarray, found: np.ndarray, exact: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    distance = np.empty(found.shape)
    for start in range(0, len(table), ROWS_AT_ONCE):
        here = slice(start, start + ROWS_AT_ONCE)
        mine, others = table[here].astype(np.float64), table[found[here]].astype(np.float64)
        distance[here] = exact(mine, others)
    return distance


# metrics: rows and halves for the search, exact distances (b, d), (b, c, d) -> (b, c)


def _unit_rows(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    norms = np.linalg.norm(table.astype(np.float64, copy=False), axis=1, keepdims=True)
    unit = np.divide(table, norms, out=np.zeros(table.shape), where=norms > 0)
    return unit.astype(np.float32), np.full(len(table), 0.5, np.float32)


def _centred_rows(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    # far from zero, products of float32 would swallow the distances
    constant = (table == table[:1]).all(0)
    centre = np.where(constant, table[0], table.mean(0, dtype=np.float64))
    rows = (table - centre).astype(np.float32)
    return rows, 0.5 * np.einsum("ij,ij->i", rows, rows)


def _cosine(mine: np.ndarray, others: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(mine, axis=-1)[:, None] * np.linalg.norm(others, axis=-1)
    products = np.einsum("bd,bcd->bc", mine, others)
    cosine = np.divide(products, norms, out=np.zeros_like(norms), where=norms > 0)
    return 1 - np.clip(cosine, -1, 1)


def _euclidean(mine: np.ndarray, others: np.ndarray) -> np.ndarray:
    return np.linalg.norm(mine[:, None] - others, axis=-1)


METRICS: Mapping[str, tuple[Callable, Callable]] = {
    "cosine": (_unit_rows, _cosine),
    "l2": (_centred_rows, _euclidean),
}
