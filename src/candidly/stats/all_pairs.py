"""All pairs of several algorithms on the same splits, tested together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..ground.arrays import door
from ._cells import Cells, check_level, named
from .designs import Design
from .paired import PairedT, holm


@dataclass(frozen=True)
class PairOutcome:
    """One pair of all: its test, its p after Holm's correction, and the verdict for the first.

    ``verdict`` is ``win``, ``loss`` or ``tie`` of the first, or ``unknown`` where there is no p.
    """

    first: str
    second: str
    test: PairedT
    p_holm: float | None
    verdict: str


@dataclass(frozen=True)
class AllPairs:
    """All pairs of some algorithms, in the order of their names, each pair once."""

    names: tuple[str, ...]
    pairs: tuple[PairOutcome, ...]
    tested: int  # pairs with a p, over which Holm's correction goes
    alpha: float

    def counts(self, name: str) -> dict[str, int]:
        """How often an algorithm wins, ties and loses, and how often that is unknown."""
        if name not in self.names:
            raise KeyError(f"{name!r} is not among {', '.join(self.names)}.")
        turned = {"win": "loss", "loss": "win"}
        found = dict.fromkeys(("win", "tie", "loss", "unknown"), 0)
        for pair in self.pairs:
            if pair.first == name:
                found[pair.verdict] += 1
            elif pair.second == name:
                found[turned.get(pair.verdict, pair.verdict)] += 1
        return found


@door
def compare_all(
    table: Cells,
    names: Sequence[str],
    design: Design,
    alpha: float = 0.05,
    *,
    higher: bool = True,
) -> AllPairs:
    """Every pair of algorithms by the design's test, with Holm's correction over all that have a p.

    Args:
        table: (n, k), a row per split, a column per algorithm; None and NaN are missing. A pair
            uses the rows that both have.
        names: the names of the k algorithms.
        design: what the rows have in common: ``RandomSplits`` or ``OneTestSet``.
        alpha: the chance of any false winner that is accepted, over all pairs together.
        higher: whether a higher value is better. Differences are the first minus the second
            either way.

    Returns:
        From one algorithm: no pairs.

    >>> from candidly.stats import RandomSplits
    >>> found = compare_all([[0.9, 0.5], [0.8, 0.5], [0.9, 0.4]], ["a", "b"], RandomSplits(0.1))
    >>> found.pairs[0].verdict, found.counts("b")
    ('win', {'win': 0, 'tie': 0, 'loss': 1, 'unknown': 0})
    """
    check_level(alpha, "alpha")
    cells = named(table, names)
    tests = [
        (i, j, design.compared(cells, i, j, 1 - alpha))
        for i, j in itertools.combinations(range(len(names)), 2)
    ]
    known = [test.p for *_, test in tests if test.p is not None]
    adjusted = iter(holm(np.array(known)).tolist())
    pairs = []
    for i, j, test in tests:
        p = None if test.p is None else next(adjusted)
        pairs.append(PairOutcome(names[i], names[j], test, p, _verdict(test, p, alpha, higher)))
    return AllPairs(tuple(names), tuple(pairs), len(known), alpha)


def _verdict(test: PairedT, p: float | None, alpha: float, higher: bool) -> str:
    if p is None or test.difference is None:
        return "unknown"
    if p > alpha:
        return "tie"
    return "win" if (test.difference > 0) == higher else "loss"
