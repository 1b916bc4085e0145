"""Rows that were drawn for people to check, and what their answers say of all labels.

Rows are drawn at random within strata of their chance of being wrong, so that the count needs no
premise: the chances decide how many are drawn where, and with that how wide the interval is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..ground.arrays import door
from ..ground.names import made_by
from .strata import more_to_halve, stratified_total

COLUMNS = ("stratum", "stratum size", "stratum chance")  # of a table of such rows
WRONG = "wrong"  # a column that people add, which says of each row whether its label is


@dataclass(frozen=True, eq=False)
class RowsToCheck:
    """Rows that were drawn, to be checked by people.

    Any beginning is a sample, too, and as good as one of its length, if it reaches all strata.

    Attributes:
        rows: int64 (m,).
        stratum: int64 (m,), which stratum each is from, 0 for the rows that are likeliest right.
        sizes: int64 (strata,), how many labels there are in each.
        chance: float64 (strata,), the mean chance of being wrong in each, on the premise of
            ``errors.estimate``; NaN without it.

    Raises:
        ValueError: lengths that differ, a row twice, a stratum that is not there or has fewer
            labels than were drawn.
    """

    rows: np.ndarray = field(repr=False)
    stratum: np.ndarray = field(repr=False)
    sizes: np.ndarray
    chance: np.ndarray

    def __post_init__(self) -> None:
        rows, stratum, strata = self.rows, self.stratum, len(self.sizes)
        if len(rows) != len(stratum) or len(self.chance) != strata:
            raise ValueError(
                f"{len(rows)} rows have {len(stratum)} strata, and {strata} strata "
                f"{len(self.chance)} chances; these must be as many."
            )
        if len(np.unique(rows)) < len(rows):
            twice = np.sort(rows)
            raise ValueError(f"row {twice[1:][np.diff(twice) == 0][0]} was drawn twice.")
        for k in stratum[(stratum < 0) | (stratum >= strata)][:1]:
            raise ValueError(f"a row is of stratum {k}; there are {strata}.")
        for k in np.flatnonzero(self.drawn > self.sizes)[:1]:
            raise ValueError(
                f"{self.drawn[k]} rows were drawn of stratum {k}, which has {self.sizes[k]}."
            )

    @property
    def drawn(self) -> np.ndarray:
        """How many rows are of each stratum: int64 (strata,)."""
        return np.bincount(self.stratum, minlength=len(self.sizes))

    @property
    def weights(self) -> np.ndarray:
        """How many labels each row stands for: float64 (m,)."""
        return (self.sizes / np.maximum(self.drawn, 1))[self.stratum]

    @property
    def expected(self) -> int | None:
        """How many labels are wrong on the premise of ``errors.estimate``; None without it."""
        number = float(self.sizes @ self.chance)
        return None if np.isnan(number) else round(number)

    def first(self, count: int) -> RowsToCheck:
        """The first so many of its rows.

        Raises:
            ValueError: more than there are, or so few that a stratum has none.
        """
        if not 0 < count <= len(self.rows):
            raise ValueError(f"{count} of {len(self.rows)} drawn rows cannot be.")
        least = int(np.unique(self.stratum, return_index=True)[1].max()) + 1
        if count < least:
            raise ValueError(
                f"{count} rows are too few: {least} at least reach all {len(self.sizes)} strata."
            )
        return self.some(np.arange(len(self.rows)) < count)

    @door
    def some(self, which: np.ndarray) -> RowsToCheck:
        """Those of its rows that are true in ``which``, bool (m,)."""
        return replace(self, rows=self.rows[which], stratum=self.stratum[which])

    def in_order(self) -> RowsToCheck:
        """The same with rows ascending."""
        order = np.argsort(self.rows, kind="stable")
        return replace(self, rows=self.rows[order], stratum=self.stratum[order])

    def columns(self) -> dict[str, np.ndarray]:
        """Of each row its stratum, how many labels that has, and their mean chance: (m,) each."""
        of = self.stratum
        return dict(zip(COLUMNS, (of, self.sizes[of], self.chance[of])))

    def to_json(self) -> str:
        """As text, for ``from_json``."""
        found = {f.name: getattr(self, f.name).tolist() for f in fields(self)}
        return json.dumps(found | {"chance": [None if c != c else c for c in found["chance"]]})

    @classmethod
    def from_json(cls, text: str) -> RowsToCheck:
        """What ``to_json`` wrote."""
        found = json.loads(text)
        chance = np.array(found.pop("chance"), np.float64)  # None is NaN
        return cls(**{name: np.array(v, np.int64) for name, v in found.items()}, chance=chance)


@door
def rows_of_columns(rows: Any, columns: Mapping[str, Any]) -> RowsToCheck:
    """Rows to check from what ``RowsToCheck.columns`` gave, in any order, some perhaps left out.

    Raises:
        ValueError: rows of a stratum that say different things of it.
    """
    which, sizes, chances = (np.asarray(columns[name]) for name in COLUMNS)
    _, first, stratum = np.unique(which, return_index=True, return_inverse=True)
    for name, values in ((COLUMNS[1], sizes), (COLUMNS[2], chances)):
        same = (values == values[first][stratum]) | (
            np.isnan(values) & np.isnan(values[first][stratum])
        )
        for at in np.flatnonzero(~same)[:1]:
            raise ValueError(
                f"the {name} of stratum {which[at]} is {values[at]} in one row and "
                f"{values[first][stratum[at]]} in another."
            )
    kept = sizes[first].astype(np.int64), chances[first].astype(np.float64)
    return RowsToCheck(np.asarray(rows, np.int64), stratum.reshape(-1), *kept)


@dataclass(frozen=True)
class CheckedCount:
    """How many labels are wrong, counted from checked rows; no premise is needed.

    Attributes:
        number: the best guess, in labels.
        low, high: from and to, with 95 % confidence.
        checked, found: rows that were checked, and wrong ones among them.
        labelled: how many labels there are.
        expected: what ``errors.estimate`` had said; None where it said nothing.
        more: about how many more checked rows halve the interval; None where it has no width.
    """

    number: float
    low: float
    high: float
    checked: int
    found: int
    labelled: int
    expected: int | None = None
    more: int | None = None

    @property
    def ends(self) -> tuple[int, int]:
        """From and to, in whole labels."""
        return math.floor(self.low + 1e-9), math.ceil(self.high - 1e-9)

    def headline(self) -> str:
        """How many labels are wrong, in a sentence."""
        low, high = self.ends
        if self.checked == self.labelled:
            return f"{self.found:,} of {self.labelled:,} labels are wrong; all were checked."
        return (
            f"{low:,} to {high:,} of {self.labelled:,} labels are wrong (95 %), about "
            f"{self.number:,.0f}: {self.found:,} of {self.checked:,} checked rows were."
        )

    def findings(self) -> tuple[str, ...]:
        """What had been expected, and what more answers would bring, in sentences."""
        found = []
        if self.expected is not None:
            found.append(f"If errors struck clear and unclear rows alike: {self.expected:,}.")
        if self.more is not None:
            found.append(f"About {self.more:,} more checked rows would halve the interval.")
        return tuple(found)

    def as_dict(self) -> dict[str, Any]:
        """The same for JSON."""
        low, high = self.ends
        return {
            "number": self.number,
            "from": low,
            "to": high,
            "checked": self.checked,
            "wrong": self.found,
            "labelled": self.labelled,
            "expected": self.expected,
            "more answers to halve": self.more,
            "headline": self.headline(),
            "sentence": str(self),
        }

    def __str__(self) -> str:
        return " ".join((self.headline(), *self.findings()))


@door
def count_checked(drawn: RowsToCheck, wrong: Any) -> CheckedCount:
    """How many labels are wrong, from rows that people have checked.

    Each stratum's share of wrong labels has exact limits; see ``stats.stratified_total``.

    Args:
        drawn: what ``errors.rows_to_check`` returned; ``drawn.some(answered)`` where people have
            checked some of them only, in an order that does not go by what rows look like.
        wrong: bool (m,), whether the label of each of its rows is wrong, in that order.

    Raises:
        ValueError, TypeError: another number of answers, something else than true and false, a
            stratum of which no row was checked.
    """
    made_by(drawn, RowsToCheck, "drawn", "errors.rows_to_check")
    said = np.asarray(wrong)
    if said.shape != drawn.rows.shape:
        raise ValueError(f"`wrong` has shape {said.shape}; {len(drawn.rows)} rows were drawn.")
    if said.dtype != bool:
        raise TypeError(f"`wrong` is of {said.dtype}; give true where the label is wrong.")
    checked = drawn.drawn
    for k in np.flatnonzero(checked == 0)[:1]:
        raise ValueError(f"of stratum {k}, {drawn.sizes[k]:,} labels, no row was checked yet.")
    found = np.bincount(drawn.stratum[said], minlength=len(checked))
    total = stratified_total(drawn.sizes, checked, found)
    return CheckedCount(
        number=total.total,
        low=total.low,
        high=total.high,
        checked=int(checked.sum()),
        found=int(found.sum()),
        labelled=int(drawn.sizes.sum()),
        expected=drawn.expected,
        more=more_to_halve(drawn.sizes, checked, found),
    )


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """What people said of rows that were drawn.

    Attributes:
        drawn: the rows that were checked.
        wrong: bool (m,), whether their labels are.
        given: (m,) these labels, names or numbers; None where they are not known.
        asked: how many rows were drawn.
        source: what to call the answers in a message.
    """

    drawn: RowsToCheck
    wrong: np.ndarray
    given: Sequence[Any] | None
    asked: int
    source: str

    def count(self) -> CheckedCount:
        """How many labels are wrong.

        Raises:
            ValueError: a stratum of which no row was checked.
        """
        if not self.drawn.drawn.all():
            raise ValueError(
                f"{self.source} says of {len(self.wrong)} of {self.asked} drawn rows whether their "
                "label is wrong, and of some strata of none; have people answer about more."
            )
        return count_checked(self.drawn, self.wrong)
