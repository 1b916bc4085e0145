"""cores*: rows that a sieve holds back are learned from without their labels.

Two phases. The first is ``cores2`` on a clock of its own: regularised training sieves the rows.
1e-8 is added to p in the regulariser, as in ``cores2:released``, so that no loss falls without end.
At its end the sieve stays as it is, and a new network with a fresh optimiser takes a batch of the
rows that were kept and a batch of the others at every update:

* of the kept ones, the cross-entropy of their labels;
* of the others, ``consistency`` times KL(p, r), p the probabilities of a weak view, held constant,
  and r those of a strong one, as in unsupervised data augmentation.

The published sieve is that of epoch 41 of cores2's 100, the first with all of beta: here beta is 0
for a quarter of the first phase, sieving begins at three quarters, and beta has grown at its end.
That phase lasts for the share ``first`` of the updates. In ``cores*:epochs`` it lasts ``sieving``
epochs of cores2's published recipe, learning rate included; in the second phase the rate grows from
0 to its value over 7.5 % of the updates, and falls along half a cosine. Where no row is held back,
or none is kept, the batch is of all rows.

A vector has no crops: its weak view is itself, and the strong one has Gaussian noise of standard
deviation ``view_noise``, in units of the inputs; at 0 they are the same and teach nothing.

Departs from common code: the published second phase takes 320 kept rows and 80, 160 or 240 others
an update, with ``consistency`` 0.2, 0.4 or 0.9, by noise rates of 0.2, 0.4 and 0.6, which it knows;
here both batches are of one size, and ``consistency`` is a hyper-parameter. It also shows strong
views of the kept rows; here they are seen as the recipe says. An epoch is as many updates as in the
first phase, not as there are batches of kept rows. The published second phase has three times the
rate of the first; here both have the trial's. Its gradients are not clipped.
"""

from __future__ import annotations

import torch
from torch import Tensor

from . import ce, cores2
from ._algorithm import Algorithm, Stage, epochs
from ._protocol import Batch, Trials
from ._rates import Rate, cosine, warmed_up
from ._space import one_of
from ._views import View
from .sop_plus import divergence

END = 0.4  # of cores2's clock, when the first phase ends: all of beta counts
WARM = 120 / 1600  # of the second phase's updates, as published


def by_share(s: Trials) -> tuple[float, bool]:
    """cores2's schedule, of which the first phase is the part up to 0.4."""
    at = END * s.stage_share
    return cores2.growth(at), at >= cores2.SIEVING


def kept(s: Trials) -> Tensor:
    return s.rows["kept"]


def held_back(s: Trials) -> Tensor:
    return ~s.rows["kept"]


def step(s: Trials, sure: Batch, rest: Batch):
    with torch.no_grad():
        weak = s.net(rest.view("weak")).logits.log_softmax(-1)
    strong = s.net(rest.view("strong")).logits.log_softmax(-1)
    supervised = ce.loss(s.net(sure.x).logits, sure.given)
    return (supervised + s.hp.consistency * divergence(weak, strong)).mean(-1)


def begin(s: Trials):
    return {"net": s.anew("net")}


def until(s: Trials):
    return int(s.hp.first * s.T)


def stages(schedule: cores2.Schedule, until, first: Rate | None, second: Rate | None):
    """The two phases under a schedule, with their rates."""
    sieving = cores2.step_with(schedule, cores2.GUARD), cores2.whole_with(schedule)
    return (
        Stage(sieving[0], whole=sieving[1], until=until, rate=first),
        Stage(step, begin=begin, afresh=True, rate=second, samplers=(kept, held_back)),
    )


SPACE = {
    **cores2.BETA,
    "consistency": one_of(0.4, (0.2, 0.4, 0.9), within="[0, inf)"),
    "view_noise": one_of(0.2, (0.1, 0.2, 0.4), within="[0, inf)"),
}

CORES_STAR = Algorithm(
    "cores*",
    stages(by_share, until, None, None),
    paper=cores2.CORES2.paper,
    kind="noisy labels",
    summary="cores2's sieve; then what it holds back is learned from without its labels",
    reads=("given",),
    rows=cores2.rows,
    memory=cores2.memory,
    views={"weak": View(), "strong": View(noise="view_noise")},
    space=SPACE | {"first": one_of(0.4, (0.4,), static=True, within="(0, 1)")},
    shortened={"plain": 0, "growth": 1, "sieve": 1, "drop": 1, "sieving": 3},
    variants={
        "epochs": {
            "stages": stages(
                cores2.by_epoch, epochs("sieving"), cores2.rate, warmed_up(WARM, cosine())
            ),
            "space": SPACE | cores2.EPOCHS | {"sieving": cores2.in_epochs(41, (41,), least=1)},
        }
    },
    differences={
        "epochs": "The first phase lasts `sieving` epochs, by cores2's published recipe; in the "
        "second the learning rate warms up and falls along a cosine, as published."
    },
)
