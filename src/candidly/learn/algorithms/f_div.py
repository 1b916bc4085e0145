"""f-div: tell an example with its own label from an input with somebody else's.

With v = p_y of an example and v' = p'_y'' of a second row's input and a third row's label, the loss
is f*(g(v')) - g(v): the negative of a variational lower bound of the f-divergence between the
joint distribution of inputs and labels and the product of the two. g and f* are those of Nowozin
et al., NeurIPS 2016; by default the total variation's. Cross-entropy warms up.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from . import ce
from ._algorithm import Algorithm, Stage, warm_up
from ._protocol import Batch, Trials
from ._space import one_of

Part = Callable[[Tensor], Tensor]

# by divergence: g(v), and f*(g(v)) worked out
DIVERGENCES: dict[str, tuple[Part, Part]] = {
    "total variation": (lambda v: v.tanh() / 2, lambda v: v.tanh() / 2),
    "js": (lambda v: math.log(2) + logsigmoid(v), lambda v: -math.log(2) - logsigmoid(-v)),
    "kl": (lambda v: v, lambda v: (v - 1).exp()),
    "pearson": (lambda v: v, lambda v: v.square() / 4 + v),
}


def loss(
    logits: Tensor,
    given: Tensor,
    peer_logits: Tensor,
    peer_given: Tensor,
    divergence: str = "total variation",
) -> Tensor:
    """f*(g(p'_y'')) - g(p_y), per example.

    Args:
        logits: float (..., q).
        given: int (...), the example's own label.
        peer_logits: float (..., q), of another row's input.
        peer_given: int (...), yet another row's label.
        divergence: a name of ``DIVERGENCES``.

    Returns:
        float (...), bounded, of any sign.
    """
    own, paired = DIVERGENCES[divergence]
    return paired(_likely(peer_logits, peer_given)) - own(_likely(logits, given))


def _likely(logits: Tensor, labels: Tensor) -> Tensor:
    return torch.exp(-ce.loss(logits, labels))


def stages(divergence: str) -> tuple[Stage, ...]:
    """A warm-up with cross-entropy, then the divergence's loss."""

    def step(s: Trials, b: Batch):
        logits, others = s.net(b.x).logits, s.net(s.drawn("peer inputs").x).logits
        labels = s.drawn("peer labels").given
        return loss(logits, b.given, others, labels, divergence).mean(-1)

    return (warm_up(ce.step), Stage(step))


F_DIV = Algorithm(
    "f-div",
    stages("total variation"),
    paper="Wei and Liu, When optimizing f-divergence is robust with label noise, ICLR 2021",
    kind="noisy labels",
    summary="tells an input with its label from an input with a random one",
    reads=("given",),
    space={"warm_up": one_of(0.1, (0.1, 0.2), static=True, within="[0, 1)")},
    shortened={"warm_up": 0.2},
    variants={name: {"stages": stages(name)} for name in ("js", "kl", "pearson")},
    differences={
        "js": "The Jensen-Shannon divergence in place of the total variation.",
        "kl": "The Kullback-Leibler divergence in place of the total variation.",
        "pearson": "The Pearson chi-squared divergence in place of the total variation.",
    },
)
