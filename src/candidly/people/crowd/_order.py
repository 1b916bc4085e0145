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
        try:
            return np.argsort(numbers_of(classes), kind="stable")
        except ValueError as error:
            raise Refusal(
                f"ordinal labels need an order of their classes: {str(error).rstrip('.')}.",
                "call the classes by numbers",
                "name all of them from the lowest to the highest with `order`",
            ) from None
    names = [str(name) for name in order]
    if sorted(names) != sorted(classes):
        raise ValueError(
            f"`order` has {', '.join(names[:10])}; name each of {', '.join(classes[:10])} once."
        )
    return np.array([classes.index(name) for name in names])


def numbers_of(classes: tuple[str, ...]) -> np.ndarray:
    """The numbers that the classes are called, float64 (m,).

    Raises:
        ValueError: one is no finite number.
    """
    found = []
    for name in classes:
        try:
            number = float(name)
        except ValueError:
            number = np.nan
        if not np.isfinite(number):
            raise ValueError(f"the class {name!r} is no number.")
        found.append(number)
    return np.array(found)
