"""FREDIS: now and then, likely labels enter the sets and unlikely ones leave them.

The loss is lam KL(C || p) - alpha sum of log(1 - p) over the non-candidates, on working sets that
start as the candidates; after the update C becomes the softmax over the working set and P the
probabilities. Every ``interval`` epochs, with the gap of a label max_k P_ik - P_ij:

* refine: non-candidates with a gap below theta enter, at most ``change_size`` at random;
* disambiguate: delta goes down in steps of ``dec`` until at least ``times`` as many candidates have
  a gap above it as entered; those leave, at most ``times`` x ``change_size`` at random;
* C becomes P over the new set; if theta < 0.9, delta > 0.1 and fewer than ``change_size`` entries
  changed, theta rises by ``inc`` and delta falls by ``dec``.

Departs from common code. The released program corrects before the first epoch, when P says
nothing yet, and walks delta down a million steps (D-FREDIS-1), forever if there are too few
candidates (D-FREDIS-2); here corrections start after ``interval`` epochs, delta is found in closed
form and never falls below 0, so that a row's most likely label stays. It trains on the original
sets whatever the corrections say (D-FREDIS-3), draws among entries that would not change, and
leaves emptied rows empty (D-FREDIS-4), and has
log(1.0000001 - p) for log(1 - p), so that a non-candidate of probability 1 is let go (D-FREDIS-6);
``plench`` keeps these four. One view, no pre-training and
no moving average, as in the released program (D-FREDIS-5).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._tensors import masked_softmax, uniform_over
from .crdpll import divergence, supervised, supervised_plench

THETA, DELTA = 1e-6, 1.0  # to start with
FLOOR = 1e-12  # what an entry outside the set keeps of its probability
POWERS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)


def rows(s: OneTrial):
    weights = uniform_over(s.candidates, s.dtype)
    return {
        "weights": weights,
        "posterior": torch.full_like(weights, 1 / s.q),
        "sets": s.candidates,
    }


def memory(s: OneTrial):
    return {
        "theta": torch.full((1, 1), THETA, dtype=s.dtype),
        "delta": torch.full((1, 1), DELTA, dtype=s.dtype),
    }


def lowered(delta: float, gaps: Tensor, wanted: int, dec: float) -> float:
    """The first of delta, delta - dec, ... with ``wanted`` of the gaps above it, at least 0.

    Args:
        gaps: float (m,), in [0, 1]. Where fewer than ``wanted`` are above 0, those are enough.
    """
    wanted = min(wanted, int((gaps > 0).sum()))
    if wanted == 0:
        return delta
    bound = float(gaps.topk(wanted).values[-1])
    steps = 0 if delta < bound else math.floor((delta - bound) / dec) + 1
    return max(0.0, delta - steps * dec)


def correct(
    posterior: Tensor,
    sets: Tensor,
    theta: float,
    delta: float,
    hp: Mapping[str, float | int],
    rng: np.random.Generator,
    released: bool = False,
) -> tuple[Tensor, float, float]:
    """One correction of one trial's sets.

    Args:
        posterior: float (n, q), rows sum to 1.
        sets: bool (n, q).
        hp: ``times``, ``change_size``, ``inc``, ``dec``.
        released: draw among all entries below theta, and let rows become empty.

    Returns:
        the new sets, theta and delta.
    """
    size, times = int(hp["change_size"]), int(hp["times"])
    gaps = posterior.amax(-1, keepdim=True) - posterior
    below = gaps < theta
    entering = below & ~sets
    entered = int(entering.sum())
    if entered > size:
        entering = some(below if released else entering, size, rng) & ~sets
        entered = size
    delta = lowered(delta, gaps[sets], times * entered, hp["dec"])
    above = gaps > delta
    leaving = above & sets
    if int(leaving.sum()) > size * times:
        leaving = some(above if released else leaving, size * times, rng) & sets
    new = (sets | entering) & ~leaving
    if not released:
        new = torch.where(new.any(-1, keepdim=True), new, sets)
    if theta < 0.9 and delta > 0.1 and int((new ^ sets).sum()) < size:
        theta, delta = theta + hp["inc"], delta - hp["dec"]
    return new, theta, delta


def some(entries: Tensor, count: int, rng: np.random.Generator) -> Tensor:
    """``count`` of the True entries, at random: bool -> bool of the same shape."""
    places = entries.flatten().nonzero().flatten()
    chosen = torch.from_numpy(rng.choice(len(places), count, replace=False, shuffle=False))
    kept = torch.zeros_like(entries.flatten())
    kept[places[chosen.to(places.device)]] = True
    return kept.view_as(entries)


def step(s: Trials, b: Batch):
    logits = s.net(b.x).logits
    return (
        s.hp.lam * divergence(b.weights, logits) + s.hp.alpha * supervised(logits, b.sets)
    ).mean(-1)


def step_plench(s: Trials, b: Batch):
    logits = s.net(b.x).logits
    return (
        s.hp.lam * divergence(b.weights, logits)
        + s.hp.alpha * supervised_plench(logits, b.candidates)
    ).mean(-1)


def after(s: Trials, b: Batch):
    logits = s.net(b.x).logits
    return {"weights": masked_softmax(logits, b.sets), "posterior": logits.softmax(-1)}


def after_plench(s: Trials, b: Batch):
    logits = s.net(b.x).logits
    return {"weights": masked_softmax(logits, b.candidates), "posterior": logits.softmax(-1)}


def _corrected(s: Trials, released: bool):
    if s.t % s.E:
        return {}
    due = [k for k, hp in enumerate(s.hyper) if s.epoch % hp["interval"] == 0 and bool(s.alive[k])]
    if not due:
        return {}
    generators = s.rng("correct")
    sets, weights = s.rows["sets"].clone(), s.rows["weights"].clone()
    theta, delta = s.memory["theta"].clone(), s.memory["delta"].clone()
    for k in due:
        posterior = s.rows["posterior"][k]
        sets[k], theta[k], delta[k] = correct(
            posterior,
            sets[k],
            float(theta[k]),
            float(delta[k]),
            s.hyper[k],
            generators[k],
            released,
        )
        raw = posterior * (sets[k] + FLOOR)
        weights[k] = raw / raw.sum(-1, keepdim=True)
    return {"sets": sets, "weights": weights, "theta": theta, "delta": delta}


def whole(s: Trials):
    return _corrected(s, released=False)


def whole_plench(s: Trials):
    return _corrected(s, released=True)


FREDIS = Algorithm(
    "FREDIS",
    (Stage(step, after, whole),),
    paper="Qiao et al., FREDIS: a fusion framework of refinement and disambiguation for unreliable "
    "partial label learning, ICML 2023",
    kind="noisy candidates",
    summary="likely labels enter the sets and unlikely ones leave them, every few epochs",
    rows=rows,
    memory=memory,
    space={
        "inc": one_of(1e-6, POWERS, within="[0, inf)"),
        "dec": one_of(1e-6, POWERS, within="(0, inf)"),
        "times": one_of(2, (1, 2, 3, 4, 5), within="[1, inf)", whole=True),
        "change_size": one_of(500, (50, 100, 500, 300, 800, 1000), within="[1, inf)", whole=True),
        "interval": one_of(20, (10, 20), "update_interval", within="[1, inf)", whole=True),
        "lam": one_of(10, (1, 10), within="[0, inf)"),
        "alpha": one_of(1, (1e-3, 1e-2, 1e-1, 1), within="[0, inf)"),
    },
    shortened={"interval": 2, "change_size": 5, "lr": 0.03},
    variants={
        "plench": {"stages": (Stage(step_plench, after_plench, whole_plench),), "version": 2}
    },
    differences={
        "plench": "Trains on the original sets (D-FREDIS-3), draws among entries that would not "
        "change, and leaves emptied rows empty (D-FREDIS-4); 1.0000001 stands for 1 in log(1 - p) "
        "(D-FREDIS-6).",
    },
)
