"""forward-t: push predictions through the transition matrix, and fit given labels with those.

-log (p T)_y has the clean posterior as its minimiser if T[i, j] = P(given = j | label = i) is
right. T is estimated after a warm-up with cross-entropy: row i is what is predicted of the training
row that is surest of class i, or of the one at a high quantile. Then a network starts anew.

Departs from common code: log space throughout. The network at the end of the warm-up makes the
estimate, not the one that was best on validation rows, and it predicts as in evaluation.
"""

from __future__ import annotations

from ._algorithm import Algorithm
from ._protocol import Batch, Trials
from ._transition import (
    DIFFERENCES,
    QUANTILE,
    WARM_UP,
    anchored,
    estimated,
    forward_loss,
    identity,
    variants,
)


def step(s: Trials, b: Batch):
    return forward_loss(s.net(b.x).logits, b.given, s.memory["table"]).mean(-1)


FORWARD_T = Algorithm(
    "forward-t",
    estimated(step, anchored),
    paper="Patrini et al., Making deep neural networks robust to label noise: a loss correction "
    "approach, CVPR 2017",
    kind="noisy labels",
    summary="predictions pass through a transition matrix before they meet given labels",
    reads=("given",),
    memory=identity,
    space=QUANTILE | WARM_UP,
    shortened={"warm_up": 0.2},
    variants=variants(step),
    version=2,
    differences=DIFFERENCES,
)
