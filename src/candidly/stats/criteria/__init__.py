"""Measuring predictions with and without clean labels, and choosing by the measurement.

Covering rate and approximated accuracy need candidate sets only; the accuracies need the truth
and skip examples that have none (-1). Everything takes NumPy arrays or torch tensors and gives
back the same kind, one float64 per leading axis: logits ``(..., n, q)`` give ``(...)``. A leading
index gets NaN when it has no example to judge, or one whose highest logit is NaN or infinite.

The predicted class is the one with the highest logit, the lowest index among equals.

Each function checks its input and calls the one of the same name in ``ground/logits.py``, which a
training loop that has checked its data once may call itself.

What candidate sets say about the accuracy by themselves, ``constant_flip_rate`` and
``accuracy_from_covering_rate``, is written in ``stats/criteria/_flip_rate.py``; what labels say of
which some are wrong, ``corrected_accuracy``, in ``stats/criteria/_noisy_accuracy.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ground import logits as _logits
from ...ground.arrays import door
from ...ground.logits import Array, alike, check_shapes, checked_candidates, checked_labels
from ._flip_rate import (
    AccuracyEstimate,
    FlipRate,
    accuracy_from_covering_rate,
    constant_flip_rate,
)
from ._noisy_accuracy import anchor_transition, confusion_counts, corrected_accuracy

__all__ = [
    "AccuracyEstimate",
    "FlipRate",
    "accuracy",
    "accuracy_from_covering_rate",
    "agreement",
    "anchor_transition",
    "answer_accuracy",
    "approximated_accuracy",
    "approximated_accuracy_plench",
    "balanced_accuracy",
    "best_configuration",
    "best_record",
    "confusion_counts",
    "constant_flip_rate",
    "corrected_accuracy",
    "count_best",
    "covering_rate",
    "prior_adjusted",
    "top_k_accuracy",
]


@door
def covering_rate(logits: Array, candidates: Array) -> Array:
    """Share of examples whose predicted class is a candidate.

    Args:
        logits: float (..., n, q).
        candidates: bool (n, q) or (..., n, q).

    Returns:
        float64 (...), in [0, 1]; higher is better; 1 when every class is a candidate.

    Raises:
        ValueError: an example has no candidate; the message names its index.

    Source: Wang et al., ICLR 2025, Definition 1.

    >>> float(covering_rate(np.array([[2.0, 1.0, 0.0]]), np.array([[False, True, True]])))
    0.0
    """
    return _logits.covering_rate(*checked_candidates(logits, candidates))


@door
def approximated_accuracy(logits: Array, candidates: Array) -> Array:
    """Mean share of the candidates' probability that the predicted class holds, 0 outside them.

    Equals the accuracy in expectation when the probabilities are right and the candidate sets
    are drawn fairly. Between CR_i / s_i and CR_i for every example with s_i candidates.

    Args:
        logits: float (..., n, q).
        candidates: bool (n, q) or (..., n, q).

    Returns:
        float64 (...), in [0, 1]; higher is better; never above the covering rate.

    Raises:
        ValueError: an example has no candidate; the message names its index.

    Source: Wang et al., ICLR 2025, Definition 2, in a form that cannot overflow or divide 0 by 0.

    >>> logits, candidates = np.log([[0.6, 0.2, 0.2]]), np.array([[True, True, False]])
    >>> round(float(approximated_accuracy(logits, candidates)), 6)
    0.75
    """
    return _logits.approximated_accuracy(*checked_candidates(logits, candidates))


@door
def approximated_accuracy_plench(logits: Array, candidates: Array) -> Array:
    """Approximated accuracy as the PLENCH benchmark's program computes it, defect included.

    An example whose prediction lies outside the candidates counts as *right* once the candidates
    together hold less than about 1e-12 of the probability, and so does one without candidates;
    so this can exceed the covering rate. For comparison with published numbers only.

    Args:
        logits: float (..., n, q).
        candidates: bool (n, q) or (..., n, q); empty rows are allowed.

    Returns:
        float64 (...), in [0, 1].

    >>> logits, candidates = np.array([[40.0, 0.0, 0.0]]), np.array([[False, True, False]])
    >>> round(float(approximated_accuracy_plench(logits, candidates)), 4)
    1.0
    >>> float(approximated_accuracy(logits, candidates))
    0.0
    """
    logits, candidates = alike(logits, candidates)
    check_shapes(logits, candidates)
    return _logits.approximated_accuracy_plench(logits, candidates)


@door
def accuracy(logits: Array, labels: Array) -> Array:
    """Share of examples whose predicted class is the label; unknown labels (-1) are left out.

    Args:
        logits: float (..., n, q).
        labels: int (n,) or (..., n), in -1..q-1.

    Returns:
        float64 (...), in [0, 1]; NaN when no label is known.

    >>> float(accuracy(np.array([[2.0, 1.0], [2.0, 1.0], [0.0, 1.0]]), np.array([0, 1, -1])))
    0.5
    """
    return _logits.accuracy(*checked_labels(logits, labels))


@door
def answer_accuracy(logits: Array, shares: Array) -> Array:
    """Mean share of a row's answers that name the predicted class; rows without an answer are out.

    Args:
        logits: float (..., n, q).
        shares: float (n, q) or (..., n, q), of each row's answers those that name each class, as
            ``data.shares_named`` counts them; NaN where there is no answer.

    Returns:
        float64 (...), in [0, 1]; higher is better; NaN when no row has an answer.

    Raises:
        ValueError: another shape; a share outside [0, 1].

    >>> float(answer_accuracy(np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([[0.75, 0.25], [1, 0]])))
    0.375
    """
    logits, shares = alike(logits, shares)
    check_shapes(logits, shares, "shares")
    if bool(((shares < 0) | (shares > 1)).any()):
        raise ValueError("`shares` holds a number outside [0, 1]; they are shares of answers.")
    return _logits.answer_accuracy(logits, shares)


@door
def top_k_accuracy(logits: Array, labels: Array, k: int = 5) -> Array:
    """Share of examples whose label is among the ``k`` highest logits.

    Among equal logits the lower index comes first, so ``k=1`` is :func:`accuracy`.

    Args:
        logits: float (..., n, q).
        labels: int (n,) or (..., n), in -1..q-1; unknown labels (-1) are left out.
        k: at least 1; from ``q`` on the answer is 1.

    Returns:
        float64 (...), in [0, 1]; NaN when no label is known.

    >>> float(top_k_accuracy(np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]]), np.array([1, 2]), k=2))
    0.5
    """
    if k < 1:
        raise ValueError(f"`k` is {k}; a top-k accuracy needs k of at least 1.")
    return _logits.top_k_accuracy(*checked_labels(logits, labels), k)


@door
def balanced_accuracy(logits: Array, labels: Array) -> Array:
    """Mean recall over the classes that occur among the labels.

    Args:
        logits: float (..., n, q).
        labels: int (n,) or (..., n), in -1..q-1; unknown labels (-1) are left out.

    Returns:
        float64 (...), in [0, 1]; NaN when no label is known.

    >>> always_zero = np.array([[1.0, 0.0]] * 4)
    >>> float(balanced_accuracy(always_zero, np.array([0, 0, 0, 1])))
    0.5
    """
    return _logits.balanced_accuracy(*checked_labels(logits, labels))


@door(apart=["counts"])
def prior_adjusted(logits: Array, counts: Array) -> Array:
    """Logits as they would be had all classes been equally frequent in training.

    A network that was trained on long-tailed labels has learned how frequent each class is. Where
    classes are equally frequent in the rows that it is asked about, or all are equally important,
    each logit less the logarithm of its class's share of the training labels is the better one.

    Args:
        logits: float (..., n, q).
        counts: int (q,) or (..., q), labels of each class that were trained on; a class without
            any counts as one with 1.

    Returns:
        as ``logits``; a constant is left out.

    Raises:
        ValueError: counts of another number of classes, or below 0.

    Source: Menon et al., "Long-tail learning via logit adjustment", ICLR 2021, post hoc with tau 1.

    >>> int(prior_adjusted(np.array([[2.0, 1.0]]), np.array([90, 10])).argmax())
    1
    """
    logits, counts = alike(logits, counts)
    if logits.ndim < 2 or counts.shape[-1] != logits.shape[-1]:
        raise ValueError(
            f"`counts` has shape {tuple(counts.shape)} and `logits` {tuple(logits.shape)}; both "
            "must end in the number of classes."
        )
    if bool((counts < 0).any()):
        raise ValueError("`counts` has a number below 0; it counts labels of each class.")
    return _logits.prior_adjusted(logits, counts)


@door
def agreement(logits: Array) -> Array:
    """Share of examples on which all networks predict the same class; no label is needed.

    Networks that always predict one class agree as well, so it says nothing by itself.

    Args:
        logits: float (..., M, n, q), of M networks.

    Returns:
        float64 (...), in [0, 1]; 1 for a single network.

    >>> float(agreement(np.array([[[2.0, 1.0], [2.0, 1.0]], [[3.0, 0.0], [0.0, 3.0]]])))
    0.5
    """
    if logits.ndim < 3:
        raise ValueError(
            f"`logits` has shape {tuple(logits.shape)}; it must be (..., networks, examples, "
            "classes)."
        )
    return _logits.agreement(logits)


# Choosing. Values may be None (not measured, diverged) or NaN; neither is ever chosen.


@door
def best_record(values: Sequence[float | None]) -> int | None:
    """Index of the highest value, the earliest among equals; None when there is no value.

    >>> best_record([0.5, None, 0.9, 0.9])
    2
    """
    best = None
    for index, value in enumerate(values):
        # a comparison with NaN is false, so NaN needs the test only as a first value
        if (
            value is not None and value == value and (best is None or value > values[best])  # type: ignore[operator]
        ):
            best = index
    return best


@door
def best_configuration(values: Sequence[float | None]) -> int | None:
    """Index of the highest value, the *last* among equals; None when there is no value.

    Ties between configurations are common on small validation sets; that the largest
    hyper-parameter seed wins is the benchmark's rule.

    >>> best_configuration([0.9, None, 0.9, 0.5])
    2
    """
    reverse = best_record(values[::-1])
    return None if reverse is None else len(values) - 1 - reverse


@door
def count_best(values: Sequence[float | None]) -> int:
    """How many entries share the highest value; 0 when there is no value.

    >>> count_best([0.9, None, 0.9, 0.5])
    2
    """
    best = best_record(values)
    return 0 if best is None else sum(value == values[best] for value in values)
