"""The most similar row by cosine, exact: ties are ties, whatever the blocks and their order.

Features are scaled to length 1 and rounded to 2^-25, so that a product of two rows is a sum of
integers below 2^53, which float64 holds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...ground.progress import OnProgress

BLOCK = 1024
WIDE, MANY = 8, 4  # rows of others at a time, in blocks; what is worth a partition
UNIT = 2.0**25


def most_similar(
    mine: np.ndarray,
    others: np.ndarray,
    allowed: Callable[[slice, slice], np.ndarray],
    block: int = BLOCK,
    watch: OnProgress = lambda done, total: None,
) -> tuple[np.ndarray, np.ndarray]:
    """For each row the most similar allowed one of others, and how similar it is.

    Args:
        mine, others: (n, d) and (m, d), of ``whole_rows``.
        allowed: (rows of mine, rows of others) -> bool, which pairs count.
        block: rows at a time; the result does not depend on it.
        watch: called with rows done and rows in all.

    Returns:
        int64 (n,), the number of the row, of equally similar ones the lowest, -1 where none is
        allowed; float64 (n,), the cosine, 0 where features are all 0.
    """
    n = len(mine)
    nearest, best = np.full(n, -1, np.int64), np.full(n, -np.inf)
    for start in range(0, n, block):
        rows = slice(start, min(start + block, n))
        for first in range(0, len(others), block):
            columns = slice(first, min(first + block, len(others)))
            products = mine[rows] @ others[columns].T
            products = np.where(allowed(rows, columns), products, -np.inf)
            place = products.argmax(1)
            found = products[np.arange(len(place)), place]
            better = found > best[rows]  # of equal ones the first stays
            best[rows] = np.where(better, found, best[rows])
            nearest[rows] = np.where(better, first + place, nearest[rows])
        watch(rows.stop, n)
    return nearest, best / UNIT**2


def most_similar_few(
    mine: np.ndarray,
    others: np.ndarray,
    allowed: Callable[[slice, slice], np.ndarray],
    few: int,
    block: int = BLOCK,
    watch: OnProgress = lambda done, total: None,
) -> tuple[np.ndarray, np.ndarray]:
    """For each row the ``few`` most similar allowed ones of others, the nearest first.

    Args:
        mine, others, allowed, block, watch: as for ``most_similar``.

    Returns:
        int64 (n, few), of equally similar ones the lower first, -1 behind the last that is
        allowed; float64 (n, few), the cosines, -inf there.
    """
    n = len(mine)
    nearest = np.full((n, few), -1, np.int64)
    best = np.full((n, few), -np.inf)
    for start in range(0, n, block):
        rows = slice(start, min(start + block, n))
        found, likeness = nearest[rows], best[rows]
        for first in range(0, len(others), WIDE * block):
            columns = slice(first, min(first + WIDE * block, len(others)))
            products = mine[rows] @ others[columns].T
            which = allowed(rows, columns)
            if not which.all():
                products[~np.broadcast_to(which, products.shape)] = -np.inf
            _take_in(found, likeness, products, first)
        watch(rows.stop, n)
    return nearest, best / UNIT**2


def _take_in(found: np.ndarray, likeness: np.ndarray, products: np.ndarray, first: int) -> None:
    """Merge products (r, b) of columns ``first`` on into the few nearest of each row."""
    few = found.shape[1]
    better = products.max(1) > likeness[:, -1]  # of equal ones, those that are there stay
    for row in np.flatnonzero(better):
        columns = np.flatnonzero(products[row] > likeness[row, -1])
        values = products[row, columns]
        if len(columns) > MANY * few:  # those above the last that can stay, and equals of it
            least = np.partition(values, len(values) - few)[-few]
            columns = columns[values >= least]
            values = values[values >= least]
        values = np.concatenate([likeness[row], values])
        places = np.concatenate([found[row], first + columns])
        order = np.argsort(-values, kind="stable")[:few]
        found[row], likeness[row] = places[order], values[order]


def whole_rows(features: np.ndarray) -> np.ndarray:
    """Rows of length 1, times 2^25, as whole numbers in float64."""
    table = np.array(features, np.float64)
    table /= _not_zero(np.abs(table).max(1, initial=0))  # the squares of large numbers overflow
    table /= _not_zero(np.sqrt((table**2).sum(1)))
    return np.rint(table * UNIT)


def _not_zero(sizes: np.ndarray) -> np.ndarray:
    return np.where(sizes > 0, sizes, 1)[:, None]
