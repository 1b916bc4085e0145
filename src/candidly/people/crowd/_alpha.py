"""Krippendorff's alpha: how far annotators agree beyond chance, whoever answered what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ...ground.arrays import door
from ...ground.problem import Refusal
from ._answers import Answers, check_answers

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
        order: of ``ordinal``, all names of classes from the lowest to the highest. Of
            ``interval`` the names are numbers.

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
    places = np.arange(answers.m, dtype=np.float64)
    if scale == "ordinal":
        counts = counts[:, _places(answers.classes, order)]
    if scale == "interval":
        places = _numbers(answers.classes)
    n = len(counts)
    nan = float("nan")
    if not n:
        return Alpha(nan, nan, nan, nan, nan, 0)
    people = counts.sum(1)
    total = counts.sum(0)

    def distances(total: np.ndarray) -> np.ndarray:
        if scale == "nominal":
            return 1.0 - np.eye(len(places))
        where = places if scale == "interval" else np.cumsum(total) - total / 2
        apart: np.ndarray = (where[:, None] - where) ** 2
        return apart

    def both(total: np.ndarray, gone: int | None = None) -> tuple[float, float]:
        """Observed and expected disagreement, with item ``gone`` left out."""
        apart = distances(total)
        each = ((counts @ apart) * counts).sum(1) / (people - 1)
        answers_left = total.sum()
        observed = each.sum() - (0.0 if gone is None else each[gone])
        expected = total @ apart @ total / max(answers_left - 1, 1.0)
        return float(observed / answers_left), float(expected / answers_left)

    observed, expected = both(total)
    value = _beyond(observed, expected)
    low = high = nan
    if n > 1 and expected > 0:
        left = np.array([_beyond(*both(total - counts[k], k)) for k in _kinds(counts)[0]])
        times = _kinds(counts)[1]
        kept = ~np.isnan(left)
        if kept.any():
            mean = (times * np.nan_to_num(left))[kept].sum() / times[kept].sum()
            square = (times[kept] * (left[kept] - mean) ** 2).sum()
            error = float(np.sqrt((n - 1) / n * square))
            low, high = value - Z * error, value + Z * error
    return Alpha(value, low, high, observed, expected, n)


def _kinds(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of which no two are alike, and how often each is there."""
    _, first, times = np.unique(counts, axis=0, return_index=True, return_counts=True)
    return first, times


def _beyond(observed: float, expected: float) -> float:
    return 1 - observed / expected if expected > 0 else float("nan")


def _places(classes: tuple[str, ...], order: Sequence[str] | None) -> np.ndarray:
    if order is None:
        raise Refusal(
            "ordinal labels need an order of their classes.",
            "name all of them from the lowest to the highest with `order`",
        )
    names = [str(name) for name in order]
    if sorted(names) != sorted(classes):
        raise ValueError(
            f"`order` has {', '.join(names[:10])}; name each of {', '.join(classes[:10])} once."
        )
    return np.array([classes.index(name) for name in names])


def _numbers(classes: tuple[str, ...]) -> np.ndarray:
    found = []
    for name in classes:
        try:
            found.append(float(name))
        except ValueError:
            raise ValueError(f"the class {name!r} is no number, as an interval has.") from None
    return np.array(found)
