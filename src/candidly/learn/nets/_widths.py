"""Narrow and wide forms of a network whose channels are published as a table."""

from __future__ import annotations

from collections.abc import Callable


def whole(net: str, option: str, value: object) -> int:
    """``value``, if it is a whole number from 1 on.

    Raises:
        ValueError: it is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"the {net}'s {option} is {value!r}; it is a whole number from 1 on.")
    return value


def in_proportion(width: int, usual: int) -> Callable[[int], int]:
    """(published channels) -> those of the form ``width`` instead of ``usual`` wide, at least 1.

    Halves are rounded up.

    >>> [in_proportion(8, 32)(channels) for channels in (32, 24, 10, 1)]
    [8, 6, 3, 1]
    """
    return lambda channels: max(1, (2 * channels * width + usual) // (2 * usual))
