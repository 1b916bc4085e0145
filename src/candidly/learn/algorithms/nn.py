"""NN: an unbiased estimate of the supervised log-loss, class by class, none of it below zero.

With one complementary label per example, drawn uniformly from the wrong ones, the joint density of
x and label k is that of the complementary labels added up, less q - 1 times that of complementary
label k. So the part of the risk that class k contributes is

    v_k = sum_j prior_j m_jk - (q - 1) prior_k m_kk

where m_jk is the mean of -log p_k over the batch's pairs with complementary label j (0 if there is
none), and prior_j the share of label j among all pairs of the training set. An estimate may be
negative, a risk may not, so NN sums max(v_k, 0).

Departs from common code: the released program, like an early version of the paper's own, has
prior_k in place of prior_j (D-NN-1), which is biased unless all complementary labels are equally
frequent; ``plench`` keeps that. It also holds a q x q matrix, which the sums do not need.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, OneTrial, Trials


def constants(s: OneTrial):
    counts = (~s.candidates).sum(-2).to(s.dtype)
    return {"prior": counts / counts.sum(-1, keepdim=True).clamp_min(1)}


def class_risks(logits: Tensor, candidates: Tensor, prior: Tensor) -> Tensor:
    """v_k, the estimated part of the log-loss that each class contributes, per batch.

    Args:
        logits: float (..., B, q).
        candidates: bool (..., B, q).
        prior: float (..., q), the share of each complementary label in the training set.

    Returns:
        float (..., q), of any sign; sums to the unbiased estimate of the supervised log-loss.
    """
    outside = (~candidates).to(logits.dtype)
    weights = outside * (prior / outside.sum(-2).clamp_min(1))[..., None, :]
    weights = weights.sum(-1, keepdim=True) - (logits.shape[-1] - 1) * weights
    return -(weights * logits.log_softmax(-1)).sum(-2)


def class_risks_plench(logits: Tensor, candidates: Tensor, prior: Tensor) -> Tensor:
    """prior_k (sum_j m_jk - (q - 1) m_kk), the released program's: the prior of the wrong class."""
    return prior * class_risks(logits, candidates, torch.ones_like(prior))


def loss(risks: Tensor) -> Tensor:
    """sum_k max(v_k, 0): (..., q) -> (...), >= 0."""
    return risks.clamp_min(0).sum(-1)


def step(s: Trials, b: Batch):
    return loss(class_risks(s.net(b.x).logits, b.candidates, s.constants["prior"]))


def step_plench(s: Trials, b: Batch):
    return loss(class_risks_plench(s.net(b.x).logits, b.candidates, s.constants["prior"]))


NN = Algorithm(
    "NN",
    (Stage(step),),
    paper="Ishida et al., Complementary-label learning for arbitrary losses and models, ICML 2019",
    kind="complementary",
    summary="an unbiased estimate of the log-loss, each class's part kept from going negative",
    constants=constants,
    variants={"plench": {"stages": (Stage(step_plench),)}},
    differences={
        "plench": "Class k's part takes the prior of k for every complementary label, which is "
        "biased unless all complementary labels are equally frequent (D-NN-1)."
    },
)
