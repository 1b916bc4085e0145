"""decoupling-crt: learn features from the data as they are, then a new classifier on equal classes.

Cross-entropy for the share ``first`` of the updates. Then the trunk is frozen, the head starts
anew, and is trained on batches in which all classes count alike: classes take turns, and each visit
takes ``visit`` rows of one (``_classes.class_aware``).

Departs from common code: an epoch of the second stage is as long as one of the first; there, it
lasts until the largest class has been seen as often as it has rows. Both stages together last as
long as one training of another algorithm. The learning rate is constant, and the same in both.
"""

from __future__ import annotations

import torch

from . import ce
from ._algorithm import Algorithm, Stage
from ._classes import DECOUPLED, balanced, until_second
from ._protocol import Batch, Trials


def begin(s: Trials):
    return {"net": s.anew("net.head")}


def step(s: Trials, b: Batch):
    with torch.no_grad():
        features = s.net.trunk(b.x)
    return ce.loss(s.net.head(features), b.given).mean(-1)


DECOUPLING_CRT = Algorithm(
    "decoupling-crt",
    (
        Stage(ce.step, until=until_second),
        Stage(step, begin=begin, samplers=(balanced,), trains=("net.head",)),
    ),
    paper="Kang et al., Decoupling representation and classifier for long-tailed recognition, "
    "ICLR 2020",
    kind="long tail",
    summary="cross-entropy, then a new head on frozen features and equal classes",
    reads=("given",),
    space=DECOUPLED,
    shortened={"first": 0.2},
)
