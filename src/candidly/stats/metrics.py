"""What is measured of predictions for the test rows, by name; somebody's own come by plug-ins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Measure = Callable[[np.ndarray, np.ndarray], float]


@dataclass(frozen=True)
class Metric:
    """A number of a trained network on the test rows.

    Attributes:
        name: as a table names it.
        about: in words, such as ``test accuracy``.
        measure: (probabilities float64 (m, q), true classes int64 (m,)) -> a share in [0, 1], of
            which more is better; None for those that candidly computes itself, at every record.
    """

    name: str
    about: str
    measure: Measure | None = None


_OWN = (
    Metric("top1", "test accuracy"),
    Metric("balanced", "balanced test accuracy"),
    Metric("top5", "top-5 test accuracy"),
    Metric("adjusted", "prior-adjusted test accuracy"),
)
METRICS: dict[str, Metric] = {metric.name: metric for metric in _OWN}


def measured(metric: Metric, probabilities: np.ndarray, truth: np.ndarray) -> float | None:
    """What a metric says of the rows whose truth is known; None where there is none.

    Args:
        probabilities: float64 (m, q).
        truth: int64 (m,), -1 where unknown.

    Raises:
        ValueError: it fails, or gives no share in [0, 1]; names it.
    """
    assert metric.measure is not None
    known = truth >= 0
    if not known.any():
        return None
    try:
        value = float(metric.measure(probabilities[known], truth[known]))
    except Exception as error:
        raise ValueError(
            f"the metric {metric.name} failed: {type(error).__name__}: {error}"
        ) from error
    if not 0 <= value <= 1:
        raise ValueError(
            f"the metric {metric.name} gave {value:g}; a metric is a share in [0, 1], of which "
            "more is better."
        )
    return value
