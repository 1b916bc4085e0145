"""Which classes: the one that fits best, those that could fit, all that hold."""

from __future__ import annotations

from functools import partial

from ....ground.names import shortened
from ._question import Asking, Counts, Question

NO_LABEL = "none"


def _several(choice: str, rules: Asking) -> tuple[int, ...]:
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


def one_class(choice: str, rules: Asking) -> tuple[int, ...]:
    """The one class that a choice names."""
    found = _several(choice, rules)
    if len(found) != 1:
        raise ValueError(
            f"the answer {shortened(choice)} holds {len(found)} classes; one is asked for."
        )
    return found


def _all(choice: str, rules: Asking) -> tuple[int, ...]:
    return () if choice == NO_LABEL else _several(choice, rules)


def _leads(counts: Counts, left: int, rules: Asking, same: bool) -> bool:
    first, second = sorted([0, 0, *counts.values()])[-1:-3:-1]
    return first - second > left


def _never(counts: Counts, left: int, rules: Asking, same: bool) -> bool:
    return False


def _outcome(rules: Asking, counts: Counts, done: bool, same: bool) -> str:
    return "done" if done else "pending"


_question = partial(
    Question,
    outcomes=("done", "pending"),
    outcome=_outcome,
    choices=lambda rules: rules.classes,
    counted="labels",
)
ONE_LABEL = _question(one_class, _leads, taken_out="crowd", labels=one_class)
SEVERAL_LABELS = _question(_several, _never, taken_out="votes", several=True)
ALL_LABELS = _question(
    _all, _never, taken_out="corrected", several=True, all_hold=True, labels=_all
)
