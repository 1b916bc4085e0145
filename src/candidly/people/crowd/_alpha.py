"""Krippendorff's alpha: how far annotators agree beyond chance, whoever answered what."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ...stats.jackknife import jackknife
from ._answers import Answers, check_answers
from ._order import numbers_of, places

Scale = Literal["nominal", "ordinal", "interval"]
SCALES = ("nominal", "ordinal", "interval")
FEWEST, MOST, NEARER, ORDERS, TIE = 4, 20, 0.1, 400, 1e-9  # of ``warn_of_steps``


class Alpha(NamedTuple):
    """Agreement beyond chance.

    Attributes:
        value: 1 when all agree, 0 as by chance; NaN where all answers are one label, or no item has
            two.
        low, high: 95 % interval by the jackknife over items; NaN with fewer than two, or where none
            makes a difference.
        observed, expected: mean disagreement of two answers about one item, and of any two.
        items: with at least two answers.
    """

    value: float
    low: float
    high: float
    observed: float
    expected: float
    items: int

    def as_dict(self) -> dict[str, float | int]:
        """By name."""
        return self._asdict()


@door
def krippendorff(
    answers: Answers, scale: Scale = "nominal", order: Sequence[str] | None = None
) -> Alpha:
    """Krippendorff's alpha, for any numbers of annotators and answers.

    Args:
        answers: the answers of people.
        scale: how far two labels disagree: ``"nominal"``, wholly; ``"ordinal"``, by how many
            answers lie between them in order; ``"interval"``, by the square of their difference.
        order: of ``ordinal``, all names of classes from the lowest to the highest; by default the
            order of their numbers. Of ``interval`` the names are numbers.

    Raises:
        ValueError: no such scale, an order that lacks a class or has one more, an order of a scale
            that has none, or a name that is no number.

    Source: Krippendorff, "Content Analysis", 2004, chapter 11.

    >>> said = Answers.from_columns([0, 0, 1, 1], list("abab"), [0, 0, 1, 1])
    >>> krippendorff(said).value
    1.0
    """
    check_answers(answers)
    if scale not in SCALES:
        raise ValueError(f"`scale` is {scale!r}; choose {', '.join(SCALES)}.")
    if order is not None and scale != "ordinal":
        raise ValueError(f"`order` is of ordinal labels, and `scale` is {scale!r}.")
    counts = answers.counts[answers.per_item > 1].astype(np.float64)
    numbers = numbers_of(answers.classes) if scale == "interval" else None
    if scale == "ordinal":
        counts = counts[:, places(answers.classes, order)]
    n = len(counts)
    nan = float("nan")
    if not n:
        return Alpha(nan, nan, nan, nan, nan, 0)
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    observed, expected = _disagreements(kinds, times, scale, numbers)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(expected > 0, 1 - observed / expected, nan)
    value, left = float(values[0]), values[1:]
    low, high = jackknife(value, left, times)
    return Alpha(value, low, high, float(observed[0]), float(expected[0]), n)


def warn_of_steps(answers: Answers) -> None:
    """Warns where classes are numbers and annotators who differ are near to each other.

    That is: agreement is better by steps than by names, by more than 0.1, and no more than one in
    twenty other orders of the same numbers does better. Of three classes too few orders differ,
    and a scale has at most 20 steps.
    """
    if not FEWEST <= answers.m <= MOST:
        return
    try:
        numbers = numbers_of(answers.classes)
    except ValueError:
        return
    counts = answers.counts[answers.per_item > 1].astype(np.float64)
    if not len(counts):
        return
    weight = 1 / (counts.sum(1) - 1)
    pairs = (counts.T * weight) @ counts - np.diag(weight @ counts)
    totals = pairs.sum(1)
    by_chance = np.outer(totals, totals) / max(totals.sum() - 1, 1)

    def alpha(apart: np.ndarray) -> float:
        expected = float((by_chance * apart).sum())
        return 1 - float((pairs * apart).sum()) / expected if expected > 0 else 1.0

    def squares(places: np.ndarray) -> np.ndarray:
        return (places[:, None] - places) ** 2

    by_names, by_steps = alpha(1 - np.eye(answers.m)), alpha(squares(numbers))
    if by_steps - by_names <= NEARER:
        return
    rng = draw(0, "crowd: other orders of classes")
    others = [alpha(squares(numbers[rng.permutation(answers.m)])) for _ in range(ORDERS)]
    if np.mean([one > by_steps + TIE for one in others]) > 1 / 20:
        return
    warnings.warn(
        "The classes are numbers, and annotators who differ are nearer to each other than names "
        f"would be (Krippendorff's alpha is {by_steps:.2f} by steps and {by_names:.2f} by names). "
        "If they are steps of a scale, such as stars, take `by='ordinal'`: other ways claim that "
        "too many labels are right.",
        stacklevel=3,
    )


def _disagreements(
    kinds: np.ndarray, times: np.ndarray, scale: Scale, numbers: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Observed and expected disagreement: of all items, and without one of each kind.

    Squares of differences are not added up pair by pair: over answers at x, with counts c and p of
    them, they are 2 (p sum c x^2 - (sum c x)^2).

    Args:
        kinds: float64 (d, m), counts of answers, of which no two rows are alike, each at least two.
        times: int64 (d,), items that have them.

    Returns:
        float64 (1 + d,) each.
    """
    people = kinds.sum(1)
    total = times @ kinds
    totals = np.vstack([total, total - kinds])
    number = totals.sum(1)
    if scale == "nominal":
        own = (people**2 - (kinds**2).sum(1)) / (people - 1)
        observed = times @ own - np.append(0.0, own)
        expected = number**2 - (totals**2).sum(1)
    else:
        if numbers is None:
            x = totals.cumsum(1) - (totals + number[:, None]) / 2
        else:
            x = np.tile(numbers - total @ numbers / total.sum(), (len(totals), 1))
        weight = times / (people - 1)
        squares, products = (weight * people) @ kinds, (kinds.T * weight) @ kinds
        mine = x[1:]
        own = people * (kinds * mine**2).sum(1) - (kinds * mine).sum(1) ** 2
        observed = 2 * (x**2 @ squares - ((x @ products) * x).sum(1))
        observed -= np.append(0.0, 2 * own / (people - 1))
        expected = 2 * (number * (totals * x**2).sum(1) - (totals * x).sum(1) ** 2)
    least = np.maximum(number, 1)
    return observed / least, expected / (least * np.maximum(number - 1, 1))
