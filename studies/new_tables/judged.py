"""What the new tables say of the advice: each table counts once."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from candidly.stats import PairedT, corrected_t, holm

from .study import ADVICE, NOISES, SETS, Advice

Found = Mapping[str, Mapping[str, Mapping[str, Mapping[str, Any]]]]  # table, labels, algorithm
BASES = {"noise": "ce", "sets": "CC"}
CHEAP, ANY = 2.0, math.inf  # times the simple algorithm's time


@dataclass(frozen=True)
class Tested:
    """An advice, on tables that had no part in it.

    Attributes:
        gain: over tables. adjusted: Holm's p over all lines of advice.
        ahead: tables on which it gains. of: tables.
    """

    advice: Advice
    gain: PairedT
    adjusted: float
    ahead: int
    of: int

    @property
    def clear(self) -> bool:
        """Whether it gains, by the test that allows for all lines."""
        return self.adjusted < 0.05 and (self.gain.difference or 0) > 0


@dataclass(frozen=True)
class LeftOut:
    """What is chosen from all tables but one, on that one.

    Attributes:
        labels: of which kinds. chosen: how often each algorithm was. gain: over tables.
        now: what all tables together choose.
        adjusted: Holm's p over all ``KINDS`` at this budget; see ``left_out_of_each``.
    """

    labels: tuple[str, ...]
    budget: float
    chosen: Mapping[str, int]
    gain: PairedT
    now: str
    adjusted: float = 1.0

    @property
    def clear(self) -> bool:
        """Whether a choice gains on a table left out, by the test that allows for all kinds."""
        return self.adjusted < 0.05 and (self.gain.difference or 0) > 0


def base_of(labels: Sequence[str]) -> str:
    return BASES["sets" if set(labels) <= set(SETS) else "noise"]


def gain_on(table: Mapping[str, Any], labels: Sequence[str], name: str) -> float | None:
    """An algorithm's accuracy less the simple one's, the mean over splits and kinds of labels.

    None where no kind is there; a split that diverged is left out.
    """
    found = []
    for kind in labels:
        if name in table.get(kind, {}):
            own, base = (table[kind][each]["top1"] for each in (name, base_of(labels)))
            pairs = [(a, b) for a, b in zip(own, base) if a is not None and b is not None]
            if pairs:
                found.append(statistics.fmean(a - b for a, b in pairs))
    return statistics.fmean(found) if found else None


def gains(found: Found, labels: Sequence[str], name: str) -> list[float]:
    """Of every table that has such labels."""
    each = [gain_on(table, labels, name) for table in found.values()]
    return [gain for gain in each if gain is not None]


def judge(found: Found) -> list[Tested]:
    """Every line of the advice."""
    each = [gains(found, advice.labels, advice.algorithm) for advice in ADVICE]
    tests = [corrected_t(one, [0.0] * len(one), 0.0) for one in each]
    adjusted = holm(np.array([1.0 if test.p is None else test.p for test in tests]))
    return [
        Tested(advice, test, float(p), sum(value > 0 for value in one), len(one))
        for advice, test, p, one in zip(ADVICE, tests, adjusted, each)
    ]


def left_out(found: Found, labels: Sequence[str], budget: float = ANY) -> LeftOut:
    """Choose by the largest mean gain on all other tables, and measure on the one left out."""
    there = {n: t for n, t in found.items() if any(kind in t for kind in labels)}
    base = base_of(labels)
    every = [t[kind] for t in there.values() for kind in labels if kind in t]
    names = [
        name
        for name in every[0]
        if name != base
        and all(name in one for one in every)
        and _cost(there, labels, name) <= budget
    ]
    table = np.array([[gain_on(one, labels, name) for name in names] for one in there.values()])
    whole = table.sum(0)
    picks = [int((whole - row).argmax()) for row in table]
    values = [float(row[pick]) for row, pick in zip(table, picks)]
    chosen = Counter(names[pick] for pick in picks)
    test = corrected_t(values, [0.0] * len(values), 1 / len(values))
    return LeftOut(tuple(labels), budget, chosen, test, names[int(whole.argmax())])


def left_out_of_each(found: Found, budget: float = ANY) -> dict[str, LeftOut]:
    """Of all kinds of labels."""
    ways = {kind: left_out(found, labels, budget) for kind, labels in KINDS.items()}
    adjusted = holm(np.array([1.0 if w.gain.p is None else w.gain.p for w in ways.values()]))
    return {kind: replace(way, adjusted=float(p)) for (kind, way), p in zip(ways.items(), adjusted)}


def over_tables(found: Found, labels: Sequence[str]) -> dict[str, PairedT]:
    """Of every algorithm with results on all tables, the mean gain and Student's interval."""
    every = [t[kind] for t in found.values() for kind in labels if kind in t]
    names = [n for n in every[0] if n != base_of(labels) and all(n in one for one in every)]
    each = {name: gains(found, labels, name) for name in names}
    return {name: corrected_t(one, [0.0] * len(one), 0.0) for name, one in each.items()}


def _cost(found: Found, labels: Sequence[str], name: str) -> float:
    """Of a run, times the simple algorithm's, the median."""
    base = base_of(labels)
    return statistics.median(
        table[kind][name]["seconds"] / table[kind][base]["seconds"]
        for table in found.values()
        for kind in labels
        if kind in table
    )


KINDS = {
    "symmetric noise": ("symmetric",),
    "pair or instance noise": ("pair", "instance"),
    "noise of any of these kinds": tuple(NOISES),
    "candidate sets": tuple(SETS),
}
