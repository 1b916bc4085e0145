"""Who is told how far work has come: a function of work done and work in all."""

from __future__ import annotations

from collections.abc import Callable

OnProgress = Callable[[int, int], None]


def part(watch: OnProgress, low: int, high: int, whole: int) -> OnProgress:
    """Tells of one step as the work from ``low`` to ``high`` of ``whole``.

    >>> second = part(lambda done, total: print(done, "of", total), 1, 3, 4)
    >>> second(0, 10), second(10, 10)
    10 of 40
    30 of 40
    (None, None)
    """
    return lambda done, total: watch(low * total + (high - low) * done, whole * total)
