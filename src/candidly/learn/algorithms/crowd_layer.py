"""crowd-layer: a layer of weights for each annotator behind the network's probabilities.

Annotator a answers softmax(p W_a), with W_a (q, q) free and the identity at first. The loss is the
cross-entropy of each answer; predictions are p's. This is the form "MW" of the paper.

Departs from the released program: the loss is the mean over the answers of a batch. There it is a
mean over rows and annotators, so that it shrinks with the share of answers that are there.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ._algorithm import Algorithm, Own, Stage
from ._annotators import answered, entries, mean_of_answers, products
from ._protocol import Batch, Trials


def weights(annotators: int, classes: int) -> np.ndarray:
    """The identity for everybody: (annotators, q, q)."""
    return np.broadcast_to(np.eye(classes), (annotators, classes, classes)).copy()


def scores(probs: Tensor, weights: Tensor, who: Tensor) -> Tensor:
    """p W_a of each answer: (K, B, q), (K, A, q, q), int64 (K, B, R) -> (K, B, R, q)."""
    rows = torch.arange(probs.shape[1], device=who.device)
    by_annotator = products(probs[:, None], weights).flatten(1, 2)  # (K, A B, q)
    return entries(by_annotator, who * len(rows) + rows[:, None])


def step(s: Trials, b: Batch):
    who, said, there = answered(b.votes)
    probs = s.net(b.x).logits.softmax(-1)
    made = scores(probs, s.parameters["weights"], who)
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
