"""What people are asked: which answers there are, and when more of them change nothing.

A choice is kept as text in its normal form: ``given`` and never "the left one"; ``3 5`` for two
classes, ``none`` for none of those that could hold. Its codes are numbers: places in
``validation.ANSWERS``, classes, or 0 for no, 1 for yes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ...ground.names import nearest, shortened
from .. import validation
from ..validation import ANSWERS, merged
from .rules import Rules

SKIP, NO_LABEL = "skip", "none"
YES_NO = ("no", "yes")


@dataclass(frozen=True)
class Question:
    """One way to ask.

    Attributes:
        codes: (choice, rules) -> its codes; raises ValueError for no such answer.
        settled: (people by code, people yet to come, rules, whether the two classes are one) ->
            the outcome cannot change.
    """

    codes: Callable[[str, Rules], tuple[int, ...]]
    settled: Callable[[Mapping[int, int], int, Rules, bool], bool]


def choice_of(flip: int, answer: str) -> str:
    """The normal form of what was clicked: ``a`` and ``b`` are the two classes as shown.

    >>> choice_of(1, "a"), choice_of(1, "both")
    ('guessed', 'both')
    """
    by_place = ("guessed", "given") if flip else ("given", "guessed")
    return {"a": by_place[0], "b": by_place[1]}.get(answer, answer)


def codes_of(choice: str, rules: Rules) -> tuple[int, ...]:
    """The codes of a choice; none for ``skip``.

    Raises:
        ValueError: an answer that the question does not have.
    """
    return () if choice == SKIP else QUESTIONS[rules.question].codes(choice, rules)


def settled(counts: Mapping[int, int], said: int, rules: Rules, same: bool = False) -> bool:
    """Whether the answers that are still to come cannot change what the item comes to.

    ``same``: its two classes are one.

    >>> from candidly.people.review import PRESETS
    >>> settled({0: 3}, 3, PRESETS["verdict"]), settled({0: 2, 1: 1}, 3, PRESETS["verdict"])
    (True, False)
    """
    left = rules.people - said
    return left <= 0 or QUESTIONS[rules.question].settled(counts, left, rules, same)


def pattern_of(counts: Mapping[int, int]) -> str:
    """How many said what, as text: ``0:3 1:2``."""
    return " ".join(f"{code}:{counts[code]}" for code in sorted(counts))


def counts_of(pattern: str) -> dict[int, int]:
    """The inverse of ``pattern_of``: people by code."""
    pairs = (cell.split(":") for cell in pattern.split())
    return {int(code): int(number) for code, number in pairs}


def answers_by_kind(patterns: Iterable[str]) -> np.ndarray:
    """People by place in ``validation.ANSWERS``, of many items: int64 (k, 5)."""
    few: dict[str, np.ndarray] = {}  # patterns are different, and each is read once
    for pattern in patterns:
        if pattern not in few:
            few[pattern] = answer_counts(counts_of(pattern))
    rows = [few[pattern] for pattern in patterns]
    return np.array(rows, np.int64).reshape(-1, len(ANSWERS))


def answer_counts(counts: Mapping[int, int]) -> np.ndarray:
    """The same of one item: int64 (5,)."""
    return np.array([counts.get(code, 0) for code in range(len(ANSWERS))], np.int64)


def _verdict(choice: str, rules: Rules) -> tuple[int, ...]:
    if choice not in rules.offered:
        raise _unknown(choice, rules.offered)
    return (ANSWERS.index(choice),)


def _verdict_settled(counts: Mapping[int, int], left: int, rules: Rules, same: bool) -> bool:
    row = merged(answer_counts(counts)[None], np.array([same]))
    return bool(validation.settled(row, left, rules.needed, rules.fewest)[0])


def _one(choice: str, rules: Rules) -> tuple[int, ...]:
    found = _several(choice, rules)
    if len(found) != 1:
        raise ValueError(
            f"the answer {shortened(choice)} holds {len(found)} classes; one is asked for."
        )
    return found


def _one_settled(counts: Mapping[int, int], left: int, rules: Rules, same: bool) -> bool:
    first, second = sorted([0, 0, *counts.values()])[-1:-3:-1]
    return first - second > left


def _several(choice: str, rules: Rules) -> tuple[int, ...]:
    q = len(rules.classes)
    words = choice.split()
    numbers = [int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 10]
    if len(numbers) < len(words) or not words or max(numbers) >= q:
        raise ValueError(
            f"the answer is {shortened(choice)}; write class numbers from 0 to {q - 1} with a space"
            " between, or skip."
        )
    if numbers != sorted(set(numbers)):
        raise ValueError(
            f"the answer is {shortened(choice)}; name each class once, in ascending order."
        )
    if rules.most_labels is not None and len(numbers) > rules.most_labels:
        raise ValueError(
            f"the answer holds {len(numbers)} classes; at most {rules.most_labels} are allowed."
        )
    return tuple(numbers)


def _all(choice: str, rules: Rules) -> tuple[int, ...]:
    return () if choice == NO_LABEL else _several(choice, rules)


def _never(counts: Mapping[int, int], left: int, rules: Rules, same: bool) -> bool:
    return False


def _yes_no(choice: str, rules: Rules) -> tuple[int, ...]:
    if choice not in YES_NO:
        raise _unknown(choice, YES_NO)
    return (YES_NO.index(choice),)


def _yes_no_settled(counts: Mapping[int, int], left: int, rules: Rules, same: bool) -> bool:
    yes = counts.get(1, 0)
    return yes >= rules.needed or yes + left < rules.needed


def _unknown(choice: str, known: Iterable[str]) -> ValueError:
    names = [*known, SKIP]
    return ValueError(
        f"the answer is {shortened(choice)}; it can be {', '.join(names)}{nearest(choice, names)}"
    )


QUESTIONS: dict[str, Question] = {
    "verdict": Question(_verdict, _verdict_settled),
    "one label": Question(_one, _one_settled),
    "several labels": Question(_several, _never),
    "all labels": Question(_all, _never),
    "yes or no": Question(_yes_no, _yes_no_settled),
}
