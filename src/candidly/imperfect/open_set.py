"""Open-set noise: an example's input is replaced by one that is in no class; its label stays.

What replaces it is the nearest input of a pool, and the examples that have something very like them
there are replaced first. So noise depends on the instance, and it is the harder kind: these inputs
look as if they belonged. Nearness is the cosine between embeddings, exact as in ``lookalike``.

Source: Wu et al., "NoisywikiHow", Findings of ACL 2023 (real-world noise). What is silent there is
settled so: equals go to the lower row, no input of the pool is used twice unless asked for, and
those most alike choose first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..seeds import draw
from ._checks import check_seed
from ._features import checked_table
from ._rows import nearest_count
from ._similar import BLOCK, most_similar, whole_rows


@dataclass(frozen=True, eq=False)
class Replacement:
    """What became of each of n inputs.

    Attributes:
        origin: int64 (n,), the row of the pool that is in its place now; -1 where it stays.
        similarity: float64 (n,), of each input with the nearest of the pool, whether it was
            replaced or not; -inf where the pool has none that is allowed, NaN where inputs are
            drawn at random.
    """

    origin: np.ndarray
    similarity: np.ndarray

    @property
    def mask(self) -> np.ndarray:
        """bool (n,): which inputs are replaced."""
        return self.origin >= 0

    @property
    def rate(self) -> float:
        """The share of inputs that are replaced."""
        return float(self.mask.mean()) if len(self.origin) else 0.0


def open_set(
    features: np.ndarray,
    pool: np.ndarray,
    rate: float,
    groups: np.ndarray | None = None,
    *,
    parents: np.ndarray | None = None,
    pool_parents: np.ndarray | None = None,
    random: bool = False,
    reuse: bool = False,
    seed: int = 0,
    block: int = BLOCK,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Replacement:
    """Which inputs are replaced, and by which of a pool: exactly ⌊rate * n⌉.

    What is replaced at a lower rate is replaced in the same way at a higher one.

    Args:
        features: numbers (n, ...), an embedding of the inputs.
        pool: numbers (m, ...), the same embedding of inputs that are in none of the classes.
        rate: share of inputs that are replaced, in [0, 1).
        groups: int (n,); the rate is that of every group, to the nearest example. By default all
            are one group.
        parents, pool_parents: int (n,) and (m,); an input is replaced only by one with the same
            parent, such as a sibling of its class. Both or neither.
        random: rows, and what replaces them, are drawn instead.
        reuse: an input of the pool may replace several.
        seed: for ``random``.
        block: rows at a time; the result does not depend on it.
        watch: called with rows done and rows in all.

    Raises:
        ValueError: a rate outside [0, 1), embeddings that are not finite numbers or of different
            widths, a pool that is too small.
    """
    if not 0 <= rate < 1:
        raise ValueError(f"`rate` is {rate}; for replaced inputs it must be in [0, 1).")
    check_seed(seed)
    mine, others = _checked(features, pool)
    n = len(mine)
    allowed = _allowed(parents, pool_parents, n, len(others))
    if random:
        order = draw(seed, "imperfect.open_set.rows").permutation(n)
        nearest, similarity = np.full(n, -1), np.full(n, np.nan)
    else:
        nearest, similarity = most_similar(
            mine, others, lambda rows, columns: allowed(rows)[:, columns], block, watch
        )
        order = np.argsort(-similarity, kind="stable")
    rows = _first(order, np.zeros(n, int) if groups is None else np.asarray(groups), rate)
    if not reuse and len(rows) > len(others):
        raise ValueError(
            f"{len(rows)} inputs are to be replaced, but the pool has {len(others)}. Lower the "
            "rate, give a larger pool, or allow reuse."
        )
    rank = _random_ranks(len(others), seed) if random else None
    origin = np.full(n, -1, np.int64)
    free = np.ones(len(others), bool)
    for row in rows:  # in an order that does not depend on the rate, so that rates are nested
        place = int(nearest[row])
        if place < 0 or not free[place]:
            likeness = others @ mine[row] if rank is None else rank(row, reuse)
            open_to = free & allowed(row)
            if not open_to.any():
                raise ValueError(
                    f"the pool has no input left that may replace row {row}. Lower the rate, "
                    "give a larger pool, or allow reuse."
                )
            place = int(np.where(open_to, likeness, -np.inf).argmax())
        origin[row] = place
        free[place] = reuse
    return Replacement(origin, similarity)


def _first(order: np.ndarray, groups: np.ndarray, rate: float) -> np.ndarray:
    """The first share of the rows of every group in ``order``, by their place in their group."""
    places, chosen = np.empty(len(order)), np.zeros(len(order), bool)
    for group in np.unique(groups):
        there = np.flatnonzero(groups[order] == group)
        places[there] = (np.arange(len(there)) + 0.5) / len(there)
        chosen[there[: nearest_count(rate, len(there))]] = True
    by_place = np.lexsort((order, places))
    return order[by_place[chosen[by_place]]]


def _allowed(
    parents: np.ndarray | None, pool_parents: np.ndarray | None, n: int, m: int
) -> Callable[[slice | int], np.ndarray]:
    """(rows) -> bool (rows, m), or (m,) of a single row: which of the pool may replace them."""
    if (parents is None) != (pool_parents is None):
        raise ValueError("`parents` and `pool_parents` belong together; give both or neither.")
    if parents is None or pool_parents is None:
        everything = np.ones((1, m), bool)
        return lambda rows: everything[0] if isinstance(rows, int | np.integer) else everything
    above, above_pool = np.asarray(parents), np.asarray(pool_parents)
    if above.shape != (n,) or above_pool.shape != (m,):
        raise ValueError(
            f"`parents` has shape {above.shape} and `pool_parents` {above_pool.shape}; they must "
            f"be ({n},) and ({m},)."
        )
    return lambda rows: above[rows, ...][..., None] == above_pool


def _random_ranks(m: int, seed: int) -> Callable[[int, bool], np.ndarray]:
    """(row, reuse) -> (m,): the highest is drawn; with reuse afresh for each row."""
    once = draw(seed, "imperfect.open_set.pool").permutation(m).astype(float)

    def rank(row: int, reuse: bool) -> np.ndarray:
        return draw(seed, "imperfect.open_set.pool", 1 + int(row)).random(m) if reuse else once

    return rank


def _checked(features: np.ndarray, pool: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mine = checked_table(features, len(features), "features")
    others = checked_table(pool, len(pool), "pool")
    if not len(others):
        raise ValueError("the pool is empty: there is nothing to replace an input by.")
    if mine.shape[1] != others.shape[1]:
        raise ValueError(
            f"`features` has {mine.shape[1]} columns and `pool` {others.shape[1]}; embed both in "
            "the same way."
        )
    return whole_rows(mine), whole_rows(others)
