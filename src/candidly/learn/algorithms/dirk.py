"""DIRK: a teacher tells rectified distributions, and features follow those that are told alike.

The teacher is a network of its own, which starts apart from the trained one, the student, and
follows it: theta_teacher becomes m theta_teacher + (1 - m) theta behind each update. Both have a
projection of length 1 beside the logits. Each update, without gradient:

* the teacher's probabilities p of the ``distill`` view are rectified. With c and n the softmax over
  the candidates and over the others, R = a c + (1 - a) n, where a / (1 - a) = max n / min of p over
  the candidates: R sums to 1, and no other class is above a candidate. Of a full set R = c;
* k is its projection of the weak view. k, R and R's largest candidate enter a queue.

The loss is -sum_j R_ij log p_ij of the student's ``distill`` view plus ``weight`` times a
contrastive loss of its strong view's projection. For the first ``warm_up`` updates the only
positive is a row's own k among the queue (InfoNCE). Then the pool is the batch, its k and the
queue; positives are rows with the same largest candidate, by a softmax of cos(R_i, R_a) /
``dist_temperature``, at ``feat_temperature`` T and times T / 0.07. That their sets meet, which the
paper also asks, follows: the class is in both.

On a table the three views are the row itself: the teacher differs from the student by its start and
its momentum alone.

Departs from common code: the queue counts from its first row on, where common code fills it with
random ones (D-DIRK-2), and n sums to 1, where common code adds 1e-20 to the mass outside the set,
so that a teacher that leaves less there tells next to nothing (D-DIRK-1); ``plench`` keeps both.
Softmaxes are masked, where common code divides by a mass that underflows (D-NUM-1). The warm-up is
in updates, as in the benchmark's program; the paper counts epochs.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize

from . import _contrast
from ._algorithm import Algorithm, Stage
from ._contrast import LOG2_E, UNSET, best_of, contrast, exp2_, held, info_nce, pushed
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._tensors import cross_entropy, masked_softmax
from ._views import View

BASE = 0.07  # the temperature at which the contrast counts as it is
LEAST = 1e-20  # what the released program adds to the mass outside the set


def memory(s: OneTrial):
    return {
        "queue": torch.zeros((1, s.hp.queue, s.hp.size), dtype=s.dtype),
        "queue_told": torch.zeros((1, s.hp.queue, s.q), dtype=s.dtype),
        "queue_labels": torch.full((1, s.hp.queue), UNSET),
    }


def memory_plench(s: OneTrial):
    rng = s.rng("queue")
    features, told = (
        torch.from_numpy(rng.standard_normal((1, s.hp.queue, width))) for width in (s.hp.size, s.q)
    )
    return {
        "queue": normalize(features, dim=1).to(s.dtype),
        "queue_told": normalize(told, dim=-1).to(s.dtype),
        "queue_labels": told.argmax(-1),
    }


def after(s: Trials, b: Batch):
    return {"teacher": _contrast.followed(s.hp.momentum, s.teacher, s.net)}


# what the teacher tells


def blended(inside: Tensor, outside: Tensor, least: Tensor) -> Tensor:
    """a inside + (1 - a) outside, a / (1 - a) = max outside / least; ``inside`` if that is 0.

    Args:
        inside, outside: (..., q), over the candidates and over the others.
        least: (..., 1), >= 0, the candidates' least probability.
    """
    most = outside.amax(-1, keepdim=True)
    some, total = most > 0, most + least
    return (
        torch.where(some, most / total, 1) * inside + torch.where(some, least / total, 0) * outside
    )


def least_inside(logits: Tensor, sets: Tensor) -> Tensor:
    """The candidates' least probability: (..., q) -> (..., 1)."""
    return logits.log_softmax(-1).masked_fill(~sets, torch.inf).amin(-1, keepdim=True).exp()


def rectified(logits: Tensor, sets: Tensor) -> Tensor:
    """R: (..., q), bool (..., q) -> (..., q), rows sum to 1."""
    inside, outside = masked_softmax(logits, sets), masked_softmax(logits, ~sets)
    return blended(inside, outside, least_inside(logits, sets))


def rectified_plench(logits: Tensor, sets: Tensor) -> Tensor:
    """R with 1e-20 added to the mass outside the sets; rows sum to 1 or less."""
    mass = logits.softmax(-1).masked_fill(sets, 0).sum(-1, keepdim=True)
    outside = masked_softmax(logits, ~sets) * (mass / (mass + LEAST))
    return blended(masked_softmax(logits, sets), outside, least_inside(logits, sets))


# the update


def of_student(s: Trials, b: Batch) -> tuple[Tensor, Tensor]:
    """Logits of the distill view and projection of the strong one."""
    h = s.net.head(s.net(b.view("strong")).features, "projection")
    return s.net(b.view("distill")).logits, h


@torch.no_grad()
def of_teacher(s: Trials, b: Batch) -> tuple[Tensor, Tensor]:
    """Logits of the distill view and projection of the weak one."""
    keys = s.teacher.head(s.teacher(b.view("weak")).features, "projection")
    return s.teacher(b.view("distill")).logits, keys


def length_1(told: Tensor) -> Tensor:
    """Distributions at length 1, whatever they sum to: (..., q)."""
    return normalize(told / told.amax(-1, keepdim=True), dim=-1)


def alike(told: Tensor, others: Tensor, same: Tensor, temperature: Tensor) -> Tensor:
    """exp((cos - 1) / T) of distributions with the same label, 0 of others.

    Args:
        told, others: (K, B, q), (K, N, q), of length 1.
        same: bool (K, B, N).
        temperature: (K, 1, 1).
    """
    scale = LOG2_E / temperature
    near = exp2_(torch.bmm(told * scale, others.transpose(1, 2)).sub_(scale))
    return near.masked_fill_(~same, 0)


def positives(
    told: Tensor, labels: Tensor, keys: Tensor, queues: tuple[Tensor, ...], temperature: Tensor
) -> tuple[Tensor, Tensor]:
    """Softmax of the likeness of distributions over the pool's rows of the same label.

    Args:
        told: (K, B, q), of the batch and of its keys, of length 1.
        labels: int64 (K, B).
        keys: (K, B, m).
        queues: features (K, N, m), distributions (K, N, q), labels int64 (K, N).
        temperature: (K, 1, 1).

    Returns:
        (K, B, B), weights of the batch's rows, 0 on the diagonal, and (K, B, m), the weighted sum
        of all others.
    """
    queue, queue_told, queue_labels = queues
    near = alike(told, told, labels[:, :, None] == labels[:, None], temperature)
    far = alike(told, queue_told, labels[:, :, None] == queue_labels[:, None], temperature)
    own = near - torch.diag_embed(near.diagonal(dim1=1, dim2=2))
    total = (own.sum(-1) + near.sum(-1) + far.sum(-1))[..., None]  # its key at least: 1
    return own / total, (near @ keys + far @ queue) / total


def learned(keys, told, labels) -> dict:
    """What an update leaves in the queue, by name."""
    return {"queue": keys, "queue_told": told, "queue_labels": labels}


def warm_with(queue_of, rectify):
    """The warm-up's step with this queue and these distributions."""

    def warm(s: Trials, b: Batch):
        logits, h = of_student(s, b)
        taught, keys = of_teacher(s, b)
        told = rectify(taught, b.candidates)
        apart = info_nce(h, keys, queue_of(s, "queue"), s.hp.feat_temperature[..., None])
        objective = (cross_entropy(told, logits) + s.hp.weight * apart).mean(-1)
        new = learned(keys, length_1(told), best_of(taught, b.candidates))
        return objective, pushed(s, new)

    return warm


def step_with(queue_of, rectify):
    """The step with this queue and these distributions."""

    def step(s: Trials, b: Batch):
        logits, h = of_student(s, b)
        taught, keys = of_teacher(s, b)
        told = rectify(taught, b.candidates)
        # of equal entries of R, as where the mass outside underflows, a candidate is the largest
        new = learned(keys, length_1(told), best_of(taught, b.candidates))
        queues = tuple(queue_of(s, name) for name in new)
        own, toward = positives(
            new["queue_told"], new["queue_labels"], keys, queues, s.hp.dist_temperature[..., None]
        )
        apart = contrast(h, (keys, queues[0]), own, toward, s.hp.feat_temperature[..., None])
        factor = s.hp.weight * s.hp.feat_temperature / BASE
        return (cross_entropy(told, logits) + factor * apart).mean(-1), pushed(s, new)

    return step


def whole_queue(s: Trials, name: str) -> Tensor:
    return s.memory[name]


def until(s: Trials):
    return s.hp.warm_up


def stages(queue_of, rectify) -> tuple[Stage, ...]:
    """Warm-up and the rest with this queue and these distributions."""
    return (
        Stage(warm_with(queue_of, rectify), after, until=until, trains=("net",)),
        Stage(step_with(queue_of, rectify), after, trains=("net",)),
    )


SPACE = {
    **_contrast.SPACE,
    "warm_up": _contrast.warm_up_of(178, (178,)),
    "momentum": one_of(0.99, (0.5, 0.9, 0.99), within="[0, 1]"),
    "weight": one_of(1.0, (0.1, 0.3, 0.5, 0.7, 0.9, 1.0), within="[0, inf)"),
    "dist_temperature": one_of(0.4, (0.2, 0.4, 0.6), within="[0.01, inf)"),
    "feat_temperature": one_of(0.07, (0.03, 0.05, 0.07, 0.09), within="[0.025, inf)"),
}

DIRK = Algorithm(
    "DIRK",
    stages(held, rectified),
    paper="Wu et al., Distilling reliable knowledge for instance-dependent partial label learning, "
    "AAAI 2024",
    kind="contrastive",
    summary="a teacher's distributions, rectified so that candidates come first, guide the student",
    memory=memory,
    head=_contrast.projected,
    modules={"teacher": _contrast.projected},
    views={"weak": View(), "strong": View(), "distill": View()},
    space=SPACE,
    shortened={"warm_up": 7, "size": 8, "queue": 40},
    variants={
        "plench": {
            "stages": stages(whole_queue, rectified_plench),
            "memory": memory_plench,
            "views": {
                "weak": View(),
                "strong": View(pictures="strong-plench"),
                "distill": View(),
            },
        }
    },
    differences={
        "plench": "1e-20 is added to the teacher's mass outside the set, so that a certain one "
        "tells next to nothing (D-DIRK-1); and the queue starts with random rows (D-DIRK-2)."
    },
)
