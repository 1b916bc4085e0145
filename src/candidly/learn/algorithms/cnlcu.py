"""cnlcu-soft, cnlcu-hard: co-teaching that gives examples it knows little of the benefit of doubt.

Examples are ranked not by their loss but by a lower bound of a robust mean of their losses in this
interval of ``interval`` epochs, l_1 ... l_t, this one included; c is how often the network has
chosen the example in the interval, counted from 1. What was chosen seldom has a lower bound.

* soft: the mean of psi(l) = log(1 + l + l² / 2), minus s (t + s log(2t) / t²) / (c - s) with
  s = sigma2;
* hard: the mean of the losses but for t_o outliers, minus
  2 sqrt(2 tau) L (t + sqrt(2) t_o) / ((t - t_o) sqrt(t)) sqrt(log(4t) / c), tau = tau_min, L = 2.
  An outlier is a loss whose second nearest other one is farther than the 90 % quantile of these
  distances; with 5 to 10 losses that is the farthest, if it is alone in that. Fewer have none.

The smallest bounds are chosen and exchanged, and R is, as in co-teaching. sigma2 and tau_min fall
linearly to 0 over the first two fifths of the training. Losses and counts start anew every
``interval`` epochs.

Departs from common code: the authors' soft program broadcasts to a matrix and uses its first row,
so that counts cannot change the ranking; their hard one removes the inliers; both average what is
left over all columns. Here the formulas hold per example. Bounds are not clipped at 0, where most
would tie. The released programs have the number of the epoch for t, though losses start anew
(``epoch``). ``soft:estimated`` and ``hard:estimated`` need no noise rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from ._algorithm import Algorithm, Stage, each_epoch
from ._protocol import Batch, OneTrial, Trials
from ._selection import (
    ESTIMATED_SPACE,
    NO_RATE,
    SPACE,
    Forget,
    estimate,
    forget,
    forget_estimated,
    kept,
    losses,
    masked_mean,
    no_rate,
    smallest,
)
from ._space import Setting, one_of

FALL = 0.4  # share of the training over which sigma2 and tau_min fall to 0
BOUND = 2.0  # L, of a loss
FEWEST = 5  # losses among which one may be an outlier

Bound = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


def soft_bound(past: Tensor, known: Tensor, t: Tensor, chosen: Tensor, sigma2: Tensor) -> Tensor:
    """The soft criterion.

    Args:
        past: float (..., W), an interval's losses.
        known: bool (..., W), which of them there are.
        t: float (...), the t of the bound.
        chosen: float (...), how often the example was chosen, from 1.
        sigma2: float (...), in [0, 1).

    Returns:
        float (...); smaller is more likely clean.
    """
    psi = torch.log1p(past + past.square() / 2)
    mean = (psi * known).sum(-1) / known.sum(-1)
    return mean - sigma2 * (t + sigma2 * (2 * t).log() / t.square()) / (chosen - sigma2)


def hard_bound(past: Tensor, known: Tensor, t: Tensor, chosen: Tensor, tau: Tensor) -> Tensor:
    """The hard criterion; arguments as for ``soft_bound``, tau >= 0."""
    out = outliers(past, known) if past.shape[-1] >= FEWEST else torch.zeros_like(known)
    left, removed = known & ~out, out.sum(-1).to(past.dtype)
    mean = (past * left).sum(-1) / left.sum(-1)
    spread = (t + math.sqrt(2) * removed) / ((t - removed) * t.sqrt())
    return mean - 2 * (2 * tau).sqrt() * BOUND * spread * ((4 * t).log() / chosen).sqrt()


def outliers(past: Tensor, known: Tensor) -> Tensor:
    """Losses that lie apart: (..., W), bool (..., W) -> bool (..., W), W at most 10.

    The one whose second nearest other loss is farthest, where there are 5 losses and no other is
    as far.
    """
    apart = (past[..., :, None] - past[..., None, :]).abs()
    itself = torch.eye(past.shape[-1], dtype=torch.bool, device=past.device)
    apart = apart.masked_fill(itself | ~known[..., None, :], torch.inf)
    second = apart.topk(2, dim=-1, largest=False).values[..., 1].masked_fill(~known, -torch.inf)
    top = second.topk(2, dim=-1).values
    farthest = (second == top[..., :1]) & (top[..., :1] > top[..., 1:])
    return farthest & (known.sum(-1, keepdim=True) >= FEWEST)


def rows(s: OneTrial):
    lead = (1, s.n)
    return {
        "past": torch.zeros((*lead, 2, s.hp.interval), dtype=s.dtype),
        "seen": torch.zeros(lead, dtype=torch.int64),
        "chosen": torch.ones((*lead, 2), dtype=s.dtype),
    }


def step_with(bound: Bound, falling: str, forget: Forget, by_epoch: bool = False):
    """The step under a bound, whose doubt is the hyper-parameter ``falling``."""

    def step(s: Trials, b: Batch):
        each = losses(s.net(b.x).logits, b.given)
        slots = torch.arange(s.hp.interval, device=each.device)
        past = b.past.transpose(1, 2)  # (K, 2, B, W)
        here = (slots == b.seen[..., None])[:, None]
        past = torch.where(here, each.detach()[..., None], past)
        known = (slots <= b.seen[..., None])[:, None]
        t = torch.full_like(each, s.epoch + 1) if by_epoch else known.sum(-1).to(each.dtype)
        doubt = getattr(s.hp, falling) * max(0.0, 1 - s.epoch * s.E / (FALL * s.T))
        chosen = b.chosen.transpose(1, 2)
        so_far = s.epoch % s.hp.interval + 1  # losses that there may be
        criterion = bound(past[..., :so_far], known[..., :so_far], t, chosen, doubt)
        mine = smallest(criterion, kept(forget(s), s.B))
        return masked_mean(each, mine.flip(1)), {
            "past": past.transpose(1, 2),
            "seen": b.seen + 1,
            "chosen": (chosen + mine).transpose(1, 2),
        }

    return step


def anew(s: Trials) -> dict[str, Tensor]:
    """Empty tables when an interval is over."""
    if s.epoch % s.hp.interval:
        return {}
    seen, chosen = s.rows["seen"], s.rows["chosen"]
    return {"seen": torch.zeros_like(seen), "chosen": torch.ones_like(chosen)}


def anew_estimated(s: Trials) -> dict[str, Tensor]:
    return anew(s) | estimate(s)


INTERVAL = one_of(5, (3, 5), static=True, within="[1, inf)", whole=True)


def page(name: str, bound: Bound, falling: str, setting: Setting) -> Algorithm:
    own = {falling: setting, "interval": INTERVAL}
    start = each_epoch(anew)
    kind = "a soft" if bound is soft_bound else "a hard"
    return Algorithm(
        name,
        (Stage(step_with(bound, falling, forget), whole=start),),
        paper="Xia et al., Sample selection with uncertainty of losses for learning with noisy "
        "labels, ICLR 2022",
        kind="noisy labels",
        summary=f"co-teaching by a lower bound of {kind} mean of each example's losses",
        reads=("given",),
        rows=rows,
        networks=2,
        told=("noise_rate",),
        space=SPACE | own,
        shortened={"ramp": 2, "interval": 5},
        variants={
            "epoch": {"stages": (Stage(step_with(bound, falling, forget, True), whole=start),)},
            "estimated": {
                "stages": (
                    Stage(
                        step_with(bound, falling, forget_estimated),
                        whole=each_epoch(anew_estimated),
                    ),
                ),
                "memory": no_rate,
                "told": (),
                "space": ESTIMATED_SPACE | own,
            },
        },
        differences={
            "epoch": "t in the bound is the number of the epoch, as in released code, though the "
            "losses start anew.",
            "estimated": NO_RATE,
        },
    )


SIGMA2 = one_of(1e-4, (1e-4, 1e-3, 1e-2, 1e-1), within="[0, 1)")
TAU = one_of(0.3, (0.5, 0.3, 0.1, 0.05, 0.03, 0.01, 1e-3, 1e-4), within="[0, inf)")

CNLCU_SOFT = page("cnlcu-soft", soft_bound, "sigma2", SIGMA2)
CNLCU_HARD = page("cnlcu-hard", hard_bound, "tau_min", TAU)
