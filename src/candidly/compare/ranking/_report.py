"""What ``rank`` finds, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ._judged import JudgedMean
from ._slices import SliceReport
from ._wrong_keys import WrongKeys


@dataclass(frozen=True)
class PlacedModel:
    """One model.

    Attributes:
        model: its name. score: its mean, or its strength where there are only wins.
        low, high: of its interval, alone.
        rank: 1 is best; equal scores share a rank.
        possible: the best and the worst rank that tests leave; they hold for all models together.
        run_share: the share of the variance of its score that comes from chance between runs; None
            where there is one run.
    """

    model: str
    score: float
    low: float
    high: float
    rank: int
    possible: tuple[int, int]
    run_share: float | None


@dataclass(frozen=True)
class ComparedPair:
    """Two models on the same items.

    Attributes:
        first, second: the first is ahead, or level.
        difference: first minus second.
        low, high: of an interval that holds together with those of all other pairs.
        alone: low and high of an interval of this pair alone.
        p: of this pair alone. adjusted: after Holm over all pairs of the ranking.
        differing: items, or groups of items, on which they differ.
        keys: the fewest items whose scores, changed in the worst way, would make the two level;
            None where there are only wins.
        needed: items (or groups) in all that would show a difference of this size, as often as the
            report's ``power`` says, at its level over all pairs; None where there is no difference.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    alone: tuple[float, float]
    p: float
    adjusted: float
    differing: int
    needed: int | None
    keys: int | None


@dataclass(frozen=True)
class Against:
    """This ranking beside another, such as a published one.

    Attributes:
        models: that both have.
        tau: Kendall's tau b of the two; None where one is constant or has one model.
        other_way: pairs whose order is the other way round.
        contradicted: such pairs (ahead here, behind here) whose order here is established.
    """

    models: int
    tau: float | None
    other_way: int
    contradicted: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Ranking:
    """How models rank, and what of it is more than chance; models in order of rank.

    Attributes:
        verdict: one sentence. left_open: what the tests leave open, or ''.
        notes: what a reader should know of these data.
        kind: scores, judged or wins.
        items: how many items, or comparisons. units: groups of them that are independent.
        runs: the most runs of a model on an item.
        between: the lowest and the highest score; None for wins.
        alpha, power: of tests and intervals, and of what is said of items that are needed.
        models: in order of rank.
        neighbours: each pair of models next to each other, with ``keys``. pairs: all.
        secure: how many first places are settled.
        together: runs of places (first, last) within which some pair is not told apart.
        apart: pairs that are told apart. of_pairs: all.
        least_visible: the difference that half of the pairs would show; None where no pair differs.
        slices: what parts of the benchmark say; None without slices.
        against: beside another ranking; None without one.
        judged: of each model, what people's and the judge's scores say; () without a judge.
        wrong_keys: what keys that people checked say of the order; None where none were.
        filled, dropped: missing answers that count as the lowest score; items left out.
    """

    verdict: str
    left_open: str
    notes: tuple[str, ...]
    kind: str
    items: int
    units: int
    runs: int
    between: tuple[float, float] | None
    alpha: float
    power: float
    models: tuple[PlacedModel, ...]
    neighbours: tuple[ComparedPair, ...]
    pairs: tuple[ComparedPair, ...]
    secure: int
    together: tuple[tuple[int, int], ...]
    apart: int
    of_pairs: int
    least_visible: float | None
    slices: SliceReport | None
    against: Against | None
    judged: tuple[JudgedMean, ...]
    wrong_keys: WrongKeys | None
    filled: int
    dropped: int

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return asdict(self)

    def surely_ahead(self, first: str, second: str) -> bool:
        """Whether the tests say that ``first`` is better than ``second``.

        Raises:
            KeyError: no such model.
        """
        for name in (first, second):
            self.model(name)
        row = next((one for one in self.pairs if (one.first, one.second) == (first, second)), None)
        return row is not None and row.difference > 0 and row.adjusted <= self.alpha

    def difference(self, first: str, second: str) -> tuple[float, float, float]:
        """First minus second, and the interval of this difference alone.

        Raises:
            KeyError: no such model.
        """
        for name in (first, second):
            self.model(name)
        for one in self.pairs:
            if (one.first, one.second) == (first, second):
                return one.difference, *one.alone
            if (one.second, one.first) == (first, second):
                return -one.difference, -one.alone[1], -one.alone[0]
        return 0.0, 0.0, 0.0

    def model(self, name: str) -> PlacedModel:
        """The row of a model.

        Raises:
            KeyError: no such model; the message lists them.
        """
        found: Mapping[str, PlacedModel] = {one.model: one for one in self.models}
        if name not in found:
            raise KeyError(f"no model {name!r}; there are {', '.join(found)}.")
        return found[name]
