"""seal: what the network said on average, over a whole training, are the labels of the next.

The training is cut into ``rounds`` of equally many epochs. After every epoch the probabilities that
the network gives to all training rows are added up. In the first round the targets are the given
labels, in each later one the mean of the sums of the round before; loss: -sum_j target_j log p_j.
Each round starts from a new network and a fresh optimiser. A row's suspicion is 1 minus the mean
probability of its label in the last round.

Departs from common code: all rounds together last as long as one training of another algorithm, so
that each is that much shorter; the published program trains every round in full, ``rounds`` times
the cost. A mean is over the rows as they are, not as changed for training. NoisywikiHow's program
carries network and optimiser from round to round: ``seal:carried``. Besides training there is a
pass over all rows per epoch.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from ._algorithm import Algorithm, Stage, each_epoch
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._tensors import cross_entropy

MOST = 10  # rounds


def rows(s: OneTrial):
    label = one_hot(s.given, s.q).to(s.dtype)
    return {"target": label, "sum": torch.zeros_like(label)}


def step(s: Trials, b: Batch):
    return cross_entropy(b.target, s.net(b.x).logits).mean(-1)


def add(s: Trials) -> dict[str, Tensor]:
    """The sums with what is predicted today."""
    said = [s.whole(k).logits.softmax(-1) for k in range(s.K)]
    return {"sum": s.rows["sum"] + torch.stack(said)}


def averaged(total: Tensor, target: Tensor) -> Tensor:
    """Sums of probabilities over their number, (..., q); the old targets where there are none."""
    times = total.sum(-1, keepdim=True)
    return torch.where(times > 0, total / times.where(times > 0, 1), target)


def begin_carried(s: Trials):
    return {
        "target": averaged(s.rows["sum"], s.rows["target"]),
        "sum": torch.zeros_like(s.rows["sum"]),
    }


def begin(s: Trials):
    return begin_carried(s) | {"net": s.anew("net")}


def suspicion(s: Trials, k: int) -> Tensor:
    label = s.labels("given")[k][:, None]
    return 1 - averaged(s.rows["sum"][k], s.rows["target"][k]).gather(1, label)[:, 0]


def until(number: int):
    """Where round ``number`` ends, a whole epoch; the last at the end of the training."""

    def ends(s: Trials) -> int:
        rounds = int(s.hp.rounds)
        return s.T if number + 1 >= rounds else s.T // s.E * (number + 1) // rounds * s.E

    return ends


def in_rounds(begin, afresh: bool) -> tuple[Stage, ...]:
    first = Stage(step, whole=each_epoch(add), until=until(0))
    return first, *(
        Stage(step, whole=each_epoch(add), begin=begin, afresh=afresh, until=until(number))
        for number in range(1, MOST)
    )


SEAL = Algorithm(
    "seal",
    in_rounds(begin, afresh=True),
    paper="Chen et al., Beyond class-conditional assumption: a primary attempt to combat "
    "instance-dependent label noise, AAAI 2021",
    kind="noisy labels",
    summary="in rounds: a training's mean predictions are the targets of the next",
    reads=("given",),
    rows=rows,
    suspicion=suspicion,
    space={"rounds": one_of(4, (2, 4, 8), static=True, within="[1, 10]", whole=True)},
    shortened={"rounds": 4},
    variants={"carried": {"stages": in_rounds(begin_carried, afresh=False)}},
    differences={
        "carried": "Rounds go on with network and optimiser of the one before, as in "
        "NoisywikiHow's program."
    },
)
