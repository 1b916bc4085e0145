"""CORES²: confidence-regularised training that sieves its examples as it goes.

The loss with label y is -ln p_y - β Σ_j π_j (-ln p_j), π the shares of the labels among what is
kept. An example is kept while its loss with the given label is at most the mean of its losses with
all labels; the regulariser is the same in all of these and cancels, so that this is
-ln p_y <= (1/m) Σ_k -ln p_k.

Of T epochs, the first tenth has β = 0, then β grows to 2 until four tenths; sieving begins at
three tenths. The published recipe, 10, 40 and 30 of 100 epochs, also divides the learning rate by
1 + β; Adam, which is used here, takes steps that do not depend on the loss's scale.

Source: Cheng et al., Learning with instance-dependent label noise: a sample sieve approach,
ICLR 2021.
"""

from __future__ import annotations

import numpy as np
import torch

from ..algorithms import Algorithm, Stage
from ..labelled import Labelled
from ._detection import Detection
from ._subject import EPOCHS

PLAIN, GROWN, SIEVING = 0.1, 0.4, 0.3  # shares of the training
BETA = 2.0


def rows(s):
    return {
        "sieve": torch.zeros(s.given.shape, dtype=s.dtype),
        "kept": torch.ones(s.given.shape, dtype=torch.bool),
    }


def memory(s):
    return {"prior": shares(s.given, torch.ones_like(s.given, dtype=s.dtype), s.q)}


def shares(given, kept, q):
    """Shares of the labels among the kept, (K, n) -> (K, q); all equal where none is."""
    counts = kept.new_zeros((len(given), q)).scatter_add_(1, given, kept)
    total = counts.sum(1, keepdim=True)
    return torch.where(total > 0, counts / total.clamp(min=1), 1 / q)


def sieve_of(losses, given):
    """-ln p_y less the mean over labels: (..., q), (...) -> (...); above 0 is sifted out."""
    return losses.gather(-1, given[..., None])[..., 0] - losses.mean(-1)


def beta_at(share):
    """β after that share of the training."""
    return BETA * min(1.0, max(0.0, (share - PLAIN) / (GROWN - PLAIN)))


def step(s, b):
    share = s.t / s.T
    losses = -s.net(b.x).logits.log_softmax(-1)
    sieve = sieve_of(losses.detach(), b.given)
    kept = sieve <= 0 if share >= SIEVING else torch.ones_like(sieve, dtype=torch.bool)
    own = losses.gather(-1, b.given[..., None])[..., 0]
    each = own - beta_at(share) * (losses * s.memory["prior"][:, None]).sum(-1)
    objective = (each * kept).sum(-1) / kept.sum(-1).clamp(min=1)
    return objective, {"sieve": sieve, "kept": kept}


def whole(s):
    if s.t % s.E or s.t / s.T < SIEVING:
        return {}
    return {"prior": shares(s.labels("given"), s.rows["kept"].to(s.dtype), s.q)}


CORES2 = Algorithm(
    "cores2",
    (Stage(step, whole=whole),),
    paper="Cheng et al., ICLR 2021",
    reads=("given",),
    rows=rows,
    memory=memory,
)


def cores2(data: Labelled, *, epochs: int = EPOCHS, seed: int = 0) -> Detection:
    """Flags what the sieve holds back at an example's last visit.

    Args:
        data: with ``given`` on every row.

    Returns:
        score, in nats: -ln p_y less the mean over all labels, at the last visit; above 0 is
        flagged.
    """
    from ._train import examples_of, seeds_of, trained

    stack = trained(
        examples_of(data), [np.arange(data.n)], seeds_of("cores2", seed, 1), epochs, page=CORES2
    )
    score = stack.rows["sieve"][0].double().cpu().numpy()
    return Detection(score, ~stack.rows["kept"][0].cpu().numpy())
