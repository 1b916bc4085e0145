"""Every criterion from one forward pass. Apart from an oracle, all that reads the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ...data.labels.labelled import Labelled, given_to_candidates
from ...data.labels.votes import shares_named
from ...ground import logits as _logits
from ...stats.criteria import confusion_counts
from ...stats.metrics import Metric, measured
from .divergence import bury
from .stack import Stack

LOGITS_AT_ONCE = 8_000_000  # numbers; the criteria make a few temporaries of that size


class Measured(NamedTuple):
    """What one trial scores; every value is None once it has diverged.

    Attributes:
        validation, test: criteria and metrics by name, in [0, 1].
        shares: float64 (m,), what each validation row adds to AA: positive where the prediction
            is a candidate, so that CR can be read off it too.
        confusion: int64 (q, q), validation rows by given label and predicted class; None on data
            without given labels.
        right: bool (m,), which test rows are predicted right; None where not all truth is known.
    """

    validation: dict[str, float | None]
    test: dict[str, float | None]
    shares: np.ndarray | None
    confusion: np.ndarray | None = None
    right: np.ndarray | None = None


@dataclass(frozen=True)
class OracleView:
    """What the held-out rows of one data set are measured against: tensors on the host."""

    candidates: Tensor  # bool (n, q); the given label alone where there are no candidate sets
    truth: Tensor  # int64 (n,), -1 where unknown
    given: Tensor | None = None  # int64 (n,), -1 where there is none
    answers: Tensor | None = None  # float64 (n, q), shares of each row's answers; NaN without one


def oracle_view(data: Labelled) -> OracleView:
    """The labels that measuring needs, the truth among them."""
    candidates = data.candidates
    if candidates is None and data.given is not None:
        candidates = given_to_candidates(data.given, data.q)
    if candidates is None:  # only the truth: every class stays possible, and CR says nothing
        candidates = np.ones((data.n, data.q), dtype=bool)
    truth = np.full(data.n, -1) if data.truth is None else data.truth
    given = None if data.given is None else torch.tensor(data.given)
    answers = (
        None if data.votes is None else torch.from_numpy(shares_named(data.votes, data.n, data.q))
    )
    truths = torch.tensor(truth, dtype=torch.int64)
    return OracleView(torch.tensor(candidates), truths, given, answers)


def oracle_measure(
    stack: Stack,
    view: OracleView,
    validation: Tensor,
    test: Tensor,
    metrics: Sequence[Metric] = (),
) -> list[Measured]:
    """Validation criteria and test metrics of every trial, each in [0, 1].

    ``NVA``, the accuracy on given labels, is there where the data has some; ``answers``, the mean
    share of a row's answers that are what is predicted, where people answered; ``adjusted``, of
    predictions for equally frequent classes, where these are learned from; ``agreement`` where an
    algorithm trains several networks.

    Args:
        validation, test: int64 (K, m), row numbers in the shared examples.
        metrics: somebody's own, to be measured on the test rows, too.

    Returns:
        one value per trial, each empty once the trial has diverged, which non-finite logits here
        make it.
    """
    found: list[Measured] = []
    rows = torch.cat([validation, test], 1)
    at_once = max(1, LOGITS_AT_ONCE // (rows.shape[1] * stack.q))
    for trials in torch.arange(stack.K).split(at_once):
        logits = torch.stack([stack.logits(k, rows[k]).cpu() for k in trials.tolist()])
        broken = ~logits.isfinite().flatten(1).all(1)
        if bool(broken.any()):
            dead = torch.zeros(stack.K, dtype=torch.bool)
            dead[trials[broken]] = True
            bury(stack, dead.to(stack.device) & stack.alive)
        held, unseen = logits.split([validation.shape[1], test.shape[1]], 1)
        sets, labels = view.candidates[validation[trials]], view.truth[validation[trials]]
        truth = view.truth[test[trials]]
        right = _logits.predict(unseen)[1] == truth
        shares = _logits.candidate_shares(held, sets)
        on_validation = {
            "CR": _logits.covering_rate(held, sets),
            "AA": _logits.mean(shares),
            "AA:plench": _logits.approximated_accuracy_plench(held, sets),
            "OA": _logits.accuracy(held, labels),
        }
        on_test = {
            "top1": _logits.accuracy(unseen, truth),
            "top5": _logits.top_k_accuracy(unseen, truth),
            "balanced": _logits.balanced_accuracy(unseen, truth),
        }
        learned = stack.examples.labels.get("given")
        if learned is not None:
            even = _logits.prior_adjusted(unseen, _label_counts(stack, learned, trials))
            on_test["adjusted"] = _logits.accuracy(even, truth)
        if view.given is not None:
            given = view.given[validation[trials]]
            on_validation["NVA"] = _logits.accuracy(held, given)
            guess = _logits.predict(held)[1]
        if view.answers is not None:
            shares_of = view.answers[validation[trials]]
            on_validation["answers"] = _logits.answer_accuracy(held, shares_of)
        if stack.algorithm.networks > 1:
            on_validation["agreement"] = _agreement(stack, trials, validation, held)
        for i, k in enumerate(trials.tolist()):
            gone = stack.diverged_at[k] is not None
            own = _own(metrics, unseen[i], truth[i], gone)
            found.append(
                Measured(
                    _numbers(on_validation, i, gone),
                    _numbers(on_test, i, gone) | own,
                    None if gone else shares[i].double().numpy(),
                    None
                    if gone or view.given is None
                    else confusion_counts(given[i], guess[i], stack.q),
                    None if gone or bool((truth[i] < 0).any()) else right[i].numpy(),
                )
            )
    return found


def _label_counts(stack: Stack, given: Tensor, trials: Tensor) -> Tensor:
    """Labels of each class among the training rows of some trials: int64 (trials, q)."""
    labels = given[stack.index[trials.to(stack.device)]].cpu()
    counts = torch.zeros((len(trials), stack.q), dtype=torch.int64)
    return counts.scatter_add_(1, labels, torch.ones_like(labels))


def _agreement(stack: Stack, trials: Tensor, validation: Tensor, held: Tensor) -> Tensor:
    """Of the first networks, whose logits are ``held``, with the others: (K,)."""
    others = [
        torch.stack([stack.logits(k, validation[k], copy).cpu() for k in trials.tolist()])
        for copy in range(1, stack.algorithm.networks)
    ]
    return _logits.agreement(torch.stack([held, *others], 1))


def _own(
    metrics: Sequence[Metric], logits: Tensor, truth: Tensor, gone: bool
) -> dict[str, float | None]:
    """What somebody's own metrics say of one trial's test rows; None once it is gone."""
    if gone or not metrics:
        return dict.fromkeys(metric.name for metric in metrics)
    probabilities, labels = logits.double().softmax(-1).numpy(), truth.numpy()
    return {metric.name: measured(metric, probabilities, labels) for metric in metrics}


def _numbers(values: dict[str, Tensor], i: int, gone: bool) -> dict[str, float | None]:
    """One trial's values; None for those that are not defined, and for all once it is gone."""
    numbers = {name: float(value[i]) for name, value in values.items()}
    return {name: None if gone or np.isnan(v) else v for name, v in numbers.items()}
