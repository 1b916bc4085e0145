"""Whether one class fits."""

from __future__ import annotations

from ._labels import one_class
from ._question import Asking, Counts, Question, unknown

YES_NO = ("no", "yes")


def _codes(choice: str, rules: Asking) -> tuple[int, ...]:
    if choice not in YES_NO:
        raise unknown(choice, YES_NO)
    return (YES_NO.index(choice),)


def _settled(counts: Counts, left: int, rules: Asking, same: bool) -> bool:
    yes = counts.get(1, 0)
    return yes >= rules.needed or yes + left < rules.needed


def _outcome(rules: Asking, counts: Counts, done: bool, same: bool) -> str:
    return "pending" if not done else "yes" if counts.get(1, 0) >= rules.needed else "no"


YES_OR_NO = Question(
    _codes,
    _settled,
    ("yes", "no", "pending"),
    _outcome,
    lambda rules: YES_NO,
    counted="sets",
    taken_out="votes",
    names=YES_NO,
    classes=("asks",),
    chosen_by=("given", "guessed", "asks"),
    grouped=("pattern",),
    decides=True,
    labels=one_class,
)
