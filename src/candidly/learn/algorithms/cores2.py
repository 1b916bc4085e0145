"""cores2: confidence-regularised training that sieves its examples as it goes.

The loss with label y is -log p_y - beta sum_j prior_j (-log p_j), prior the shares of the labels
among what is kept. An example is kept while its loss with the given label is at most the mean of
its losses with all labels; the regulariser is the same in all of these and cancels, so that this
is -log p_y <= (1/q) sum_j -log p_j.

In the first tenth of the updates beta is 0, then it grows to its full value until four tenths;
sieving begins at three tenths. ``cores2:epochs`` is the published recipe in epochs: beta is 0 for
``plain``, grows over ``growth``, an epoch at a time, and sieving begins after ``sieve``; the
learning rate is a tenth from epoch ``drop`` on, and divided by 1 + beta throughout, in place of the
recipe's schedule. That is made for SGD: Adam's steps do not depend on the loss's scale.

The regulariser is not bounded: with beta above 1 the loss falls without end as the logits grow, and
long trainings do grow them. ``cores2:released`` adds 1e-8 to p there, as the authors' program does
(D-CORES-1), which ends that. Departs from common code besides: a batch of which nothing is kept has
loss 0, and where nothing at all is kept the prior is uniform.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, OneTrial, Trials
from ._space import Setting, one_of

Schedule = Callable[[Any], tuple[float, bool]]

PLAIN, GROWN, SIEVING = 0.1, 0.4, 0.3  # shares of the training
GUARD = 1e-8


def rows(s: OneTrial):
    return {
        "sieve": torch.zeros(s.given.shape, dtype=s.dtype),
        "kept": torch.ones(s.given.shape, dtype=torch.bool),
    }


def memory(s: OneTrial):
    return {"prior": shares(s.given, torch.ones_like(s.given, dtype=s.dtype), s.q)}


def shares(given: Tensor, kept: Tensor, q: int) -> Tensor:
    """Shares of the labels among the kept, (K, n) -> (K, q); all equal where none is."""
    counts = kept.new_zeros((len(given), q)).scatter_add_(1, given, kept)
    total = counts.sum(1, keepdim=True)
    return torch.where(total > 0, counts / total.clamp(min=1), 1 / q)


def sieve_of(losses: Tensor, given: Tensor) -> Tensor:
    """-log p_y less the mean over labels: (..., q), (...) -> (...); above 0 is sifted out."""
    return losses.gather(-1, given[..., None])[..., 0] - losses.mean(-1)


def regularised(
    losses: Tensor,
    given: Tensor,
    prior: Tensor,
    beta: Tensor | float,
    others: Tensor | None = None,
) -> Tensor:
    """L_y - beta sum_j prior_j L_j, per example.

    Args:
        losses: float (..., B, q), L_j = -log p_j.
        given: int (..., B), in 0..q-1.
        prior: float (..., q), rows sum to 1.
        beta: not negative, (..., 1).
        others: what is taken for L_j in the sum, where that is another.

    Returns:
        float (..., B), of any sign.
    """
    own = losses.gather(-1, given[..., None])[..., 0]
    others = losses if others is None else others
    return own - beta * (others * prior[..., None, :]).sum(-1)


def growth(share: float) -> float:
    """The part of beta that counts after that share of the training, in [0, 1]."""
    return min(1.0, max(0.0, (share - PLAIN) / (GROWN - PLAIN)))


def by_share(s: Trials) -> tuple[float, bool]:
    """The part of beta that counts at this update, and whether it sieves."""
    share = s.t / s.T
    return growth(share), share >= SIEVING


def by_epoch(s: Trials) -> tuple[float, bool]:
    """The same by the hyper-parameters in epochs."""
    part = max(0, s.epoch - s.hp.plain) / s.hp.growth
    return min(1.0, part), s.epoch >= s.hp.sieve


def step_with(schedule: Schedule, guard: float = 0.0):
    """The step under a schedule; ``guard`` is added to p in the regulariser."""

    def step(s: Trials, b: Batch):
        part, sieves = schedule(s)
        logits = s.net(b.x).logits
        losses = -logits.log_softmax(-1)
        others = -(logits.softmax(-1) + guard).log() if guard else losses
        sieve = sieve_of(losses.detach(), b.given)
        kept = sieve <= 0 if sieves else torch.ones_like(sieve, dtype=torch.bool)
        each = regularised(losses, b.given, s.memory["prior"], s.hp.beta * part, others)
        objective = (each * kept).sum(-1) / kept.sum(-1).clamp(min=1)
        return objective, {"sieve": sieve, "kept": kept}

    return step


def whole_with(schedule: Schedule):
    """The shares among what is kept, after an epoch."""

    def whole(s: Trials):
        if s.t % s.E or not schedule(s)[1]:
            return {}
        return {"prior": shares(s.labels("given"), s.rows["kept"].to(s.dtype), s.q)}

    return whole


def rate(s: Trials) -> Tensor:
    """What the published recipe multiplies each trial's learning rate by: (K,)."""
    part, dropped = by_epoch(s)[0], 0.1 if s.epoch >= s.hp.drop else 1.0
    return torch.tensor([dropped / (1 + h["beta"] * part) for h in s.hyper], dtype=torch.float64)


def in_epochs(default: int, values: tuple[int, ...], least: int = 0) -> Setting:
    return one_of(default, values, static=True, within=f"[{least}, inf)", whole=True)


BETA = {"beta": one_of(2, (0.5, 1, 2), within="[0, inf)")}
EPOCHS = {
    "plain": in_epochs(10, (5, 10)),
    "growth": in_epochs(30, (15, 30), least=1),
    "sieve": in_epochs(30, (15, 30)),
    "drop": in_epochs(50, (50,)),
}


CORES2 = Algorithm(
    "cores2",
    (Stage(step_with(by_share), whole=whole_with(by_share)),),
    paper="Cheng et al., Learning with instance-dependent label noise: a sample sieve approach, "
    "ICLR 2021",
    kind="noisy labels",
    summary="pushes towards confident predictions, and leaves out what costs more than average",
    reads=("given",),
    rows=rows,
    memory=memory,
    space=BETA,
    shortened={"plain": 1, "growth": 2, "sieve": 2, "drop": 4},
    variants={
        "epochs": {
            "stages": (Stage(step_with(by_epoch), whole=whole_with(by_epoch), rate=rate),),
            "space": BETA | EPOCHS,
        },
        "released": {
            "stages": (Stage(step_with(by_share, GUARD), whole=whole_with(by_share)),),
        },
    },
    differences={
        "epochs": "beta, the sieve and a learning rate that is divided by 1 + beta follow epochs, "
        "not shares of the training: the published recipe, made for SGD.",
        "released": "1e-8 is added to p in the regulariser, which bounds it (D-CORES-1).",
    },
)
