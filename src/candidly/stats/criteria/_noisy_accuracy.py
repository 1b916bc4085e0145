"""Accuracy from labels of which some are wrong, by their transition matrix. Without a truth.

All of it rests on noise between classes: given its true class, an example's label does not depend
on what it looks like. The public names are in ``criteria``.
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ._flip_rate import AccuracyEstimate, Array

SINGULAR = 1e8  # a condition number from which a matrix counts as having no inverse
QUANTILE = 0.97
SUM_MARGIN = 1e-6


@door
def corrected_accuracy(
    confusion: Array, transition: Array, counts: np.ndarray | None = None
) -> AccuracyEstimate:
    """The accuracy behind an accuracy on labels of which some are wrong.

    With P(predicted k, true i) = C[k, i] and P(given j | true i) = T[i, j], predictions and given
    labels meet as C T, so that C = (C T) T^-1 and the accuracy is its trace: the mean over examples
    of T^-1[given, predicted]. For a known T that is unbiased, whatever the predictor, as long as it
    did not learn from these labels; T^-1 has negative entries, so it may lie outside [0, 1].

    The standard error is that of the mean over examples. With ``counts`` it has a second part,
    that of the rows of T (delta method), taken as independent of these examples.

    Args:
        confusion: counts (..., q, q) of examples by given label (row) and prediction (column); see
            :func:`confusion_counts`.
        transition: float (q, q), P(given = column | true = row); rows sum to 1.
        counts: (q,), on how many examples of each true class T was counted; None for a known T.

    Returns:
        Accuracy and standard error, float64 (...). Both are NaN where T has no inverse (a condition
        number above 1e8: two classes that are labelled alike cannot be told apart by labels), and
        where there is no example; the error also where there is one alone.

    Raises:
        ValueError: shapes that disagree, or a matrix whose rows are not probabilities.

    Source: the backward correction of Natarajan et al., NeurIPS 2013, and Patrini et al., CVPR 2017
    (Theorem 1), for the 0-1 loss.

    >>> found = corrected_accuracy([[35, 15], [15, 35]], [[0.9, 0.1], [0.1, 0.9]])
    >>> print(f"{found.accuracy:.3f} ± {found.error:.3f}")
    0.750 ± 0.058
    """
    transition = checked_transition(transition)
    q = len(transition)
    pairs = np.asarray(confusion, np.float64)
    if pairs.shape[-2:] != (q, q):
        raise ValueError(
            f"`confusion` has shape {pairs.shape}, but `transition` is of {q} classes; it must end"
            f" in ({q}, {q})."
        )
    if not has_inverse(transition):
        nothing = np.full(pairs.shape[:-2], np.nan)
        return AccuracyEstimate(nothing[()], nothing[()])
    inverse = np.linalg.inv(transition)
    n = pairs.sum((-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = pairs / n[..., None, None]
        accuracy = (shares * inverse).sum((-2, -1))
        spread = np.maximum((shares * inverse**2).sum((-2, -1)) - accuracy**2, 0)
        variance = np.where(n > 1, spread / (n - 1), np.nan)
    if counts is not None:
        variance = variance + _variance_of_rows(shares, transition, inverse, counts)
    return AccuracyEstimate(accuracy, np.sqrt(variance))


def _variance_of_rows(
    shares: np.ndarray, transition: np.ndarray, inverse: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """What multinomial rows of T add: d tr(C) = -sum over i, j of (T^-1 C)[j, i] dT[i, j]."""
    counts = np.asarray(counts, np.float64)
    if counts.shape != (len(transition),) or not (counts > 0).all():
        raise ValueError(
            f"`counts` is {counts.tolist()}; give for each of {len(transition)} classes how many"
            " examples its row of the matrix was counted on, at least 1."
        )
    joint = np.swapaxes(shares, -1, -2) @ inverse  # predicted by true
    slope = np.swapaxes(inverse @ joint, -1, -2)  # true by given
    spread = (transition * slope**2).sum(-1) - (transition * slope).sum(-1) ** 2
    return (spread / counts).sum(-1)


@door
def confusion_counts(given: Array, predicted: Array, q: int) -> np.ndarray:
    """Examples by given label (row) and prediction (column): int64 (q, q).

    Args:
        given: int (n,), in -1..q-1; rows with -1 are left out.
        predicted: int (n,), in 0..q-1.

    >>> confusion_counts([0, 0, 1, -1], [0, 1, 1, 0], 2).tolist()
    [[1, 1], [0, 1]]
    """
    given, predicted = np.asarray(given, np.int64), np.asarray(predicted, np.int64)
    if given.shape != predicted.shape or given.ndim != 1:
        raise ValueError(
            f"`given` has shape {given.shape} and `predicted` {predicted.shape}; both are (n,)."
        )
    for name, labels, lowest in (("given", given, -1), ("predicted", predicted, 0)):
        wrong = (labels < lowest) | (labels >= q)
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(
                f"`{name}` is {int(labels[row])} at row {row}; it must be in {lowest}..{q - 1}."
            )
    known = given >= 0
    pairs = np.bincount(given[known] * q + predicted[known], minlength=q * q)
    return pairs.reshape(q, q)


@door
def anchor_transition(probs: Array, quantile: float = QUANTILE) -> np.ndarray:
    """A transition matrix from probabilities of given labels: what is said of each class's anchors.

    The anchor of class i is an example that is of class i beyond doubt, so that what is predicted
    for its *given* label is row i. It is looked for where the probability of i is highest: the
    example at that quantile of it (the largest value is too often an outlier), or where half of the
    class lies above, if that is fewer: else the anchor of a class that 3 % of the examples have
    would be of another. Right where the
    probabilities are those of the given labels, for examples that the model did not learn from,
    and each class has an anchor. A model that is robust to noise predicts true labels instead, and
    gives a matrix too near the identity.

    Args:
        probs: (n, q), rows sum to 1; out of sample. Their mean says how frequent a class is.
        quantile: in (0, 1]; 1 takes the largest probability. Of equal ones the first example.

    Returns:
        float64 (q, q), P(given = column | true = row); rows sum to 1.

    Raises:
        ValueError: no example, values that are no probabilities, a quantile out of range.

    Source: Patrini et al., CVPR 2017 (anchors; the quantile of their released program).

    >>> anchor_transition(np.array([[0.8, 0.2], [0.5, 0.5], [0.3, 0.7]]), 1.0).tolist()
    [[0.8, 0.2], [0.3, 0.7]]
    """
    table = np.asarray(probs.cpu() if hasattr(probs, "cpu") else probs, np.float64)
    if table.ndim != 2 or not len(table):
        raise ValueError(f"`probs` has shape {table.shape}; it must be (n, q) with n at least 1.")
    if not 0 < quantile <= 1:
        raise ValueError(f"`quantile` is {quantile}; it must be in (0, 1].")
    sums = table.sum(1)
    wrong = ~((table >= 0).all(1) & (np.abs(sums - 1) <= 1e-3))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"`probs` row {row} sums to {sums[row]:.6g} or has a negative entry; rows are"
            " probabilities. Apply a softmax to logits first."
        )
    order = np.argsort(table, axis=0, kind="stable")
    at = np.maximum(1 - table.mean(0) / 2, quantile)
    places = np.ceil(at * len(table)).astype(int) - 1  # the quantile that is an example's own value
    value = table[order[places, np.arange(table.shape[1])], np.arange(table.shape[1])]
    anchors = (table == value).argmax(0)
    return table[anchors] / sums[anchors, None]


def has_inverse(transition: np.ndarray) -> bool:
    """Whether a correction by this matrix is defined: its condition number is at most 1e8."""
    return bool(np.linalg.cond(transition) <= SINGULAR)


def checked_transition(transition: Array) -> np.ndarray:
    """The matrix in float64, square, its rows probabilities.

    Raises:
        ValueError: it is not; names the row and what to do.
    """
    table = np.asarray(transition, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"the transition matrix has shape {table.shape}; it must be (q, q).")
    wrong = ~((table >= -SUM_MARGIN).all(1) & (np.abs(table.sum(1) - 1) <= SUM_MARGIN))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"row {row} of the transition matrix sums to {table[row].sum():.6g} or has a negative"
            " entry; row i holds P(given | true class i). A row of NaN is a class that was not"
            " seen: set it, for example to that of the identity. If columns sum to 1, transpose it."
        )
    return table
