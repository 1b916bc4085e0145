"""Scores from several models' probabilities of the same examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ...data.ingest.probabilities import Probs
from ...ground.arrays import door, same_rows
from . import _score_kernels
from ._evidence import Evidence
from ._gather import gathered
from ._passes import block_rows
from ._scores import ScoreBy, blocks, of_evidence, scores

LEAST = 1e-6  # of a probability in a model's own log loss
LEAST_OF_AVERAGE = float(np.finfo(np.float64).eps)  # and in that of their weighted average
TEMPERATURES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 200.0)
WEIGHTS = ("equal", "accuracy", "log loss")

Weights = Literal["equal", "accuracy", "log loss"] | Sequence[float] | np.ndarray


@door
def ensemble_scores(
    given: Any,
    probs: Sequence[Probs],
    by: ScoreBy = "margin",
    *,
    weights: Weights = "equal",
    adjust: bool = False,
    **options: Any,
) -> np.ndarray:
    """How good each label looks to several models: the weighted mean of their ``scores``.

    Args:
        given: labels (n,).
        probs: the probabilities of each model, (n, m).
        by, adjust, options: see ``scores``.
        weights: ``equal``; ``accuracy``: each model's share of predictions that are the given
            label; ``log loss``: exp(-T log loss), T of ``TEMPERATURES`` the first at which the
            log loss of the weighted average is the lowest; or (models,) numbers >= 0, which are
            divided by their sum. For a model's own log loss its probabilities are at least 1e-6,
            and rows divided by their sums; those of the average are at least 2.2e-16, so that a
            model alone that rules a label out is dear.

    Returns:
        float (n,), in [0, 1]; low is suspicious; NaN where unlabelled.

    Raises:
        ValueError, TypeError, KeyError: what is wrong, by name or row.

    >>> one, two = np.array([[0.75, 0.25], [0.5, 0.5]]), np.array([[0.25, 0.75], [1.0, 0.0]])
    >>> ensemble_scores([0, 0], [one, two], "self-confidence", weights=[3, 1])
    array([0.625, 0.625])
    """
    if not isinstance(probs, list | tuple) or not len(probs):
        raise TypeError("`probs` is a list of the models' probabilities, one (n, m) each.")
    same_rows(given=given, **{f"probs[{k}]": each for k, each in enumerate(probs)})
    if not isinstance(weights, str):
        shares = _checked(weights, len(probs))
        parts = [scores(given, each, by, adjust=adjust, **options) for each in probs]
    elif weights == "equal":
        shares = np.full(len(probs), 1 / len(probs))
        parts = [scores(given, each, by, adjust=adjust, **options) for each in probs]
    else:
        evidences = [gathered(given, each, options) for each in probs]
        shares = ensemble_weights(evidences, weights)
        parts = [of_evidence(evidence, by, adjust) for evidence in evidences]
    if len({part.shape for part in parts}) > 1:
        raise ValueError("the models' probabilities are of different numbers of examples.")
    return sum(share * part for share, part in zip(shares.tolist(), parts))


def ensemble_weights(evidences: Sequence[Evidence], by: str) -> np.ndarray:
    """Each model's weight, by ``accuracy`` or ``log loss``: float64 (models,), sums to 1."""
    if by not in WEIGHTS[1:]:
        raise ValueError(f"weights={by!r}: choose {', '.join(WEIGHTS)}, or give numbers.")
    labelled = evidences[0].labelled
    if by == "accuracy":
        right = np.array([(e.predicted == e.given)[labelled].mean() for e in evidences])
        if not right.any():
            raise ValueError("no model predicts any given label, so accuracy gives no weights.")
        return right / right.sum()
    if len({e.m for e in evidences}) > 1:
        raise ValueError("the models have different numbers of classes.")
    losses = np.array([_log_loss(e) for e in evidences])
    best, found = np.inf, np.empty(0)
    tried = [_by_loss(losses, t) for t in TEMPERATURES]
    for shares, loss in zip(tried, _average_losses(evidences, tried)):
        if loss < best:
            best, found = loss, shares
    return found


def _by_loss(losses: np.ndarray, temperature: float) -> np.ndarray:
    shares = np.exp(-temperature * (losses - losses.min()))  # the best one's is 1: never 0 / 0
    return shares / shares.sum()


def _log_loss(evidence: Evidence) -> float:
    sums = np.empty(evidence.n)
    for start, stop, rows in blocks(evidence.source):
        _score_kernels.floored_sums(rows, LEAST, sums[start:stop])
    own = np.maximum(evidence.own.astype(np.float64), LEAST)
    return float(-np.log(own / sums)[evidence.labelled].mean())


def _average_losses(evidences: Sequence[Evidence], tried: Sequence[np.ndarray]) -> np.ndarray:
    """The log loss of every weighted average of the models, reading them once."""
    given, n = evidences[0].given, evidences[0].n
    total, size = np.zeros(len(tried)), max(1, block_rows(evidences[0].source) // len(evidences))
    for start in range(0, n, size):
        stop = min(start + size, n)
        rows = np.stack([e.source.read(start, stop).astype(np.float64) for e in evidences])
        labels = given[start:stop]
        mine = np.flatnonzero(labels >= 0)
        for k, shares in enumerate(tried):
            own = shares @ rows[:, mine, labels[mine]]
            total[k] -= np.log(np.maximum(own, LEAST_OF_AVERAGE)).sum()
    return total / max(int(evidences[0].labelled.sum()), 1)


def _checked(weights: Any, models: int) -> np.ndarray:
    shares = np.asarray(weights, dtype=np.float64)
    if shares.shape != (models,):
        raise ValueError(f"`weights` has shape {shares.shape}; there are {models} models.")
    if not np.isfinite(shares).all() or (shares < 0).any() or shares.sum() == 0:
        raise ValueError(f"`weights` are {shares.tolist()}; they are >= 0, and one is more.")
    return shares / shares.sum()
