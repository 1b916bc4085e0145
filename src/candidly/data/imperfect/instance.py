"""Instance-dependent sets: a wrong label enters where the example looks like its class.

An auxiliary classifier learns the true labels, and each wrong label j of an example gets its
likeness ξ_j = p_j / max_{k ≠ y} p_k, 1 for the likeliest one. It then enters on its own with
probability min(1, s ξ_j), with the one scale s at which these have the mean that was asked for.
From s = 1 on, which is the published construction, the likeliest wrong label is always a
candidate. With two classes the only wrong label has likeness 1, which leaves constant flips.

The classifier is multinomial logistic regression with L2 penalty on standardised inputs (their
first 64 principal components where there are more). Probabilities come from five-fold
cross-fitting: a classifier is all too sure of examples it was fitted to. Likenesses below 1e-9
count as 1e-9, so that any rate can be reached.

Source: Xu et al., "Instance-dependent partial label learning", NeurIPS 2021 (VALEN), with s = 1
and a network's probabilities of its own training examples.
"""

from __future__ import annotations

import warnings

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ._checks import check_rate, checked_truth
from ._features import checked_table, condensed

FOLDS = 5
SMALLEST = 1e-9


@door
def instance(
    inputs: np.ndarray, truth: np.ndarray, q: int, rate: float, seed: int = 0
) -> np.ndarray:
    """Candidate sets with the truth and, likelier than others, the labels it may be taken for.

    Args:
        inputs: numbers (n, ...), for example a table (n, d) or images (n, h, w).
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2.
        rate: mean over examples and wrong labels of the probability to be a candidate.
        seed: not negative; the same seed gives the same sets. On another machine a probability
            may differ in its last digits; save the result where every set has to be the same.

    Returns:
        bool (n, q).

    Raises:
        ValueError: a rate outside [0, 1], inputs that are not finite numbers or of another
            length, a truth out of range, fewer than two classes, a negative seed.
    """
    truth = checked_truth(truth, q, seed)
    check_rate(rate)
    table = checked_table(inputs, len(truth))
    chances = scaled(likeness(table, truth, q, seed), truth, rate)
    return draw(seed, "imperfect.instance").random((len(truth), q)) < chances


def likeness(table: np.ndarray, truth: np.ndarray, q: int, seed: int = 0) -> np.ndarray:
    """How much each example looks like each wrong class, beside the likeliest wrong one.

    Args:
        table: float (n, d).
        truth: int64 (n,), in 0..q-1.

    Returns:
        float (n, q), in [1e-9, 1]; 1 at the truth and at the likeliest wrong label. All 1 where
        the other folds hold fewer than two classes to learn from.
    """
    logs = _held_out_log_probs(table, truth, q, seed)
    at_truth = np.arange(len(truth)), truth
    logs[at_truth] = -np.inf
    ratios = np.exp(logs - logs.max(1, keepdims=True))
    ratios[at_truth] = 1
    return np.maximum(ratios, SMALLEST)


def scaled(likenesses: np.ndarray, truth: np.ndarray, rate: float) -> np.ndarray:
    """``min(1, s * likenesses)``, and 1 at the truth; the mean at wrong labels is ``rate``.

    Args:
        likenesses: float (n, q), in (0, 1].
        truth: int (n,).
        rate: in [0, 1].

    Returns:
        float (n, q), in [0, 1].
    """
    wrong = np.arange(likenesses.shape[1]) != truth[:, None]
    ordered = np.sort(likenesses[wrong])[::-1]
    if not len(ordered):
        return likenesses
    # if the k largest are cut off at 1, the others share what is left: s Σ_{i >= k} ξ_i = r N - k
    left = rate * len(ordered) - np.arange(len(ordered))
    scales = left / ordered[::-1].cumsum()[::-1]
    right = scales * ordered <= 1 + 1e-9  # the first k that cuts off no other
    return np.where(wrong, np.minimum(1, scales[right.argmax()] * likenesses), 1)


def _held_out_log_probs(table: np.ndarray, truth: np.ndarray, q: int, seed: int) -> np.ndarray:
    """Log-probabilities (n, q) by classifiers that have not seen the example."""
    from threadpoolctl import threadpool_limits

    logs = np.full((len(truth), q), -1e4)  # of classes that a fold knows nothing of
    if len(np.unique(truth)) < 2:
        return logs
    random = draw(seed, "imperfect.instance.classifier")
    # dealt out like cards, class by class, so that every fold has its share of each
    order = np.lexsort((random.random(len(truth)), truth))
    fold = np.empty(len(truth), np.int64)
    fold[order] = np.arange(len(truth)) % FOLDS
    # in one thread the sums are the same whatever the number of cores; on a machine that is busy
    # with other things, two took a hundred times as long (digits: 25 s instead of 0.3 s)
    with threadpool_limits(1):
        table = condensed(table, int(random.integers(2**31)))
        for k in range(min(FOLDS, len(truth))):
            out = fold == k
            known = np.unique(truth[~out])
            if len(known) > 1:
                logs[np.ix_(out, known)] = _fitted_log_probs(table[~out], truth[~out], table[out])
    return logs


def _fitted_log_probs(table: np.ndarray, truth: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Log-probabilities (n, classes in ``truth``) of ``others``."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        # to stop early is to regularise, and no reason to worry a reader
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LogisticRegression(max_iter=200).fit(table, truth).predict_log_proba(others)
