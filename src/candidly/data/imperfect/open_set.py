"""Open-set noise: an example's input is replaced by one that is in no class; its label stays.

What replaces it is the nearest input of a pool, and the examples that have something very like them
there are replaced first. So noise depends on the instance, and it is the harder kind: these inputs
look as if they belonged. Nearness is the cosine between embeddings, exact as in ``lookalike``.

Source: Wu et al., "NoisywikiHow", Findings of ACL 2023 (real-world noise). What is silent there is
settled so: equals go to the lower row, no input of the pool is used twice unless asked for, and
those most alike choose first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ...ground.arrays import door
from ...ground.progress import OnProgress
from ...ground.seeds import draw
from ._checks import check_seed
from ._features import checked_table
from ._rows import nearest_count
from ._similar import BLOCK, most_similar_few, whole_rows

NEAREST, DOWN = 0.5, 1.0  # a count rises by one where rate * size passes these
ANYTHING = -1  # the parent of an input that anything in the pool may replace


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


@door(apart=["pool", "groups", "pool_parents"])
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
    watch: OnProgress = lambda done, total: None,
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
            parent, such as a sibling of its class; one with the parent -1 by any. Both or neither.
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
    of = np.zeros(n, int) if groups is None else np.asarray(groups)
    sizes = zip(*np.unique(of, return_counts=True))
    counts = {int(group): nearest_count(rate, int(size)) for group, size in sizes}
    if random:
        order = draw(seed, "imperfect.open_set.rows").permutation(n)
        ranks = _random_ranks(len(others), seed)
        chosen = Chooser(
            np.full((n, 1), -1), order, lambda row: ranks(row, reuse), allowed, len(others), reuse
        )
        return Replacement(chosen.origin(first_rows(order, of, counts)), np.full(n, np.nan))
    found = neighbours(mine, others, parents, pool_parents, reuse=reuse, block=block, watch=watch)
    return found.replacing(of, counts)


class NothingLeft(ValueError):
    """No input of the pool is left that may replace a row.

    Attributes:
        row: its number.
    """

    def __init__(self, row: int) -> None:
        super().__init__(
            f"the pool has no input left that may replace row {row}. Lower the rate, give a larger "
            "pool, or allow reuse."
        )
        self.row = row


@dataclass(frozen=True, eq=False)
class Chooser:
    """Who chooses what, in an order that does not depend on the rate, so that rates are nested.

    Attributes:
        near: int64 (n, few), of the pool the nearest of each row; -1 where there is no more.
        order: int64 (n,), the rows, those that choose first in front.
        likeness: row -> (m,), the highest is taken where all of ``near`` are.
        allowed: row -> bool (m,).
        size: m, of the pool.
        reuse: whether a row of it may be taken again.
    """

    near: np.ndarray
    order: np.ndarray
    likeness: Callable[[int], np.ndarray]
    allowed: Callable[[slice | int], np.ndarray]
    size: int
    reuse: bool

    def origin(self, rows: np.ndarray) -> np.ndarray:
        """What replaces these rows, one after the other: int64 (n,), -1 for the others.

        Raises:
            ValueError: the pool has nothing left for a row.
        """
        if not self.reuse and len(rows) > self.size:
            raise ValueError(
                f"{len(rows)} inputs are to be replaced, but the pool has {self.size}. Lower the "
                "rate, give a larger pool, or allow reuse."
            )
        origin = np.full(len(self.near), -1, np.int64)
        free = np.ones(self.size, bool)
        for row in rows:
            place = next((p for p in self.near[row].tolist() if p < 0 or free[p]), -1)
            if place < 0:
                open_to = free & self.allowed(int(row))
                if not open_to.any():
                    raise NothingLeft(int(row))
                place = int(np.where(open_to, self.likeness(int(row)), -np.inf).argmax())
            origin[row] = place
            free[place] = self.reuse
        return origin


@dataclass(frozen=True, eq=False)
class Likeness:
    """How alike inputs and those of a pool are, for any number of rates.

    Attributes:
        similarity: float64 (n,), of each input with the nearest that may replace it; -inf where
            nothing may. The higher, the harder the input.
    """

    similarity: np.ndarray
    chooser: Chooser

    def rows(
        self, groups: np.ndarray, counts: Mapping[int, int], rounding: float = NEAREST
    ) -> np.ndarray:
        """So many of each group, int64, those most alike first; arguments as for ``first_rows``."""
        return first_rows(self.chooser.order, groups, counts, rounding)

    def replacing(self, groups: np.ndarray, counts: Mapping[int, int]) -> Replacement:
        """So many of each group replaced, those most alike first.

        Args:
            groups: int (n,).
            counts: by group; of a group that is not there, none.

        Raises:
            ValueError: more than a group has, or the pool has too few.
        """
        origin = self.chooser.origin(self.rows(groups, counts))
        return Replacement(origin, self.similarity)


FEW = 16  # neighbours that are kept of each input, as others may have been taken


def neighbours(
    features: np.ndarray,
    pool: np.ndarray,
    parents: np.ndarray | None = None,
    pool_parents: np.ndarray | None = None,
    *,
    reuse: bool = False,
    known: tuple[np.ndarray, np.ndarray] | None = None,
    block: int = BLOCK,
    watch: OnProgress = lambda done, total: None,
) -> Likeness:
    """The search once, for several rates; arguments as for ``open_set``.

    A parent of -1 is that of an input that anything in the pool may replace.

    Args:
        known: ``choice.near`` and ``similarity`` of the same search before, in place of it.
    """
    mine, others = _checked(features, pool)
    allowed = _allowed(parents, pool_parents, len(mine), len(others))
    if known is None:
        near, likeness = most_similar_few(
            *(mine, others, lambda rows, columns: allowed(rows)[:, columns]),
            *(min(FEW, len(others)), block, watch),
        )
        known = near, likeness[:, 0]
    near, similarity = known
    order = np.argsort(-similarity, kind="stable")
    return Likeness(
        similarity,
        Chooser(near, order, lambda row: others @ mine[row], allowed, len(others), reuse),
    )


def first_rows(
    order: np.ndarray, groups: np.ndarray, counts: Mapping[int, int], rounding: float = NEAREST
) -> np.ndarray:
    """The first rows of every group in ``order``, by the rate at which each is first among them.

    So rows of a lower rate stand before all that a higher one adds, and choose before them.

    Args:
        rounding: how counts follow from a rate: ``NEAREST`` or ``DOWN``.

    Raises:
        ValueError: more are asked for than a group has.
    """
    places, chosen = np.empty(len(order)), np.zeros(len(order), bool)
    for group in np.unique(groups):
        there = np.flatnonzero(groups[order] == group)
        count = counts.get(int(group), 0)
        if count > len(there):
            raise ValueError(
                f"{count} inputs of group {group} are to be replaced, and it has {len(there)}. "
                "Lower the rate."
            )
        places[there] = (np.arange(len(there)) + rounding) / len(there)
        chosen[there[:count]] = True
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

    def pairs(rows: slice | int) -> np.ndarray:
        mine = above[rows, ...][..., None]
        return (mine == above_pool) | (mine == ANYTHING)

    return pairs


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
