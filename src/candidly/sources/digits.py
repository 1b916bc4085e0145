"""Handwritten digits that come with scikit-learn: truth alone, no imperfect labels."""

from __future__ import annotations

import numpy as np

from ..labelled import Labelled


def load_digits() -> Labelled:
    """1797 images of 8 x 8 pixels as a float64 table (1797, 64) of 0..16, and their truth."""
    from sklearn import datasets  # takes a second to import

    table, truth = datasets.load_digits(return_X_y=True)
    return Labelled(
        inputs=np.asarray(table, np.float64),
        truth=np.asarray(truth, np.int64),
        classes=tuple(str(digit) for digit in range(10)),
        source="digits",
    )
