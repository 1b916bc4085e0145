"""CROWDLAB: annotators and a model weighed by how well they agree.

Paper: H. W. Goh, U. Tkachenko, J. Mueller, "CROWDLAB: Supervised learning to infer consensus
labels and quality scores for data with multiple annotators", NeurIPS 2022 Human in the Loop
Learning Workshop.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ground.arrays import door
from ._answers import Answers, check_answers
from ._consensus import Consensus, agreement_with, mean_for_missing, warn_of_unsaid
from ._majority import majority
from ._probs import checked_probs
from ._sums import sums_by, total

LEAST = 1e-6  # of weights and of the error of a constant guess
FLOOR = 1e-12  # in place of a probability of 0 under a logarithm
ROUNDING = 1e-12  # of sums of weights in another order
SHARPEST, FLATTEST = 0.05, 20.0  # temperatures that are searched


@dataclass(frozen=True, eq=False, kw_only=True)
class Crowdlab(Consensus):
    """Labels from weighed answers and a model.

    Attributes:
        majority: int64 (n,), the labels it began with.
        likelihood: share of the answers that are the consensus, on items with several; NaN when
            every item has one answer.
        temperature: what logarithms of the model's probabilities were divided by, 1 if nothing.
    """

    majority: np.ndarray
    likelihood: float
    temperature: float


@door
def crowdlab(
    answers: Answers, probs: Any = None, temperature: bool = False, seed: int = 0
) -> Crowdlab:
    """Consensus of people and a model, each weighed by agreement beyond a constant guess.

    Args:
        answers: the answers of people.
        probs: (n, m), out-of-sample probabilities; without them people alone are weighed.
        temperature: first sharpen or flatten the probabilities, so that they fit the answers best.
        seed: the seed of draws in the majority that it begins with.

    Returns:
        Labels (for items nobody answered the model's, or -1), posteriors, weights, quality of the
        annotators. Where every item has a single answer nothing can be weighed: the posterior is
        then the model's, and a warning says so.

    Raises:
        ValueError: unsound probabilities; ``temperature`` without a model; or every item has a
            single answer and there is no model.

    Warns:
        UserWarning: every item has a single answer; or items have a consensus that nobody gave,
            with their number; ``unsaid`` says which.
    """
    check_answers(answers)
    if answers.repeated:
        raise ValueError(
            f"{answers.repeated:,} answers are of people about items that they answered before;"
            " crowdlab weighs people by how they agree with each other. Keep their first or last"
            " answers with `keep`, or take dawid-skene."
        )
    if probs is None and temperature:
        raise ValueError("`temperature` is about a model's probabilities; give `probs`.")
    heat = 1.0
    if probs is not None:
        probs = checked_probs(probs, answers)
        if temperature:
            heat = best_temperature(answers, probs)
            probs = scaled(probs, heat)
    first = majority(answers, probs, seed).labels
    several = answers.per_item > 1
    if not several.any():
        return _of_the_model(answers, probs, first, heat)
    _, before, _, _ = _weighed(answers, probs, first)
    ties = (before > before.max(1, keepdims=True) - ROUNDING).sum(1) > 1
    # an item nobody answered has no majority, but perhaps a model
    ties &= (answers.per_item > 0) | (probs is None)
    labels = np.where(ties, first, before.argmax(1))
    likelihood, posterior, weights, model_weight = _weighed(answers, probs, labels)
    found = Crowdlab(
        answers=answers,
        labels=labels,
        posterior=posterior,
        annotator_quality=_quality(answers, labels, posterior, weights, model_weight),
        weights=weights,
        model_weight=model_weight,
        majority=first,
        likelihood=likelihood,
        temperature=heat,
    )
    warn_of_unsaid(found)
    return found


def _of_the_model(
    answers: Answers, probs: np.ndarray | None, first: np.ndarray, heat: float
) -> Crowdlab:
    if probs is None:
        raise ValueError(
            "every item has one answer, so annotators cannot be compared. Ask more people about"
            " some of them, or give a model's probabilities."
        )
    warnings.warn(
        "every item has one answer, so annotators cannot be weighed: the consensus is the model's.",
        stacklevel=4,
    )
    nothing = np.zeros(len(answers.annotators))
    found = Crowdlab(
        answers=answers,
        labels=probs.argmax(1),
        posterior=probs,
        annotator_quality=_said(answers, probs),
        weights=nothing,
        model_weight=1.0,
        majority=first,
        likelihood=float("nan"),
        temperature=heat,
    )
    warn_of_unsaid(found)
    return found


def _weighed(
    answers: Answers, probs: np.ndarray | None, labels: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray, float]:
    """Likelihood of an agreeing answer, posterior, weights of annotators and of the model."""
    m, counts, per_item = answers.m, answers.counts, answers.per_item
    several = per_item > 1
    mine = labels[several]
    likelihood = total(counts[several, mine] / per_item[several]) / len(mine)
    error = max(1 - np.bincount(mine, minlength=m).max() / len(mine), LEAST)
    weights = np.maximum(1 - (1 - _agreement(answers)) / error, LEAST)
    model_weight = 0.0
    if probs is not None:
        wrong = float((probs[several].argmax(1) != mine).mean())
        mean_answers = per_item[per_item > 0].mean()
        model_weight = float(max(1 - wrong / error, LEAST) * np.sqrt(mean_answers))
    each = weights[answers.annotator]
    people = np.bincount(answers.item, each, answers.n)[:, None]
    cell = answers.item.astype(np.int64) * m + answers.label
    said = np.bincount(cell, each, answers.n * m).reshape(answers.n, m)
    other = (1 - likelihood) / (m - 1)
    mass = said * likelihood + (people - said) * other
    if probs is not None:
        mass += model_weight * probs
    weight = people + model_weight
    posterior = np.where(weight > 0, mass / np.where(weight > 0, weight, 1), 1 / m)
    return likelihood, posterior, weights, model_weight


def _agreement(answers: Answers) -> np.ndarray:
    """Share of agreements in comparisons with other annotators of the same items: (J,)."""
    number = len(answers.annotators)
    others = answers.per_item[answers.item] - 1
    alike = answers.counts[answers.item, answers.label] - 1
    compared = np.bincount(answers.annotator, others, number)
    agreed = np.bincount(answers.annotator, alike, number)
    shares = np.where(compared > 0, agreed / np.maximum(compared, 1), np.nan)
    return mean_for_missing(shares)


def _said(answers: Answers, posterior: np.ndarray) -> np.ndarray:
    """Mean posterior of what each annotator said: (J,)."""
    mine = posterior[answers.item, answers.label]
    return sums_by(answers.annotator, mine, len(answers.annotators)) / answers.per_annotator


def _quality(
    answers: Answers,
    labels: np.ndarray,
    posterior: np.ndarray,
    weights: np.ndarray,
    model_weight: float,
) -> np.ndarray:
    per_item = answers.per_item[answers.per_item > 0].mean()
    share = model_weight / (model_weight + per_item / len(weights) * weights.sum())
    agrees = mean_for_missing(agreement_with(answers, labels))
    return share * _said(answers, posterior) + (1 - share) * agrees


@door
def best_temperature(answers: Answers, probs: np.ndarray) -> float:
    """What to divide log-probabilities by, for the least cross-entropy to the answers' shares.

    Returns:
        A temperature in [0.05, 20]; above 1 it flattens.
    """
    from scipy.optimize import minimize_scalar

    check_answers(answers)
    there = answers.per_item > 0
    shares = answers.counts[there] / answers.per_item[there, None]
    logs = _logs(probs[there])

    def cross_entropy(inverse: float) -> float:
        z = inverse * logs
        top = z.max(1)
        sums = top + np.log(np.exp(z - top[:, None]).sum(1))
        return total(sums - (shares * z).sum(1)) / len(z)

    # convex in the inverse
    found = minimize_scalar(cross_entropy, bounds=(1 / FLATTEST, 1 / SHARPEST), method="bounded")
    return float(1 / found.x)


def scaled(probs: np.ndarray, temperature: float) -> np.ndarray:
    """Softmax of log-probabilities divided by a temperature: float64 (n, m)."""
    z = _logs(probs) / temperature
    z = np.exp(z - z.max(1, keepdims=True))
    return z / z.sum(1, keepdims=True)


def _logs(probs: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(probs, FLOOR))
