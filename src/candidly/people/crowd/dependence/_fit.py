"""Dawid and Skene's model where answers are few: error rates drawn to those of all annotators.

A row of an annotator's confusion matrix that few answers tell of says too much; each row here is
given four answers beforehand, shared out as all annotators together answered. What answers say of
an item may be divided by a temperature: with it above 1, answers are taken to repeat each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ....ground.seeds import draw
from .._answers import Answers
from .._probs import answer_shares
from .._rounds import Rounds, mapping, together
from .._sums import as_floats
from .._temperature import foretelling_temperature, tempered

STRENGTH = 4.0  # answers that each row of error rates is given beforehand
FLOOR = 0.01  # answers that each row of the common error rates is given beforehand, of each label
ROUNDS, GAIN = 100, 1e-6
SAMPLE = 200_000  # answers that tell the temperature
LEAST = 1e-300  # in place of 0 under a logarithm


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedRates:
    """Error rates, and what they make of the answers.

    Attributes:
        answers: what was fitted.
        temperature: at least 1.
        prior: float64 (m,), share of each class.
        rates: float64 (J, m, m), by annotator, label and true class: how probable the label is.
        model_rates: float64 (m, m), the same of a model, or None.
        beside: float64 (n, m), logarithms of what the model says, 0 without one.
        posterior: float64 (n, m).
        starts: int64 (n + 1,), where each item's answers start.
        others: whether the last annotator stands for all those of few answers.
    """

    answers: Answers
    temperature: float
    prior: np.ndarray
    rates: np.ndarray
    model_rates: np.ndarray | None
    beside: np.ndarray
    posterior: np.ndarray
    starts: np.ndarray
    others: bool

    @cached_property
    def logs(self) -> np.ndarray:
        """Of the rates."""
        return _log(self.rates)

    @property
    def said(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The answers, as the loops take them."""
        return self.starts, self.answers.annotator, self.answers.label

    @property
    def known(self) -> tuple[np.ndarray, np.ndarray]:
        """What is known of an item without its answers, as the loops take it."""
        return _log(self.prior), self.beside


def fit(
    answers: Answers,
    probs: np.ndarray | None = None,
    temperature: float = 1.0,
    start: np.ndarray | None = None,
    others: bool = False,
    workers: int = 1,
) -> FittedRates:
    """Expectation maximisation, from shares of the answers or from ``start`` (n, m)."""
    from .._kernels import add_to_matrices, weigh_by_matrices

    m, everyone = answers.m, len(answers.annotators)
    known = (answers.per_item > 0) | (probs is not None)
    first = answer_shares(answers, probs) if start is None else start.copy()
    shapes = (everyone * m, 2 * m), (m, 2 * m)
    loops = weigh_by_matrices, add_to_matrices
    passes = Rounds(answers, probs, known, first, loops, shapes, workers)
    before: float | None = None
    with mapping(workers) as each:
        sums = passes.run(None, each)
        for _ in range(ROUNDS):
            prior = (sums.prior + LEAST) / (sums.prior.sum() + m * LEAST)
            halves = together(sums.said, slice(None))
            said = as_floats(*np.split(halves, 2, axis=1)).reshape(everyone, m, m)
            rates = _drawn_together(said)
            extra = None if probs is None else _drawn_together(sums.model[None], said)[0]
            told = np.zeros((1, 1)) if extra is None else _log(extra) / temperature
            logs = _log(prior), _log(rates).reshape(-1, m) / temperature, told
            sums = passes.run(logs, each)
            likelihood = sums.log_likelihood
            if before is not None and abs(likelihood - before) <= GAIN * abs(before):
                break
            before = likelihood
    told_by_model = probs is not None and extra is not None
    return FittedRates(
        answers=answers,
        temperature=temperature,
        prior=prior,
        rates=rates,
        model_rates=extra,
        beside=probs @ _log(extra) if told_by_model else np.zeros((answers.n, m)),
        posterior=passes.posterior,
        starts=passes.starts,
        others=others,
    )


def fit_tempered(
    first: FittedRates, probs: np.ndarray | None = None, workers: int = 1
) -> FittedRates:
    """The fit at the temperature at which answers best foretell each other (see ``foretelling``).

    Args:
        first: the fit at temperature 1.
    """

    def again(found: FittedRates, temperature: float) -> FittedRates:
        return fit(first.answers, probs, temperature, found.posterior, found.others, workers)

    return tempered(first, foretelling, again)


def foretelling(fitted: FittedRates) -> float:
    """The temperature, 1 to 20, with the best mean log score of each answer from the others.

    Each answer's probability is that by its annotator's error rates, its item's class weighed by
    the other answers at the temperature. Of more than 200,000 answers the items are sampled.
    """
    from ._kernels import held_out_score

    answers = fitted.answers
    said, known = fitted.said, fitted.known
    if len(answers) > SAMPLE:
        rng = draw(0, "crowd temperature")
        some = rng.random(answers.n) < SAMPLE / len(answers)
        kept = np.repeat(some, answers.per_item)
        starts = np.concatenate([[0], np.cumsum(answers.per_item[some])])
        said = starts, answers.annotator[kept], answers.label[kept]
        known = known[0], known[1][some]

    return foretelling_temperature(
        lambda temperature: -held_out_score(said, known, fitted.logs, temperature)[0]
    )


def _drawn_together(said: np.ndarray, by_all: np.ndarray | None = None) -> np.ndarray:
    """Rates from counts (J, label, true class): each true class is given four answers, as all
    answered."""
    common = (said if by_all is None else by_all).sum(0) + FLOOR
    rates = said + STRENGTH * (common / common.sum(0))
    made: np.ndarray = rates / rates.sum(1, keepdims=True)
    return made


def _log(values: Any) -> np.ndarray:
    return np.log(np.maximum(values, LEAST))
