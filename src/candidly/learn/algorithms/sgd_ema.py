"""sgd-ema: cross-entropy by SGD at a high constant rate; a running mean of the weights predicts.

No means against wrong labels, and yet close to methods that have some: a baseline to compare with.
A second network, the average A, follows the trained one, P: after update t (from 1)
A <- A + r (P - A), r = max(1 - decay, 1/t). So it is the plain mean of all P at first, until the
exponential one forgets faster. SGD has momentum 0.9. ``sgd-ema:swa`` is stochastic weight averaging
(Izmailov et al., UAI 2018): P predicts until the share ``start`` of the updates, and from then on
the plain mean of all P since.

Departs from common code: SWA takes one P per epoch into its mean, here every update's counts. There
is no batch norm whose statistics would have to be taken again. The learning rate is not drawn like
other algorithms': 10^-3 is no high rate for SGD.
"""

from __future__ import annotations

from . import ce
from ._algorithm import Algorithm, Stage
from ._copies import copy_of
from ._protocol import Batch, Trials
from ._space import one_of


def average(net, classes, hyper):
    return net


def begin(s: Trials):
    return copy_of(s.net, "average")


def after(s: Trials, b: Batch):
    share = (1 - s.hp.decay).clamp_min(1 / (s.t + 1))
    return copy_of(s.net, "average", s.average.flat.lerp(s.net.flat, share))


def after_swa(s: Trials, b: Batch):
    share = 1 / max(1, s.t + 1 - first(s))
    return copy_of(s.net, "average", s.average.flat.lerp(s.net.flat, share))


def first(s: Trials) -> int:
    """How many updates are done before the first that counts."""
    return int(s.hp.start * s.T)


LR = {"lr": one_of(0.1, (0.03, 0.1, 0.3), within="[0, inf)")}

SGD_EMA = Algorithm(
    "sgd-ema",
    (Stage(ce.step, after, begin=begin, trains=("net",), optimiser="sgd"),),
    paper="Polyak & Juditsky, Acceleration of stochastic approximation by averaging, SIAM Journal "
    "on Control and Optimization 1992",
    kind="noisy labels",
    summary="cross-entropy by SGD at a high rate; a running mean of the weights predicts",
    reads=("given",),
    modules={"average": average},
    predicts="average",
    space=LR | {"decay": one_of(0.998, (0.99, 0.998, 0.999), within="[0, 1)")},
    shortened={"start": 0.2},
    variants={
        "swa": {
            "stages": (Stage(ce.step, after_swa, begin=begin, trains=("net",), optimiser="sgd"),),
            "space": LR | {"start": one_of(0.75, (0.5, 0.75), static=True, within="[0, 1)")},
        }
    },
    differences={
        "swa": "The plain mean of the weights since the share `start` of the updates, which are "
        "not averaged before it (SWA)."
    },
)
