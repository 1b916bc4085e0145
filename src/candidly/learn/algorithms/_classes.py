"""Sizes of classes by given labels, and batches in which small classes count as much as large."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from ._protocol import Trials
from ._space import one_of


def class_counts(given: Tensor, q: int, dtype: torch.dtype) -> Tensor:
    """How many rows are given each class: int (..., n) -> dtype (..., q)."""
    return one_hot(given, q).sum(-2).to(dtype)


def class_means(features: Tensor, given: Tensor, q: int) -> Tensor:
    """The mean of the rows given each class: (n, h), int (n,) -> (q, h); 0 where none is."""
    member = one_hot(given, q).to(features.dtype).T
    return member @ features / member.sum(1, keepdim=True).clamp_min(1)


def class_aware(given: np.ndarray, visit: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Rows class by class: each visit takes ``visit`` rows of one.

    Classes come in random order, all of them before one comes again, and so do the rows of each;
    orders are drawn anew every time. Classes without a row are never visited.

    Args:
        given: int (n,).
        count: how many rows.

    Returns:
        int64 (count,), positions in ``given``.

    Source: Kang et al., ICLR 2020, whose program takes 4 a visit.
    """
    first = np.sort(np.unique(given, return_index=True)[1])  # in no order of the classes' numbers
    members = [np.flatnonzero(given == given[row]) for row in first]
    visited = again_and_again(np.arange(len(members)), -(-count // visit), rng)
    rows = np.empty((len(visited), visit), dtype=np.int64)
    for number, own in enumerate(members):
        times = np.flatnonzero(visited == number)
        rows[times] = again_and_again(own, len(times) * visit, rng).reshape(-1, visit)
    return rows.ravel()[:count]


def again_and_again(values: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """``count`` of these rows, shuffled anew whenever all have been taken; (n,) -> (count,)."""
    rounds = [rng.permutation(values) for _ in range(-(-count // max(1, len(values))))]
    return np.concatenate([values[:0], *rounds])[:count]


# the second stage of decoupled training

DECOUPLED = {
    "first": one_of(2 / 3, (1 / 2, 2 / 3), static=True, within="(0, 1)"),
    "visit": one_of(4, (4,), within="[1, inf)", whole=True),
}


def until_second(s: Trials) -> int:
    """The first stage lasts for the share ``first`` of all updates."""
    return int(s.hp.first * s.T)


def balanced(s: Trials) -> Tensor:
    """A sampler: ``class_aware``, ``visit`` rows at a time."""
    count, labels = s.E * s.B, s.labels("given").cpu().numpy()
    return torch.from_numpy(
        np.stack(
            [
                class_aware(given, int(hyper["visit"]), count, generator)
                for given, hyper, generator in zip(labels, s.hyper, s.rng("classes"))
            ]
        )
    )
