"""soft-ce: cross-entropy on the shares of each row's answers.

A row's target is how often each class was answered, so that disagreement is kept; the loss is
-sum_j share_j log p_j, which is the mean of -log p over the row's answers. Every row weighs the
same, however many answers it has, and every annotator is believed alike.
"""

from __future__ import annotations

from ._algorithm import Algorithm, Stage
from ._annotators import answered, mean_of_rows
from ._protocol import Batch, Trials


def step(s: Trials, b: Batch):
    _, said, there = answered(b.votes)
    nats = -s.net(b.x).logits.log_softmax(-1).gather(-1, said)
    return mean_of_rows(nats, there)


SOFT_CE = Algorithm(
    "soft-ce",
    (Stage(step),),
    paper="Peterson et al., Human uncertainty makes classification more robust, ICCV 2019",
    kind="several annotators",
    summary="cross-entropy on the shares of each row's answers",
    reads=("votes",),
)
