"""PiCO+: PiCO that trusts the rows near the prototype of their label, and guesses for the others.

Two networks, prototypes and a queue as in PiCO, with the same names. A row's distance is -h_i mu_j,
j its candidate of the largest logit. After every epoch behind the first ``warm_up`` updates, the
floor(n ``pure_ratio``) rows of the smallest distance are reliable; before that, all are. The
pseudo-label is the class of the largest logit, of a reliable row within its set; reliable rows
alone pull prototypes. For the first ``warm_up`` updates the rest is PiCO's warm-up. Then:

* C is drawn to the candidate with the nearest prototype, as in PiCO; an unreliable row's target is
  a guess instead, softmax(h mu^T / ``guess_temperature``) over all classes;
* loss: a mixture's cross-entropy, plus ``reliable_weight`` times the mean cross-entropy of the
  batch's reliable rows, plus ``unreliable_weight`` times that of the others, plus a contrast of
  reliable rows among each other, plus ``unreliable_weight`` times one among all;
* the mixture is l x + (1 - l) x' and its targets alike, x' of a permuted batch, l = max(b, 1 - b),
  b ~ Beta(4, 4);
* in the first contrast an unreliable row has its own key as its only positive, and from
  ``neighbours_from`` updates on the ``neighbours`` nearest of the pool too, itself among them, as
  in the authors' program. From then on it has the row weights ``weight`` (reliable) and
  ``unreliable_weight`` (others), before that 1.

A mean over no row is 0: with a ratio of 0, every target is a guess. On a table both views are the
row itself. ``estimated`` is not told a ratio: it is 1 minus the share of sets that lack the label,
as the gaps between the nearest prototypes in a set and outside tell it (``_lacking``). A mixture of
two Gaussians on the distances would not do, as it finds unreliable rows where there are none.

Departs from common code in the selection after every epoch, which the benchmark's program makes at
every update. That program never counts its updates (D-PICO+-1) and stays in the warm-up; ``plench``
repeats that.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from . import _contrast, pico
from ._algorithm import Algorithm, Stage
from ._contrast import UNSET, best_of, held, info_nce, pushed, same_label
from ._lacking import share_lacking
from ._protocol import Batch, OneTrial, Trials
from ._selection import masked_mean, smallest
from ._space import one_of
from ._tensors import cross_entropy
from ._views import View
from .alim import mixed_loss, shares, warm_for_ever

BETA = 4.0


def rows(s: OneTrial):
    weights = pico.rows(s)["weights"]
    return {
        "weights": weights,
        "distance": torch.zeros_like(weights[..., 0]),
        "reliable": torch.ones((1, s.n), dtype=torch.bool),
    }


def memory(s: OneTrial):
    return pico.memory(s) | {"queue_reliable": torch.zeros((1, s.hp.queue), dtype=torch.bool)}


def placed(
    s: Trials, b: Batch, logits: Tensor, h: Tensor, keys: Tensor
) -> tuple[Tensor, Tensor, dict]:
    """Products with the prototypes, pseudo-labels, and what an update leaves behind.

    Returns:
        (K, B, q); int64 (K, B); updates.
    """
    within = best_of(logits, b.candidates)
    guess = torch.where(b.reliable, within, logits.argmax(-1))
    near = h @ s.memory["prototypes"].transpose(1, 2)
    moved = _contrast.moved_prototypes(
        s.memory["prototypes"],
        h,
        torch.where(b.reliable, guess, UNSET),
        s.hp.prototype_momentum,
    )
    left = {"distance": -near.gather(-1, within[..., None])[..., 0], "prototypes": moved}
    if "gaps" in s.rows:
        left["gaps"] = gaps_of(near, b.candidates)
    queued = {"queue": keys, "queue_labels": guess, "queue_reliable": b.reliable}
    return near, guess, {**left, **pushed(s, queued)}


def gaps_of(near: Tensor, sets: Tensor) -> Tensor:
    """The largest product with a candidate minus that with another class: (..., q) -> (...).

    0 of a full set, which has no other.
    """
    inside, outside = near.masked_fill(~sets, -torch.inf), near.masked_fill(sets, -torch.inf)
    return (inside.amax(-1) - outside.amax(-1)).masked_fill(sets.all(-1), 0)


def warm(s: Trials, b: Batch):
    logits, h, keys = pico.seen(s, b)
    apart = info_nce(h, keys, held(s, "queue"), pico.temperature(s))
    objective = cross_entropy(b.weights, logits) + s.hp.weight * apart
    _, _, left = placed(s, b, logits.detach(), h.detach(), keys)
    return objective.mean(-1), left


def step_plench(s: Trials, b: Batch):
    _, each, left = warm_for_ever(s, b)
    return each.mean(-1), left


def neighbours_of(h: Tensor, rest: Tensor, rows: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Equal weights on the nearest of one trial's pool, and on the own key, for some rows.

    Args:
        h: (B, m), a batch's features.
        rest: (B + N, m), its keys and a queue; the pool is both.
        rows: int64 (U,), of the batch.
        count: how many of the nearest, the row itself among them.

    Returns:
        (U, B), weights of the batch's rows, and (U, m), the weighted sum of all others.
    """
    size = h.shape[0]
    pool = torch.cat([h, rest])
    like = h[rows] @ pool.T
    like[torch.arange(len(rows)), rows] = -torch.inf  # the nearest, but no positive
    nearest = like.topk(min(count - 1, len(pool) - 1), -1).indices
    key = size + rows[:, None]
    chosen = torch.cat([nearest, key], -1)
    weight = torch.ones_like(chosen, dtype=h.dtype)
    weight[:, -1] = (nearest != key).all(-1)  # unless it is among them
    weight = weight / weight.sum(-1, keepdim=True)
    inside = chosen < size
    own = torch.zeros_like(like[:, :size])
    own.scatter_add_(-1, chosen.where(inside, 0), weight * inside)
    return own, ((weight * ~inside)[..., None] * pool[chosen]).sum(1)


def with_neighbours(s: Trials, b: Batch, h, keys, queue, own, toward) -> tuple[Tensor, Tensor]:
    """Positives of unreliable rows are their nearest, in place of their key alone."""
    own, toward = own.clone(), toward.clone()
    for k, hyper in enumerate(s.hyper):
        others = (~b.reliable[k]).nonzero().flatten()
        if len(others):
            rest = torch.cat([keys[k], queue[k]])
            own[k, others], toward[k, others] = neighbours_of(
                h[k], rest, others, int(hyper["neighbours"])
            )
    return own, toward


def apart_with(nearest: bool):
    """Both contrasts of a batch, with or without neighbours: (K, B)."""

    def apart(s: Trials, b: Batch, h, keys, guess) -> Tensor:
        queue, labels = held(s, "queue"), held(s, "queue_labels")
        trusted = labels.where(held(s, "queue_reliable"), UNSET)
        temperature = pico.temperature(s)
        similar = _contrast.similarities(h, temperature)
        pool = _contrast.log_pool(similar, h, (keys, queue), temperature)
        own, toward = same_label(guess, keys, queue, trusted, s.q, b.reliable)
        weight = torch.ones_like(pool)
        if nearest:
            own, toward = with_neighbours(s, b, h.detach(), keys, queue, own, toward)
            weight = torch.where(b.reliable, s.hp.weight, s.hp.unreliable_weight)
        among = pool - _contrast.nearness(similar, h, own, toward, temperature)
        own, toward = same_label(guess, keys, queue, labels, s.q)
        everyone = pool - _contrast.nearness(similar, h, own, toward, temperature)
        return weight * among + s.hp.unreliable_weight * everyone

    return apart


def mixture(s: Trials, b: Batch, target: Tensor) -> Tensor:
    generators, share = shares(s, [BETA] * s.K)
    order = np.stack([g.permutation(s.B) for g in generators])
    places = (
        torch.from_numpy(order).to(s.device) + s.B * torch.arange(s.K, device=s.device)[:, None]
    )

    def permuted(values: Tensor) -> Tensor:
        return values.flatten(0, 1).index_select(0, places.flatten()).view_as(values)

    x = b.view("weak")
    return mixed_loss(s, share, x, permuted(x), target, permuted(target))


def step_with(apart):
    """The step behind the warm-up with these contrasts."""

    def step(s: Trials, b: Batch):
        logits, h, keys = pico.seen(s, b)
        near, guess, left = placed(s, b, logits.detach(), h.detach(), keys)
        weights = pico.drawn(b.weights, best_of(near, b.candidates), pico.kept_share(s))
        guessed = (near / s.hp.guess_temperature[..., None]).softmax(-1)
        target = torch.where(b.reliable[..., None], weights, guessed)
        each = cross_entropy(target, logits)
        objective = (
            (mixture(s, b, target) + apart(s, b, h, keys, guess)).mean(-1)
            + s.hp.reliable_weight[..., 0] * masked_mean(each, b.reliable)
            + s.hp.unreliable_weight[..., 0] * masked_mean(each, ~b.reliable)
        )
        return objective, {"weights": weights, **left}

    return step


def select_with(ratios_of):
    """After an epoch behind the warm-up: ``ratios_of(s)``, numbers per trial, are reliable."""

    def select(s: Trials):
        if s.t % s.E or s.t < s.hp.warm_up:
            return {}
        ratios = ratios_of(s)
        counts = torch.tensor([[int(s.n * ratio)] for ratio in ratios], device=s.device)
        known = {"ratio": torch.tensor(ratios, dtype=s.dtype)} if "ratio" in s.memory else {}
        return {"reliable": smallest(s.rows["distance"], counts), **known}

    return select


def told(s: Trials) -> list[float]:
    return [hyper["pure_ratio"] for hyper in s.hyper]


def estimated(s: Trials) -> list[float]:
    """The share of rows whose set has the label, by their gaps; 1 of trials that are over."""
    sets, gaps = s.labels("candidates"), s.rows["gaps"]
    alive = enumerate(s.alive.tolist())
    return [1 - share_lacking(gaps[k], sets[k]) if there else 1.0 for k, there in alive]


def rows_estimated(s: OneTrial):
    made = rows(s)
    return made | {"gaps": torch.zeros_like(made["distance"])}


def memory_estimated(s: OneTrial):
    return memory(s) | {"ratio": torch.ones((1, 1), dtype=s.dtype)}


def nearest_from(s: Trials):
    return s.hp.neighbours_from


def stages(ratios_of) -> tuple[Stage, ...]:
    """Warm-up, the rest, and the rest with neighbours, with these shares of reliable rows."""
    each = {"whole": select_with(ratios_of), "trains": ("net",)}
    return (
        Stage(warm, pico.after, begin=pico.begin, until=pico.until, **each),
        Stage(step_with(apart_with(False)), pico.after, until=nearest_from, **each),
        Stage(step_with(apart_with(True)), pico.after, **each),
    )


SPACE = {
    **pico.SPACE,
    "warm_up": _contrast.warm_up_of(250, (1, 250)),
    "neighbours_from": one_of(
        5000, (2, 5000, 100), "knn_start", static=True, within="[0, inf)", whole=True
    ),
    "neighbours": one_of(16, (8, 16), "chosen_neighbors", within="[1, inf)", whole=True),
    "guess_temperature": one_of(0.07, (0.1, 0.07), "temperature_guess", within="(0, inf)"),
    "unreliable_weight": one_of(0.1, (0.1, 0.5), "ur_weight", within="[0, inf)"),
    "reliable_weight": one_of(2.0, (2.0, 3.0, 5.0), "cls_weight", within="[0, inf)"),
}

PICO_PLUS = Algorithm(
    "PiCO+",
    stages(told),
    paper="Wang et al., PiCO+: contrastive label disambiguation for robust partial label learning, "
    "TPAMI 2024",
    kind="noisy candidates",
    summary="PiCO that trusts rows near the prototype of their label and guesses for the others",
    rows=rows,
    memory=memory,
    head=pico.PICO.head,
    modules=pico.PICO.modules,
    views={"weak": View(), "strong": View()},
    told=("pure_ratio",),
    space={
        **SPACE,
        "pure_ratio": one_of(1.0, (0.6, 0.8, 0.95, 0.99, 1.0), within="[0, 1]"),
    },
    shortened={
        **pico.PICO.shortened,
        "pure_ratio": 0.7,
        "neighbours_from": 15,
        "neighbours": 4,
    },
    variants={
        "plench": {
            "stages": (Stage(step_plench, pico.after, begin=pico.begin, trains=("net",)),),
            "rows": None,
            "memory": pico.memory_plench,
            "views": {"weak": View(), "strong": View(pictures="strong-plench")},
            "seeded_as": {1: "PiCO_plus"},
        },
        "estimated": {
            "stages": stages(estimated),
            "rows": rows_estimated,
            "memory": memory_estimated,
            "space": SPACE,
            "told": (),
        },
    },
    differences={
        "plench": "Never leaves its warm-up: targets stay uniform, and every row reliable "
        "(D-PICO+-1); the queue starts with random rows (D-PICO-1). Training seeds are made of the "
        "benchmark's spelling, PiCO_plus (D-SEED-1).",
        "estimated": "Needs no ratio: as many rows are reliable as have sets with the label, as "
        "their gaps tell it.",
    },
)
