"""ABLE: features of two views are drawn together as far as an anchor's own set allows it.

Weak and strong views go through the network as one batch of 2B rows, which have a projection of
length 1 beside the logits. With C a table of weights, uniform over the candidates at first, and
y_k the candidate of row k's largest logit:

* row i pulls row k with A_ik = C_{i, y_k}, 0 where y_k is no candidate of i, over the number of the
  batch's rows with the pseudo-label y_k. So an ambiguous row pulls rows of each of its candidates;
* the loss is -sum_j C_ij log p_ij of the weak view plus ``weight`` times the mean over the 2B
  anchors of -(T / 0.07) sum_b A_ab log softmax_{b != a}(f_a · f_b / T). Both views of k are pulled,
  and nothing pulls itself: that weight is left out, and the others do not make up for it;
* C becomes the softmax over the candidates, from the same pass.

On a table both views are the row itself, so that each row has a copy beside it in the contrast.

Departs from common code: C_i is of row i, where common code reads the table's rows 0 to B - 1, by
the place in the batch (D-ABLE-1); ``plench`` keeps that. Matrices replace a loop over all pairs
(D-ABLE-2), and a masked softmax a quotient of probabilities that underflow (D-NUM-1).
"""

from __future__ import annotations

import torch
from torch import Tensor

from . import _contrast
from ._algorithm import Algorithm, Stage
from ._contrast import best_of, log_pool, similarities
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._tensors import cross_entropy, masked_softmax, uniform_over
from ._views import View

BASE = 0.07  # the temperature at which the contrast counts as it is


def rows(s: OneTrial):
    return {"weights": uniform_over(s.candidates, s.dtype)}


def pulls(weights: Tensor, sets: Tensor, guess: Tensor) -> Tensor:
    """How strongly each of the 2B rows pulls each other one: (K, 2B, 2B), 0 on the diagonal.

    Args:
        weights: (K, B, q), of the anchors' classes.
        sets: bool (K, B, q).
        guess: int64 (K, B), pseudo-labels.
    """
    common = (guess[:, :, None] == guess[:, None]).sum(-1)  # rows of the same pseudo-label
    at = guess[:, None].expand(-1, guess.shape[1], -1)
    pull = ((weights * sets).gather(-1, at) / common[:, None]).repeat(1, 2, 2)
    itself = torch.eye(pull.shape[-1], dtype=torch.bool, device=pull.device)
    return pull.masked_fill(itself, 0)


def pulled(features: Tensor, pull: Tensor, temperature: Tensor) -> Tensor:
    """-sum_b A_ab log softmax_{b != a}(f_a · f_b / T) per anchor: (K, 2B), in nats.

    Args:
        features: (K, 2B, m), of length 1.
        pull: (K, 2B, 2B), 0 on the diagonal.
        temperature: (K, 1, 1).
    """
    similar = similarities(features, temperature)
    pool = log_pool(similar, features, (), temperature)
    return pull.sum(-1) * pool - (pull * similar).sum(-1)


def own_weights(s: Trials, b: Batch) -> Tensor:
    return b.weights


def first_rows(s: Trials, b: Batch) -> Tensor:
    return s.rows["weights"][:, : s.B]


def step_with(weights_of):
    """The step in which these weights say what an anchor pulls."""

    def step(s: Trials, b: Batch):
        logits, trunk = s.net(torch.cat((b.view("weak"), b.view("strong")), 1))
        weak, features = logits[:, : s.B], s.net.head(trunk, "projection")
        guess = best_of(weak.detach(), b.candidates)
        pull = pulls(weights_of(s, b), b.candidates, guess)
        apart = pulled(features, pull, s.hp.temperature[..., None])
        factor = (s.hp.weight * s.hp.temperature / BASE)[:, 0]
        objective = cross_entropy(b.weights, weak).mean(-1) + factor * apart.mean(-1)
        return objective, {"weights": masked_softmax(weak.detach(), b.candidates)}

    return step


SPACE = {
    "size": _contrast.SPACE["size"],
    "weight": one_of(1.0, (0.5, 1.0, 2.0), "loss_weight", within="[0, inf)"),
    "temperature": one_of(0.07, (0.03, 0.05, 0.07, 0.09), within="[0.001, inf)"),
}

ABLE = Algorithm(
    "ABLE",
    (Stage(step_with(own_weights)),),
    paper="Xia et al., Ambiguity-induced contrastive learning for instance-dependent partial "
    "label learning, IJCAI 2022",
    kind="contrastive",
    summary="a row draws nearer to those of its candidates, as far as each candidate is likely",
    rows=rows,
    head=_contrast.projected,
    views={"weak": View(), "strong": View()},
    space=SPACE,
    shortened={"size": 8},
    variants={
        "plench": {
            "stages": (Stage(step_with(first_rows)),),
            "views": {"weak": View(), "strong": View(pictures="strong-plench")},
        }
    },
    differences={
        "plench": "What a row pulls is weighed by another row's weights: those of the table's row "
        "at its place in the batch (D-ABLE-1)."
    },
)
