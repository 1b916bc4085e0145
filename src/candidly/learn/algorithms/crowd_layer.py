"""crowd-layer: a layer of weights for each annotator behind the network's probabilities.

Annotator a answers softmax(p W_a), with W_a (q, q) free and the identity at first. The loss is the
cross-entropy of each answer; predictions are p's. This is the form "MW" of the paper.

Departs from the released program: the loss is the mean over the answers of a batch. There it is a
mean over rows and annotators, so that it shrinks with the share of answers that are there.
"""

from __future__ import annotations

import numpy as np
from torch import Tensor

from ._algorithm import Algorithm, Own, Stage
from ._annotators import answered, entries, mean_of_answers
from ._protocol import Batch, Trials


def weights(annotators: int, classes: int) -> np.ndarray:
    """The identity for everybody: (annotators, q, q)."""
    return np.broadcast_to(np.eye(classes), (annotators, classes, classes)).copy()


def scores(probs: Tensor, matrices: Tensor) -> Tensor:
    """p W of each answer: (..., B, q), (..., B, R, q, q) -> (..., B, R, q)."""
    return (probs[..., None, :, None] * matrices).sum(-2)


def step(s: Trials, b: Batch):
    who, said, there = answered(b.votes)
    probs = s.net(b.x).logits.softmax(-1)
    made = scores(probs, entries(s.parameters["weights"], who))
    nats = made.logsumexp(-1) - made.gather(-1, said[..., None])[..., 0]
    return mean_of_answers(nats, there)


CROWD_LAYER = Algorithm(
    "crowd-layer",
    (Stage(step, own={"weights": Own()}),),
    paper="Rodrigues and Pereira, Deep learning from crowds, AAAI 2018",
    kind="several annotators",
    summary="learns a layer of weights for each annotator behind the probabilities",
    reads=("votes",),
    per_annotator={"weights": weights},
)
