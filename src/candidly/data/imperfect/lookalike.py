"""Look-alikes: an example gets the label of the nearest example of another class.

Those that look most like another class are wrong first. Nearness is the cosine between features.
Features are scaled to length 1 and rounded to 2^-25, so that a product of two rows is a sum of
integers below 2^53: exact in float64, hence the same in blocks of any size and in any order, and
ties are ties.

Source: the injection of Wu et al., "NoisywikiHow", Findings of ACL 2023, with labels in place of
inputs.
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ...ground.progress import OnProgress
from ._checks import check_rate, checked_truth
from ._features import checked_table
from ._rows import first_rows
from ._similar import BLOCK, most_similar, whole_rows


@door
def lookalike(
    features: np.ndarray,
    truth: np.ndarray,
    q: int,
    rate: float,
    per_class: bool = False,
    watch: OnProgress = lambda done, total: None,
) -> np.ndarray:
    """Labels of which exactly ⌊rate * n⌉ are wrong: each that of its look-alike.

    Nothing is random, and what is wrong at a lower rate is wrong in the same way at a higher one.

    Args:
        features: numbers (n, ...), for example an embedding (n, d). Taken as they are: centre and
            scale their columns first where these have units of their own.
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2.
        rate: share of labels that are wrong, in [0, 1].
        per_class: the share is that of every class, to the nearest example.
        watch: called with rows done and rows in all.

    Returns:
        int64 (n,), in 0..q-1.

    Raises:
        ValueError: a rate outside [0, 1], features that are not finite numbers or of another
            length, a truth out of range, one class alone.
    """
    truth = checked_truth(truth, q, 0)
    check_rate(rate)
    table = checked_table(features, len(truth), "features")
    neighbour, similarity = nearest_other(table, truth, watch=watch)
    order = np.argsort(-similarity, kind="stable")
    rows = first_rows(order, truth, rate, per_class)
    given = truth.copy()
    given[rows] = truth[neighbour[rows]]
    return given


def nearest_other(
    features: np.ndarray,
    truth: np.ndarray,
    block: int = BLOCK,
    watch: OnProgress = lambda done, total: None,
) -> tuple[np.ndarray, np.ndarray]:
    """For each example the most similar one of another class, and how similar it is.

    Exact, by products of blocks: memory is block * block numbers, time n * n * d.

    Args:
        features: float (n, d).
        truth: int64 (n,).
        block: rows at a time; the result does not depend on it.
        watch: called with rows done and rows in all.

    Returns:
        int64 (n,), the row number, of equally similar ones the lowest; float64 (n,), the cosine,
        0 where features are all 0.

    Raises:
        ValueError: all examples are of one class.
    """
    n = len(truth)
    if n and (truth == truth[0]).all():
        raise ValueError(
            f"all {n} examples are of class {int(truth[0])}: none has a look-alike of another."
        )
    table = whole_rows(features)
    return most_similar(
        table, table, lambda rows, columns: truth[rows, None] != truth[columns], block, watch
    )
