"""annotator-t: a transition matrix for each annotator, drawn towards one that all share.

T_a = softmax of core + own_a along its rows, T_a[i, j] = P(a answers j | label i). The loss is the
mean over answers of -log (p T_a)_y, and |own_a|^2 / (2 spread^2) for every annotator over the
number of answers in training: the negative log posterior per answer, where entries of own_a are
normal around 0. Of an annotator with few answers the shared matrix is believed, of one with many
the own. ``core`` starts with 0.8 on the diagonal. Predictions are p's.

Such a prior over annotators is that of hierarchical Dawid-Skene; matrices learned with the network
are those of Tanno et al., who draw them towards a small trace instead.
"""

from __future__ import annotations

import math

import numpy as np
from torch import Tensor

from ._algorithm import Algorithm, Own, Stage
from ._annotators import answered, entries, mean_of_answers
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of, power_of_ten

RIGHT = 0.8  # of answers, at first


def core(classes: int) -> np.ndarray:
    """Scores (q, q) whose softmax has 0.8 on the diagonal, the rest in equal parts."""
    return math.log(RIGHT / (1 - RIGHT) * max(classes - 1, 1)) * np.eye(classes)


def own(annotators: int, classes: int) -> np.ndarray:
    """Nothing of one's own yet: (annotators, q, q)."""
    return np.zeros((annotators, classes, classes))


def constants(s: OneTrial):
    """How many answers there are about the training rows: (1,)."""
    there = answered(s.votes).there
    return {"answers": there.sum((-2, -1)).to(s.dtype)}


def nats_of_answers(logits: Tensor, core: Tensor, own: Tensor, who: Tensor, said: Tensor) -> Tensor:
    """-log (p T_a)_y of each answer.

    Args:
        logits: float (K, B, q).
        core: float (K, q, q).
        own: float (K, A, q, q).
        who, said: int64 (K, B, R).

    Returns:
        float (K, B, R), in nats, >= 0.
    """
    table = (core[:, None] + own).log_softmax(-1).transpose(-1, -2)  # (K, A, answer, label)
    columns = entries(table.flatten(1, 2), who * logits.shape[-1] + said)
    return -(logits.log_softmax(-1)[..., None, :] + columns).logsumexp(-1)


def step(s: Trials, b: Batch):
    who, said, there = answered(b.votes)
    mine = s.parameters["own"]
    nats = nats_of_answers(s.net(b.x).logits, s.parameters["core"], mine, who, said)
    prior = mine.square().sum((-3, -2, -1)) / (2 * s.hp.spread[:, 0].square())
    return mean_of_answers(nats, there) + prior / s.constants["answers"]


ANNOTATOR_T = Algorithm(
    "annotator-t",
    (Stage(step, own={"core": Own(lr="lr_t"), "own": Own(lr="lr_t")}),),
    paper="Tanno et al., Learning from noisy labels by regularized estimation of annotator "
    "confusion, CVPR 2019; Paun et al., Comparing Bayesian models of annotation, TACL 2018",
    kind="several annotators",
    summary="learns a transition matrix for each annotator, drawn towards a shared one",
    reads=("votes",),
    constants=constants,
    parameters={"core": core},
    per_annotator={"own": own},
    space={
        "spread": one_of(1.0, (0.3, 1.0, 3.0), within="(0, inf)"),
        "lr_t": power_of_ten(1e-2, -3, -1),
    },
)
