"""peer: cross-entropy, less what a label of somebody else would cost.

Beside each example stands the input of a second row and the label of a third, both drawn uniformly
and independently from the training rows. A prediction that follows the labels' shares alone gains
nothing, and uniform noise changes the expected loss by a factor only. The difference is unbounded
below, so that log p is log(p + 1e-5), and cross-entropy alone warms up.

``peer:one-pass`` takes the batch's own inputs for the second row: the same expectation, and no
further forward pass. ``peer:ramp`` lets alpha grow to 20 over the training as a published
reproduction does over 340 epochs; that one also divides the learning rate by 1 + alpha, which
Adam's steps do not need. ``peer:epochs`` repeats both, by epochs.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from . import ce
from ._algorithm import Algorithm, Stage, warm_up
from ._protocol import Batch, Trials
from ._space import one_of

FLOOR = 1e-5
# alpha over 340 epochs, straight lines between these
EPOCHS, ALPHAS = (0, 20, 40, 90, 140, 240, 340), (0, 0, 1, 2, 5, 10, 20)


def loss(
    logits: Tensor,
    given: Tensor,
    peer_logits: Tensor,
    peer_given: Tensor,
    alpha: Tensor | float,
    floor: float = FLOOR,
) -> Tensor:
    """-log(p_y + floor) + alpha log(p'_y'' + floor), per example.

    Args:
        logits: float (..., q).
        given: int (...), the example's own label.
        peer_logits: float (..., q), of another row's input.
        peer_given: int (...), yet another row's label.
        alpha: not negative; 0 gives the cross-entropy.
        floor: what is added to a probability; 0 for none.

    Returns:
        float (...), in nats, of any sign.
    """
    return _bounded(logits, given, floor) - alpha * _bounded(peer_logits, peer_given, floor)


def _bounded(logits: Tensor, labels: Tensor, floor: float) -> Tensor:
    nats = ce.loss(logits, labels)
    return -torch.logaddexp(-nats, nats.new_tensor(math.log(floor))) if floor else nats


def step(s: Trials, b: Batch):
    logits, others = s.net(b.x).logits, s.net(s.drawn("peer inputs").x).logits
    labels = s.drawn("peer labels").given
    return loss(logits, b.given, others, labels, s.hp.alpha).mean(-1)


def step_one_pass(s: Trials, b: Batch):
    logits, labels = s.net(b.x).logits, s.drawn("peer labels").given
    return loss(logits, b.given, logits, labels, s.hp.alpha).mean(-1)


def alpha_at(share: float) -> float:
    """alpha after that share of the 340 epochs; 20 behind them."""
    return float(np.interp(share * EPOCHS[-1], EPOCHS, ALPHAS))


def step_growing(alpha: Callable[[Trials], float]):
    """The step under an alpha that the clock says."""

    def step(s: Trials, b: Batch):
        logits, others = s.net(b.x).logits, s.net(s.drawn("peer inputs").x).logits
        labels = s.drawn("peer labels").given
        return loss(logits, b.given, others, labels, alpha(s)).mean(-1)

    return step


def by_share(s: Trials) -> float:
    return alpha_at(s.t / s.T)


def by_epoch(s: Trials) -> float:
    return alpha_at(s.epoch / EPOCHS[-1])


def rate(s: Trials) -> float:
    return 1 / (1 + by_epoch(s))


WARM = warm_up(ce.step)

PEER = Algorithm(
    "peer",
    (WARM, Stage(step)),
    paper="Liu and Guo, Peer loss functions: learning from noisy labels without knowing noise "
    "rates, ICML 2020",
    kind="noisy labels",
    summary="cross-entropy less that of a random input with a random label",
    reads=("given",),
    space={
        "alpha": one_of(1, (0.2, 0.5, 1, 2), within="[0, inf)"),
        "warm_up": one_of(0.1, (0.1, 0.2), static=True, within="[0, 1)"),
    },
    shortened={"warm_up": 0.2},
    variants={
        "one-pass": {"stages": (WARM, Stage(step_one_pass))},
        "ramp": {"stages": (Stage(step_growing(by_share)),), "space": {}},
        "epochs": {"stages": (Stage(step_growing(by_epoch), rate=rate),), "space": {}},
    },
    differences={
        "one-pass": "The random label is set against the batch's own inputs: the same expectation "
        "and half the cost.",
        "ramp": "No warm-up; alpha grows from 0 to 20 over the training, as in a published "
        "reproduction.",
        "epochs": "No warm-up; alpha is 0 for 20 epochs and grows to 20 until epoch 340, and the "
        "learning rate is divided by 1 + alpha.",
    },
)
