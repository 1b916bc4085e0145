"""VALEN: a Dirichlet over label distributions, tied to the inputs and to the neighbours' labels.

Warm-up: PRODEN with SGD for ``warm_up`` updates. Then an encoder starts as a copy of the network,
the ``neighbours`` nearest training rows of each row in feature space form a directed graph, and
every update draws delta ~ Dir(s), s = softmax of the encoder over the candidates + 0.01:

* reconstruction: 0.01 MSE(decoder(delta), x) + 0.01 BCE of delta as logits against the candidates
  + MSE between the row-softmax of sigmoid(delta delta') and the graph (with self-loops, rows sum to
  1) on the batch;
* prior: KL(Dir(kappa) || Dir(1)), kappa = exp(alpha / 4) clipped to [0.01, 30], alpha the encoder's
  logits;
* the encoder fits O, the network fits D, both by cross-entropy; D starts as O. Then D becomes
  delta, and O the network's probabilities, both over the candidates.

Departs from common code: the graph is built from one pass over all rows in one state of the
network, and holds neighbours' numbers, k per row. The released program gathers features during an
epoch of idle updates that starts wherever the warm-up ended, so that some rows have none
(D-VALEN-3), and copies the encoder after its optimiser was built, so that the encoder in use never
learns (D-VALEN-1); and it adds 1e-12 to every probability it takes the logarithm of or refreshes
with (D-VALEN-5). ``plench`` keeps these three. It stops in an error when the batch divides the
training rows (D-VALEN-2) and holds n x n matrices (D-VALEN-4); that is not repeated.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.distributions import Gamma
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss

from ..nets import mlp
from ._algorithm import Algorithm, Stage
from ._copies import copy_of
from ._protocol import Batch, OneTrial, Trials
from ._space import Setting, one_of
from ._tensors import cross_entropy, masked_softmax, uniform_over

MOST_NEIGHBOURS = 4  # the largest of the search space
OUTSIDE = 1e-2  # the Dirichlet's strength outside the candidates, and added inside
LEAST = 1e-12  # what the released program adds to probabilities
AT_ONCE = 1024  # rows whose distances are computed together, at most
MOST_DISTANCES = 2**24  # that are held at once


def rows(s: OneTrial):
    weights = uniform_over(s.candidates, s.dtype)
    near = torch.full((1, s.n, MOST_NEIGHBOURS), -1)
    return {"belief": weights, "target": weights.clone(), "near": near}


def rows_plench(s: OneTrial):
    return rows(s) | {"visited": torch.zeros((1, s.n, 1), dtype=torch.bool)}


def encoder(net, classes, hyper):
    return net


def decoder(net, classes, hyper):
    if net.words is not None:
        raise ValueError(
            "VALEN rebuilds its inputs from their labels, and token numbers cannot be: use another "
            "algorithm, or a network that sees texts as counts, such as mlp."
        )
    numbers = math.prod(net.shape)
    return mlp(classes, numbers, numbers, initial="xavier")


def nearest(features: Tensor, count: int) -> Tensor:
    """The ``count`` nearest other rows of each row: float (n, h) -> int64 (n, count).

    Euclidean; in pieces, so that no n x n matrix is held.
    """
    squares = features.square().sum(-1)
    found = []
    rows = max(1, min(AT_ONCE, MOST_DISTANCES // len(features)))
    for start in range(0, len(features), rows):
        some = features[start : start + rows]
        # the row's own square moves all its distances alike
        distances = torch.addmm(squares, some, features.T, alpha=-2)
        here = torch.arange(len(some), device=features.device)
        distances[here, start + here] = torch.inf
        found.append(distances.topk(count, largest=False).indices)
    return torch.cat(found)


def graph_block(near: Tensor, ids: Tensor, neighbours: Tensor) -> Tensor:
    """The graph among a batch's rows: self-loops and neighbours weigh 1 / (neighbours + 1).

    Args:
        near: int64 (..., B, k), neighbours' positions, -1 for none.
        ids: int64 (..., B), the rows' own positions.
        neighbours: float (..., 1), how many a row has.

    Returns:
        float (..., B, B).
    """
    linked = (near[..., :, :, None] == ids[..., None, None, :]).any(-2)
    linked = linked | torch.eye(ids.shape[-1], dtype=torch.bool, device=ids.device)
    return linked / (neighbours[..., None] + 1)


def prior_divergence(alpha: Tensor) -> Tensor:
    """KL(Dir(kappa) || Dir(1)), kappa = exp(alpha / 4) clipped to [0.01, 30]: (..., q) -> (...)."""
    kappa = (alpha / 4).clamp(math.log(1e-2), math.log(30)).exp()
    total = kappa.sum(-1)
    log_ratio = torch.lgamma(total) - torch.lgamma(kappa).sum(-1) - math.lgamma(alpha.shape[-1])
    spread = torch.digamma(kappa) - torch.digamma(total)[..., None]
    return log_ratio + ((kappa - 1) * spread).sum(-1)


def concentration(alpha: Tensor, sets: Tensor) -> Tensor:
    """p / (their mass of p, a constant) over the candidates, + 0.01 everywhere: (..., q)."""
    log_p = alpha.log_softmax(-1)
    log_mass = log_p.detach().masked_fill(~sets, -torch.inf).logsumexp(-1, keepdim=True)
    return (log_p - log_mass).masked_fill(~sets, 0).exp() * sets + OUTSIDE


def draw(strength: Tensor, sets: Tensor) -> Tensor:
    """A draw of Dir(strength), as Gamma variables over their sum: (B, q), rows sum to 1.

    Outside the sets the strength is constant, so that only the candidates' draws need a gradient.
    """
    gammas = Gamma(torch.full_like(strength, OUTSIDE), 1.0, validate_args=False).sample()
    inside = Gamma(strength[sets], 1.0, validate_args=False).rsample()
    gammas = gammas.masked_scatter(sets, inside)
    return gammas / gammas.sum(-1, keepdim=True)


def reconstruction(
    delta: Tensor, decoded: Tensor, x: Tensor, sets: Tensor, graph: Tensor
) -> Tensor:
    """How badly label distributions tell inputs, sets and neighbours: (..., B, q) -> (...)."""
    similar = (delta @ delta.transpose(-1, -2)).sigmoid().softmax(-1)
    told = binary_cross_entropy_with_logits(delta, sets.to(delta.dtype), reduction="none")
    return (
        0.01 * mse_loss(decoded, x, reduction="none").mean((-2, -1))
        + 0.01 * told.mean((-2, -1))
        + mse_loss(similar, graph, reduction="none").mean((-2, -1))
    )


def over(sets: Tensor, delta: Tensor) -> Tensor:
    """A distribution's candidates alone, rows summing to 1 again: (..., q)."""
    kept = delta.clamp_min(torch.finfo(delta.dtype).tiny) * sets
    return kept / kept.sum(-1, keepdim=True)


def cross_entropy_plench(weights: Tensor, logits: Tensor) -> Tensor:
    """-sum_j w_j log(p_j + 1e-12) per example: (..., q), (..., q) -> (...)."""
    return -(weights * (logits.softmax(-1) + LEAST).log()).sum(-1)


def refreshed_plench(logits: Tensor, sets: Tensor) -> Tensor:
    """p + 1e-12 over the candidates, rows summing to 1: (..., q)."""
    kept = (logits.softmax(-1) + LEAST) * sets
    return kept / kept.sum(-1, keepdim=True)


def warm_with(fit, refreshed):
    """The warm-up's step with this cross-entropy and these new weights."""

    def warm(s: Trials, b: Batch):
        logits = s.net(b.x).logits
        belief = refreshed(logits.detach(), b.candidates)
        return fit(b.belief, logits).mean(-1), {"belief": belief}

    return warm


def until(s: Trials):
    return s.hp.warm_up


def _begin(s: Trials, features) -> dict[str, Tensor]:
    count = min(MOST_NEIGHBOURS, s.n - 1)
    near = torch.full_like(s.rows["near"], -1)
    for k in range(s.K):
        own = min(count, int(s.hyper[k]["neighbours"]))
        near[k, :, :own] = nearest(features(k), own)
    return {"near": near, "target": s.rows["belief"], **copy_of(s.net, "encoder")}


def begin(s: Trials):
    return _begin(s, lambda k: s.whole(k).features)


def begin_plench(s: Trials):
    # the network rests while features are gathered: those of the rows visited are today's
    return _begin(s, lambda k: s.whole(k).features * s.rows["visited"][k])


def step_with(fit, refreshed):
    """The step with this cross-entropy and these new weights."""

    def step(s: Trials, b: Batch):
        logits, alpha = s.net(b.x).logits, s.encoder(b.x).logits
        strength = concentration(alpha, b.candidates)
        delta = s.sample("dirichlet", lambda k: draw(strength[k], b.candidates[k]))
        graph = graph_block(b.near, b.ids, s.hp.neighbours)
        objective = (
            reconstruction(delta, s.decoder(delta).logits, b.x.flatten(2), b.candidates, graph)
            + prior_divergence(alpha).mean(-1)
            + fit(b.belief, alpha).mean(-1)
            + fit(b.target, logits).mean(-1)
        )
        return objective, {
            "target": over(b.candidates, delta.detach()),
            "belief": refreshed(logits.detach(), b.candidates),
        }

    return step


def idle(s: Trials, b: Batch):
    return s.alive * 0.0, {"visited": torch.ones_like(b.visited)}


def until_gathered(s: Trials):
    return s.hp.warm_up + s.E + 1


def _warm_up(default: int, published: str = "") -> Setting:
    """The updates that the warm-up lasts."""
    some = (1000, 2000, 3000, 4000, 5000)
    return one_of(default, some, static=True, published=published, within="[0, inf)", whole=True)


SPACE = {
    "warm_up": _warm_up(1000, published="default 5000"),
    "neighbours": one_of(3, (3, 4), "knn", within=f"[1, {MOST_NEIGHBOURS}]", whole=True),
}
FIXED, PLENCH = (cross_entropy, masked_softmax), (cross_entropy_plench, refreshed_plench)
WARM, WARM_PLENCH = (
    Stage(warm_with(*how), until=until, trains=("net",), optimiser="sgd") for how in (FIXED, PLENCH)
)

VALEN = Algorithm(
    "VALEN",
    (WARM, Stage(step_with(*FIXED), begin=begin)),
    paper="Xu et al., Instance-dependent partial label learning, NeurIPS 2021",
    kind="identification",
    summary="a variational Dirichlet over labels, tied to inputs and neighbours",
    rows=rows,
    modules={"encoder": encoder, "decoder": decoder},
    space=SPACE,
    shortened={"warm_up": 11},
    variants={
        "plench": {
            "stages": (
                WARM_PLENCH,
                Stage(idle, until=until_gathered, trains=(), optimiser="sgd"),
                Stage(step_with(*PLENCH), begin=begin_plench, trains=("net", "decoder")),
            ),
            "rows": rows_plench,
            "version": 2,
        },
        "table8": {"space": SPACE | {"warm_up": _warm_up(5000)}},
    },
    differences={
        "plench": "The encoder in use never learns (D-VALEN-1); an epoch of updates goes by while "
        "features are gathered, of which some rows have none (D-VALEN-3); 1e-12 is added to the "
        "probabilities (D-VALEN-5).",
        "table8": "The default warm-up is the 5,000 updates that the benchmark's Table 8 prints; "
        "its program has 1,000.",
    },
)
