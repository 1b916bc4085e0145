"""Accuracies on true labels where nobody corrected the given ones, on a premise that is named."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...ground.arrays import as_array
from ...stats.criteria import confusion_counts, corrected_accuracy
from ._case import Case
from ._report import OnPremise, TrueAccuracy

Z = 1.959963984540054  # of a 95 % interval
OFF = 1e-3  # that a row of probabilities may be from 1


def on_premise(case: Case, model: str, probs: Any) -> OnPremise | None:
    """How often the models are right on true labels, if errors strike clear and unclear rows alike.

    By the transition matrix that ``errors.estimate`` finds in one model's probabilities. Intervals
    hold chance in which items there are and that estimate's own. None where these are no
    probabilities, as scores are, or nothing can be said.

    Args:
        model: whose probabilities they are. probs: float (n, classes), for items that it did not
            learn from.

    Raises:
        ValueError: another shape.
    """
    from ...errors.amount import estimate

    table = as_array(probs, "probs")
    if table.shape != (case.n, case.classes):
        raise ValueError(
            f"`probs` has shape {table.shape}; there are {case.n} items and {case.classes} classes."
        )
    rows = np.asarray(table, np.float64)
    if not ((rows >= 0).all() and (np.abs(rows.sum(1) - 1) <= OFF).all()):
        return None
    found = estimate(case.original, rows / rows.sum(1, keepdims=True))
    if found.why:
        return None
    ends = found.at_ends()
    accuracies = []
    for name, predicted in zip(case.names, case.predictions):
        met = confusion_counts(case.original, predicted, case.classes)
        right = corrected_accuracy(met, found.transition)
        about, error = float(right.accuracy), Z * float(right.error)
        if not math.isfinite(about):
            return None
        others = [float(corrected_accuracy(met, end).accuracy) for end in ends]
        low = about - math.hypot(error, max(about - min(others), 0))
        high = about + math.hypot(error, max(max(others) - about, 0))
        low, about, high = (min(max(value, 0.0), 1.0) for value in (low, about, high))
        accuracies.append(TrueAccuracy(name, about, low, high))
    return OnPremise(model, found.headline(), tuple(accuracies))
