"""sop: every row learns what must be added to the prediction to give its label.

Rows u_i (a number) and v_i (one per class), normal with standard deviation 1e-8 at first. With e
the given label one-hot, U = u² e clipped to [0, 1] and V = v² (1 - e) likewise, U - V is the noise
of the label. Loss: the cross-entropy of e with max(p + U - V, 1e-4), rows normalised and V
constant, plus the squared error sum_j (onehot(argmax p) + U - V - e)_j². So u has a gradient from
both parts and v from the second alone. Both move by SGD without momentum, at rates of their own,
for the batch's rows only; u² starts as good as 0 and grows first where the network contradicts the
label for many epochs. Predictions are p. A row's suspicion is half of |U| + |V|.

Departs from common code: the paper's N(0, 1e-8) is read as its program does, 1e-8 being the
standard deviation. SOP+, with a second view, is not part of it.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ._algorithm import Algorithm, Row, Stage
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of

INITIAL = 1e-8  # standard deviation
CLIP = 1e-4


def initial_u(s: OneTrial) -> Tensor:
    return torch.from_numpy(s.rng("u").normal(0, INITIAL, (1, s.n, 1))).to(s.dtype)


def initial_v(s: OneTrial) -> Tensor:
    return torch.from_numpy(s.rng("v").normal(0, INITIAL, (1, s.n, s.q))).to(s.dtype)


def noise(u: Tensor, v: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
    """U and V, in [0, 1]: (..., 1), (..., q), one-hot (..., q) -> (..., q) each."""
    return (u.square() * label).clamp(0, 1), (v.square() * (1 - label)).clamp(0, 1)


def losses(logits: Tensor, given: Tensor, u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """The cross-entropy and the squared error per example, (...) each.

    Args:
        logits: float (..., q).
        given: int (...).
        u, v: float (..., 1) and (..., q).
    """
    classes = torch.arange(logits.shape[-1], device=logits.device)
    label = (given[..., None] == classes).to(logits.dtype)
    plus, minus = noise(u, v, label)
    mixed = (logits.softmax(-1) + plus - minus.detach()).clamp_min(CLIP)
    nats = mixed.sum(-1).log() - (mixed * label).sum(-1).log()
    predicted = (logits.argmax(-1, keepdim=True) == classes).to(logits.dtype)
    return nats, (predicted + plus - minus - label).square().sum(-1)


def step(s: Trials, b: Batch):
    nats, squares = losses(s.net(b.x).logits, b.given, b.u, b.v)
    return (nats + squares).mean(-1)


def suspicion(s: Trials, k: int) -> Tensor:
    classes = torch.arange(s.q, device=s.device)
    label = (s.labels("given")[k][:, None] == classes).to(s.dtype)
    plus, minus = noise(s.rows["u"][k], s.rows["v"][k], label)
    return (plus + minus).sum(-1) / 2


SOP = Algorithm(
    "sop",
    (Stage(step),),
    paper="Liu et al., Robust training under label noise by over-parameterization, ICML 2022",
    kind="noisy labels",
    summary="every training row learns the noise of its label beside the network",
    reads=("given",),
    learned={"u": Row(initial_u, "lr_u"), "v": Row(initial_v, "lr_v")},
    suspicion=suspicion,
    space={
        "lr_u": one_of(10, (0.1, 1, 10), within="[0, inf)"),
        "lr_v": one_of(10, (1, 10, 100), within="[0, inf)"),
    },
)
