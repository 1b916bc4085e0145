"""Several detectors as one: the mean of their ranks (Borda)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._detection import Detection


def rank_average(detections: Sequence[Detection]) -> Detection:
    """Score: the mean rank over several detections of the same examples. No cut.

    Of equal scores each gets the mean of their ranks.

    Returns:
        score in (0, 1]: ranks, of which the most suspicious is n, over n.

    Raises:
        ValueError: no detection, or some of other examples.

    >>> one, two = Detection(np.array([1.0, 2.0, 3.0])), Detection(np.array([5.0, 5.0, 9.0]))
    >>> rank_average([one, two]).score.round(3)
    array([0.417, 0.583, 1.   ])
    """
    from scipy.stats import rankdata

    if not detections:
        raise ValueError("there is nothing to average: give one detection at least.")
    first = detections[0]
    for number, other in enumerate(detections):
        same = (first.ids is None) == (other.ids is None) and np.array_equal(
            first.ids if first.ids is not None else len(first.score),
            other.ids if other.ids is not None else len(other.score),
        )
        if not same:
            raise ValueError(f"detection {number} is of other examples than the first.")
    ranks = [rankdata(detection.score) for detection in detections]
    return Detection(np.mean(ranks, axis=0) / len(first.score), ids=first.ids)
