"""cal: what a first network says of the labels corrects the loss of a second one.

Two phases. With L_j = -log p_j, a loss that is taken from the objective bounded below by
-log(p_j + 1e-5), as it would grow without end, and y the given label:

* the first phase minimises L_y - alpha_sieve sum_j rho_j L_j, rho in proportion to the square roots
  of the shares of the given labels. At its end each row gets a distilled label d: its given one
  where L_y less the mean of all L_j is below ``threshold``, the most probable class elsewhere;
* the second, with a new network and a fresh optimiser, minimises L_y - alpha sum_j pi_j L_j, pi the
  shares themselves, less the correction: the sum over classes c of P(c) times the mean, over the
  batch's rows with d = c, of sum_j (1[y = j] - T[c, j]) L_j. P are the shares of the distilled
  labels, and T[c, j] is the share of the given label j among the rows with d = c. In expectation
  it is the covariance, under each distilled label, of which label is given with what it costs.
  Less that, a row counts as if it had all given labels of its d, in their shares.

Both alphas are 0 at first and then grow to their values: from epoch 10 to epoch 40 of 65 and of 100
in the published recipe. By default the phases share the updates in that proportion, 0.4 and 0.6,
and alphas grow at the same shares of a phase. ``cal:epochs`` is the published recipe in epochs: the
first phase lasts ``sieving``; of a phase, alpha is 0 for ``plain`` and grows over ``growth``, an
epoch at a time; the learning rate is a tenth from its epoch ``drop`` on, and divided by 1 + alpha,
in place of the recipe's schedule. CIFAR-100N is trained with ``alpha_sieve`` 1.

Departs from common code: the published correction subtracts from each L_j its mean of the epoch
before; that is a constant, which moves no parameter. Distilled labels are made by one pass over the
rows as they are, where the published ones are left by the updates of the last epoch. The given
label's own loss is not bounded. No tensor has classes times classes times rows. A published program
multiplies rho and pi by 10 on CIFAR-100; an ``alpha`` of 10 is that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from . import ce
from ._algorithm import Algorithm, Stage, epochs
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._transition import from_counts, rows_of
from .cores2 import in_epochs, shares, sieve_of

LEAST = 1e-5  # added to the probabilities in the losses that are subtracted
SIEVING, CORRECTING = 65, 100  # published epochs of the two phases
PLAIN, GROWTH = 10, 30  # of either: alpha is 0 for so many, and grows over so many

Growth = Callable[[Any], float]  # (stack) -> the part of alpha that counts, in [0, 1]


def constants(s: OneTrial):
    prior = shares(s.given, torch.ones_like(s.given, dtype=s.dtype), s.q)
    return {"prior": prior, "root_prior": prior.sqrt() / prior.sqrt().sum(-1, keepdim=True)}


def rows(s: OneTrial):
    return {"distilled": s.given.clone()}


def memory(s: OneTrial):
    return {
        "means": torch.eye(s.q, dtype=s.dtype)[None],
        "distilled_prior": torch.full((1, s.q), 1 / s.q, dtype=s.dtype),
    }


def bounded(logits: Tensor) -> Tensor:
    """-log(p_j + 1e-5): (..., q) -> (..., q), below 11.6."""
    return -(logits.softmax(-1) + LEAST).log()


def regularised(
    logits: Tensor, given: Tensor, costs: Tensor, prior: Tensor, alpha: Tensor | float
) -> Tensor:
    """-log p_y - alpha sum_j prior_j L_j, per example.

    Args:
        logits: float (..., B, q).
        given: int (..., B), in 0..q-1.
        costs: L, float (..., B, q), ``bounded(logits)``.
        prior: float (..., q), rows sum to 1.
        alpha: not negative, (..., 1).

    Returns:
        float (..., B), of any sign.
    """
    return ce.loss(logits, given) - alpha * (costs * prior[..., None, :]).sum(-1)


def distil(logits: Tensor, given: Tensor, threshold: Tensor | float) -> Tensor:
    """The given label where -log p_y less the mean over labels is below the threshold, else argmax.

    Args:
        logits: float (..., q).
        given: int (...), in 0..q-1.

    Returns:
        int (...).
    """
    trusted = sieve_of(-logits.log_softmax(-1), given) < threshold
    return torch.where(trusted, given, logits.argmax(-1))


def correction(
    costs: Tensor, given: Tensor, distilled: Tensor, means: Tensor, prior: Tensor
) -> Tensor:
    """sum_c P(c) mean over the batch's rows of d = c of sum_j (1[y = j] - T[c, j]) L_j.

    Args:
        costs: L, float (..., B, q).
        given, distilled: y and d, int (..., B), in 0..q-1.
        means: T, float (..., q, q), rows sum to 1.
        prior: P, float (..., q).

    Returns:
        float (...); classes without a row in the batch add nothing.
    """
    own = costs.gather(-1, given[..., None])[..., 0]
    apart = own - (rows_of(means, distilled) * costs).sum(-1)
    counts = torch.zeros_like(prior).scatter_add_(-1, distilled, torch.ones_like(own))
    weights = prior.gather(-1, distilled) / counts.gather(-1, distilled)
    return (weights * apart).sum(-1)


def grown(at: float, plain: float, growth: float) -> float:
    """The part of an alpha that counts: 0 up to ``plain``, then growing to 1 over ``growth``."""
    return min(1.0, max(0.0, at - plain) / growth)


def sieving(growth: Growth):
    """The first phase's step, with alpha growing so."""

    def step(s: Trials, b: Batch):
        logits, prior = s.net(b.x).logits, s.constants["root_prior"]
        alpha = s.hp.alpha_sieve * growth(s)
        return regularised(logits, b.given, bounded(logits), prior, alpha).mean(-1)

    return step


def correcting(growth: Growth):
    """The second phase's step, with alpha growing so."""

    def step(s: Trials, b: Batch):
        logits, alpha = s.net(b.x).logits, s.hp.alpha * growth(s)
        costs = bounded(logits)
        each = regularised(logits, b.given, costs, s.constants["prior"], alpha)
        means, prior = s.memory["means"], s.memory["distilled_prior"]
        return each.mean(-1) - correction(costs, b.given, b.distilled, means, prior)

    return step


def begin(s: Trials):
    given = s.labels("given")
    thresholds = s.hp.threshold.flatten()
    distilled = [distil(s.whole(k).logits, given[k], thresholds[k]) for k in range(s.K)]
    means = [from_counts(d, y, s.q, s.dtype) for d, y in zip(distilled, given)]
    labels = torch.stack(distilled)
    return {
        "distilled": labels,
        "means": torch.stack(means),
        "distilled_prior": shares(labels, torch.ones_like(labels, dtype=s.dtype), s.q),
        "net": s.anew("net"),
    }


def by_share(length: int) -> Growth:
    """As in a phase of so many epochs, however many it has."""
    return lambda s: grown(length * s.stage_share, PLAIN, GROWTH)


def sieving_epoch(s: Trials) -> int:
    return s.epoch


def correcting_epoch(s: Trials) -> int:
    return s.epoch - s.hp.sieving


def by_epoch(clock: Callable[[Any], int]) -> Growth:
    """By the epochs of a phase that are done."""
    return lambda s: grown(clock(s), s.hp.plain, s.hp.growth)


def rate_in(clock: Callable[[Any], int], name: str):
    """A phase's rate: a tenth from epoch ``drop`` on, and over 1 + alpha."""

    def rate(s: Trials) -> Tensor:
        alpha = getattr(s.hp, name).flatten() * by_epoch(clock)(s)
        return 0.1 ** float(clock(s) >= s.hp.drop) / (1 + alpha)

    return rate


def until(s: Trials):
    return int(s.hp.first * s.T)


SPACE = {
    "alpha_sieve": one_of(2.0, (1.0, 2.0), within="[0, inf)"),
    "alpha": one_of(1.0, (0.5, 1.0, 2.0), within="[0, inf)"),
    "threshold": one_of(-8.0, (-8.0, -4.0, 0.0)),
}

CAL = Algorithm(
    "cal",
    (
        Stage(sieving(by_share(SIEVING)), until=until),
        Stage(correcting(by_share(CORRECTING)), begin=begin, afresh=True),
    ),
    paper="Zhu, Liu & Liu, A second-order approach to learning with instance-dependent label "
    "noise, CVPR 2021",
    kind="noisy labels",
    summary="a first network's labels tell how given ones go with losses, and correct for it",
    reads=("given",),
    rows=rows,
    memory=memory,
    constants=constants,
    space=SPACE | {"first": one_of(0.4, (0.4,), static=True, within="(0, 1)")},
    shortened={"sieving": 2, "plain": 0, "growth": 2, "drop": 1},
    variants={
        "epochs": {
            "stages": (
                Stage(
                    sieving(by_epoch(sieving_epoch)),
                    until=epochs("sieving"),
                    rate=rate_in(sieving_epoch, "alpha_sieve"),
                ),
                Stage(
                    correcting(by_epoch(correcting_epoch)),
                    begin=begin,
                    afresh=True,
                    rate=rate_in(correcting_epoch, "alpha"),
                ),
            ),
            "space": SPACE
            | {
                "sieving": in_epochs(SIEVING, (SIEVING,), least=1),
                "plain": in_epochs(PLAIN, (5, PLAIN)),
                "growth": in_epochs(GROWTH, (15, GROWTH), least=1),
                "drop": in_epochs(60, (60,)),
            },
        }
    },
    differences={
        "epochs": "The first phase, alphas and a learning rate that is divided by 1 + alpha follow "
        "epochs, not shares of the training: the published recipe, made for SGD."
    },
)
