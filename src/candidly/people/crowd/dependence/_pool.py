"""A consensus whose claim allows for errors that annotators share.

Every method that multiplies what single answers say takes it that annotators err independently;
where they do not, it claims far too much. Three ways of pooling opinions bracket the truth: the
product of what answers say, weakened until answers foretell each other best; the mean of what
single answers say, which hears repetition as nothing new; and the share of votes. Their mean is
what is claimed here, unless a test finds the answers as independent as simulated ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ....ground.arrays import door
from ....ground.numbers import whole
from ....ground.problem import Refusal
from ....ground.progress import OnProgress
from .._answers import Answers, check_answers, checked_known
from .._consensus import Consensus, warn_of_unsaid
from .._probs import checked_probs
from ._fit import STRENGTH, FittedRates, fit_tempered
from ._known_items import Calibration, calibrated
from ._shared_errors import SharedErrors, look_at

LARGEST_BYTES = 2**29  # of error rates, and of a posterior
ENOUGH = 4  # answers of every item from which on independence can be told from its absence
LEAST = 1e-300
Z = 1.959963984540054


class Claim(NamedTuple):
    """How many labels are said to be right, and between what it may lie.

    All are NaN where no item has two voices, nor a known label: then nothing tells.

    Attributes:
        right: mean probability of the labels.
        low: the same by what single answers say, as if all further ones repeated them.
        high: the same if annotators erred independently. Both ends are 1.96 standard deviations
            further out of how many are right of so many items as have two voices or a known label,
            if each is with its probability.
    """

    right: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class OpinionPool(Consensus):
    """Labels, and a claim that allows for shared errors.

    Attributes:
        claim: how many of the labels are said to be right.
        shared: what the answers tell of shared errors.
        independent: whether the answers were taken as independent, as tests let them.
        temperature: what the sum of what answers say was divided by, in the product.
        prior: float64 (m,), share of each class.
        compared: items with two voices (annotators, or one and a model) or a known label.
        calibration: how known items changed the claim; None without them.
        product, single, votes: float64 (n, m), the three pools.
    """

    claim: Claim
    compared: int
    shared: SharedErrors
    independent: bool
    temperature: float
    prior: np.ndarray
    calibration: Calibration | None
    product: np.ndarray
    single: np.ndarray
    votes: np.ndarray

    @property
    def correlation(self) -> float:
        """Of the errors of two answers about an item, by the effective number; 0 if independent."""
        if self.independent or self.shared.per_item <= 1:
            return 0.0
        return (self.shared.per_item / self.shared.effective - 1) / (self.shared.per_item - 1)


@door
def opinion_pool(
    answers: Answers,
    probs: Any = None,
    known: np.ndarray | None = None,
    seed: int = 0,
    watch: OnProgress | None = None,
    workers: int = 1,
) -> OpinionPool:
    """The mean of a weakened product, a linear pool and the votes, near-copies counted once.

    Where every item has four answers or more, and neither pairs nor all answers together share
    more wrong answers than chance brings about, it is Dawid and Skene's model instead, with error
    rates drawn to those of all annotators.

    Args:
        answers: the answers of people, or of models.
        probs: (n, m), a model's probabilities: an annotator who answers every item, divided among
            the classes.
        known: int (n,), the class of items where it is known, else -1: the claim is then set right
            by them (Platt's scaling). The labels stay as they are.
        seed: the seed of simulated answers, which test for dependence.
        watch: called with simulated sets done and in all.
        workers: threads; their number changes no bit of the result.

    Returns:
        The most probable labels (the first of equally probable ones; -1 without answer and
        model), their posterior, and per annotator the probability that an answer is right.

    Raises:
        ValueError: unsound probabilities or classes, or too many annotators, items and classes.

    Warns:
        UserWarning: items whose consensus nobody gave, with their number.
    """
    found = pool_of(answers, probs, known, seed, watch, workers)
    warn_of_unsaid(found)
    return found


def pool_of(
    answers: Answers,
    probs: Any = None,
    known: np.ndarray | None = None,
    seed: int = 0,
    watch: OnProgress | None = None,
    workers: int = 1,
) -> OpinionPool:
    """See ``opinion_pool``; without its warning."""
    check_answers(answers)
    workers = whole(workers, "workers", low=1)
    if probs is not None:
        probs = checked_probs(probs, answers)
    if known is not None:
        known = checked_known(known, answers)
    if not fits(answers):
        raise Refusal(
            f"{len(answers.annotators):,} annotators, {answers.n:,} items and {answers.m:,} classes"
            " are too many for an opinion pool: its error rates, or posteriors, would not fit.",
            "take the majority: `by='majority'`",
        )
    looked = look_at(answers, probs, seed, watch, workers)
    answered = answers.per_item > 0
    enough = bool((answers.per_item[answered] >= ENOUGH).all())
    independent = enough and looked.shared.dependent is False
    tempered = fit_tempered(looked.voices, probs, workers)
    single, votes = _pools(tempered, probs)
    pooled = (tempered.posterior + single + votes) / 3
    posterior = looked.alone.posterior if independent else pooled
    there = answered | (probs is not None)
    labels = np.where(there, posterior.argmax(1), -1)
    calibration = None
    if known is not None and ((known >= 0) & there).any():
        posterior, calibration = calibrated(posterior, labels, known)
    weights = np.ones(len(answers.annotators))
    if looked.shared.voices:
        weights /= np.bincount(looked.of)[looked.of]
    voices = looked.voices.answers.per_item + (probs is not None)
    tell = (voices > 1) | (False if known is None else known >= 0)
    compared = int((there & tell).sum())
    return OpinionPool(
        answers=answers,
        labels=labels,
        posterior=posterior,
        annotator_quality=_quality(answers, posterior, tempered.prior),
        weights=weights,
        model_weight=0.0 if probs is None else 1.0,
        claim=_claim(
            posterior[there].max(1),
            single[there].max(1),
            looked.alone.posterior[there].max(1),
            compared,
        ),
        compared=compared,
        shared=looked.shared,
        independent=independent,
        temperature=tempered.temperature,
        prior=tempered.prior,
        calibration=calibration,
        product=tempered.posterior,
        single=single,
        votes=votes,
    )


def fits(answers: Answers) -> bool:
    """Whether error rates, and a posterior, take at most 0.5 GB; several of each are made."""
    frequent = int((answers.per_annotator > STRENGTH).sum()) + 1
    return max(frequent * answers.m, answers.n) * answers.m * 8 <= LARGEST_BYTES


def _claim(right: np.ndarray, single: np.ndarray, alone: np.ndarray, compared: int) -> Claim:
    """Of the probabilities of labels: those of the pool, of single answers and of independence."""
    if not compared:
        return Claim(np.nan, np.nan, np.nan)
    middle = float(right.mean())
    low, high = _end(single, -1, compared), _end(alone, 1, compared)
    return Claim(middle, min(low, middle), max(high, middle))


def _end(probability: np.ndarray, side: int, compared: int) -> float:
    """The mean, and 1.96 standard deviations of the share that is right to one side of it.

    Args:
        compared: of so many items, by which annotators are known.
    """
    scatter = np.sqrt((probability * (1 - probability)).sum()) / len(probability)
    scatter *= np.sqrt(len(probability) / compared)
    return float(np.clip(probability.mean() + side * Z * scatter, 0, 1))


def _pools(fitted: FittedRates, probs: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The mean of what single answers say, and the share of votes: (n, m) each.

    A vote is for the class that makes the answer most probable, which is the label but for those
    who confuse two classes. Both weigh annotators by what an answer tells: the mutual information
    of answer and class.
    """
    answers = fitted.answers
    says, tells = _of_one_answer(fitted.prior, fitted.rates)
    weight = tells[answers.annotator]
    single, votes = np.zeros((2, answers.n, answers.m))
    total = np.bincount(answers.item, weight, answers.n)
    meant = fitted.rates.argmax(2)[answers.annotator, answers.label]
    for k in range(answers.m):
        there = weight * says[answers.annotator, answers.label, k]
        single[:, k] = np.bincount(answers.item, there, answers.n)
        mine = meant == k
        votes[:, k] = np.bincount(answers.item[mine], weight[mine], answers.n)
    if probs is not None and fitted.model_rates is not None:
        model_says, model_tells = _of_one_answer(fitted.prior, fitted.model_rates[None])
        single += model_tells * (probs @ model_says[0])
        said = fitted.model_rates.argmax(1)
        votes += model_tells * (probs @ np.eye(answers.m)[said])
        total = total + model_tells
    total = total[:, None]
    return tuple(  # type: ignore[return-value]
        np.where(total > 0, pool / np.where(total > 0, total, 1), fitted.prior)
        for pool in (single, votes)
    )


def _of_one_answer(prior: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """P(class | an answer alone) of each annotator and label, (J, m, m); and the mutual
    information of answer and class in nats, (J,), above 0."""
    joint = rates * prior
    often = joint.sum(2, keepdims=True)
    says = joint / np.maximum(often, LEAST)
    gain = (says * np.log(np.maximum(says, LEAST) / np.maximum(prior, LEAST))).sum(2)
    return says, np.maximum((often[:, :, 0] * gain).sum(1), 1e-9)


def _quality(answers: Answers, posterior: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """How probable a right answer is: per class, drawn to that of all annotators, and averaged."""
    everyone, m = len(answers.annotators), answers.m
    right, there = np.empty((2, everyone, m))
    for k in range(m):
        weight = posterior[answers.item, k]
        mine = answers.label == k
        there[:, k] = np.bincount(answers.annotator, weight, everyone)
        right[:, k] = np.bincount(answers.annotator[mine], weight[mine], everyone)
    common = right.sum(0) / np.maximum(there.sum(0), LEAST)
    quality: np.ndarray = (right + STRENGTH * common) / (there + STRENGTH) @ prior
    return np.clip(quality, 0, 1)
