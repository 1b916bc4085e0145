"""promix: as many clean rows as two networks can be sure of, and the rest on a head of its own.

``warm_up`` epochs of cross-entropy for both networks. Then, and after every epoch, each network has
a base set: of every class rho n / q rows of the smallest losses, rounded up, at least one and at
most all there are; rho goes from ``rho_first`` to ``rho`` over the first ``ramp`` epochs. In every
update, with p of the weak view, and for each network:

* chosen are the base set and the rows with p_y > ``tau``, which are those whose prediction is also
  their label; their target is y;
* from the share ``guess`` of all updates on, also rows on which both networks predict the same
  class, each with more than ``tau``, the surest first, up to 0.9 of the batch;
  their target is the network's class after debiasing;
* on the chosen rows, for each of two heads on the same features: the mean cross-entropy of the weak
  view, plus v times that of the strong view, of a mixture, and on pictures of an FMix. v goes from
  0 to 1 over ``ramp`` epochs. Rows of the weak view are mixed with other chosen ones by weights l
  and 1 - l, l = max(b, 1 - b), b ~ Beta(4, 4), and targets alike;
* on the others, the second head alone: lambda_u u times the cross-entropy of the weak view plus v
  times that of the strong one, against the first head's probabilities after debiasing, sharpened
  (squared and normalised again). u goes from 0 to 1 over 2 ``ramp`` epochs.

Debiasing: P and Q are running means of p over the chosen rows and over the others, uniform at
first: P <- r P + (1 - r) mean p, r = ``mean_momentum``. Logits under a loss have ``debias`` log P
added, or log Q for the others; those of targets have it taken off. Predictions are the mean of the
first heads' logits. Empty sets have loss 0 and move no mean.

``promix:released`` has no loss on the others from epoch 2 ``ramp`` on, as the released program.
There rho is constant, 0.5, on CIFAR-N; 10 epochs of warm-up (CIFAR-100N 30) of 600, tau 0.99
(0.95), debias 0.8 (0.5), guesses in the last 250 epochs.

Departs from common code: both heads learn from the same mixtures, where the program makes each its
own. All rows of a batch go through the network, chosen or not, so that batch norm sees them all;
each kind is mixed with its own kind. The strong view is candidly's. A vector has no pixels and no
crops: no FMix, and views are Gaussian noise of standard deviations ``view_noise`` and
``strong_noise``, in units of the inputs. Texts have no pixels either: no FMix.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from ..nets import Net, with_classifier
from ._algorithm import Algorithm, Stage, each_epoch, epochs
from ._classes import class_counts
from ._fmix import drawn_masks
from ._mixmatch import mixed, partners, sharpen
from ._protocol import Batch, OneTrial, Trials
from ._selection import label_losses, losses, masked_mean, smallest
from ._space import one_of
from ._tensors import cross_entropy
from ._views import View

Mix = Callable[[Tensor], Tensor]  # values of rows (K, 2, B, ...), to those of mixed rows

BETA = 4.0
MOST = 0.9  # of a batch, up to which guesses are taken
SECOND = "second"  # head


def rows(s: OneTrial):
    return {"base": torch.ones((1, s.n, 2), dtype=torch.bool)}


def memory(s: OneTrial):
    """Running means of the chosen rows and of the others, by network: (1, 2, 2, q)."""
    return {"means": torch.full((1, 2, 2, s.q), 1 / s.q, dtype=s.dtype)}


def two_heads(net: Net, classes: int, hyper) -> Net:
    return with_classifier(net, SECOND, classes)


def warm(s: Trials, b: Batch):
    return losses(s.net(b.x).logits, b.given).mean(-1)


# selection


def grown(s: Trials, k: int, times: int = 1) -> float:
    """From 0 to 1 over ``times`` ramps of trial ``k``, epoch by epoch."""
    return min(1.0, s.epoch / (times * s.hyper[k]["ramp"]))


def all_grown(s: Trials, times: int = 1) -> Tensor:
    """The same of every trial: (K, 1)."""
    return torch.tensor([[grown(s, k, times)] for k in range(s.K)], dtype=s.dtype, device=s.device)


def smallest_of_classes(nats: Tensor, given: Tensor, classes: int, share: float) -> Tensor:
    """Of every class the same number of rows with the smallest losses, or all it has.

    Args:
        nats: (n,).
        given: int (n,).
        share: how many, in multiples of n / q; rounded up, at least one.

    Returns:
        bool (n,); of equals those that come first.
    """
    n = len(given)
    order = nats.argsort(stable=True)
    order = order[given[order].argsort(stable=True)]  # class after class
    counts = class_counts(given, classes, torch.int64)
    places = torch.empty_like(order).scatter_(0, order, torch.arange(n, device=order.device))
    # a product that should be whole may lie above by its rounding
    return places - (counts.cumsum(0) - counts)[given] < max(
        1, math.ceil(share * n / classes - 1e-6)
    )


def select(s: Trials) -> dict[str, Tensor]:
    """Each network's base set."""
    base, given = s.rows["base"].clone(), s.labels("given")
    for k in s.alive.nonzero().flatten().tolist():
        first = s.hyper[k]["rho_first"]
        share = first + (s.hyper[k]["rho"] - first) * grown(s, k)
        for m in range(2):
            base[k, :, m] = smallest_of_classes(label_losses(s, k, m), given[k], s.q, share)
    return {"base": base}


def agreed(p: Tensor, chosen: Tensor, tau: Tensor) -> Tensor:
    """The chosen rows, and of the others the surest on which both networks agree, up to MOST.

    Args:
        p: (K, 2, B, q), probabilities.
        chosen: bool (K, 2, B).
        tau: what both have to exceed, to broadcast against (K, 2, B).

    Returns:
        bool (K, 2, B).
    """
    sure, classes = p.max(-1)
    both = (sure > tau).all(1) & (classes[:, 0] == classes[:, 1])
    new = both[:, None] & ~chosen
    free = int(MOST * chosen.shape[-1]) - chosen.sum(-1, keepdim=True)
    order = torch.where(new, -sure.mean(1, keepdim=True), torch.inf)
    return chosen | (smallest(order, free) & new)


# mixing


def within(chosen: Tensor, keys: Tensor) -> Tensor:
    """A permutation in which chosen rows change places, and so do the others.

    bool (..., B), float (..., B) -> int64 (..., B); ``keys`` in [0, 1) say in which order.
    """
    others = (~chosen).to(keys.dtype)
    here, there = others.argsort(dim=-1, stable=True), (others + keys).argsort(-1)
    return torch.empty_like(here).scatter_(-1, here, there)


def drawn_orders(s: Trials, name: str, chosen: Tensor) -> Tensor:
    keys = np.stack([generator.random((2, s.B)) for generator in s.rng(name)])
    return within(chosen, torch.from_numpy(keys).to(chosen.device))


def mixup(s: Trials, target: Tensor, chosen: Tensor) -> tuple[Mix, Tensor]:
    """What mixes rows (K, 2, B, ...) with others of the same kind, and targets (K, 2, B, q)."""
    order = drawn_orders(s, "mix", chosen)
    drawn = np.stack([generator.beta(BETA, BETA, 2) for generator in s.rng("share")])
    share = torch.from_numpy(np.maximum(drawn, 1 - drawn)).to(s.device, s.dtype)
    return partial(mixed, order=order, share=share), mixed(target, order, share)


def fmix(s: Trials, sides: tuple[int, int], target: Tensor, chosen: Tensor) -> tuple[Mix, Tensor]:
    """What puts patches of others of the same kind into pictures (K, 2, B, C, H, W), and targets.

    Args:
        sides: height and width of a picture.
    """
    order = drawn_orders(s, "fmix", chosen)
    share, masks = drawn_masks(s.rng("mask"), 2, sides)
    share, masks = share.to(s.device, s.dtype), masks.to(s.device, s.dtype)[:, :, None, None]

    def mix(x: Tensor) -> Tensor:
        return masks * x + (1 - masks) * partners(x, order)

    return mix, mixed(target, order, share)


# the objective


def moved(means: Tensor, p: Tensor, chosen: Tensor, share: Tensor) -> Tensor:
    """The running means behind a batch; that of a kind without a row stays.

    Args:
        means: (K, 2, 2, q), by network, of the chosen rows and of the others.
        p: (K, 2, B, q).
        chosen: bool (K, 2, B).
        share: the share of the old mean, (K, 1, 1, 1).
    """
    kinds = torch.stack([chosen, ~chosen], 2)
    count = kinds.sum(-1, keepdim=True)
    new = kinds.to(p.dtype) @ p / count.clamp_min(1)
    return torch.where(count > 0, share * means + (1 - share) * new, means)


def step_with(dropped: bool = False):
    """The step; ``dropped``: without the loss of the others once its weight has grown."""

    def step(s: Trials, b: Batch):
        weak, strong = s.net(b.view("weak")), s.net(b.view("strong"))
        bias = s.hp.debias[..., None] * s.memory["means"].clamp_min(1e-30).log()
        of_chosen, of_others = bias[:, :, :1], bias[:, :, 1:]  # (K, 2, 1, q)
        with torch.no_grad():
            p = weak.logits.softmax(-1)
            label = one_hot(b.given, s.q)[:, None].to(p)
            chosen = b.base.transpose(1, 2) | ((label * p).sum(-1) > s.hp.tau)
            guess = one_hot((weak.logits - of_chosen).argmax(-1), s.q).to(p)
            target = torch.where(chosen[..., None], label, guess)
            if s.t >= s.hp.guess * s.T:
                chosen = agreed(p, chosen, s.hp.tau)
            soft = sharpen((weak.logits - of_others).softmax(-1))
            x = b.view("weak")
            x = x[:, None].expand(-1, 2, *x.shape[1:])
            pairs = [mixup(s, target, chosen)]
            if x.dim() > 4:
                pairs.append(fmix(s, (x.shape[-2], x.shape[-1]), target, chosen))

        def of_both(out, wanted):
            """Cross-entropy of the chosen rows, of both heads together: (K, 2)."""
            second = s.net.head(out.features, SECOND)
            nats = cross_entropy(wanted, out.logits + of_chosen)
            return masked_mean(nats + cross_entropy(wanted, second + of_chosen), chosen)

        def of_second(out):
            """Cross-entropy of the others, of the second head: (K, 2)."""
            logits = s.net.head(out.features, SECOND) + of_others
            return masked_mean(cross_entropy(soft, logits), ~chosen)

        v, u = all_grown(s), all_grown(s, 2)
        if dropped:
            u = torch.where(u < 1, u, 0)
        of_mixtures = (of_both(s.net.mixed(x, mix), wanted) for mix, wanted in pairs)
        more = of_both(strong, target) + sum(of_mixtures)
        apart = of_second(weak) + v * of_second(strong)
        objective = of_both(weak, target) + v * more + s.hp.lambda_u[..., 0] * u * apart
        means = moved(s.memory["means"], p, chosen, s.hp.mean_momentum[..., None])
        return objective, {"means": means}

    return step


def stages(dropped: bool = False) -> tuple[Stage, ...]:
    return (
        Stage(warm, until=epochs("warm_up")),
        Stage(step_with(dropped), begin=select, whole=each_epoch(select)),
    )


PROMIX = Algorithm(
    "promix",
    stages(),
    paper="Xiao et al., ProMix: combating label noise via maximizing clean sample utility, "
    "IJCAI 2023",
    kind="noisy labels",
    summary="two networks add to small losses what they are sure of, and keep the rest apart",
    reads=("given",),
    rows=rows,
    memory=memory,
    networks=2,
    averages=True,
    head=two_heads,
    views={"weak": View(noise="view_noise"), "strong": View(noise="strong_noise")},
    space={
        "warm_up": one_of(10, (5, 10, 30), static=True, within="[0, inf)", whole=True),
        "rho_first": one_of(0.2, (0.2, 0.5), within="[0, 1]"),
        "rho": one_of(0.6, (0.5, 0.6, 0.7), within="[0, 1]"),
        "ramp": one_of(50, (10, 50), within="[1, inf)", whole=True),
        "tau": one_of(0.99, (0.95, 0.99), within="[0, 1]"),
        "guess": one_of(7 / 12, (7 / 12,), static=True, within="[0, 1]"),
        "debias": one_of(0.8, (0.5, 0.8), within="[0, inf)"),
        "mean_momentum": one_of(0.9999, (0.999, 0.9999), within="[0, 1]"),
        "lambda_u": one_of(0.1, (0.1,), within="[0, inf)"),
        "view_noise": one_of(0.1, (0.05, 0.1, 0.2), within="[0, inf)"),
        "strong_noise": one_of(0.2, (0.1, 0.2, 0.4), within="[0, inf)"),
    },
    shortened={"warm_up": 1, "ramp": 2},
    variants={"released": {"stages": stages(dropped=True)}},
    differences={
        "released": "No loss on the rows that are not chosen once its weight has grown, from epoch "
        "2 `ramp` on, as in the released program (D-PROMIX-1)."
    },
)
