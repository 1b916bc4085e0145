"""From votes to a verdict: a total function of the counts of an item, and what the votes say.

Rules: Northcutt, Athalye, Mueller, *Pervasive label errors in test sets destabilize machine
learning benchmarks*, NeurIPS 2021, with what it leaves open settled in ``judge``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ground.names import made_by
from ...ground.numbers import whole
from .rule import (
    CATEGORIES,
    DIFFERENT_SET,
    NON_ERROR,
    PENDING,
    categories,
    fewest,
    majority,
    needed,
)
from .tally import ANSWERS, SetTally, Tally


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What the answers about k items come to.

    Attributes:
        tally: the answers.
        threshold: int64 (k,), people that make a verdict.
        category: int8 (k,), places in ``CATEGORIES``.
    """

    tally: Tally | SetTally
    threshold: np.ndarray
    category: np.ndarray

    def __len__(self) -> int:
        """Number of items."""
        return len(self.category)

    def __repr__(self) -> str:
        numbers = np.bincount(self.category, minlength=len(CATEGORIES)).tolist()
        return f"Verdicts({', '.join(f'{n} {c}' for c, n in zip(CATEGORIES, numbers) if n)})"

    @property
    def decided(self) -> np.ndarray:
        """Bool (k,): enough people answered."""
        return self.category != PENDING

    @property
    def error(self) -> np.ndarray:
        """Bool (k,): fewer than the threshold chose exactly the given label."""
        return self.decided & (self.category != NON_ERROR)

    @property
    def seen_error(self) -> np.ndarray:
        """Bool (k,): fewer than the threshold saw the given label at all, alone or with the guess.

        Of sets of classes: some given class was found by fewer.
        """
        if isinstance(self.tally, SetTally):
            missing = self.tally.given & (self.tally.heard < self.threshold[:, None])
            return self.decided & missing.any(1)
        saw = self.tally.counts[:, 0] + self.tally.counts[:, 2]
        return self.decided & (saw < self.threshold)

    @property
    def confirmed_wrong(self) -> np.ndarray:
        """Bool (k,): at least the threshold did not see the given label.

        Of sets of classes: some given class was not found by that many.
        """
        if isinstance(self.tally, SetTally):
            unheard = self.tally.people - self.tally.heard >= self.threshold[:, None]
            return self.decided & (self.tally.given & unheard).any(1)
        blind = self.tally.counts[:, [1, 3, 4]].sum(1)
        return self.decided & (blind >= self.threshold)


def judge(tally: Tally | SetTally, threshold: int | None = None) -> Verdicts:
    """The verdict on each item.

    The first that at least ``threshold`` people chose: given (non-error), guessed (correctable),
    both (multi-label), neither; when none, non-agreement. Below three answers, or as many as
    people were asked where these are fewer: pending; a ``threshold`` below three is enough, too.
    For sets of classes: a non-error where the classes that at least ``threshold`` people found are
    exactly the given ones, else a different set.

    Args:
        threshold: people that make a verdict; by default that of the tally, else more than half of
            those who answered about the item. With a higher one more labels are errors and fewer
            correctable, as a label that is not confirmed counts as an error.

    Raises:
        ValueError: a threshold that two answers about one item could reach.

    >>> from candidly.people.validation import from_counts
    >>> judge(from_counts([[3, 1, 1, 0], [1, 4, 0, 0], [2, 2, 1, 0]]))
    Verdicts(1 non-error, 1 correctable, 1 non-agreement)
    """
    check_tally(tally)
    if threshold is not None:
        threshold = whole(threshold, "threshold", low=1)
    least = fewest(tally.asked if threshold is None else threshold)
    people = tally.answers
    low = threshold is not None and (2 * threshold <= people) & (people >= least)
    for place in np.flatnonzero(low)[:1]:
        raise ValueError(
            f"the threshold is {threshold}, but {people[place]} people answered about item"
            f" {tally.ids[place]!s}: two answers could reach it. Take at least"
            f" {majority(people[place])}, or none for a majority of each item's answers."
        )
    # where more answered than were asked, as logs were merged, it takes a majority of them
    people = needed(tally.answers, tally.threshold if threshold is None else threshold)
    if isinstance(tally, SetTally):
        return Verdicts(tally, people, _category_of_sets(tally, people, least))
    return Verdicts(tally, people, categories(tally.counts, people, least))


def _category_of_sets(tally: SetTally, threshold: np.ndarray, least: int) -> np.ndarray:
    found = tally.heard >= threshold[:, None]
    same = (found == tally.given).all(1)
    category = np.where(same, NON_ERROR, DIFFERENT_SET).astype(np.int8)
    category[tally.answers < least] = PENDING
    return category


def check_verdicts(verdicts: Any) -> None:
    """Raises ValueError for anything but ``Verdicts``."""
    made_by(verdicts, Verdicts, "verdicts", "validation.judge")


def check_tally(tally: Any) -> None:
    """Raises ValueError for anything but a tally of answers."""
    made_by(tally, (Tally, SetTally), "tally", "validation.from_answers or read_answers")


def fragile(verdicts: Verdicts) -> np.ndarray:
    """Items whose category changes if one person answers otherwise: bool (k,).

    Among those offered. Pending and degenerate items are not fragile; nor are sets of classes,
    whose people are not known one by one.
    """
    check_verdicts(verdicts)
    if isinstance(verdicts.tally, SetTally):
        return np.zeros(len(verdicts), bool)
    rows = np.column_stack([verdicts.tally.counts, verdicts.threshold])
    patterns, which = _different(rows)
    counts, threshold = patterns[:, :-1], patterns[:, -1]
    before = categories(counts, threshold, 0)
    changes = np.zeros(len(patterns), bool)
    columns = [ANSWERS.index(answer) for answer in verdicts.tally.offered]
    for left in columns:
        for taken in columns:
            flipped = counts.copy()
            flipped[:, left] -= 1
            flipped[:, taken] += 1
            possible = counts[:, left] > 0
            changes |= possible & (categories(flipped, threshold, 0) != before)
    return changes[which] & verdicts.decided & ~verdicts.tally.degenerate


def _different(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows of counts, and which of them each row is."""
    which, first = np.zeros(len(rows), np.int64), np.zeros(0, np.int64)
    for column in rows.T:  # sorting numbers, a column at a time, beats sorting rows
        keys = which * (int(column.max(initial=0)) + 1) + column
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], which
