"""What answers say together, to learn from: each item once for every label that it may have."""

from __future__ import annotations

from numbers import Real
from typing import NamedTuple

import numpy as np

from ...ground.arrays import door
from ...ground.names import made_by
from ._consensus import Consensus
from .answer_sets import SetConsensus

LEAST = 0.01  # chance of a label, below which it is left out


class WeightedRows(NamedTuple):
    """Rows to learn from, of which an item may have several.

    Attributes:
        items: int64 (r,), places of the items, which are those of their inputs.
        labels: int64 (r,), classes.
        weights: float64 (r,), in (0, 1]; those of an item sum to 1.
    """

    items: np.ndarray
    labels: np.ndarray
    weights: np.ndarray


@door
def weighted_rows(consensus: Consensus | SetConsensus, least: float = LEAST) -> WeightedRows:
    """Every label that an item may have, with how probable that is.

    Cross-entropy on these rows, each with its weight, is cross-entropy on the posterior: what is
    doubtful is learned as doubtful. An item of which nothing is known is left out.

    Args:
        consensus: of single answers, or of sets (``set_consensus``).
        least: the probability below which a label is left out, in [0, 1]. The consensus never is.

    Raises:
        ValueError: ``least`` outside [0, 1].

    Source: the soft labels of Uma et al., "Learning from Disagreement: A Survey", JAIR 2021.
    """
    made_by(consensus, (Consensus, SetConsensus), "consensus", "crowd.consensus")
    if not isinstance(least, Real) or not 0 <= least <= 1:
        raise ValueError(f"`least` is {least!r}; it is a probability, such as 0.01.")
    known = np.flatnonzero(consensus.labels >= 0)
    kept = np.zeros(consensus.posterior.shape, bool)
    kept[known] = consensus.posterior[known] >= max(float(least), np.finfo(float).tiny)
    kept[known, consensus.labels[known]] = True
    items, labels = np.nonzero(kept)
    chances = consensus.posterior[items, labels]
    sums = np.bincount(items, chances, len(kept))
    return WeightedRows(items, labels, chances / sums[items])
