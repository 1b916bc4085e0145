"""Columns of a row beside what is usual for two classes: why the row looks like one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from ...data.ingest.previews import TEXT, Field

if TYPE_CHECKING:
    import polars as pl

LOW, HIGH = 10, 90  # percentiles between which a number is usual
EMPTY = "–"
SPEAKS = log(3)  # a value this much more usual is in bold


@dataclass(frozen=True)
class Usual:
    """What is usual in a column, by class.

    Attributes:
        weigh: (row, given class, proposed class) -> how much more usual the value is for the
            proposed class, as a logarithm of odds.
        say: (row, class) -> what is usual of that class, in words: an interval of numbers, or the
            share of the rows that have the same value.
    """

    weigh: Callable[[int, int, int], float]
    say: Callable[[int, int], str]


def fields_of(
    frame: pl.DataFrame, typed: pl.DataFrame, given: np.ndarray, q: int
) -> Callable[[int, int, int], tuple[Field, ...]]:
    """A function from a row, its class and the proposed one to the row's columns.

    Args:
        frame: what people see, (n, columns).
        typed: the same columns as the classifier saw them, as far as it saw them; numbers and
            texts.
        given: int (n,), -1 for none.
    """
    import polars as pl

    usual: dict[str, Usual] = {}
    for name in typed.columns:
        column = typed[name]
        if column.dtype.is_numeric():
            usual[name] = _of_numbers(column.cast(pl.Float64).to_numpy(), given, q)
        elif 2 * column.n_unique() <= len(column):
            usual[name] = _of_categories(column.cast(pl.String).fill_null("").to_list(), given, q)

    def look(row: int, label: int, proposed: int) -> tuple[Field, ...]:
        found = []
        for name in frame.columns:
            cell = frame[name][row]
            value = EMPTY if cell is None or cell == "" else str(cell)
            value = value if len(value) <= TEXT else value[:TEXT].rstrip() + " …"
            at = usual.get(name)
            if at is None:
                found.append((0.0, Field(name, value)))
                continue
            weight = at.weigh(row, label, proposed)
            there = at.say(row, label), at.say(row, proposed)
            found.append((weight, Field(name, value, *there, weight >= SPEAKS)))
        found.sort(key=lambda pair: -pair[0])  # stable: else in the order of the file
        return tuple(field for _, field in found)

    return look


def _of_numbers(values: np.ndarray, given: np.ndarray, q: int) -> Usual:
    """Normal about the median, with a deviation from the percentiles; too few rows say nothing."""
    middle, spread = np.full(q, np.nan), np.full(q, np.nan)
    ends = np.full((q, 2), np.nan)
    everywhere = values[np.isfinite(values)]
    least = 1e-3 * float(np.ptp(everywhere)) if len(everywhere) else 0.0
    for k in range(q):
        here = values[(given == k) & np.isfinite(values)]
        if len(here):
            low, middle[k], high = np.percentile(here, [LOW, 50, HIGH])
            ends[k] = low, high
            spread[k] = max((high - low) / 2.56, least, 1e-12)

    def surprise(row: int, k: int) -> float:
        z = (values[row] - middle[k]) / spread[k]
        return float(min(z * z / 2, 20.0) + np.log(spread[k]))

    def weigh(row: int, label: int, proposed: int) -> float:
        gap = surprise(row, label) - surprise(row, proposed)
        return gap if np.isfinite(gap) else 0.0

    def say(row: int, k: int) -> str:
        low, high = ends[k]
        return "" if np.isnan(low) else f"{low:.4g} to {high:.4g}" if low < high else f"{low:.4g}"

    return Usual(weigh, say)


def _of_categories(values: list[str], given: np.ndarray, q: int) -> Usual:
    """Shares of a value by class, with one more of each value."""
    names, codes = np.unique(np.array(values, dtype=object).astype(str), return_inverse=True)
    there = given >= 0
    counts = np.zeros((q, len(names)), np.int64)
    np.add.at(counts, (given[there], codes[there]), 1)
    totals = counts.sum(1)

    def weigh(row: int, label: int, proposed: int) -> float:
        own = (counts[label, codes[row]] + 1) / (totals[label] + len(names))
        other = (counts[proposed, codes[row]] + 1) / (totals[proposed] + len(names))
        return log(other / own)

    def say(row: int, k: int) -> str:
        return f"{counts[k, codes[row]] / totals[k]:.0%} of them" if totals[k] else ""

    return Usual(weigh, say)
