"""Sets of classes that hold the label of a new row as often as was asked for, by rows held out.

Split conformal prediction: whatever the model, of rows that are drawn as those held out were.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.arrays import door
from ...ground.problem import Refusal

KEPT = 2000  # rows held out that a model remembers, at most
HELD = "held out rows"  # of what a model says of itself


def remembered(probs: np.ndarray, held: Labelled) -> dict[str, Any] | None:
    """What a model keeps of the rows held out, as JSON: how likely it held their labels.

    Args:
        probs: float (n, q), of these rows.
        held: with given labels or candidate sets, of which the likeliest candidate counts.
    """
    if held.given is not None:
        there = np.flatnonzero(held.given >= 0)[:KEPT]
        own, of = probs[there, held.given[there]], "given label"
    elif held.candidates is not None:
        own, of = np.where(held.candidates, probs, 0)[:KEPT].max(1), "candidate"
    else:
        return None
    return {"of": of, "probabilities": np.sort(own).astype(float).tolist()}


@door
def least_probability(own: np.ndarray, level: float) -> float:
    """The probability from which on a class is in the set.

    Args:
        own: float (m,), what the model said of the labels of m rows that it had not learned from.
        level: in (0, 1), how often the set is to hold the label.

    Returns:
        the k-th smallest of ``own``, k = ⌊(m + 1)(1 - level)⌋. Of a row drawn as these were, the
        label's probability is at least it with a chance of 1 - k / (m + 1) >= level.

    Raises:
        ValueError: too few rows for this level.

    Source: Vovk, Gammerman & Shafer, Algorithmic Learning in a Random World, 2005; Sadinle, Lei &
    Wasserman, "Least ambiguous set-valued classifiers", JASA 2019.

    >>> least_probability(np.array([0.9, 0.2, 0.5, 0.8]), 0.8)
    0.2
    """
    if not 0 < level < 1:
        raise ValueError(f"`sets` is {level}; give a share above 0 and below 1, such as 0.9.")
    k = math.floor((len(own) + 1) * (1 - level) + 1e-9)
    if k < 1:
        needed = math.ceil(1 / (1 - level) - 1e-9) - 1
        raise Refusal(
            f"sets at {level} need {needed} rows held out with a label, and this model has "
            f"{len(own)}.",
            "ask for a lower level with `sets`",
            "train with more rows held out by `validation`",
        )
    return float(np.sort(own)[k - 1])


def check_sets(about: dict, level: float) -> float:
    """The probability from which on a class is in a set.

    Args:
        about: of the model.

    Raises:
        ValueError: the model was measured on no rows, or on too few.
    """
    held = about.get(HELD)
    if held is None:
        raise Refusal(
            "this model does not know how it did on rows held out, by which sets are made.",
            "train it again with candidly train and `validation` above 0",
        )
    return least_probability(np.array(held["probabilities"], np.float64), level)


def sets_of(about: dict, probs: np.ndarray, level: float) -> np.ndarray:
    """The classes of each row that are in its set: bool (n, q), never empty.

    Args:
        about: of the model.
        probs: float (n, q).
    """
    found = probs >= check_sets(about, level)
    found[np.arange(len(probs)), probs.argmax(1)] = True
    return np.asarray(found)
