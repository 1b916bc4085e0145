"""Which of two classes fits: the given one, a guess, both or neither."""

from __future__ import annotations

import numpy as np

from ...validation import rule
from ...validation.rule import CATEGORIES, DIFFERENT_SET, categories, merged, needed
from ...validation.tally import ANSWERS
from ._counts import answer_counts
from ._labels import one_class
from ._question import Asking, Counts, Question, unknown

NEITHER = "neither"


def choice_of(flip: int, answer: str) -> str:
    """The normal form of what was clicked: ``a`` and ``b`` are the two classes as shown.

    >>> choice_of(1, "a"), choice_of(1, "both")
    ('guessed', 'both')
    """
    by_place = ("guessed", "given") if flip else ("given", "guessed")
    return {"a": by_place[0], "b": by_place[1]}.get(answer, answer)


def _codes(choice: str, rules: Asking) -> tuple[int, ...]:
    if choice not in rules.offered:
        raise unknown(choice, rules.offered)
    return (ANSWERS.index(choice),)


def _settled(counts: Counts, left: int, rules: Asking, same: bool) -> bool:
    row = merged(answer_counts(counts)[None], np.array([same]))
    return bool(rule.settled(row, left, rules.needed, rules.fewest)[0])


def _category(rules: Asking, counts: Counts, done: bool, same: bool) -> str:
    row = merged(answer_counts(counts)[None], np.array([same]))
    people = needed(row.sum(1), rules.threshold)
    return CATEGORIES[int(categories(row, people, rules.fewest)[0])]


def _choices(rules: Asking) -> list[str]:
    extra = [name for name in rules.offered if name not in ("given", "guessed")]
    return [*rules.classes, *extra]


VERDICT = Question(
    _codes,
    _settled,
    CATEGORIES[:DIFFERENT_SET],
    _category,
    _choices,
    counted="verdicts",
    taken_out="votes",
    names=ANSWERS,
    classes=("given", "guessed"),
    chosen_by=("given", "guessed"),
    grouped=("given", "guessed", "pattern"),
    decides=True,
    exclusive=True,
    beside=NEITHER,
    labels=one_class,
)
