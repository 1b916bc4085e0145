"""Values at the door: what is missing, what is there, and pairs and rows that are complete."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Values = Sequence[float | None] | np.ndarray
Cells = Sequence[Sequence[float | None]] | np.ndarray
DIGITS = 12  # significant; what differs beyond them is the arithmetic's rounding, and a tie


def numbers(values: Values | Cells, name: str, dimensions: int) -> np.ndarray:
    """Values as float64, with NaN where one is missing.

    Args:
        values: numbers; None and NaN are missing.
        name: the name of the argument, for messages.
        dimensions: 1 or 2.

    Raises:
        ValueError: a number is infinite, or there are other dimensions than these.
    """
    try:
        array = np.array(values, dtype=np.float64)  # None becomes NaN
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`{name}` is no array of numbers: {error}. Give numbers, None where one is missing, "
            "and rows of one length."
        ) from None
    if array.ndim != dimensions:
        if array.size or array.ndim != 1:
            raise ValueError(f"`{name}` has {array.ndim} dimensions; it must have {dimensions}.")
        array = array.reshape((0,) * dimensions)
    if np.isinf(array).any():
        place = [int(index) for index in np.argwhere(np.isinf(array))[0]]
        raise ValueError(f"`{name}` is infinite at {place}; give None or NaN for what is missing.")
    return array


def rounded(values: np.ndarray, scale: float | None = None) -> np.ndarray:
    """Values at 12 significant digits of the largest, so that rounding makes no differences."""
    scale = float(np.nanmax(np.abs(values), initial=0)) if scale is None else scale
    if scale == 0:
        return values
    unit = 10.0 ** (np.floor(np.log10(scale)) + 1 - DIGITS)
    return values if unit == 0 else np.round(values / unit) * unit


def differences(first: Values, second: Values) -> tuple[np.ndarray, int]:
    """``first - second`` of the pairs that have both values, and how many have not.

    Returns:
        float64 (n,), rounded so that equal differences are equal; the pairs left out.

    Raises:
        ValueError: the lengths differ, or a value is infinite.
    """
    a, b = numbers(first, "first", 1), numbers(second, "second", 1)
    if len(a) != len(b):
        raise ValueError(f"{len(a)} values cannot be paired with {len(b)}.")
    there = ~(np.isnan(a) | np.isnan(b))
    a, b = a[there], b[there]
    scale = float(np.max(np.abs([a, b]), initial=0))
    return rounded(a - b, scale), int((~there).sum())


def named(table: Cells, names: Sequence[str]) -> np.ndarray:
    """A table as float64 (n, k), NaN where a value is missing, with a name for each column.

    Raises:
        ValueError: a value is infinite, the columns are not as many as the names, a name comes
            twice, or there is none.
    """
    if not len(names):
        raise ValueError("`names` is empty; name at least one algorithm.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise ValueError(f"{twice!r} comes twice in `names`; each column needs a name of its own.")
    cells = numbers(table, "table", 2)
    if not cells.size:
        return np.empty((0, len(names)))
    if cells.shape[1] != len(names):
        raise ValueError(
            f"`table` has {cells.shape[1]} columns and `names` {len(names)} names; a row is a "
            "split or data set, a column an algorithm."
        )
    return cells


def complete(table: Cells, names: Sequence[str]) -> tuple[np.ndarray, int]:
    """The rows of a table that lack nothing, rounded, and how many rows lack something."""
    cells = named(table, names)
    whole = ~np.isnan(cells).any(1)
    return rounded(cells[whole]), int((~whole).sum())


def check_level(level: float, name: str = "level") -> None:
    if not 0 < level < 1:
        raise ValueError(f"`{name}` is {level}; choose a number between 0 and 1, such as 0.05.")


def variance_factor(pairs: int, test_share: float) -> float:
    """What the variance of one difference is multiplied by: 1/n + n_test / n_train.

    Args:
        pairs: n, at least 1.
        test_share: n_test / (n_test + n_train), in [0, 1).
    """
    if not 0 <= test_share < 1:
        raise ValueError(
            f"`test_share` is {test_share}; give the test rows' share of a split's training and "
            "test rows together, at least 0 and below 1 (0.1 for 90 training and 10 test rows)."
        )
    return 1 / pairs + test_share / (1 - test_share)
