"""The losses of candidate sets and complementary labels in plain Python, written out; and draws.

Every class and every (example, complementary label) pair, in float64. ``ROWS``, ``PAIRS`` and
``PER_BATCH`` say which page each belongs to.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch.nn.functional import one_hot

from candidly.learn.algorithms import (
    abs_gce,
    abs_mae,
    cc,
    exp,
    forward,
    l_w,
    log,
    mcl,
    op_w,
    pc,
    scl_exp,
    scl_nl,
)

Q, A = 5, 0.7
double = torch.float64


def make_batch(seed=0, rows=9, q=Q, size=2.0):
    """Logits and sets: one full, one singleton, the others mixed."""
    g = np.random.default_rng(seed)
    sets = g.random((rows, q)) < 0.4
    sets[np.arange(rows), g.integers(0, q, rows)] = True
    sets[0] = True
    sets[1] = np.arange(q) == 0
    return torch.tensor(g.normal(size=(rows, q)) * size), torch.tensor(sets)


def softmax(z):
    e = [math.exp(v - max(z)) for v in z]
    return [v / sum(e) for v in e]


def by_row(each, logits, sets):
    """each(z, S) for every row, S a list of class numbers."""
    return [
        each(z, [j for j in range(len(z)) if s[j]]) for z, s in zip(logits.tolist(), sets.tolist())
    ]


def by_pair(each, logits, sets):
    """The mean of each(z, j) over all (example, complementary label) pairs."""
    values = [
        each(z, j)
        for z, s in zip(logits.tolist(), sets.tolist())
        for j in range(len(z))
        if not s[j]
    ]
    return sum(values) / len(values)


# the definitions


def slow_abs_mae(z, inside):
    p = softmax(z)
    return sum(sum(abs(p[k] - (k == j)) for k in range(len(z))) for j in inside) / len(inside)


def slow_log(z, inside):
    q, s, p = len(z), len(inside), softmax(z)
    return 0.0 if s == q else -(q - 1) / (q - s) * math.log(sum(p[j] for j in inside))


def slow_exp(z, inside):
    q, s, p = len(z), len(inside), softmax(z)
    return 0.0 if s == q else (q - 1) / (q - s) * math.exp(-sum(p[j] for j in inside))


def slow_gce(z, j):
    return (1 - softmax(z)[j] ** A) / A


def slow_mse(z, j):
    return sum((p - (k == j)) ** 2 for k, p in enumerate(softmax(z)))


def slow_mcl(label_loss):
    def each(z, inside):
        s, outside = len(inside), [j for j in range(len(z)) if j not in inside]
        first = sum(label_loss(z, j) for j in inside)
        if not outside:
            return first
        return first - (s - 1) / len(outside) * sum(label_loss(z, j) for j in outside)

    return each


def slow_mcl_plench(label_loss):
    def each(z, inside):
        s, outside = len(inside), [j for j in range(len(z)) if j not in inside]
        below = len(outside) * sum(label_loss(z, j) for j in outside) + 1e-20
        return sum(label_loss(z, j) for j in inside) - (s - 1) / below

    return each


def slow_pc(logits, sets):
    q = logits.shape[-1]
    wins = by_pair(
        lambda z, j: sum(1 / (1 + math.exp(z[k] - z[j])) for k in range(q)), logits, sets
    )
    return (q - 1) * wins - q * (q - 1) / 2 + (q - 1)


def slow_l_w(z, j):
    u = [1 - p for p in softmax(z)]
    return -(1 + u[j] / (len(z) - 1)) * math.log(softmax(u)[j])


def slow_op_w(z, j):
    a = [p + 1e-18 for p in softmax(z)]
    b = [p + 1e-18 for p in softmax([-v for v in z])]
    w = softmax([1 / v + 1 for v in b])
    return -(a[j] * w[j] + 1e-6) * math.log(b[j])


def slow_risks(logits, sets, prior, plench=False):
    """v_k from the matrix m_jk, written out."""
    q = logits.shape[-1]
    m, counts = np.zeros((q, q)), np.zeros(q)
    for z, s in zip(logits.tolist(), sets.tolist()):
        for j in range(q):
            if not s[j]:
                counts[j] += 1
                m[j] -= np.log(softmax(z))
    m /= np.maximum(counts, 1)[:, None]
    v = []
    for k in range(q):
        first = sum((prior[k] if plench else prior[j]) * m[j, k] for j in range(q))
        v.append(first - (q - 1) * prior[k] * m[k, k])
    return np.array(v), counts


ROWS = {
    "ABS-MAE": (abs_mae.loss, slow_abs_mae),
    "ABS-GCE": (
        abs_gce.loss,
        lambda z, inside: sum(slow_gce(z, j) for j in inside) / len(inside),
    ),
    "LOG": (log.loss, slow_log),
    "EXP": (exp.loss, slow_exp),
    "MCL-GCE": (mcl.loss_gce, slow_mcl(slow_gce)),
    "MCL-MSE": (mcl.loss_mse, slow_mcl(slow_mse)),
    "MCL-GCE:plench": (mcl.loss_gce_plench, slow_mcl_plench(slow_gce)),
    "MCL-MSE:plench": (mcl.loss_mse_plench, slow_mcl_plench(slow_mse)),
}
PAIRS = {
    "SCL-EXP": (scl_exp.loss, lambda z, j: math.exp(softmax(z)[j])),
    "SCL-NL": (scl_nl.loss, lambda z, j: -math.log(1 - softmax(z)[j] + 1e-6)),
    "L-W": (l_w.loss, slow_l_w),
    "OP-W": (op_w.loss, slow_op_w),
}
PER_BATCH = {name: loss for name, (loss, _) in PAIRS.items()} | {
    "PC": pc.loss,
    "Forward": forward.loss,
}
OF_PAGE = {name: loss for name, (loss, _) in ROWS.items()} | PER_BATCH
OF_PAGE |= {"CC": cc.loss, "EXP:plench": exp.loss_plench, "ABS-GCE:plench": abs_gce.loss_plench}
PRIOR = torch.tensor([0.4, 0.25, 0.2, 0.1, 0.05], dtype=double)


def gradient(loss, logits, sets):
    logits = torch.tensor(logits, requires_grad=True)
    value = loss(logits, torch.tensor(sets)).sum()
    value.backward()
    return value, logits.grad


def label_losses(kind, logits):
    return {"gce": mcl.gce, "mse": mcl.mse, "any": lambda z: z.exp()}[kind](logits)


def complementary_draws(shape, priors, seed=0):
    """Labels from ``priors``, one uniform wrong label each, and logits that know a little."""
    g = np.random.default_rng(seed)
    q = len(priors)
    y = torch.tensor(g.choice(q, size=shape, p=priors))
    wrong = (y + torch.tensor(g.integers(1, q, size=shape))) % q
    logits = torch.tensor(g.normal(size=(*shape, q))) + 2 * one_hot(y, q)
    return y, ~one_hot(wrong, q).bool(), logits


UNEQUAL = [0.5, 0.2, 0.15, 0.1, 0.05]


def prior_of(labels):
    """Shares of the complementary labels when each is uniform among the wrong ones."""
    return (1 - torch.tensor(labels, dtype=double)) / (len(labels) - 1)


def every_complementary_label():
    """60 examples with every wrong label of each once: the paper's model without sampling."""
    y, _, logits = complementary_draws((60,), UNEQUAL)
    y, logits = y.repeat_interleave(Q - 1), logits.repeat_interleave(Q - 1, 0)
    wrong = (y + torch.arange(1, Q).repeat(60)) % Q
    return y, ~one_hot(wrong, Q).bool(), logits
