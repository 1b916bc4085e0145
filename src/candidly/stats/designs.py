"""What the splits of a data set have in common, and what a test over them may say.

A design is a value that tests two columns of a table, a row per split and a column per algorithm.
It knows what its intervals cover, and whether the level of many tests together was seen to hold:
``bench/designs.py`` simulates every design, and ``tests/stats/test_designs.py`` holds what is said
here to what was measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ground.arrays import door
from ._cells import DIGITS, differences, rounded, variance_factor
from .paired import PairedT, corrected_t, t_of


@dataclass(frozen=True)
class RandomSplits:
    """Training and test rows are drawn anew with every split, of the same rows.

    Attributes:
        test_share: n_test / (n_test + n_train), in [0, 1).
    """

    test_share: float

    @property
    def name(self) -> str:
        """As ``bench/results/designs.json`` calls it."""
        return "random splits"

    @property
    def how(self) -> str:
        """The tests, in words."""
        return "paired t tests whose variance allows for rows that splits share (Nadeau and Bengio)"

    @property
    def covers(self) -> str:
        """What is drawn again, as far as intervals and tests know."""
        return "other splits of these rows and other seeds"

    @property
    def leaves_out(self) -> str:
        """What would change a difference too, and is in no interval."""
        return "other draws of the wrong labels and other data sets"

    @property
    def level_holds(self) -> bool:
        """Whether the chance of any false difference is at most alpha, by simulation."""
        return True

    @door
    def compared(self, table: np.ndarray, i: int, j: int, level: float) -> PairedT:
        """Column i minus column j of a table of values by split, NaN where one is missing."""
        return corrected_t(table[:, i], table[:, j], self.test_share, level)

    def variance(self, mean: float, error: float, splits: int) -> float | None:
        """Of one mean, whose standard error over so many splits is ``error``."""
        return error**2 * (1 + splits * (variance_factor(1, self.test_share) - 1))


@dataclass(frozen=True, eq=False)
class OneTestSet:
    """Every split is tested on the same rows; training rows are drawn of the others.

    The spread over splits says nothing of what other test rows would have given, so it is no
    measure of chance. Which rows were predicted right has what is missing.

    Attributes:
        rows: of the test set, m; None where values are no shares of right rows.
        right: bool or float (n, k, m), what each test row adds to the value of a split and an
            algorithm; None where that is not known.
        known: bool (n, k), where ``right`` is; None for everywhere.
    """

    rows: int | None
    right: np.ndarray | None = None
    known: np.ndarray | None = None

    @property
    def name(self) -> str:
        if self.rows is None:
            return "one test set, of another metric"
        return "one test set, rows unknown" if self.right is None else "one test set"

    @property
    def how(self) -> str:
        if self.rows is None:
            return (
                "no tests, as all splits have the same test rows and it is not known what each "
                "row adds to this metric"
            )
        if self.right is None:
            return (
                "paired t tests whose variance has a part of the splits and a part of the test "
                "rows, which all splits share; as it was not recorded which rows are predicted "
                "right, the latter is taken as large as of algorithms that err independently"
            )
        return (
            "paired t tests whose variance has a part of the splits and a part of the test rows, "
            "which all splits share"
        )

    @property
    def covers(self) -> str:
        return "other test rows, other choices of the validation rows and other seeds"

    @property
    def leaves_out(self) -> str:
        return "other training rows, other draws of the wrong labels and other data sets"

    @property
    def level_holds(self) -> bool:
        return self.rows is not None

    @door
    def compared(self, table: np.ndarray, i: int, j: int, level: float) -> PairedT:
        """Column i minus column j, as :class:`RandomSplits` has it."""
        there = ~np.isnan(table[:, [i, j]]).any(1)
        if self.rows is None:
            return _untold(table[:, i], table[:, j])
        if self.right is not None and self._knows(there, [i, j]):
            some = self.right[there]
            by_row = some[:, i].astype(np.float64) - some[:, j]
            return crossed_t(by_row, level, left_out=int((~there).sum()))
        return _bounded(table[:, i], table[:, j], self.rows, level)

    def variance(self, mean: float, error: float, splits: int) -> float | None:
        """Of one mean, with the test rows' part; None where that is not known."""
        if self.rows is None or not 0 <= mean <= 1:
            return None
        return error**2 + mean * (1 - mean) / self.rows

    def _knows(self, there: np.ndarray, columns: list[int]) -> bool:
        return self.known is None or bool(self.known[there][:, columns].all())


Design = RandomSplits | OneTestSet


@door
def crossed_t(differences: np.ndarray, level: float = 0.95, left_out: int = 0) -> PairedT:
    """Two-sided t test of a mean over crossed draws: splits by test rows, or noises by both.

    Every axis is a kind of draw, and each of its draws meets each of the others': five trainings
    that are tested on the same thousand rows. An effect of each axis, and of each of their
    combinations, adds to the variance of the mean, which is estimated without bias
    (``crossed_parts``). It is not taken below what any axis alone says. Degrees of freedom are
    Satterthwaite's of the axes.

    Args:
        differences: float (n, m) or with more axes, each of at least two draws, for an answer; the
            first axis are the pairs of what comes back.
        level: the level of the interval, in (0, 1).
        left_out: pairs that were left out before.

    Returns:
        ``standard_deviation`` is of the means over all but the first axis. An axis with one draw:
        the mean alone, as nothing says how much its draws differ. All differences 0: p 1.

    Source: Owen and Eckles, Annals of Applied Statistics 6, 2012 (several crossed factors);
    Satterthwaite, Biometrics Bulletin 2, 1946.

    >>> right = np.array([[1, 0, 1, 1, 1, 0, 1, 1], [1, 1, 1, 1, 1, 0, 1, 0]])
    >>> wrong = np.array([[0, 0, 1, 0, 1, 0, 1, 0], [1, 0, 0, 1, 0, 0, 1, 0]])
    >>> test = crossed_t(right - wrong)
    >>> test.difference, round(test.standard_error, 3), round(test.p, 3), test.pairs
    (0.375, 0.157, 0.046, 2)
    """
    values = np.asarray(differences, dtype=np.float64)
    n, mean = len(values), float(values.mean()) if values.size else None
    if mean is None or min(values.shape) < 2:
        return PairedT(mean, None, None, None, None, None, None, n, left_out)
    margins = [_margin(values, axis) for axis in range(values.ndim)]
    parts = [float(margin.var(ddof=1)) / len(margin) for margin in margins]
    whole = sum(
        part / float(np.prod([values.shape[axis] for axis in its]))
        for its, part in crossed_parts(values).items()
    )
    square = max(whole, *parts)
    if square <= (np.abs(values).max() * 10.0**-DIGITS) ** 2:  # rounding alone
        square = 0.0
    least = sum(p**2 / (len(margin) - 1) for p, margin in zip(parts, margins))
    deviation = float(margins[0].std(ddof=1))
    return t_of(mean, deviation, square, square**2 / least if least else np.inf, n, left_out, level)


def _margin(values: np.ndarray, axis: int) -> np.ndarray:
    """Means over all other axes."""
    others = tuple(other for other in range(values.ndim) if other != axis)
    return rounded(values.mean(others), 1.0)


@door
def crossed_parts(differences: np.ndarray) -> dict[tuple[int, ...], float]:
    """What each kind of draw, and each combination of them, adds to the variance of one entry.

    Every part is estimated without bias, from mean products of two entries that have these draws
    in common and no others; so one may be below 0 by chance. A part divided by the number of its
    draws is what it adds to the variance of the mean.

    Args:
        differences: float (n, m) or with more axes, each of at least two draws.

    Returns:
        By axes, such as (0,) and (0, 1): a variance.

    Raises:
        ValueError: an axis has less than two draws.

    >>> parts = crossed_parts(np.array([[1.0, 1.0], [3.0, 3.0]]))
    >>> {axes: round(part, 9) for axes, part in parts.items()}
    {(0,): 2.0, (1,): 0.0, (0, 1): 0.0}
    """
    values = np.asarray(differences, dtype=np.float64)
    if min(values.shape, default=0) < 2:
        raise ValueError(
            f"`differences` has the shape {values.shape}; each axis needs at least two draws, as "
            "one says nothing of how much they differ."
        )
    sets = [
        tuple(axis for axis in range(values.ndim) if chosen >> axis & 1)
        for chosen in sorted(range(2**values.ndim), key=int.bit_count)
    ]
    squares = {axes: _squares(values, axes) for axes in sets}
    products: dict[tuple[int, ...], float] = {}
    parts: dict[tuple[int, ...], float] = {}
    for axes in sets:
        above = [other for other in sets if set(other) >= set(axes)]
        alone = sum((-1) ** (len(other) - len(axes)) * squares[other] for other in above)
        products[axes] = alone / float(
            np.prod([s * (1.0 if a in axes else s - 1.0) for a, s in enumerate(values.shape)])
        )
        below = [other for other in parts if set(other) <= set(axes)]
        if axes:
            parts[axes] = products[axes] - products[()] - sum(parts[other] for other in below)
    return parts


def _squares(values: np.ndarray, axes: tuple[int, ...]) -> float:
    """The sum of products of all two entries that have these draws in common, at least."""
    others = tuple(axis for axis in range(values.ndim) if axis not in axes)
    return float((values.sum(others) ** 2).sum())


def _untold(first: np.ndarray, second: np.ndarray) -> PairedT:
    d, left_out = differences(first, second)
    mean = float(d.mean()) if len(d) else None
    same = 1.0 if len(d) > 1 and not d.any() else None
    return PairedT(mean, None, None, None, None, None, same, len(d), left_out)


def _bounded(first: np.ndarray, second: np.ndarray, rows: int, level: float) -> PairedT:
    """The rows' part as of two that are right independently, and on the same rows in each split."""
    d, left_out = differences(first, second)
    n = len(d)
    if n < 2 or not d.any():
        return _untold(first, second)
    there = ~(np.isnan(first) | np.isnan(second))
    mean, deviation = float(d.mean()), float(d.std(ddof=1))
    of_splits = deviation**2 / n
    shares = np.array([first[there].mean(), second[there].mean()]).clip(0, 1)
    square = of_splits + float((shares * (1 - shares)).sum()) / rows
    free = (n - 1) * (square / of_splits) ** 2 if of_splits else np.inf
    return t_of(mean, deviation, square, free, n, left_out, level)
