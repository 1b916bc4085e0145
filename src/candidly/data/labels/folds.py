"""Folds: a function of seed, labels and groups, and of nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ground.arrays import as_array, door
from ...ground.numbers import whole
from ...ground.seeds import draw


@door
def make_folds(
    labels: np.ndarray, folds: int = 5, groups: np.ndarray | None = None, seed: int = 0
) -> np.ndarray:
    """The fold of each example, so that every fold has its share of each class.

    Without groups the sizes of folds differ by one at most, and so do the numbers of a class. With
    groups each group stays in one fold; groups are dealt out largest first, each to the fold that
    has least of its classes, so shares are as even as the groups allow.

    Args:
        labels: int (n,); -1 for none, which counts as a class of its own.
        folds: at least 2, at most n and at most the number of groups.
        groups: int (n,), or None.
        seed: not negative.

    Returns:
        int64 (n,), in 0..folds-1; no fold is empty.

    Raises:
        ValueError: too few or too many folds.

    >>> np.bincount(make_folds(np.array([0, 0, 0, 0, 1, 1]), 2))
    array([3, 3])
    """
    there = len(labels) if groups is None else len(np.unique(groups))
    what = "examples" if groups is None else "groups"
    folds = whole(folds, "folds", low=2)
    if folds > there:
        raise ValueError(f"folds is {folds}, but there are {there} {what}; use fewer folds.")
    random = draw(seed, "crossval.folds")
    if groups is None:
        return _dealt(labels, folds, random)
    return _grouped(labels, groups, folds, random)


def _dealt(labels: np.ndarray, folds: int, random: np.random.Generator) -> np.ndarray:
    """Dealt out like cards, class by class."""
    fold = np.empty(len(labels), np.int64)
    fold[np.lexsort((random.random(len(labels)), labels))] = np.arange(len(labels)) % folds
    return fold


def _grouped(
    labels: np.ndarray, groups: np.ndarray, folds: int, random: np.random.Generator
) -> np.ndarray:
    """Greedy: a group goes where it adds least to the sum of squared shares of classes.

    Put into fold f, a group with c_k examples of class k adds to Σ_k (h_fk / t_k)² the constant
    Σ_k (c_k / t_k)² and twice Σ_k h_fk c_k / t_k². All examples together count as one more class,
    so that an empty fold always comes first.
    """
    kinds, kind = np.unique(labels, return_inverse=True)
    _, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    weights = 1 / np.bincount(kind).astype(float) ** 2
    rows = np.argsort(group, kind="stable")
    stops = sizes.cumsum()
    fold = np.empty(len(labels), np.int64)
    held, held_rows = np.zeros((folds, len(kinds))), np.zeros(folds)
    for g in np.lexsort((random.random(len(sizes)), -sizes)).tolist():
        mine = rows[stops[g] - sizes[g] : stops[g]]
        its, counts = np.unique(kind[mine], return_counts=True)
        crowding = held[:, its] @ (counts * weights[its]) + held_rows * len(mine) / len(labels) ** 2
        k = int(crowding.argmin())
        fold[mine] = k
        held[k, its] += counts
        held_rows[k] += len(mine)
    return fold


def checked_folds(folds: Any, n: int) -> np.ndarray:
    """Folds that a caller brings: int64 (n,), each of 0..K-1 there.

    Raises:
        ValueError: another shape or kind, fewer than two folds, or an empty one.
    """
    array = as_array(folds, "folds")
    if array.dtype.kind not in "iu" or array.shape != (n,):
        raise ValueError(
            f"`folds` is {array.dtype} of shape {array.shape}; give a number of folds, or the fold "
            f"of each example as integers ({n},)."
        )
    used = np.unique(array)
    if len(used) < 2 or used[0] != 0 or used[-1] != len(used) - 1:
        raise ValueError(
            f"`folds` uses {', '.join(map(str, used[:10].tolist()))}; folds are numbered from 0, "
            "with none left out, and there are at least 2."
        )
    return array.astype(np.int64)


def checked_groups(groups: Any, n: int) -> np.ndarray | None:
    """The number of each example's group: int64 (n,), groups numbered in order of their names.

    Raises:
        ValueError: another length, or a group that is missing.
    """
    if groups is None:
        return None
    array = as_array(groups.to_list() if hasattr(groups, "to_list") else groups, "groups")
    if array.shape != (n,):
        raise ValueError(
            f"`groups` has shape {array.shape}, but there are {n} examples; give one group each."
        )
    missing = [value is None or value != value for value in array.tolist()]
    if any(missing):
        raise ValueError(
            f"`groups` has no group at row {missing.index(True)}; give an example that belongs to "
            "nobody else a group of its own."
        )
    if array.dtype == object:
        array = array.astype(str)
    return np.unique(array, return_inverse=True)[1].astype(np.int64)
