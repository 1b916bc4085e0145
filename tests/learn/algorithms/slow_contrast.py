"""Contrastive losses and prototypes in plain loops, from the formulas; one trial, float64."""

from __future__ import annotations

import torch
from torch import Tensor


def prototypes_one_by_one(prototypes, features, labels, momentum) -> Tensor:
    """Each row in turn pulls its class's prototype; then all have length 1: (q, m)."""
    moved = prototypes.clone()
    for h, c in zip(features, labels.tolist()):
        moved[c] = momentum * moved[c] + (1 - momentum) * h
    lengths = moved.square().sum(1).sqrt()
    return torch.stack(
        [row if length == 0 else row / length for row, length in zip(moved, lengths)]
    )


def log_share(f: Tensor, pool: Tensor, i: int, a: int, temperature: float) -> Tensor:
    """log of exp(f_i · F_a / T) over the sum of these over all entries but the i-th."""
    total = sum((f[i] @ pool[o] / temperature).exp() for o in range(len(pool)) if o != i)
    return f[i] @ pool[a] / temperature - total.log()


def supervised(f, pool, positives, temperature) -> Tensor:
    """-(1 / |P_i|) sum over P_i of the log share, per row: (B,). ``positives``: a list for each."""
    rows = [
        -sum(log_share(f, pool, i, a, temperature) for a in chosen) / len(chosen)
        for i, chosen in enumerate(positives)
    ]
    return torch.stack(rows)


def info_nce(f, keys, queue, temperature) -> Tensor:
    """-log of the own key's share among it and the queue, per row: (B,)."""
    rows = []
    for i in range(len(f)):
        own = (f[i] @ keys[i] / temperature).exp()
        rows.append(-(own / (own + sum((f[i] @ g / temperature).exp() for g in queue))).log())
    return torch.stack(rows)
