"""data-parameters: every training row has a temperature of its own, learned by gradient.

Loss: -log softmax(z / exp(s_i))_y, with s_i = 0 at first, plus weight_decay_row / 2 times the sum
of the batch's s_i². Rows whose label the network keeps getting wrong grow hot, and their gradient
small. s moves by SGD with momentum 0.9 at the rate ``lr_row``, for the batch's rows alone, and
stays within ±log 20. Predictions use no temperature. A row's suspicion is its temperature.

Departs from common code: the released optimiser moves only entries whose gradient is not 0, which
here are the batch's. The instance level alone; temperatures of classes are not offered.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from . import ce
from ._algorithm import Algorithm, Row, Stage
from ._protocol import Batch, Trials
from ._space import one_of

BOUND = math.log(20)


def temperature(s: Trials) -> Tensor:
    return torch.zeros((1, s.n), dtype=s.dtype)


def loss(logits: Tensor, given: Tensor, log_temperature: Tensor) -> Tensor:
    """-log softmax(z / exp(s))_y per example: (..., q), int (...), (...) -> (...), in nats."""
    return ce.loss(logits * (-log_temperature).exp()[..., None], given)


def step(s: Trials, b: Batch):
    hot = b.log_temperature
    penalty = s.hp.weight_decay_row[:, 0] / 2 * hot.square().sum(-1)
    return loss(s.net(b.x).logits, b.given, hot).mean(-1) + penalty


def suspicion(s: Trials, k: int) -> Tensor:
    return s.rows["log_temperature"][k].exp()


DATA_PARAMETERS = Algorithm(
    "data-parameters",
    (Stage(step),),
    paper="Saxena, Tuzel & DeCoste, Data parameters: a new family of parameters for learning a "
    "differentiable curriculum, NeurIPS 2019",
    kind="noisy labels",
    summary="every training row learns a temperature; rows that look wrong count less",
    reads=("given",),
    learned={"log_temperature": Row(temperature, "lr_row", 0.9, -BOUND, BOUND)},
    suspicion=suspicion,
    space={
        "lr_row": one_of(0.2, (0.1, 0.2, 0.5, 0.8, 1, 2, 5), within="[0, inf)"),
        "weight_decay_row": one_of(0, (0,), within="[0, inf)"),
    },
)
