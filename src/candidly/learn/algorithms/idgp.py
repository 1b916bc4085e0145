"""IDGP: a second network says which labels get into a set, and both teach each other.

f gives p = softmax, who is the label; g gives r = sigmoid, the probability that a label is
included. Tables: D, f's belief over the candidates (uniform at first), and I, g's inclusion
probabilities (the candidate matrix at first). Until ``warm_up`` epochs are over, f minimises
-sum D log p and g the binary cross-entropy to I. After that both add what the other says, as a
constant:

* f: -sum w log p, where w is proportional to the probability that j is the label and the set was
  generated, (1 - r'_j) / r'_j over the candidates, r' being r with r_y replaced by 1 - r_y at the
  believed label y; that is a softmax over the candidates of -g, with +g at y.
* g: -sum v log(1 - r) - sum [S log r + (1 - S) log(1 - r)], v = softmax of f over the candidates.
* a pull towards the tables, growing to 1 over the first fifth of the updates: KL(D || p) to f, and
  sum I log(I / r) to g.

Then D and I take the values of this pass, within the candidates.

Departs from common code: works on logits throughout; the product of all inclusion probabilities
cancels and is not formed, where the literal form underflows for large sets. As in the benchmark's
program (D-IDGP), one view of an input, both networks warmed up together, one learning rate. That
program guards every logarithm and division (1e-12, and 1.0000001 for the 1 of 1 - r) and forms the
product, so that w vanishes once all its candidates are improbable (D-IDGP-1); ``plench`` keeps
that.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid, softplus

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._tensors import cross_entropy, masked_softmax, uniform_over

LEAST = 1e-12  # the released program's guard of logarithms and divisions
ONE = 1.0000001  # and what it has for the 1 of log(1 - r)
RAMP = 0.2  # share of the updates over which the pull towards the tables grows


def rows(s: OneTrial):
    return {"label": uniform_over(s.candidates, s.dtype), "inclusion": s.candidates.to(s.dtype)}


def generation_weights(g: Tensor, candidates: Tensor, label: Tensor) -> Tensor:
    """How probable each candidate is as the label, given that this set was generated.

    Args:
        g: inclusion logits (..., q).
        candidates: bool (..., q).
        label: belief (..., q); its largest candidate is the believed label.

    Returns:
        float (..., q), rows sum to 1 over the candidates.
    """
    believed = (label * candidates).argmax(-1, keepdim=True)
    return masked_softmax((-g).scatter(-1, believed, g.gather(-1, believed)), candidates)


def inclusion_loss(g: Tensor, targets: Tensor) -> Tensor:
    """Binary cross-entropy of inclusion logits, summed over classes: (..., q) -> (...)."""
    return binary_cross_entropy_with_logits(g, targets, reduction="none").sum(-1)


def losses(f: Tensor, g: Tensor, candidates: Tensor, label: Tensor, inclusion: Tensor):
    """The four parts: f's and g's own loss, and what each adds after the warm-up, less the pull."""
    weights = generation_weights(g.detach(), candidates, label)
    shares = masked_softmax(f.detach(), candidates)
    return (
        cross_entropy(label, f),
        inclusion_loss(g, inclusion),
        cross_entropy(weights, f),
        (shares * softplus(g)).sum(-1) + inclusion_loss(g, candidates.to(g.dtype)),
    )


def weights_plench(r: Tensor, candidates: Tensor, label: Tensor) -> Tensor:
    """The released program's ``generation_weights``, of r = sigmoid(g): (..., q) -> (..., q).

    In float64, as there. Rows sum to less than 1, to 0 where the product is far below 1e-12.
    """
    believed = (label * candidates).argmax(-1, keepdim=True)
    flipped = r.scatter(-1, believed, 1 - r.gather(-1, believed)).double() * candidates
    flipped = torch.where(flipped == 0, 1.0, flipped)
    joint = (1 - flipped) / (flipped + LEAST) * flipped.prod(-1, keepdim=True) * candidates
    return (joint / (joint.sum(-1, keepdim=True) + LEAST)).to(r.dtype)


def shares_plench(f: Tensor, candidates: Tensor) -> Tensor:
    """The released program's softmax over the candidates: (..., q)."""
    inside = f.softmax(-1) * candidates
    return inside / (inside.sum(-1, keepdim=True) + LEAST)


def losses_plench(f: Tensor, g: Tensor, candidates: Tensor, label: Tensor, inclusion: Tensor):
    """The released program's ``losses``."""
    r = g.sigmoid()
    log_p, log_r, log_not = (f.softmax(-1) + LEAST).log(), (r + LEAST).log(), (ONE - r).log()
    weights = weights_plench(r.detach(), candidates, label)
    shares = shares_plench(f.detach(), candidates)

    def entropy(targets: Tensor) -> Tensor:
        return -(targets * log_r + (1 - targets) * log_not).sum(-1)

    return (
        -(label * log_p).sum(-1),
        entropy(inclusion),
        -(weights * log_p).sum(-1),
        -(shares * log_not).sum(-1) + entropy(candidates.to(g.dtype)),
    )


def pulls(f: Tensor, g: Tensor, label: Tensor, inclusion: Tensor) -> tuple[Tensor, Tensor]:
    """KL(label || p) and sum inclusion log(inclusion / r), per example, with 0 log 0 = 0."""
    to_label = torch.xlogy(label, label).sum(-1) + cross_entropy(label, f)
    to_inclusion = (torch.xlogy(inclusion, inclusion) - inclusion * logsigmoid(g)).sum(-1)
    return to_label, to_inclusion


def step_with(losses, shares):
    """The step with these four parts, and f's softmax over the candidates made this way."""

    def step(s: Trials, b: Batch):
        f, g = s.net(b.x).logits.unbind(1)
        own_f, own_g, from_g, from_f = losses(f, g, b.candidates, b.label, b.inclusion)
        pull_f, pull_g = pulls(f, g, b.label, b.inclusion)
        ramp = min(s.t / max(1, int(RAMP * s.T)), 1.0)
        late = (s.seen > s.hp.warm_up[:, 0] * s.n).to(f.dtype)  # a real number of epochs
        objective = torch.stack(
            [own_f + late * (from_g + ramp * pull_f), own_g + late * (from_f + ramp * pull_g)], 1
        ).mean(-1)
        return objective, {
            "label": shares(f.detach(), b.candidates),
            "inclusion": g.detach().sigmoid() * b.candidates,
        }

    return step


step = step_with(losses, masked_softmax)
step_plench = step_with(losses_plench, shares_plench)


IDGP = Algorithm(
    "IDGP",
    (Stage(step),),
    paper="Qiao et al., Decompositional generation process for instance-dependent partial label "
    "learning, ICLR 2023",
    kind="identification",
    summary="one network guesses the label, another how sets arise; each teaches the other",
    rows=rows,
    networks=2,
    space={"warm_up": one_of(10, (5, 10, 15, 20), "warm_up_epoch", within="[0, inf)", whole=True)},
    shortened={"warm_up": 1},
    variants={"plench": {"stages": (Stage(step_plench),), "version": 2}},
    differences={
        "plench": "1e-12 guards logarithms and divisions, 1.0000001 stands for 1 in log(1 - r), "
        "and the weights of a set whose labels are all improbable vanish (D-IDGP-1)."
    },
)
