"""pes-semi: PES(semi), which learns the labels that ``pes`` does not confirm by MixMatch.

As in ``pes``: cross-entropy for the share ``first`` of the updates; the head starts anew and is
trained alone for the share ``refine`` of what is left, by Adam at the constant rate ``refine_lr``;
before every epoch of the rest, the rows whose given label is the most probable class by two views
are the confident ones. A batch then has rows of both kinds, half of it of the others, or as many as
their share of all rows where that is less. Of these B rows:

* target: the given label of a confident row; of another, the mean of the network's probabilities
  over two views, sharpened (squared and normalised again);
* both views, 2B rows, are mixed with a permutation of themselves, inputs and targets alike, with
  weights l and 1 - l, l = max(b, 1 - b), b ~ Beta(a, a); a is 4, and 0.75 in the second half of
  all updates;
* loss: the mean of -sum_j w_j t_j log p_j over mixtures whose larger part is a confident row, plus
  lambda_u ramp times the mean squared error of the probabilities of the others. w_j, at most
  ``cap``, is as in ``pes``; ``ramp`` goes from 0 to 1 over 16 epochs of this stage.

A class without a confident row weighs nothing, as in ``pes``. Where all rows are confident, nothing
is added; where none is, all are taken to be. ``pes-semi:deep`` renews two parts, one after the
other, as ``pes:deep``; ``pes-semi:frozen`` leaves the new head as it is in the last stage.

Published, in epochs: 20 (CIFAR-100: 35), 5 and 280 (265), where ``first`` is 20/305 (35/305) and
``refine`` 5/285 (5/270), and ``refine_lr`` 1e-4. In the released program the renewed head is
unknown to the last stage's optimiser, which is what ``frozen`` repeats.

Departs from common code: what is guessed comes from a pass over the whole batch, so that batch norm
sees confident rows there, too. The last stage's optimiser starts afresh. A vector has no crops: a
view is Gaussian noise of standard deviation ``view_noise``, in units of the inputs.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from . import pes
from ._algorithm import Algorithm, Own, Stage, each_epoch
from ._classes import again_and_again
from ._mixmatch import drawn_mixes, mixed, ramp, sharpen
from ._protocol import Batch, Trials
from ._selection import masked_mean
from ._space import one_of

BETA, BETA_LATE = 4.0, 0.75


def others(s: Trials) -> Tensor:
    """How many rows of a batch are not confident ones: int64 (K,)."""
    sure = s.rows["confident"].sum(1)
    rest = s.n - sure
    return torch.where(rest > sure, s.B // 2, rest * s.B // s.n)


def composed(s: Trials) -> Tensor:
    """A sampler: batches of confident rows and, behind them, the others; int64 (K, E * B)."""
    orders = []
    tables = s.rows["confident"].cpu().numpy()
    for sure, count, generator in zip(tables, others(s).tolist(), s.rng("sets")):
        parts = [
            again_and_again(np.flatnonzero(mine), s.E * size, generator).reshape(s.E, size)
            for mine, size in ((sure, s.B - count), (~sure, count))
        ]
        orders.append(np.concatenate(parts, 1).ravel())
    return torch.from_numpy(np.stack(orders))


def beta_of(s: Trials) -> float:
    return BETA if 2 * s.t < s.T else BETA_LATE


def step_with(renewals: int):
    """The last stage's step, behind so many renewals."""
    starts = pes.until(renewals)

    def step(s: Trials, b: Batch):
        sure = b.confident
        with torch.no_grad():
            views = [b.view("weak", which) for which in range(2)]
            first, second = (s.net(x).logits.softmax(-1) for x in views)
            label = one_hot(b.given, s.q).to(s.dtype)
            target = torch.where(sure[..., None], label, sharpen((first + second) / 2))
            order, share = (drawn[:, 0] for drawn in drawn_mixes(s, 2 * s.B, beta_of(s), 1))
            target = mixed(torch.cat([target, target], 1), order, share)
            known = torch.cat([sure, sure], 1)
        mix = partial(mixed, order=order, share=share)
        log_p = s.net.mixed(torch.cat(views, 1), mix).logits.log_softmax(-1)
        nats = -(s.memory["weights"][:, None] * target * log_p).sum(-1)
        off = (log_p.exp() - target).square().mean(-1)
        weight = s.hp.lambda_u[:, 0] * ramp(s, starts(s) / s.E)
        return masked_mean(nats, known) + weight * masked_mean(off, ~known)

    return step


def renewed(part: str, number: int) -> Stage:
    return pes.renewed(part, number, optimiser="adam", own={part: Own("adam", "refine_lr")})


def last(renewals: int, **how) -> Stage:
    step = step_with(renewals)
    whole = each_epoch(pes.select)
    return Stage(step, begin=pes.select, whole=whole, samplers=(composed,), **how)


PES_SEMI = Algorithm(
    "pes-semi",
    (pes.FIRST, renewed("net.head", 1), last(1)),
    paper=pes.PES.paper,
    kind="noisy labels",
    summary="stops early, renews the head, and learns the rows that it does not confirm unlabelled",
    reads=("given",),
    rows=pes.rows,
    memory=pes.memory,
    views=pes.PES.views,
    space={
        **pes.SPACE,
        "refine_lr": one_of(1e-3, (1e-4, 1e-3), within="[0, inf)"),
        "lambda_u": one_of(5, (5, 75), within="[0, inf)"),
    },
    shortened={**pes.PES.shortened, "refine_lr": 0.02},
    variants={
        "deep": {
            "stages": (
                pes.FIRST,
                renewed("net.late", 1),
                renewed("net.head", 2),
                last(2),
            ),
            "head": pes.deeper,
        },
        "frozen": {
            "stages": (pes.FIRST, renewed("net.head", 1), last(1, trains=("net.trunk",))),
        },
    },
    differences={
        "deep": pes.PES.differences["deep"],
        "frozen": "The renewed head stays as it is in the last stage, as in the released program "
        "(D-PES-1).",
    },
)
