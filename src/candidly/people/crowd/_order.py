"""In which order classes stand, where they are steps of a scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...ground.problem import Refusal


def places(classes: tuple[str, ...], order: Sequence[str] | None) -> np.ndarray:
    """Where the steps of a scale are among the classes, the lowest first: int64 (m,).

    Args:
        order: all classes from the lowest to the highest; None: they are numbers.

    Raises:
        ValueError: no order, and a class that is no number; or an order of other classes.
    """
    if order is None:
        numbers = numbers_of(classes)
        if numbers is None:
            raise Refusal(
                "ordinal labels need an order of their classes, and not all of these are numbers.",
                "name all of them from the lowest to the highest with `order`",
            )
        return np.argsort(numbers, kind="stable")
    names = [str(name) for name in order]
    if sorted(names) != sorted(classes):
        raise ValueError(
            f"`order` has {', '.join(names[:10])}; name each of {', '.join(classes[:10])} once."
        )
    return np.array([classes.index(name) for name in names])


def numbers_of(classes: tuple[str, ...]) -> np.ndarray | None:
    """The numbers that the classes are called, float64 (m,); None where one is no number."""
    try:
        found = np.array([float(name) for name in classes])
    except ValueError:
        return None
    return found if np.isfinite(found).all() else None
