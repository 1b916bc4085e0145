"""CRDPLL: two views of an example agree with what both said before, and avoid the non-candidates.

The loss is ramp (KL(C || p_weak) + KL(C || p_strong)) - sum of log(1 - p_weak) over the
non-candidates; the ramp grows from 0 to 1 over the first half of the updates. C, uniform over the
candidates at first, becomes the normalised geometric mean of both views' probabilities over the
candidates, after the update. On a table both views are the row itself.

Departs from common code: log(1 - p) without cancellation, where common code has
log(1.0000001 - p), so that a non-candidate of probability 1 costs no more than 16 and is let go
(D-CR-1); ``plench`` keeps that. As in the benchmark's program (D-CR), two views where the paper has
three.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, OneTrial, Trials
from ._tensors import cross_entropy, log_complement, masked_softmax, uniform_over
from ._views import View

GUARD = 1.0000001  # the released program's, in place of the 1 of 1 - p
RAMP = 0.5  # share of the updates over which the consistency loss grows to its weight


def rows(s: OneTrial):
    return {"weights": uniform_over(s.candidates, s.dtype)}


def divergence(weights: Tensor, logits: Tensor) -> Tensor:
    """KL(weights || softmax(logits)) per example, 0 log 0 = 0: (..., q) -> (...), >= 0."""
    return torch.xlogy(weights, weights).sum(-1) + cross_entropy(weights, logits)


def supervised(logits: Tensor, candidates: Tensor) -> Tensor:
    """-sum of log(1 - p_j) over the non-candidates: (..., q) -> (...), >= 0, in nats."""
    return -log_complement(logits).masked_fill(candidates, 0).sum(-1)


def supervised_plench(logits: Tensor, candidates: Tensor) -> Tensor:
    """-sum of log(1.0000001 - p_j) over the non-candidates: (..., q) -> (...), in nats."""
    return -(GUARD - logits.softmax(-1)).log().masked_fill(candidates, 0).sum(-1)


def agreed(weak: Tensor, strong: Tensor, candidates: Tensor) -> Tensor:
    """sqrt(p_weak p_strong) over the candidates, rows sum to 1: (..., q)."""
    return masked_softmax((weak.log_softmax(-1) + strong.log_softmax(-1)) / 2, candidates)


def _views(s: Trials, b: Batch) -> tuple[Tensor, Tensor]:
    return s.net(b.view("weak")).logits, s.net(b.view("strong")).logits


def step_with(avoided: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Any, Any], Tensor]:
    """The step with this loss of the non-candidates."""

    def step(s: Trials, b: Batch):
        weak, strong = _views(s, b)
        ramp = min(s.t / (RAMP * s.T), 1.0)
        consistency = divergence(b.weights, weak) + divergence(b.weights, strong)
        return (ramp * consistency + avoided(weak, b.candidates)).mean(-1)

    return step


step, step_plench = step_with(supervised), step_with(supervised_plench)


def after(s: Trials, b: Batch):
    return {"weights": agreed(*_views(s, b), b.candidates)}


CRDPLL = Algorithm(
    "CRDPLL",
    (Stage(step, after),),
    paper="Wu et al., Revisiting consistency regularization for deep partial label learning, "
    "ICML 2022",
    kind="holistic",
    summary="views agree with what they said before, and avoid the non-candidates",
    rows=rows,
    views={"weak": View(), "strong": View()},  # of a table the row itself: one forward serves both
    variants={
        "plench": {
            "stages": (Stage(step_plench, after),),
            "views": {"weak": View(), "strong": View(pictures="strong-plench")},
            "version": 2,
        }
    },
    differences={
        "plench": "1.0000001 stands for 1 in log(1 - p), so that a non-candidate of probability 1 "
        "costs no more than 16 and is let go (D-CR-1)."
    },
)
