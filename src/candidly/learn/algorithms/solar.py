"""SoLar: labels within the candidates whose shares of the classes are those of the data.

Where classes are of unequal size, weights that follow the model give the large ones too much. SoLar
divides rows among classes by optimal transport: of all tables T over the candidates whose rows sum
to 1 and whose columns to n times the prior r, the one nearest to (p S)^power in relative entropy,
by 50 Sinkhorn steps over the batch and a queue of former ones. r starts uniform and moves, after
every epoch, towards how often each class is predicted within the candidates.

Of each class with label argmax T the rows with the smallest -sum T log p are relied on, at most a
share rho of B r_j and at least one, and all with sum T p > ``tau``. The loss is eta times, over
these, the cross-entropy with T of the weak view, the strong view, and of a mixture of two of them
(Beta(4, 4)), plus 1 - eta times -sum w log p over the others, whose weights w are p over the
candidates, from the update before. In the first epoch w alone counts. eta grows from 0 to ``eta``
and rho from 0.2 to 0.8 in the share ``ramp`` of the updates. All of it runs twice: for the share
``estimate`` of the updates to find r, then with a new network.

Departs from the released program: r moves as far in a part as there, where it moves by 0.1 in each
of 20 epochs and then by 0.01 in each of 1,000, and would hardly move in few epochs. A class without
a row among those divided gets none, where there the Sinkhorn steps divide by 0 and begin again with
other numbers. eta and rho grow by the update.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from ._algorithm import Algorithm, Slots, Stage
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._tensors import cross_entropy, masked_softmax, uniform_over
from ._views import View

STEPS, POWER = 50, 3  # of Sinkhorn's; of the probabilities
ALPHA = 4.0  # of the mixture's share
FROM, TO = 0.2, 0.8  # rho
FAST, SLOW = (0.1, 20), (0.01, 1000)  # by how much the prior moves, and in how many epochs


def rows(s: OneTrial):
    return {"weights": uniform_over(s.candidates, s.dtype)}


def memory(s: OneTrial):
    """The prior (1, q), and probabilities of former batches within their candidates."""
    size = int(s.hp.queue) * int(s.hp.batch_size)
    prior = torch.full((1, s.q), 1 / s.q, dtype=s.dtype)
    return {"prior": prior, "queue": torch.zeros((1, size, s.q), dtype=s.dtype)}


def divided(mass: Tensor, prior: Tensor, steps: int = STEPS) -> Tensor:
    """Rows divided among classes by Sinkhorn's steps: (N, q), (q,) -> (N, q), rows sum to 1.

    Args:
        mass: at least 0; where it is 0 the result is. A row of zeros stays one.
        prior: sums to 1; of a class without mass it is not met.
    """
    # a row times a number is divided alike; small ones would underflow
    kernel = (mass / mass.amax(-1, keepdim=True).clamp_min(torch.finfo(mass.dtype).tiny)) ** POWER
    by_row = torch.full_like(kernel[:, :1], 1 / len(kernel))
    for _ in range(steps):
        by_class = _over(prior, (kernel * by_row).sum(0))
        by_row = _over(torch.ones_like(by_row) / len(kernel), (kernel * by_class).sum(1)[:, None])
    return kernel * by_row * by_class * len(kernel)


def _over(values: Tensor, by: Tensor) -> Tensor:
    """A quotient, 0 where the divisor is."""
    there = by > 0
    return torch.where(there, values / torch.where(there, by, 1), 0)


def relied_on(target: Tensor, losses: Tensor, sure: Tensor, prior: Tensor, rho: float) -> Tensor:
    """Which rows are: bool (K, B).

    Args:
        target: (K, B, q). losses: (K, B).
        sure: bool (K, B), who are in any case.
        prior: (K, q). rho: the share of B r_j rows of a class at most; at least one.
    """
    size, q = target.shape[1:]
    label = target.argmax(-1)
    most = (size * rho * prior).ceil().clamp_min(1).gather(-1, label)
    order = losses.argsort(dim=-1, stable=True)  # by loss, and then by label
    order = order.gather(-1, label.gather(-1, order).argsort(dim=-1, stable=True))
    counts = torch.nn.functional.one_hot(label, q).sum(1)
    first = (counts.cumsum(-1) - counts).gather(-1, label)
    place = torch.empty_like(order)
    everyone = torch.arange(size, device=order.device).expand_as(order)
    place.scatter_(-1, order, everyone)
    return (place - first < most) | sure


def mean_where(values: Tensor, there: Tensor) -> Tensor:
    """The mean of some of each trial's, 0 of none: (K, B), bool (K, B) -> (K,)."""
    return torch.where(there, values, 0).sum(-1) / there.sum(-1).clamp_min(1)


def mixed(s: Trials, x: Tensor, target: Tensor, chosen: Tensor) -> Tensor:
    """Cross-entropy of each chosen row mixed with another chosen one, and their targets: (K, B)."""
    partner = np.tile(np.arange(x.shape[1]), (s.K, 1))
    shares = []
    for k, (g, some) in enumerate(zip(s.rng("mixup"), chosen.cpu().numpy())):
        shares.append(g.beta(ALPHA, ALPHA))
        partner[k, some] = g.permutation(np.flatnonzero(some))
    share = torch.tensor(shares, dtype=s.dtype, device=s.device)
    share = torch.maximum(share, 1 - share)
    places = torch.from_numpy(partner + x.shape[1] * np.arange(s.K)[:, None]).to(s.device)

    def mix(values: Tensor) -> Tensor:
        other = values.flatten(0, 1).index_select(0, places.flatten()).view_as(values)
        return other + share.view(s.K, *[1] * (values.dim() - 1)) * (values - other)

    return cross_entropy(mix(target), s.net.mixed(x, mix).logits)


def seen(s: Trials, b: Batch) -> tuple[Tensor, Tensor, dict]:
    """Logits and probabilities of the weak view, and what is kept of the batch."""
    logits = s.net(b.view("weak")).logits
    probs = logits.detach().softmax(-1)
    at = torch.arange(b.ids.shape[1]) + s.t % int(s.hp.queue) * slot(s)
    kept = {"queue": Slots(at.to(s.device), probs * b.candidates)}
    return logits, probs, {**kept, "weights": masked_softmax(logits.detach(), b.candidates)}


def slot(s: Trials) -> int:
    """Rows of a batch in the queue."""
    return s.memory["queue"].shape[1] // int(s.hp.queue)


def first(s: Trials, b: Batch):
    logits, _, kept = seen(s, b)
    return cross_entropy(b.weights, logits).mean(-1), kept


def step_from(start):
    """The step of a part that begins behind ``start(s)`` updates."""

    def step(s: Trials, b: Batch):
        logits, probs, kept = seen(s, b)
        mass, queue, prior = probs * b.candidates, s.memory["queue"], s.memory["prior"]
        if bool((queue[:, -1] > 0).any()):  # it is full
            mass = torch.cat([queue, mass], 1)
        target = torch.stack([divided(*one) for one in zip(mass, prior)])[:, -probs.shape[1] :]
        ramp = min(1.0, (s.t - start(s)) / (s.hp.ramp * s.T))
        losses = cross_entropy(target, logits)
        sure = (target * probs).sum(-1) > s.hp.tau
        chosen = relied_on(target, losses.detach(), sure, prior, FROM + (TO - FROM) * ramp)
        losses = losses + cross_entropy(target, s.net(b.view("strong")).logits)
        losses = losses + mixed(s, b.view("weak"), target, chosen)
        eta = s.hp.eta[:, 0] * ramp
        others = mean_where(cross_entropy(b.weights, logits), ~chosen)
        return eta * mean_where(losses, chosen) + (1 - eta) * others, kept

    return step


def pace(gamma: float, published: int, epochs: float) -> float:
    """By how much the prior moves in each of so many epochs, so that it comes as far.

    >>> round(pace(0.1, 20, 10), 2), pace(0.1, 20, 20)
    (0.19, 0.1)
    """
    return float(1 - (1 - gamma) ** (published / epochs)) if epochs != published else gamma


def whole_by(moves: tuple[float, int], updates: Callable[[Trials], int]):
    """After an epoch the prior moves towards how often each class is predicted.

    Args:
        moves: by how much, and in how many epochs. updates: of the part, by (stack).
    """

    def whole(s: Trials):
        if s.t % s.E:
            return {}
        sets = s.labels("candidates")
        shares = []
        for k in range(s.K):
            guess = s.whole(k).logits.masked_fill(~sets[k], -torch.inf).argmax(-1)
            shares.append(torch.bincount(guess, minlength=s.q).to(s.dtype) / s.n)
        share = pace(*moves, updates(s) / s.E)
        return {"prior": s.memory["prior"].lerp(torch.stack(shares), share)}

    return whole


def estimated(s: Trials) -> int:
    """The updates that estimate the prior, at least the first epoch."""
    return max(s.E, int(s.hp.estimate * s.T))


def rest(s: Trials) -> int:
    """The updates behind them."""
    return max(1, s.T - estimated(s))


estimating, refining = whole_by(FAST, estimated), whole_by(SLOW, rest)


def begin(s: Trials):
    """A new network, and nothing kept but the prior."""
    weights = uniform_over(s.labels("candidates"), s.dtype)
    queue = torch.zeros_like(s.memory["queue"])
    return {"net": s.anew("net"), "weights": weights, "queue": queue}


SOLAR = Algorithm(
    "SoLar",
    (
        Stage(first, whole=estimating, until=lambda s: s.E),
        Stage(step_from(lambda s: 0), whole=estimating, until=estimated),
        Stage(
            first,
            whole=refining,
            begin=begin,
            until=lambda s: estimated(s) + s.E,
            afresh=True,
        ),
        Stage(step_from(estimated), whole=refining),
    ),
    paper="Wang et al., SoLar: Sinkhorn label refinery for imbalanced partial-label learning, "
    "NeurIPS 2022",
    kind="long tail",
    summary="labels within the candidates by optimal transport with estimated class shares",
    rows=rows,
    memory=memory,
    views={"weak": View(), "strong": View()},
    space={
        "estimate": one_of(0.1, (0.1, 0.2), static=True, within="[0, 1)"),
        "queue": one_of(64, (16, 64), static=True, within="[1, inf)", whole=True),
        "ramp": one_of(0.05, (0.05, 0.2), static=True, within="(0, inf)"),
        "eta": one_of(0.9, (0.5, 0.9), within="[0, 1]"),
        "tau": one_of(0.99, (0.9, 0.99), within="[0, 1]"),
    },
    shortened={"estimate": 0.25, "queue": 3, "ramp": 0.2},
)
