"""PiCO: contrastive features and class prototypes say which candidate is meant.

A momentum network, the key, follows the trained one, the query: theta_key becomes
m theta_key + (1 - m) theta. Both have a projection of length 1 beside the logits. Each update:

* h_i is the query's projection of the weak view, k_i the key's of the strong one; the pseudo-label
  is the candidate of the largest logit;
* the candidate whose prototype is nearest to h_i draws C_i: phi C_i + (1 - phi) e, phi falling from
  0.95 to 0.8, and C_i uniform over the candidates at first; then each h_i pulls the prototype of
  its pseudo-label, momentum ``prototype_momentum``;
* the loss is -sum_j C_ij log p_ij plus ``weight`` times a contrastive loss at temperature 0.07.
  Positives are rows of the same pseudo-label among the batch, its keys and a queue of earlier keys.

For the first ``warm_up`` updates C stays, and the only positive is a row's own key (InfoNCE). On a
table both views are the row itself: the key differs from the query by its momentum alone.

Departs from common code: the queue counts from its first key on, where common code fills it with
random rows of another length, which are negatives until they are written over (D-PICO-1);
``plench`` keeps that. The warm-up is in updates, as in the benchmark's program; the paper counts
epochs.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize, one_hot

from . import _contrast
from ._algorithm import Algorithm, Stage
from ._contrast import UNSET, best_of, contrast, features_of, held, info_nce, pushed, same_label
from ._copies import copy_of
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._tensors import cross_entropy, uniform_over
from ._views import View

TEMPERATURE = 0.07
FIRST, LAST = 0.95, 0.8  # phi behind the first update and behind the last


def rows(s: OneTrial):
    return {"weights": uniform_over(s.candidates, s.dtype)}


def memory(s: OneTrial):
    return {
        "prototypes": torch.zeros((1, s.q, s.hp.size), dtype=s.dtype),
        "queue": torch.zeros((1, s.hp.queue, s.hp.size), dtype=s.dtype),
        "queue_labels": torch.full((1, s.hp.queue), UNSET),
    }


def memory_plench(s: OneTrial):
    normal = torch.from_numpy(s.rng("queue").standard_normal((1, s.hp.queue, s.hp.size)))
    return memory(s) | {"queue": normalize(normal, dim=1).to(s.dtype)}


def begin(s: Trials):
    return copy_of(s.net, "key")


def after(s: Trials, b: Batch):
    return {"key": _contrast.followed(s.hp.key_momentum, s.key, s.net)}


def temperature(s: Trials) -> Tensor:
    return torch.full((1, 1, 1), TEMPERATURE, dtype=s.dtype, device=s.device)


def kept_share(s: Trials) -> float:
    """phi: what a row's weights keep of themselves at this update."""
    return FIRST + (LAST - FIRST) * max(0, s.t - 1) / s.T


def drawn(weights: Tensor, nearest: Tensor, kept: float) -> Tensor:
    """kept · weights + (1 - kept) · the nearest class's unit vector: (K, B, q)."""
    unit = one_hot(nearest, weights.shape[-1]).to(weights.dtype)
    return kept * weights + (1 - kept) * unit


def seen(s: Trials, b: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """Logits and projection of the weak view, and the key's projection of the strong one."""
    logits, trunk = s.net(b.view("weak"))
    return logits, s.net.head(trunk, "projection"), features_of(s.key, b.view("strong"))


def learned(s: Trials, b: Batch, h, keys, guess) -> dict:
    """What an update leaves in the prototypes and the queue."""
    moved = _contrast.moved_prototypes(
        s.memory["prototypes"], h.detach(), guess, s.hp.prototype_momentum
    )
    return {"prototypes": moved, **pushed(s, {"queue": keys, "queue_labels": guess})}


def warm_with(queue_of):
    """The warm-up's step with this queue."""

    def warm(s: Trials, b: Batch):
        logits, h, keys = seen(s, b)
        apart = info_nce(h, keys, queue_of(s, "queue"), temperature(s))
        objective = cross_entropy(b.weights, logits) + s.hp.weight * apart
        return objective.mean(-1), learned(s, b, h, keys, best_of(logits.detach(), b.candidates))

    return warm


def step_with(queue_of):
    """The step with this queue."""

    def step(s: Trials, b: Batch):
        logits, h, keys = seen(s, b)
        guess = best_of(logits.detach(), b.candidates)
        near = h.detach() @ s.memory["prototypes"].transpose(1, 2)
        weights = drawn(b.weights, best_of(near, b.candidates), kept_share(s))
        queue, labels = queue_of(s, "queue"), queue_of(s, "queue_labels")
        own, toward = same_label(guess, keys, queue, labels, s.q)
        apart = contrast(h, (keys, queue), own, toward, temperature(s))
        objective = cross_entropy(weights, logits) + s.hp.weight * apart
        return objective.mean(-1), {"weights": weights, **learned(s, b, h, keys, guess)}

    return step


def whole_queue(s: Trials, name: str) -> Tensor:
    return s.memory[name]


def stages(queue_of) -> tuple[Stage, ...]:
    """Warm-up and the rest with this queue."""
    return (
        Stage(warm_with(queue_of), after, begin=begin, until=until, trains=("net",)),
        Stage(step_with(queue_of), after, trains=("net",)),
    )


def until(s: Trials):
    return s.hp.warm_up


SPACE = {
    **_contrast.SPACE,
    "warm_up": _contrast.warm_up_of(178, (178,)),
    "key_momentum": one_of(0.999, (0.9, 0.999), "moco_m", within="[0, 1]"),
    "prototype_momentum": one_of(0.99, (0.99, 0.9), "proto_m", within="[0, 1]"),
    "weight": one_of(0.5, (0.5, 1.0), "loss_weight", within="[0, inf)"),
}

PICO = Algorithm(
    "PiCO",
    stages(held),
    paper="Wang et al., PiCO: contrastive label disambiguation for partial label learning, "
    "ICLR 2022",
    kind="contrastive",
    summary="the nearest class prototype among contrastive features says which candidate is meant",
    rows=rows,
    memory=memory,
    head=_contrast.projected,
    modules={"key": _contrast.projected},
    views={"weak": View(), "strong": View()},
    space=SPACE,
    shortened={"warm_up": 7, "size": 8, "queue": 40},
    variants={
        "plench": {
            "stages": stages(whole_queue),
            "memory": memory_plench,
            "views": {"weak": View(), "strong": View(pictures="strong-plench")},
        }
    },
    differences={
        "plench": "The queue starts with random rows, which are negatives until they are written "
        "over (D-PICO-1)."
    },
)
