"""Data sets whose labels people checked, as values: every item with its votes, and the totals.

What a gallery over many sets shows of each. All numbers are those of ``candidly.validation``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .verdicts_document import summarise

if TYPE_CHECKING:
    from . import SetTally, Tally, Verdicts


@dataclass(frozen=True)
class VotedItem:
    """One item that people were asked about.

    Attributes:
        id: its name in the file of votes. row: of the data set; -1 where it is not known.
        given, guessed: numbers of classes; none where they are not said.
        verdict: one of ``validation.CATEGORIES``.
        fragile: one other answer would change the verdict.
        answers: which answer (a place in ``CheckedSet.words``) how many gave; nobody's left out,
            unless the item may hold several classes.
        people: how many answered.
        alike: how many of them gave the most frequent answer; None where people were asked about
            several classes.
    """

    id: str
    row: int
    given: tuple[int, ...]
    guessed: tuple[int, ...]
    verdict: str
    fragile: bool
    answers: tuple[tuple[int, int], ...]
    people: int
    alike: int | None


@dataclass(frozen=True, eq=False)
class CheckedSet:
    """One data set: what is known of it, and its items in the order of the file.

    Attributes:
        name: short, unlike that of any other set. title: for people.
        classes: names of the classes. number: how many the data set has.
        words: what the answers are called; of sets of classes the names of the classes.
        several: an item may hold several classes.
        items: every item that people were asked about.
        about: all totals; see ``verdicts_document.summarise``.
        facts: sentences about the data set.
    """

    name: str
    title: str
    classes: tuple[str, ...]
    number: int
    words: tuple[str, ...]
    several: bool
    items: Sequence[VotedItem]
    about: Mapping[str, Any]
    facts: tuple[str, ...] = ()


def checked_set(
    verdicts: Verdicts,
    name: str,
    *,
    title: str = "",
    size: int | None = None,
    flagged: int | None = None,
    number: int | None = None,
    facts: Sequence[str] = (),
) -> CheckedSet:
    """What a gallery shows of one data set.

    Args:
        name: short, for addresses. title: for people; the name by default.
        size: examples of the data set; without it nothing is said of the whole.
        flagged: examples that were flagged, of which those checked are a random sample; all were
            checked by default.
        number: classes of the data set; those that the votes name by default.
        facts: sentences about the data set.

    Raises:
        ValueError: sizes that do not fit; the message begins with the name.
    """
    from . import CATEGORIES, SetTally, fragile

    try:
        about = summarise(verdicts, size=size, flagged=flagged)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    tally = verdicts.tally
    several = isinstance(tally, SetTally)
    classes = _classes(tally)
    words, answers, alike = _of_sets(tally) if isinstance(tally, SetTally) else _of_counts(tally)
    sides = [_numbers(side) for side in (tally.given, tally.guessed)]
    rows = zip(
        *(tally.ids.tolist(), tally.item.tolist(), *sides, verdicts.category.tolist()),
        *(fragile(verdicts).tolist(), answers, tally.answers.tolist(), alike),
    )
    items = tuple(
        VotedItem(str(id), row, given, guessed, CATEGORIES[category], hangs, said, people, most)
        for id, row, given, guessed, category, hangs, said, people, most in rows
    )
    return CheckedSet(
        name=name,
        title=title or name,
        classes=classes,
        number=len(classes) if number is None else number,
        words=words,
        several=several,
        items=items,
        about=about,
        facts=tuple(facts),
    )


def _classes(tally: Tally | SetTally) -> tuple[str, ...]:
    if tally.classes:
        return tally.classes
    labels = [tally.given.max(initial=-1), tally.guessed.max(initial=-1)]
    return tuple(str(k) for k in range(int(max(labels)) + 1))


def _numbers(side: np.ndarray) -> list[tuple[int, ...]]:
    """Classes of each item: int (k,) of one each, or bool (k, q) of several."""
    if side.ndim == 2:
        return [tuple(np.flatnonzero(row).tolist()) for row in side]
    return [(label,) if label >= 0 else () for label in side.tolist()]


Answers = list[tuple[tuple[int, int], ...]]


def _of_counts(tally: Tally) -> tuple[tuple[str, ...], Answers, list[int | None]]:
    """What answers are called, who gave which, and how many the most frequent one."""
    from . import ANSWERS

    words = list(tally.offered)
    columns = [tally.counts[:, ANSWERS.index(word)] for word in words]
    if tally.others and "other" in words:
        inside = sum(tally.others.values(), np.zeros(len(tally), np.int64))
        if np.array_equal(inside, tally.counts[:, ANSWERS.index("other")]):
            place = words.index("other")  # what it is made of says more
            words[place:] = tally.others
            columns[place:] = tally.others.values()
    counts = np.stack(columns, 1) if words else np.zeros((len(tally), 0), np.int64)
    answers = [
        tuple((k, number) for k, number in enumerate(row) if number) for row in counts.tolist()
    ]
    return tuple(words), answers, counts.max(1, initial=0).tolist()


def _of_sets(tally: SetTally) -> tuple[tuple[str, ...], Answers, list[int | None]]:
    """The same, where people said of each class whether it is there."""
    asked = tally.given | tally.guessed | (tally.heard > 0)
    answers = [
        tuple((k, int(heard[k])) for k in np.flatnonzero(row).tolist())
        for row, heard in zip(asked, tally.heard)
    ]
    return tally.classes, answers, [None] * len(tally)
