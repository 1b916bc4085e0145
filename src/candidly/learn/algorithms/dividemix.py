"""dividemix: two networks tell clean from wrong labels for each other, and mix the rest in.

``warm_up`` epochs of cross-entropy for both. Then, and after every epoch, each network's losses of
all training rows go through a mixture of two Gaussians (``_mixture``); w_i, the posterior of the
smaller one, is handed to the other network. Rows with w > 1/2 are its labelled set, the others,
without their labels, its unlabelled one. An update takes a batch of each:

* labelled targets: w e_y + (1 - w) p, p the mean of the network's probabilities over two views,
  sharpened (squared and normalised again);
* unlabelled targets: the mean over two views and both networks, sharpened;
* both views of both batches, 4B rows, are mixed with a permutation of themselves, inputs and
  targets alike, with weights l and 1 - l, l = max(b, 1 - b), b ~ Beta(4, 4);
* loss: cross-entropy of the 2B labelled rows, plus lambda_u ramp times the mean squared error of
  the probabilities of the 2B unlabelled ones, plus KL(uniform, mean of all probabilities). ``ramp``
  goes from 0 to 1 over 16 epochs.

Predictions are the mean of both networks' logits. If there is no clean row, or no other, the batch
is of all rows. Pictures are cropped and mirrored, by random numbers of each view, and mixed as the
numbers that the network sees; losses and predictions are of the pictures themselves. A vector has
no crops: a view is Gaussian noise of standard deviation ``view_noise``, in units of the inputs; at
0 the two are the same.

Departs from common code: an epoch is as many updates as in every other stage, not as the labelled
set has batches. Both networks see the same batches during the warm-up, and learn at once, where the
program trains one for an epoch and then the other; so what the other network guesses is normalised
by its batch, and not by running statistics. A row that is in both networks' batches of an update
has the same views in both. ``asymmetric`` adds sum p log p to the warm-up's loss, as published for
asymmetric noise and for CIFAR-N, there with lambda_u 0.
"""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor

from ._algorithm import Algorithm, Stage, each_epoch, epochs
from ._mixmatch import drawn_mixes, mixed, ramp, sharpen
from ._mixture import clean_probability
from ._protocol import Batch, OneTrial, Trials
from ._selection import label_losses, losses
from ._space import one_of
from ._tensors import cross_entropy, joined
from ._views import View

CLEAN = 0.5  # posterior
BETA = 4.0


def rows(s: OneTrial):
    return {"clean": torch.ones((1, s.n, 2), dtype=s.dtype)}


def warm(s: Trials, b: Batch):
    return losses(s.net(b.x).logits, b.given).mean(-1)


def warm_asymmetric(s: Trials, b: Batch):
    logits = s.net(b.x).logits
    log_p = logits.log_softmax(-1)
    return (losses(logits, b.given) + (log_p.exp() * log_p).sum(-1)).mean(-1)


def divide(s: Trials) -> dict[str, Tensor]:
    """What each network is told of the labels: column m comes from the other network's losses."""
    clean = s.rows["clean"].clone()
    for k in s.alive.nonzero().flatten().tolist():
        for m in range(2):
            clean[k, :, 1 - m] = clean_probability(label_losses(s, k, m))
    return {"clean": clean}


def labelled(s: Trials) -> Tensor:
    return (s.rows["clean"] > CLEAN).transpose(1, 2)


def unlabelled(s: Trials) -> Tensor:
    return ~labelled(s)


def targets(s: Trials, sure: Batch, rest: Batch) -> tuple[list[Tensor], Tensor]:
    """The four inputs (K, 2, B, d), and targets of the labelled and unlabelled, (2, K, 2, B, q)."""
    inputs = [batch.view("weak", draw) for batch in (sure, rest) for draw in range(2)]
    own = [s.net(x).logits.softmax(-1) for x in inputs]
    others = [s.net(x.flip(1)).logits.flip(1).softmax(-1) for x in inputs[2:]]
    w = sure.clean.diagonal(dim1=1, dim2=-1).transpose(1, 2)[..., None]
    label = (sure.given[..., None] == torch.arange(s.q, device=sure.given.device)).to(s.dtype)
    known = sharpen(w * label + (1 - w) * (own[0] + own[1]) / 2)
    guessed = sharpen((own[2] + own[3] + others[0] + others[1]) / 4)
    return inputs, torch.stack([known, guessed])


def balance(log_p: Tensor) -> Tensor:
    """KL(uniform, mean probabilities of the rows): log-probabilities (..., R, q) -> (...)."""
    size, classes = log_p.shape[-2:]
    mean = log_p.logsumexp(-2) - math.log(size)
    return -math.log(classes) - mean.mean(-1)


def step(s: Trials, sure: Batch, rest: Batch):
    with torch.no_grad():
        inputs, wanted = targets(s, sure, rest)
        order, shares = drawn_mixes(s, 4 * s.B, BETA, 2)
        target = mixed(torch.cat([wanted[0], wanted[0], wanted[1], wanted[1]], 2), order, shares)
    mix = partial(mixed, order=order, share=shares)
    logits = s.net.mixed(joined(inputs, 2), mix).logits
    log_p = logits.log_softmax(-1)
    known, guessed = 2 * s.B, log_p[..., 2 * s.B :, :].exp()
    weight = s.hp.lambda_u[..., 0] * ramp(s, s.hp.warm_up)
    return (
        cross_entropy(target, logits)[..., :known].mean(-1)
        + weight * (guessed - target[..., known:, :]).square().mean((-2, -1))
        + balance(log_p)
    )


MIX = Stage(step, begin=divide, whole=each_epoch(divide), samplers=(labelled, unlabelled))

DIVIDEMIX = Algorithm(
    "dividemix",
    (Stage(warm, until=epochs("warm_up")), MIX),
    paper="Li, Socher & Hoi, DivideMix: learning with noisy labels as semi-supervised learning, "
    "ICLR 2020",
    kind="noisy labels",
    summary="two networks divide the rows for each other, and learn the unclean ones unlabelled",
    reads=("given",),
    rows=rows,
    networks=2,
    averages=True,
    views={"weak": View(noise="view_noise")},
    space={
        "warm_up": one_of(10, (5, 10, 30), static=True, within="[0, inf)", whole=True),
        "lambda_u": one_of(25, (0, 25, 50, 150), within="[0, inf)"),
        "view_noise": one_of(0.1, (0.05, 0.1, 0.2), within="[0, inf)"),
    },
    shortened={"warm_up": 1},
    variants={
        "asymmetric": {"stages": (Stage(warm_asymmetric, until=epochs("warm_up")), MIX)},
    },
    differences={"asymmetric": "The warm-up's loss has the sum of p log p added, per example."},
)
