"""Scores of classifiers, for ``scoring=`` of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ground.arrays import door
from ..model import row_weights
from ._labels import LabelSets, read_sets


@door
def covering_rate_scorer(estimator: Any, X: Any, y: Any) -> float:
    """The share of rows whose predicted label is one of their candidates, in [0, 1].

    Of rows with one label each it is the accuracy.

    Args:
        estimator: any fitted classifier, or pipeline that ends in one.
        X: as ``estimator`` predicts for.
        y: candidate sets, see ``read_sets``.
    """
    return covered(read_sets(y), estimator.predict(X))


@door
def accuracy_scorer(estimator: Any, X: Any, y: Any) -> float:
    """The share of rows whose label is predicted, in [0, 1].

    Args:
        estimator, X: as for ``covering_rate_scorer``.
        y: one label a row.

    Raises:
        ValueError: ``y`` holds sets; says what to use.
    """
    sets = read_sets(y)
    if not sets.plain:
        raise ValueError(
            "`y` holds sets of candidates, and accuracy needs one label a row. Use "
            "covering_rate_scorer, or score with labels that you trust."
        )
    return covered(sets, estimator.predict(X))


def covered(sets: LabelSets, predicted: Any, sample_weight: Any = None) -> float:
    held = sets.holds(predicted)
    weights = None if sample_weight is None else row_weights(sample_weight, len(held))
    return float(np.average(held, weights=weights))
