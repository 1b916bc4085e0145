"""Conditions on a ranking, for continuous integration: is a model ahead, is one no worse?"""

from __future__ import annotations

from dataclasses import dataclass

from ...ground.problem import Refusal
from ._report import Ranking


@dataclass(frozen=True)
class Condition:
    """What was asked, and whether it holds.

    Attributes:
        met: whether tests say so. told: a sentence.
    """

    met: bool
    told: str


def ahead(found: Ranking, text: str) -> Condition:
    """Whether tests say that one model is ahead of another.

    Args:
        found: from ``ranking.rank``. text: ``A > B``, names of models.

    Raises:
        Refusal: no such text; a model that is not there.
    """
    first, sign, second = text.partition(" > ")
    names = [one.model for one in found.models]
    if not sign:
        raise Refusal(f"{text!r} is no condition; it is written 'A > B', with names of models.")
    first, second = first.strip(), second.strip()
    for name in (first, second):
        if name not in names:
            raise Refusal(f"There is no model {name!r}; there are {', '.join(names)}.")
    met = found.surely_ahead(first, second)
    told = f"{first} is ahead of {second} by more than chance."
    return Condition(met, told if met else f"Tests do not say that {first} is ahead of {second}.")


def no_worse(found: Ranking, baseline: str, by: float) -> list[Condition]:
    """Whether every other model is shown to be at most so much worse than this one.

    The lower end of the interval of the difference, of this pair alone and at the ranking's level,
    lies above minus ``by``.

    Args:
        by: in points: of 100 where scores lie between 0 and 1, else of the score.

    Raises:
        Refusal: a model that is not there, or a margin below 0.
    """
    names = [one.model for one in found.models]
    if baseline not in names:
        raise Refusal(f"There is no model {baseline!r}; there are {', '.join(names)}.")
    if by < 0:
        raise Refusal(f"The difference that does not matter is {by:g}; it cannot be below 0.")
    scale = 100.0 if found.between == (0.0, 1.0) else 1.0
    checks = []
    for name in names:
        if name == baseline:
            continue
        difference, low, _ = found.difference(name, baseline)
        met = scale * low >= -by
        told = (
            f"{name} {'is' if met else 'is not shown to be'} no worse than {baseline} by more than "
            f"{by:g}: the difference is {scale * difference:+.2f}, and at least {scale * low:+.2f}."
        )
        checks.append(Condition(met, told))
    return checks
