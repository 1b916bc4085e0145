"""Answers of people, kept in order, and what label sets can be made of them.

Knows arrays alone. An answer is (item, annotator, labels): it may hold several labels or none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...ground.arrays import door, objects
from ...ground.checks import check_size, read_only
from ...ground.names import made_by, shortened
from ...ground.numbers import whole
from ...ground.problem import Refusal
from ...ground.seeds import draw


@dataclass(frozen=True, eq=False)
class Votes:
    """Answers in the order they were stored.

    Args:
        item: int64 (answers,), the row of the example each answer is about, from 0.
        annotator: object array (answers,) of ``str``, who gave it.
        offsets: int64 (answers + 1,); the labels of answer ``a`` are
            ``labels[offsets[a]:offsets[a + 1]]``.
        labels: int64 (labels of all answers together,), from 0.

    Raises:
        ValueError: shapes or offsets that disagree, or something negative.

    ``Votes.from_rows`` is the easy way to make one. Equal when all four arrays are.
    """

    item: np.ndarray
    annotator: np.ndarray
    offsets: np.ndarray
    labels: np.ndarray

    def __post_init__(self) -> None:
        for name in ("item", "annotator", "offsets", "labels"):
            array = getattr(self, name)
            dtype = object if name == "annotator" else np.int64
            if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
                raise ValueError(
                    f"votes: `{name}` must be a numpy array of {np.dtype(dtype)}, 1-D."
                )
            object.__setattr__(self, name, read_only(array))
        answers = len(self.item)
        if len(self.annotator) != answers or len(self.offsets) != answers + 1:
            raise ValueError(
                f"votes: {answers} items, {len(self.annotator)} annotators and"
                f" {len(self.offsets)} offsets; one annotator an item and one offset more."
            )
        starts, ends = self.offsets[0], self.offsets[-1]
        if starts != 0 or ends != len(self.labels) or (np.diff(self.offsets) < 0).any():
            raise ValueError("votes: `offsets` must rise from 0 to the number of labels.")
        for name in ("item", "labels"):
            array = getattr(self, name)
            if len(array) and array.min() < 0:
                raise ValueError(
                    f"votes: `{name}` has {array.min()} at {int(array.argmin())}; they count from"
                    " 0. An answer without a label has an empty list."
                )
        for answer, who in enumerate(self.annotator):
            if not isinstance(who, str):
                raise ValueError(f"votes: annotator {who!r} of answer {answer} is not a string.")

    @classmethod
    @door
    def from_rows(cls, rows: Iterable[tuple[int, Any, Iterable[int]]]) -> Votes:
        """Votes from (item, annotator, labels) in order; annotators become strings.

        >>> Votes.from_rows([(0, "ann", [2]), (0, "bob", [2, 1]), (1, "ann", [])]).rows()[1]
        (0, 'bob', (2, 1))
        """
        items: list[int] = []
        annotators: list[str] = []
        labels: list[list[int]] = []
        if not isinstance(rows, Iterable):
            raise ValueError(f"votes: {rows!r} holds no rows (item, annotator, labels).")
        for row in rows:
            if not isinstance(row, (tuple, list)) or len(row) != 3:
                raise ValueError(
                    f"votes: answer {len(items)} is {row!r}; write (item, annotator, labels)."
                )
            item, annotator, answer = row
            if isinstance(answer, str) or not isinstance(answer, Iterable):
                raise ValueError(
                    f"votes: the labels of answer {len(items)} are {answer!r}."
                    f" Write a list, [{answer!r}], as an answer may hold several labels."
                )
            items.append(_whole(item, "item", len(items)))
            labels.append([_whole(label, "label", len(labels)) for label in answer])
            annotators.append(str(annotator))
        lengths = np.array([len(answer) for answer in labels], np.int64)
        return cls(
            item=np.array(items, np.int64),
            annotator=objects(annotators),
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            labels=np.array([label for answer in labels for label in answer], np.int64),
        )

    def rows(self) -> list[tuple[int, str, tuple[int, ...]]]:
        """(item, annotator, labels) of every answer, in order; the inverse of ``from_rows``."""
        ends = self.offsets.tolist()
        labels = self.labels.tolist()
        return [
            (item, who, tuple(labels[start:end]))
            for item, who, start, end in zip(self.item.tolist(), self.annotator, ends, ends[1:])
        ]

    def __len__(self) -> int:
        """Number of answers."""
        return len(self.item)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Votes):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("item", "annotator", "offsets", "labels")
        )

    def __repr__(self) -> str:
        return f"Votes({len(self)} answers by {len(set(self.annotator))} annotators)"


def votes_about(votes: Votes, rows: np.ndarray, n: int) -> Votes:
    """The answers about the items ``rows`` of n, renumbered by their place in ``rows``.

    ``rows`` is int64 without repetitions. Answers keep their stored order.
    """
    place = np.full(n, -1, np.int64)
    place[rows] = np.arange(len(rows))
    item = place[votes.item]
    return replace(answers_where(votes, item >= 0), item=item[item >= 0])


def answers_where(votes: Votes, kept: np.ndarray) -> Votes:
    """The answers that are kept, bool (answers,), in stored order."""
    lengths = np.diff(votes.offsets)
    return Votes(
        item=votes.item[kept],
        annotator=votes.annotator[kept],
        offsets=np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.int64),
        labels=votes.labels[np.repeat(kept, lengths)],
    )


def some_answers(votes: Votes, k: int, seed: int = 0) -> Votes:
    """At most k answers about each item, drawn at random, in stored order.

    What ``union`` and ``vaguest`` make of them is candidate sets as fewer annotators would have
    given them. Growing k adds answers and drops none.

    Raises:
        ValueError: k below 1.

    >>> votes = Votes.from_rows([(0, "a", [1]), (0, "b", [0, 1]), (1, "c", [2])])
    >>> len(some_answers(votes, 1))
    2
    """
    made_by(votes, Votes, "votes", "Votes.from_rows")
    return _earliest(votes, k, draw(seed, "some answers").random(len(votes)))


def first_answers(votes: Votes, k: int) -> Votes:
    """The first k answers about each item in stored order, or all where there are fewer.

    Raises:
        ValueError: k below 1.
    """
    made_by(votes, Votes, "votes", "Votes.from_rows")
    return _earliest(votes, k, np.arange(len(votes)))


def _earliest(votes: Votes, k: int, times: np.ndarray) -> Votes:
    """The k answers about each item whose times (answers,) come first; they stay in order."""
    k = whole(k, "k", low=1)
    order = np.lexsort((times, votes.item))
    number = np.bincount(votes.item)
    rank = np.arange(len(votes)) - (np.cumsum(number) - number)[votes.item[order]]
    kept = np.zeros(len(votes), bool)
    kept[order[rank < k]] = True
    return answers_where(votes, kept)


Empty = Literal["error", "all", "none"]


def union(votes: Votes, n: int, q: int, empty: Empty = "error") -> np.ndarray:
    """Candidate sets holding every label that anyone gave.

    Args:
        votes: answers about items 0..n-1 with labels 0..q-1.
        empty: what an item without any label gets: ``"error"`` raises, ``"all"`` makes every
            class a candidate (nothing is known), ``"none"`` leaves the row empty.

    Returns:
        bool (n, q).

    Raises:
        ValueError: a label or item out of range, or an item without labels.

    Source: Wang et al., ICLR 2025, PLCIFAR10-Aggregate.
    """
    check_votes(votes, n, q)
    check_size("candidates", (n, q), 1)
    candidates = np.zeros((n, q), bool)
    candidates[np.repeat(votes.item, np.diff(votes.offsets)), votes.labels] = True
    return _filled(candidates, empty)


def vaguest(votes: Votes, n: int, q: int, empty: Empty = "error") -> np.ndarray:
    """Candidate sets holding the longest answer about each item; the first of equally long ones.

    The length is that of the list as given: a label named twice in an answer counts twice.
    Arguments, result and errors are those of ``union``.

    Source: Wang et al., ICLR 2025, PLCIFAR10-Vaguest.
    """
    check_votes(votes, n, q)
    check_size("candidates", (n, q), 1)
    lengths = np.diff(votes.offsets)
    # by item, then longest first, then in stored order: the first answer of each item wins
    order = np.lexsort((np.arange(len(votes)), -lengths, votes.item))
    _, first = np.unique(votes.item[order], return_index=True)
    chosen = np.zeros(len(votes), bool)
    chosen[order[first]] = True
    candidates = np.zeros((n, q), bool)
    rows = np.repeat(votes.item, lengths)
    kept = np.repeat(chosen, lengths)
    candidates[rows[kept], votes.labels[kept]] = True
    return _filled(candidates, empty)


def majority(votes: Votes, n: int, q: int, empty: Empty = "error") -> np.ndarray:
    """Candidate sets holding the classes that more than half of an item's answers name.

    Answers without a label count among them. Arguments, result and errors are those of ``union``.
    """
    answers = np.bincount(votes.item, minlength=n) if len(votes) else np.zeros(n, np.int64)
    return _filled(2 * times_named(votes, n, q) > answers[:, None], empty)


def at_least(votes: Votes, n: int, q: int, k: int, empty: Empty = "error") -> np.ndarray:
    """Candidate sets holding the classes that k answers or more name; ``union`` is k = 1.

    Arguments, result and errors are those of ``union``.
    """
    return _filled(times_named(votes, n, q) >= whole(k, "k", low=1), empty)


def times_named(votes: Votes, n: int, q: int) -> np.ndarray:
    """How many answers about each item name each class: int64 (n, q), a class once an answer.

    Raises:
        ValueError: a label or item out of range.
    """
    check_votes(votes, n, q)
    check_size("counts of labels", (n, q), 8)
    answer = np.repeat(np.arange(len(votes)), np.diff(votes.offsets))
    different = np.unique(answer * q + votes.labels)
    pairs = votes.item[different // q] * q + different % q
    return np.bincount(pairs, minlength=n * q).reshape(n, q)


def votes_for(labels: np.ndarray) -> Votes:
    """One answer an item, its label: of int64 (n,) at least 0.

    >>> votes_for(np.array([2, 0])).rows()
    [(0, '', (2,)), (1, '', (0,))]
    """
    n = len(labels)
    return Votes(np.arange(n), objects([""] * n), np.arange(n + 1), np.asarray(labels, np.int64))


def shares_named(votes: Votes, n: int, q: int) -> np.ndarray:
    """Of each item's answers, the share that names each class: float64 (n, q), in [0, 1].

    An answer that names several classes counts for each of them, so that a row may sum to more
    than 1. Rows of items without an answer are NaN.

    Raises:
        ValueError: a label or item out of range.

    >>> shares_named(Votes.from_rows([(0, "ann", [1]), (0, "bob", [0, 1])]), 2, 2)
    array([[0.5, 1. ],
           [nan, nan]])
    """
    named = times_named(votes, n, q).astype(np.float64)
    answers = np.bincount(votes.item, minlength=n)[:, None]
    return np.divide(named, answers, out=np.full((n, q), np.nan), where=answers > 0)


def padded(votes: Votes, n: int, q: int) -> np.ndarray:
    """The answers about each item side by side, as training takes them.

    Args:
        votes: answers about items 0..n-1, each one label of 0..q-1.

    Returns:
        int64 (n, R, 2), R the most answers about an item: the annotator's number, in the order
        of names, and the label; -1 behind an item's last answer.

    Raises:
        ValueError: a label or item out of range, or an answer of several labels or none.

    >>> votes = Votes.from_rows([(0, "bob", [2]), (1, "ann", [0]), (1, "bob", [1])])
    >>> padded(votes, 2, 3).tolist()
    [[[1, 2], [-1, -1]], [[0, 0], [1, 1]]]
    """
    check_votes(votes, n, q)
    for answer in np.flatnonzero(np.diff(votes.offsets) != 1)[:1]:
        raise Refusal(
            f"the answer of {votes.annotator[answer]!r} about row {votes.item[answer]} has"
            f" {votes.offsets[answer + 1] - votes.offsets[answer]} labels; what learns from answers"
            " takes one label each.",
            "make candidate sets of them (data.union, or candidly crowd sets)",
        )
    counts = np.bincount(votes.item, minlength=n)
    most = int(counts.max(initial=0))
    check_size("answers side by side", (n, most, 2), 8)
    order = np.argsort(votes.item, kind="stable")
    place = np.arange(len(votes)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.full((n, most, 2), -1, np.int64)
    who = np.unique(votes.annotator.astype(str), return_inverse=True)[1]
    rows = votes.item[order]
    table[rows, place, 0], table[rows, place, 1] = who[order], votes.labels[order]
    return table


# ways to make candidate sets, by name; ``at-least-K`` is one more
SETS: dict[str, Callable[[Votes, int, int, Empty], np.ndarray]] = {
    "union": union,
    "vaguest": vaguest,
    "majority": majority,
}
AT_LEAST = "at-least-"


def way_of_sets(name: str) -> Callable[[Votes, int, int, Empty], np.ndarray]:
    """The function that makes candidate sets of votes, by name: of ``SETS``, or ``at-least-2``.

    Raises:
        ValueError: no such way.

    >>> votes = Votes.from_rows([(0, "ann", [2]), (0, "bob", [1, 2])])
    >>> way_of_sets("at-least-2")(votes, 1, 3, "error").tolist()
    [[False, False, True]]
    """
    if name in SETS:
        return SETS[name]
    number = name.removeprefix(AT_LEAST)
    if name.startswith(AT_LEAST) and re.fullmatch("[1-9][0-9]{0,5}", number):
        return lambda votes, n, q, empty: at_least(votes, n, q, int(number), empty)
    raise ValueError(
        f"no way to make sets of votes is called {shortened(name)}. Choose from:"
        f" {', '.join(SETS)}, or a number of answers that name a class, such as {AT_LEAST}2."
    )


def votes_to_given(votes: Votes, n: int, q: int) -> np.ndarray:
    """The label named most often for each item; ties go to the lowest class, -1 without labels.

    Every label of an answer counts one, whether it stands alone or among others.

    Returns:
        int64 (n,), in -1..q-1.

    >>> votes_to_given(Votes.from_rows([(0, "ann", [2]), (0, "bob", [1, 2])]), n=2, q=3)
    array([ 2, -1])
    """
    check_votes(votes, n, q)
    check_size("counts of labels", (n, q), 8)
    rows = np.repeat(votes.item, np.diff(votes.offsets))
    counts = np.bincount(rows * q + votes.labels, minlength=n * q).reshape(n, q)
    return np.where(counts.any(1), counts.argmax(1), -1).astype(np.int64)


def check_votes(votes: Votes, n: int, q: int) -> None:
    """Raises ValueError when an answer is about an item outside 0..n-1 or has a label >= q."""
    if not isinstance(votes, Votes):
        raise ValueError(f"`votes` is a {type(votes).__name__}. Make it with Votes.from_rows().")
    for answer in np.flatnonzero(votes.item >= n)[:1]:
        raise ValueError(
            f"`votes` has item {votes.item[answer]} in answer {answer}, but there are {n} examples"
            f" (0..{n - 1}). Items are row numbers."
        )
    for place in np.flatnonzero(votes.labels >= q)[:1]:
        answer = int(np.searchsorted(votes.offsets, place, side="right")) - 1
        raise ValueError(
            f"`votes` has label {votes.labels[place]} in answer {answer} (item"
            f" {votes.item[answer]}), but there are {q} classes (0..{q - 1})."
            " If labels start at 1, subtract 1 before loading."
        )


def _filled(candidates: np.ndarray, empty: Empty) -> np.ndarray:
    rows = np.flatnonzero(~candidates.any(1))
    if empty == "all":
        candidates[rows] = True
    elif empty == "error":
        if len(rows):
            raise ValueError(
                f"`votes` name no label for item {rows[0]} ({len(rows)} such items of"
                f" {len(candidates)}). Drop these, or pass empty='all' to let them be any class."
            )
    elif empty != "none":
        raise ValueError(f"empty={empty!r}; choose 'error', 'all' or 'none'.")
    return candidates


def _whole(value: Any, what: str, answer: int) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"votes: {what} {value!r} of answer {answer} is not an integer.")
    if abs(int(value)) >= 2**63:
        raise ValueError(f"votes: {what} {value} of answer {answer} is too large.")
    return int(value)
