"""What people answered, counted per item: the one value that verdicts are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ...ground.arrays import as_array, door, same_rows, whole_numbers
from ...ground.checks import checked_classes, read_only
from ...stats.checked import RowsToCheck

ANSWERS = ("given", "guessed", "both", "neither", "other")  # columns of counts
UNKNOWN = -1  # an item without a place, a class that nobody named


@dataclass(frozen=True, eq=False)
class Tally:
    """Answers about k items, each a choice between the given class and a guessed one.

    Args:
        item: int64 (k,), which example of the data set; -1 where the place is not known.
        counts: int64 (k, 5), people per answer: given, guessed, both, neither, other.
        given, guessed: int64 (k,), the two classes; -1 where not said.
        skipped: int64 (k,), people who saw the item and did not answer.
        offered: answers that people could give; the columns of the others are 0.
        ids: (k,) names of the items, int64 or object of ``str``; ``item`` by default.
        classes: names of the classes, or None.
        others: what "other" is made of, by name: int64 (k,) each; may be empty.
        named: int64 (k,), the class that most of those name who answered "neither"; -1 where nobody
            names one. By default nobody does.
        naming: int64 (k,), how many name it.
        people: who are asked about each item; None where nobody says.
        threshold: people that make a verdict, where that was settled before anybody was asked.
        drawn: how the items were drawn, where that was done for a count; its rows are ``item``.

    Raises:
        ValueError: arrays that disagree, negative counts, an item twice, a class out of range, or
            votes for both names where the guessed class is the given one.

    Made by ``from_answers``, ``from_counts`` and ``read_released``.
    """

    item: np.ndarray
    counts: np.ndarray
    given: np.ndarray
    guessed: np.ndarray
    skipped: np.ndarray
    offered: tuple[str, ...] = ANSWERS
    ids: np.ndarray = None  # type: ignore[assignment]  # item needs item
    classes: tuple[str, ...] | None = None
    others: Mapping[str, np.ndarray] = field(default_factory=dict)
    drawn: RowsToCheck | None = None
    named: np.ndarray = None  # type: ignore[assignment]  # these two need item
    naming: np.ndarray = None  # type: ignore[assignment]
    people: int | None = None
    threshold: int | None = None

    def __post_init__(self) -> None:
        store = object.__setattr__
        if self.ids is None:
            store(self, "ids", self.item)
        for name, nothing in (("named", UNKNOWN), ("naming", 0)):
            if getattr(self, name) is None:
                store(self, name, np.full(len(self.item), nothing))
        for name in ("item", "counts", "given", "guessed", "skipped", "ids", "named", "naming"):
            store(self, name, read_only(np.asarray(getattr(self, name))))
        if self.classes:
            store(self, "classes", checked_classes(self.classes))
        _check_shapes(self)
        check_items(self.item, self.ids)
        for name in ("given", "guessed", "named"):
            check_classes(name, getattr(self, name), self.classes, self.ids)
        if self.drawn is not None and not np.array_equal(self.drawn.rows, self.item):
            raise ValueError("`drawn` is about other rows than `item`.")
        unoffered = [a for a in ANSWERS if a not in self.offered]
        for place in np.flatnonzero(self.degenerate & (self.counts[:, 1] > 0))[:1]:
            raise ValueError(
                f"the guessed class of item {self.ids[place]!s} is the given one, and there are"
                f" {self.counts[place, 1]} votes for it as guessed. Count them as given, once."
            )
        for answer in unoffered:
            if self.counts[:, ANSWERS.index(answer)].any():
                raise ValueError(f"there are votes for {answer!r}, which was not offered.")

    def __len__(self) -> int:
        """Number of items that were asked about."""
        return len(self.item)

    def __repr__(self) -> str:
        return f"Tally({len(self)} items, {int(self.counts.sum())} answers)"

    @property
    def answers(self) -> np.ndarray:
        """People who answered: int64 (k,), skips left out."""
        return self.counts.sum(1)

    @property
    def asked(self) -> int:
        """People asked about each item; where nobody says, as many as answered about any."""
        return int(self.answers.max(initial=0)) if self.people is None else self.people

    @property
    def degenerate(self) -> np.ndarray:
        """Bool (k,): the two classes offered are one, so the question had one answer."""
        return (self.given == self.guessed) & (self.given >= 0)


@dataclass(frozen=True, eq=False)
class SetTally:
    """Answers about k items that may hold several classes: who heard (or saw) which.

    Args:
        item: int64 (k,), which example of the data set; -1 where the place is not known.
        given, guessed: bool (k, q), the two sets of classes.
        heard: int64 (k, q), people who found the class in the item; 0 where nobody was asked.
        classes: q names.
        people: how many answered about each item.
        ids: (k,) names of the items; ``item`` by default.

    Raises:
        ValueError: arrays that disagree, an item twice, or more votes than people.
    """

    item: np.ndarray
    given: np.ndarray
    guessed: np.ndarray
    heard: np.ndarray
    classes: tuple[str, ...]
    people: int = 5
    ids: np.ndarray = None  # type: ignore[assignment]
    threshold: ClassVar[int | None] = None

    def __post_init__(self) -> None:
        store = object.__setattr__
        if self.ids is None:
            store(self, "ids", self.item)
        for name in ("item", "given", "guessed", "heard", "ids"):
            store(self, name, read_only(np.asarray(getattr(self, name))))
        if self.classes:
            store(self, "classes", checked_classes(self.classes))
        wanted = (len(self.item), len(self.classes))
        for name in ("given", "guessed", "heard"):
            if getattr(self, name).shape != wanted:
                raise ValueError(
                    f"`{name}` has shape {getattr(self, name).shape}; {wanted} is needed, a row an"
                    " item and a column a class."
                )
        check_items(self.item, self.ids)
        wrong = (self.heard < 0) | (self.heard > self.people)
        for row, column in np.argwhere(wrong)[:1]:
            raise ValueError(
                f"{self.heard[row, column]} votes for {self.classes[column]!r} on item"
                f" {self.ids[row]!s}, but {self.people} people answered. Say how many with people."
            )

    def __len__(self) -> int:
        """Number of items that were asked about."""
        return len(self.item)

    def __repr__(self) -> str:
        return f"SetTally({len(self)} items, {len(self.classes)} classes, {self.people} people)"

    @property
    def asked(self) -> int:
        """People asked about each item."""
        return self.people

    @property
    def answers(self) -> np.ndarray:
        """People who answered: int64 (k,)."""
        return np.full(len(self), self.people)


def most_named(
    places: np.ndarray, classes: np.ndarray, items: int
) -> tuple[np.ndarray, np.ndarray]:
    """Of each item the class that most name, and how many: int64 (items,) each; -1 of nobody.

    Args:
        places: int (names,), which item. classes: int (names,), the class that somebody names.
    """
    named, naming = np.full(items, UNKNOWN), np.zeros(items, np.int64)
    pairs, times = np.unique(np.column_stack([places, classes]), axis=0, return_counts=True)
    for place in np.argsort(times, kind="stable"):  # the most frequent one is written last
        named[pairs[place, 0]], naming[pairs[place, 0]] = pairs[place, 1], times[place]
    return named, naming


@door
def from_counts(
    counts: Any,
    *,
    item: Any = None,
    given: Any = None,
    guessed: Any = None,
    classes: Sequence[str] | None = None,
    ids: Any = None,
) -> Tally:
    """A tally of what was counted elsewhere.

    Args:
        counts: int (k, 4) or (k, 5), people who chose given, guessed, both, neither (and other);
            or a mapping of some of these names to int (k,).
        item: int (k,), row numbers of the examples; 0..k-1 by default.
        given, guessed: int (k,), the two classes; unknown by default.
        classes: names of the classes.
        ids: names of the items.

    Raises:
        ValueError: see ``Tally``; also where guessed is given and its votes stand under both
            names with different numbers.

    >>> from_counts({"given": [4, 1], "guessed": [1, 4]}).counts.tolist()
    [[4, 1, 0, 0, 0], [1, 4, 0, 0, 0]]
    """
    same_rows(counts=counts, item=item, given=given, guessed=guessed, ids=ids)
    table, offered = _as_table(counts)
    k = len(table)
    rows = np.arange(k) if item is None else whole_numbers("item", item)
    first, second = (
        np.full(k, UNKNOWN) if value is None else whole_numbers(name, value)
        for name, value in (("given", given), ("guessed", guessed))
    )
    if len(first) == len(second) == k:
        table = _once(table, first, second, rows if ids is None else ids)
    return Tally(
        item=rows,
        counts=table,
        given=first,
        guessed=second,
        skipped=np.zeros(k, np.int64),
        offered=offered,
        ids=rows if ids is None else ids,
        classes=classes,  # type: ignore[arg-type]  # checked there
    )


def check_items(item: np.ndarray, ids: np.ndarray) -> None:
    """Raises ValueError when an item or a name stands twice, or an item is below -1."""
    if item.ndim != 1 or ids.shape != item.shape:
        raise ValueError(f"`item` has shape {item.shape} and `ids` {ids.shape}; both are (k,).")
    for place in np.flatnonzero(item < UNKNOWN)[:1]:
        raise ValueError(
            f"item {item[place]} at {place} is negative; items are row numbers from 0."
        )
    for name, values in (("item", item[item != UNKNOWN]), ("id", ids)):
        known, counts = np.unique(values, return_counts=True)
        for twice in known[counts > 1][:1]:
            raise ValueError(f"{name} {twice!s} stands twice. Add its votes up, in one row.")


def check_classes(
    name: str, labels: np.ndarray, classes: Sequence[str] | None, ids: np.ndarray
) -> None:
    """Raises ValueError for a class below -1 or, where classes are known, beyond the last."""
    last = np.iinfo(np.int64).max if classes is None else len(classes) - 1
    for place in np.flatnonzero((labels < UNKNOWN) | (labels > last))[:1]:
        known = "" if classes is None else f"; {len(classes)} classes are numbered 0 to {last}"
        raise ValueError(
            f"the {name} class of item {ids[place]!s} is {labels[place]}, which is no class{known}."
        )


def _check_shapes(tally: Tally) -> None:
    k = len(tally.item)
    if tally.counts.shape != (k, len(ANSWERS)) or tally.counts.dtype.kind not in "iu":
        raise ValueError(
            f"`counts` is {tally.counts.dtype} of shape {tally.counts.shape}; whole numbers of"
            f" shape {(k, len(ANSWERS))} are needed: {', '.join(ANSWERS)}."
        )
    for name in ("given", "guessed", "skipped", "named", "naming"):
        if getattr(tally, name).shape != (k,):
            raise ValueError(f"`{name}` has shape {getattr(tally, name).shape}, not {(k,)}.")
    neither = tally.counts[:, ANSWERS.index("neither")]
    for row in np.flatnonzero((tally.naming < 0) | (tally.naming > neither))[:1]:
        raise ValueError(
            f"{tally.naming[row]} people name another class of item {tally.ids[row]!s}, and"
            f" {neither[row]} answered neither."
        )
    for row, column in np.argwhere(tally.counts < 0)[:1]:
        raise ValueError(
            f"item {tally.ids[row]!s} has {tally.counts[row, column]} votes for"
            f" {ANSWERS[column]}; counts are 0 or more."
        )


def _as_table(counts: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    if hasattr(counts, "columns") and list(counts.columns) != list(range(len(counts.columns))):
        counts = {name: counts[name] for name in counts.columns}
    if isinstance(counts, Mapping):
        unknown = [name for name in counts if name not in ANSWERS]
        if unknown or not counts:
            said = f"there are votes for {unknown[0]!r}" if unknown else "there are no votes"
            raise ValueError(f"{said}; the answers are {', '.join(ANSWERS)}.")
        columns = {name: whole_numbers(name, values) for name, values in counts.items()}
        k = len(next(iter(columns.values())))
        table = np.zeros((k, len(ANSWERS)), np.int64)
        for name, values in columns.items():
            if len(values) != k:
                raise ValueError(f"`{name}` has {len(values)} entries, the others {k}.")
            table[:, ANSWERS.index(name)] = values
        return table, tuple(name for name in ANSWERS if name in columns)
    array = as_array(counts, "counts")
    if array.ndim != 2 or array.shape[1] not in (4, 5) or array.dtype.kind not in "iu":
        raise ValueError(
            f"`counts` is {array.dtype} of shape {array.shape}; whole numbers (k, 4) or (k, 5) are"
            f" needed: {', '.join(ANSWERS)}."
        )
    table = np.zeros((len(array), len(ANSWERS)), np.int64)
    table[:, : array.shape[1]] = array
    return table, ANSWERS[: array.shape[1]]


def _once(table: np.ndarray, given: np.ndarray, guessed: np.ndarray, ids: Any) -> np.ndarray:
    """Votes that stand under both names of one class, counted once."""
    same = (given == guessed) & (given >= 0) & (table[:, 1] > 0)
    for place in np.flatnonzero(same & (table[:, 0] > 0) & (table[:, 0] != table[:, 1]))[:1]:
        raise ValueError(
            f"the guessed class of item {ids[place]!s} is the given one, but it has"
            f" {table[place, 0]} votes as given and {table[place, 1]} as guessed. Give them once,"
            " as given."
        )
    table = table.copy()
    table[same, 0] = np.maximum(table[same, 0], table[same, 1])
    table[same, 1] = 0
    return table
