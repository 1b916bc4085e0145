"""The temperature at which answers best foretell each other, found by turns with what is fitted.

What answers say of an item is divided by it: with one above 1, answers are taken to repeat each
other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np

HOTTEST = 20.0
TIMES, CLOSE = 5, 0.05  # fits at a new temperature, at most; less change of its logarithm ends them


class Tempered(Protocol):
    """A fit that says its temperature."""

    @property
    def temperature(self) -> float: ...


Fit = TypeVar("Fit", bound=Tempered)


def tempered(first: Fit, told: Callable[[Fit], float], again: Callable[[Fit, float], Fit]) -> Fit:
    """The fit whose own temperature is the one that it tells.

    Args:
        first: the fit at temperature 1. told: by a fit, the temperature. again: from a fit, the
            next at this temperature.
    """
    found = first
    for _ in range(TIMES):
        temperature = told(found)
        if abs(np.log(temperature / found.temperature)) < CLOSE:
            break
        found = again(found, temperature)
    return found


def foretelling_temperature(loss: Callable[[float], float]) -> float:
    """The temperature, 1 to 20, with the least loss; 1 where none is better than that.

    Args:
        loss: of a temperature, such as minus the mean log score of each answer from the others.
    """
    from scipy.optimize import minimize_scalar

    ends = 0.0, float(np.log(HOTTEST))
    best = minimize_scalar(
        lambda log: loss(float(np.exp(log))), bounds=ends, method="bounded", options={"xatol": 0.02}
    )
    return float(np.exp(best.x)) if best.fun < loss(1.0) else 1.0
