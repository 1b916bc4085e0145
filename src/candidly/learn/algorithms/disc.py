"""disc: thresholds of each row's own say which labels to learn, and which ones to correct.

A row has a threshold for either of two views, weak and strong, at first 1 / n: t <- m t + (1 - m)
max_j p_j whenever it is seen, m being ``momentum``. Before that its p, of the weak view, and r, of
the strong one, put it where it will be when it is seen next:

* clean, where p_y is above the weak threshold and r_y above the strong one; hard, where one of
  the two holds; both keep their label;
* purified, where neither holds, but the largest entry of (p + r) / 2 is above the mean of the two
  thresholds plus ``sigma``, or above 0.9 if that is less. Its label becomes that class.

For ``warm_up`` epochs the loss is the cross-entropy of both views. Then it is the sum of

* over the batch's clean rows, the cross-entropy of both views, and over its hard rows
  ``hard_weight`` times the generalised cross-entropy of both (``gce``, power 0.7), over B;
* the mean over the rows of any of the three sets of the cross-entropy of mixtures: each is mixed
  with another row of the sets, input and label alike, with weights l and 1 - l, l = max(b, 1 - b),
  b ~ Beta(``alpha``, ``alpha``). This once in the weak and once in the strong view, with their own
  l and pairs. Without any such row it is 0.

A vector has no crops: its weak view is itself, and the strong one has Gaussian noise of standard
deviation ``view_noise``, in units of the inputs; at 0 the two are the same, and no row is hard.

Departs from common code: rows that an epoch leaves out keep their thresholds, where published
programs move them by what was predicted before. Mixtures of rows of no set go through the network
and count for nothing, so that norms of batches see them.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from . import ce, gce, mixup
from ._algorithm import Algorithm, Stage, epochs
from ._protocol import Batch, OneTrial, Trials
from ._selection import masked_mean
from ._space import one_of
from ._views import View

CLEAN, HARD, PURIFIED = 1, 2, 3  # what ``part`` says; 0: none of these
SUREST = 0.9  # a threshold of corrections is no higher
POWER = 0.7


def rows(s: OneTrial):
    first = torch.full(s.given.shape, 1 / s.n, dtype=s.dtype)
    return {
        "weak": first,
        "strong": first.clone(),
        "part": torch.zeros_like(s.given),
        "corrected": s.given.clone(),
    }


def seen(s: Trials, b: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Weak and strong views, (K, B, d), and their logits, from one pass."""
    weak, strong = b.view("weak"), b.view("strong")
    logits = s.net(torch.cat([weak, strong], 1)).logits
    return weak, strong, *logits.split(s.B, 1)


def judged(s: Trials, b: Batch, weak: Tensor, strong: Tensor) -> dict[str, Tensor]:
    """The batch's rows anew, from their logits in both views."""
    p, r = weak.detach().softmax(-1), strong.detach().softmax(-1)
    part, corrected = parted(p, r, b.given, b.weak, b.strong, s.hp.sigma)
    momentum = s.hp.momentum
    return {
        "weak": momentum * b.weak + (1 - momentum) * p.amax(-1),
        "strong": momentum * b.strong + (1 - momentum) * r.amax(-1),
        "part": part,
        "corrected": corrected,
    }


def parted(
    p: Tensor, r: Tensor, given: Tensor, weak: Tensor, strong: Tensor, sigma: Tensor | float
) -> tuple[Tensor, Tensor]:
    """Which set a row belongs to, and its label there.

    Args:
        p, r: float (..., q), probabilities in the weak and in the strong view.
        given: int (...), in 0..q-1.
        weak, strong: float (...), the row's thresholds.

    Returns:
        int (...), 0 for none, or CLEAN, HARD or PURIFIED; int (...), the given label, or another
        one where it is corrected.
    """
    own = given[..., None]
    passed = (p.gather(-1, own)[..., 0] > weak).long() + (r.gather(-1, own)[..., 0] > strong)
    surest, label = ((p + r) / 2).max(-1)
    purified = (passed == 0) & (surest > ((weak + strong) / 2 + sigma).clamp_max(SUREST))
    part = torch.where(purified, PURIFIED, torch.where(passed == 2, CLEAN, HARD * passed))
    return part, torch.where(purified, label, given)


def partners(inside: Tensor, order: Tensor) -> Tensor:
    """A random permutation among the rows inside, from one of all; the others map among themselves.

    bool (..., B), int (..., B), a permutation -> int (..., B).
    """
    size = inside.shape[-1]
    behind = torch.where(inside, 0, size)
    straight = (torch.arange(size, device=order.device) + behind).argsort(-1)
    shuffled = (order + behind).argsort(-1)
    return torch.empty_like(order).scatter_(-1, straight, shuffled)


def mixed_loss(s: Trials, x: Tensor, labels: Tensor, inside: Tensor, drawn) -> Tensor:
    """The mean cross-entropy of mixtures of the rows inside, (K,).

    Args:
        x: (K, B, ...).
        labels: int (K, B).
        inside: bool (K, B).
        drawn: a generator per trial.
    """
    shares = [
        g.beta(h["alpha"], h["alpha"]) if h["alpha"] > 0 else 1.0 for g, h in zip(drawn, s.hyper)
    ]
    share = torch.tensor(shares, dtype=s.dtype, device=x.device)[:, None]
    share = torch.maximum(share, 1 - share)
    order = torch.from_numpy(np.stack([g.permutation(s.B) for g in drawn])).to(x.device)
    partner = partners(inside, order)
    places = partner + s.B * torch.arange(s.K, device=x.device)[:, None]

    def mix(values: Tensor) -> Tensor:
        other = values.flatten(0, 1).index_select(0, places.flatten()).view_as(values)
        return other.lerp_(values, share.view(s.K, *[1] * (values.dim() - 1)))

    each = mixup.loss(s.net.mixed(x, mix).logits, labels, labels.gather(1, partner), share)
    return masked_mean(each, inside)


def warm(s: Trials, b: Batch):
    *_, weak, strong = seen(s, b)
    objective = ce.loss(weak, b.given) + ce.loss(strong, b.given)
    return objective.mean(-1), judged(s, b, weak, strong)


def step(s: Trials, b: Batch):
    weak_x, strong_x, weak, strong = seen(s, b)
    own = ce.loss(weak, b.given) + ce.loss(strong, b.given)
    robust = gce.loss(weak, b.given, POWER) + gce.loss(strong, b.given, POWER)
    objective = torch.where(b.part == CLEAN, own, 0).mean(-1)
    objective = objective + s.hp.hard_weight[:, 0] * torch.where(b.part == HARD, robust, 0).mean(-1)
    drawn, inside = s.rng("mix"), b.part > 0
    for x in (weak_x, strong_x):
        objective = objective + mixed_loss(s, x, b.corrected, inside, drawn)
    return objective, judged(s, b, weak, strong)


DISC = Algorithm(
    "disc",
    (Stage(warm, until=epochs("warm_up")), Stage(step)),
    paper="Li, Han, Shan & Chen, DISC: learning from noisy labels via dynamic instance-specific "
    "selection and correction, CVPR 2023",
    kind="noisy labels",
    summary="thresholds of each row's own say which labels to learn, and which ones to correct",
    reads=("given",),
    rows=rows,
    views={"weak": View(), "strong": View(noise="view_noise")},
    space={
        "warm_up": one_of(15, (5, 10, 15, 20), static=True, within="[0, inf)", whole=True),
        "momentum": one_of(0.95, (0.95, 0.99), within="[0, 1)"),
        "sigma": one_of(0.5, (0.3, 0.5), within="[0, 1]"),
        "hard_weight": one_of(1.0, (0.2, 1.0), within="[0, inf)"),
        "alpha": one_of(5.0, (1.0, 5.0), within="[0, inf)"),
        "view_noise": one_of(0.2, (0.1, 0.2, 0.4), within="[0, inf)"),
    },
    shortened={"warm_up": 2},
)
