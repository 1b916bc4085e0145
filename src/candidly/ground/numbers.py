"""Whole numbers that callers give: checked where they enter."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

LARGEST = 3.4028234663852886e38  # of float32, with which classifiers and networks compute


def beyond(value: float) -> str:
    """A number that is none or too large, in words: its value, and why where it is finite."""
    return f"{value:g}, which is beyond float32 (3.4e+38)," if np.isfinite(value) else f"{value:g}"


def whole(value: Any, name: str, low: int | None = None, high: int | None = None) -> int:
    """``value`` as an int, for arguments that count or number things.

    Accepts Python's and NumPy's integers and NumPy arrays of no dimension that hold one.
    Refuses True and False, floats (2.0 too: a float is where a wrong unit or a share shows),
    text, and everything else.

    Args:
        value: what the caller gave.
        name: the argument's name, as the caller wrote it.
        low, high: the smallest and the largest value allowed; None for no bound.

    Raises:
        ValueError: the value is no whole number, or outside its bounds; the message names the
            argument, the value and what is allowed.

    >>> whole(3, "workers", low=1)
    3
    """
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    number = isinstance(value, int) and not isinstance(value, bool)
    if number and (low is None or value >= low) and (high is None or value <= high):
        return int(value)
    raise ValueError(
        f"{name} is {reprlib.repr(value)}, but must be a whole number{_bounds(low, high)}"
    )


def count_of(number: int, one: str, several: str = "") -> str:
    """A number of things in words, such as ``1 label`` and ``2,000 labels``.

    Args:
        several: what more than one are called; by default ``one`` with an s.

    >>> count_of(1, "row"), count_of(2000, "row"), count_of(0, "class", "classes")
    ('1 row', '2,000 rows', '0 classes')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def _bounds(low: int | None, high: int | None) -> str:
    if low is None:
        return "" if high is None else f" of at most {high}"
    return f" of at least {low}" if high is None else f" from {low} to {high}"
