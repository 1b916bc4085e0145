"""Krippendorff's alpha: how far annotators agree beyond chance, whoever answered what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ...ground.arrays import door
from ._answers import Answers, check_answers
from ._order import numbers_of, places

Z = 1.959963984540054
Scale = Literal["nominal", "ordinal", "interval"]
SCALES = ("nominal", "ordinal", "interval")


class Alpha(NamedTuple):
    """Agreement beyond chance.

    Attributes:
        value: 1 when all agree, 0 as by chance; NaN where all answers are one label, or no item has
            two.
        low, high: 95 % interval by the jackknife over items; NaN with fewer than two.
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
    low = high = nan
    kept = ~np.isnan(left)
    if n > 1 and expected[0] > 0 and kept.any():
        mean = (times[kept] * left[kept]).sum() / times[kept].sum()
        square = (times[kept] * (left[kept] - mean) ** 2).sum()
        error = float(np.sqrt((n - 1) / n * square))
        low, high = value - Z * error, value + Z * error
    return Alpha(value, low, high, float(observed[0]), float(expected[0]), n)


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
