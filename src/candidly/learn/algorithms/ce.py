"""Cross-entropy on one label per example: on ``given``, or, as an oracle, on the truth.

``supervised-oracle`` is the upper bound that the other rows of a table are read against. It is the
one algorithm that is told the truth, and says so in ``reads``.
"""

from __future__ import annotations

from torch import Tensor

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, Trials


def loss(logits: Tensor, labels: Tensor) -> Tensor:
    """-log p_y per example.

    Args:
        logits: float (..., q).
        labels: int (...), in 0..q-1.

    Returns:
        float (...), in nats, >= 0.
    """
    return logits.logsumexp(-1) - logits.gather(-1, labels[..., None])[..., 0]


def step(s: Trials, b: Batch):
    return loss(s.net(b.x).logits, b.given).mean(-1)


def step_oracle(s: Trials, b: Batch):
    return loss(s.net(b.x).logits, b.truth).mean(-1)


CE = Algorithm(
    "ce",
    (Stage(step),),
    kind="noisy labels",
    summary="cross-entropy on the given label, as if it were right",
    reads=("given",),
)
SUPERVISED_ORACLE = Algorithm(
    "supervised-oracle",
    (Stage(step_oracle),),
    kind="oracle",
    summary="cross-entropy on the truth: the upper bound, not a method",
    reads=("truth",),
)
