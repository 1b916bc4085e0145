"""GA: NN's estimate, with gradient ascent on whatever part of it has gone negative.

Each trial chooses for itself, at every update. With Adam, which forgets how large a gradient is,
the ascent and the descent do not balance, and on Lost GA ends at a test accuracy of 0: a row of the
benchmark's tables, not a method to use.

Departs from common code: shares D-NN-1 with NN, and ``plench`` keeps it. The objective recorded is
the one minimised; the released program logs the negative of the ascent's.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, Trials
from .nn import class_risks, class_risks_plench, constants


def loss(risks: Tensor, candidates: Tensor) -> Tensor:
    """-sum_k min(c_k v_k, 0) if any v_k c_k < 0, else sum_k v_k, per batch.

    Args:
        risks: float (..., q), v_k.
        candidates: bool (..., B, q); c_k is the number of pairs with complementary label k.

    Returns:
        float (...).
    """
    parts = (~candidates).sum(-2) * risks
    ascent = -parts.clamp_max(0).sum(-1)
    return torch.where(parts.amin(-1) < 0, ascent, risks.sum(-1))


def step(s: Trials, b: Batch):
    risks = class_risks(s.net(b.x).logits, b.candidates, s.constants["prior"])
    return loss(risks, b.candidates)


def step_plench(s: Trials, b: Batch):
    risks = class_risks_plench(s.net(b.x).logits, b.candidates, s.constants["prior"])
    return loss(risks, b.candidates)


GA = Algorithm(
    "GA",
    (Stage(step),),
    paper="Ishida et al., Complementary-label learning for arbitrary losses and models, ICML 2019",
    kind="complementary",
    summary="NN's estimate, with gradient ascent on what has gone negative; degenerate with Adam",
    constants=constants,
    variants={"plench": {"stages": (Stage(step_plench),)}},
    differences={
        "plench": "Class k's part takes the prior of k for every complementary label, which is "
        "biased unless all complementary labels are equally frequent (D-NN-1)."
    },
)
