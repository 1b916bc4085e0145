"""co-teaching: of two networks each learns from the examples that the other finds easy.

Both rank the batch by their own loss -log p_y and hand the n = floor((1 - R) B) smallest to the
other, which learns from their mean; R = noise_rate min(T / ramp, 1) in epoch T = 1, 2, ... The
networks differ in their start alone, see the same batches, and the first predicts. With the true
noise rate told the method is an oracle; in a search it is one hyper-parameter more.

``epochs`` has the published learning rate: from epoch ``decay_from`` on it falls linearly to 0 at
the end, an epoch at a time, in place of the recipe's schedule.

Departs from common code: public programs take R from a table that begins with 0 and reaches the
noise rate in epoch ``ramp`` (``released``, ``epochs``); NoisywikiHow's also rounds n to the nearest
(``noisywikihow``); the CIFAR-N reproduction predicts by the mean of both networks' logits
(``averaged``). From epoch ``decay_from`` on the published Adam has beta1 0.1; here it stays 0.9.
The authors divide the mean by n once more, which Adam hardly notices; not repeated. ``estimated``
needs no noise rate. An empty choice has loss 0 and no gradient.
"""

from __future__ import annotations

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, Trials
from ._selection import (
    ESTIMATED_SPACE,
    NO_RATE,
    SPACE,
    Forget,
    estimated,
    forget,
    forget_table,
    kept,
    losses,
    masked_mean,
    smallest,
)
from ._space import one_of


def step_with(forget: Forget, rounded: bool = False):
    """The step under a forget rate, (stack) -> (K, 1, 1)."""

    def step(s: Trials, b: Batch):
        each = losses(s.net(b.x).logits, b.given)
        chosen = smallest(each.detach(), kept(forget(s), s.B, rounded))
        return masked_mean(each, chosen.flip(1))  # learn from what the other has chosen

    return step


def rate(s: Trials) -> float:
    """1, and from epoch ``decay_from`` on linearly towards 0 at the end."""
    epochs, start = s.T / s.E, s.hp.decay_from
    return 1.0 if s.epoch < start else (epochs - s.epoch) / (epochs - start)


DECAY_FROM = one_of(80, (80,), static=True, within="[0, inf)", whole=True)

CO_TEACHING = Algorithm(
    "co-teaching",
    (Stage(step_with(forget)),),
    paper="Han et al., Co-teaching: robust training of deep neural networks with extremely noisy "
    "labels, NeurIPS 2018",
    kind="noisy labels",
    summary="two networks, each learning from the examples that the other finds easy",
    reads=("given",),
    networks=2,
    told=("noise_rate",),
    space=SPACE,
    shortened={"ramp": 2, "decay_from": 3},
    variants={
        "released": {"stages": (Stage(step_with(forget_table)),)},
        "noisywikihow": {"stages": (Stage(step_with(forget_table, rounded=True)),)},
        "estimated": {**estimated(step_with), "space": ESTIMATED_SPACE},
        "averaged": {"averages": True},
        "epochs": {
            "stages": (Stage(step_with(forget_table), rate=rate),),
            "space": SPACE | {"decay_from": DECAY_FROM},
        },
    },
    differences={
        "released": "The forget rate is 0 in the first epoch and the noise rate from epoch `ramp` "
        "on, a step earlier or later than the paper's.",
        "noisywikihow": "As `released`, and the number kept is rounded to the nearest.",
        "estimated": NO_RATE,
        "averaged": "Predictions are the mean of both networks' logits.",
        "epochs": "As `released`, and from epoch `decay_from` on the learning rate falls linearly "
        "to 0, as published for 200 epochs.",
    },
)
