"""Logits, sets and labels as NumPy arrays or torch tensors: checks, and criteria without checks.

Torch is not imported here; whoever passes tensors has done so.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

Array = Any  # numpy.ndarray or torch.Tensor


def namespace(array: Array) -> Any:
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(array, torch.Tensor) else np


def on(array: Array) -> dict[str, Any]:
    """Keyword arguments that make a new array beside ``array``."""
    return {} if namespace(array) is np else {"device": array.device}


def float64(array: Array) -> Array:
    return array.astype(np.float64) if namespace(array) is np else array.double()


def predict(logits: Array) -> tuple[Array, Array]:
    """The highest logit and its lowest index, each (..., n); NaN and q where a net blew up."""
    xp = namespace(logits)
    q = logits.shape[-1]
    top = xp.amax(logits, axis=-1)
    top = xp.where(xp.isfinite(top), top, np.nan)
    # spelled out, because which index argmax returns among equals depends on the device
    index = xp.where(logits == top[..., None], xp.arange(q, **on(logits)), q)
    return top, xp.amin(index, axis=-1)


def at(table: Array, index: Array) -> Array:
    """``table[..., i, index[..., i]]``, with 0 in place of an index past the end."""
    xp = namespace(index)
    index = xp.where(index < table.shape[-1], index, 0)[..., None]
    lead = xp.broadcast_shapes(table.shape[:-1], index.shape[:-1])
    table = xp.broadcast_to(table, (*lead, table.shape[-1]))
    take = np.take_along_axis if xp is np else xp.take_along_dim
    return take(table, xp.broadcast_to(index, (*lead, 1)), -1)[..., 0]


def nan_like(top: Array, values: Array) -> Array:
    """``values`` in float64, NaN where the highest logit is."""
    xp = namespace(top)
    return xp.where(xp.isnan(top), np.nan, float64(values))


def mean(values: Array) -> Array:
    n = values.shape[-1]
    return values.mean(-1) if n else values.sum(-1) * np.nan


def mean_known(values: Array, labels: Array) -> Array:
    """Mean over the examples whose label is known, NaN when none is."""
    xp = namespace(values)
    known = labels >= 0
    count = known.sum(-1)
    total = xp.where(known, values, 0).sum(-1)
    return xp.where(count > 0, total / xp.where(count > 0, count, 1), np.nan)


def alike(logits: Array, other: Array) -> tuple[Array, Array]:
    """Both as the kind that ``logits`` is: a tensor on its device, or NumPy arrays."""
    xp = namespace(logits)
    if xp is np:
        return np.asarray(logits), np.asarray(other)
    return logits, xp.as_tensor(other, device=logits.device)


def check_shapes(logits: Array, candidates: Array, name: str = "candidates") -> None:
    if logits.ndim < 2 or tuple(candidates.shape[-2:]) != tuple(logits.shape[-2:]):
        raise ValueError(
            f"`{name}` has shape {tuple(candidates.shape)} and `logits` "
            f"{tuple(logits.shape)}; both must end in (examples, classes)."
        )


def checked_candidates(logits: Array, candidates: Array) -> tuple[Array, Array]:
    logits, candidates = alike(logits, candidates)
    candidates = candidates != 0  # 0/1 tables of any type are welcome
    check_shapes(logits, candidates)
    xp, filled = namespace(candidates), candidates.any(-1)
    if not bool(filled.all()):
        empty = np.argwhere(np.asarray(~filled if xp is np else ~filled.cpu()))[0].tolist()
        where = empty[0] if len(empty) == 1 else tuple(empty)
        raise ValueError(
            f"`candidates` row {where} is empty: every example needs at least one candidate. "
            f"Leave the example out, or give it every class."
        )
    return logits, candidates


def checked_labels(logits: Array, labels: Array) -> tuple[Array, Array]:
    logits, labels = alike(logits, labels)
    if logits.ndim < 2 or labels.ndim < 1 or labels.shape[-1] != logits.shape[-2]:
        raise ValueError(
            f"`labels` has shape {tuple(labels.shape)} and `logits` {tuple(logits.shape)}; "
            f"labels must be (examples,) and logits (..., examples, classes)."
        )
    q = logits.shape[-1]
    low, high = (int(labels.min()), int(labels.max())) if labels.shape[-1] else (0, 0)
    if low < -1 or high >= q:
        raise ValueError(
            f"`labels` spans {low}..{high}, but there are {q} classes "
            f"(0..{q - 1}, and -1 for unknown)."
        )
    return logits, labels


# criteria, of input that has been checked


def covering_rate(logits: Array, candidates: Array) -> Array:
    top, predicted = predict(logits)
    return mean(nan_like(top, at(candidates, predicted)))


def approximated_accuracy(logits: Array, candidates: Array) -> Array:
    return mean(candidate_shares(logits, candidates))


def candidate_shares(logits: Array, candidates: Array) -> Array:
    """What each example adds to the approximated accuracy: (..., n), 0 outside the candidates."""
    xp = namespace(logits)
    top, predicted = predict(logits)
    inside = at(candidates, predicted)
    # exp(z_ŷ − LSE_S(z)) = 1 / Σ_S exp(z_k − z_ŷ): no exponent is positive, and when ŷ ∈ S the
    # sum is at least 1, so nothing overflows and no share exceeds 1
    mass = (xp.exp(logits - top[..., None]) * candidates).sum(-1)
    return nan_like(top, inside / xp.where(inside, mass, 1))


def approximated_accuracy_plench(logits: Array, candidates: Array) -> Array:
    xp = namespace(logits)
    top, predicted = predict(logits)
    exp = xp.exp(logits - top[..., None])
    # the program's softmax keeps the logits' precision; its float64 candidates promote the rest
    inside = float64(exp / exp.sum(-1)[..., None]) * candidates
    others = inside * (xp.arange(logits.shape[-1], **on(logits)) != predicted[..., None])
    return mean(nan_like(top, 1 - (others / (inside.sum(-1)[..., None] + 1e-12)).sum(-1)))


def accuracy(logits: Array, labels: Array) -> Array:
    top, predicted = predict(logits)
    return mean_known(nan_like(top, predicted == labels), labels)


def answer_accuracy(logits: Array, shares: Array) -> Array:
    xp = namespace(logits)
    top, predicted = predict(logits)
    named = nan_like(top, at(shares, predicted))
    known = shares[..., 0] == shares[..., 0]
    return mean_known(named, xp.where(known, 0, -1))


def top_k_accuracy(logits: Array, labels: Array, k: int = 5) -> Array:
    top, _ = predict(logits)
    return mean_known(nan_like(top, classes_ahead(logits, labels) < k), labels)


def prior_adjusted(logits: Array, counts: Array) -> Array:
    xp = namespace(logits)
    shares = xp.log(xp.where(counts > 0, float64(counts), 1))
    return logits - xp.asarray(shares, dtype=logits.dtype)[..., None, :]


def agreement(logits: Array) -> Array:
    top, predicted = predict(logits)
    same = (predicted == predicted[..., :1, :]).all(-2)
    return mean(nan_like(top.sum(-2), same))


def classes_ahead(logits: Array, labels: Array) -> Array:
    """How many classes come before the label's: (..., n)."""
    xp = namespace(logits)
    value = at(logits, xp.where(labels < 0, 0, labels))[..., None]
    before = xp.arange(logits.shape[-1], **on(logits)) < labels[..., None]
    return ((logits > value) | ((logits == value) & before)).sum(-1)


def balanced_accuracy(logits: Array, labels: Array) -> Array:
    xp = namespace(logits)
    top, predicted = predict(logits)
    counts = (labels[..., None] == xp.arange(logits.shape[-1], **on(logits))).sum(-2)
    present = (counts > 0).sum(-1)[..., None]
    size = at(counts[..., None, :], xp.where(labels < 0, 0, labels))
    known = labels >= 0
    weight = known / xp.where(known, float64(size * present), 1)
    right = xp.where(known, nan_like(top, predicted == labels), 0)
    return xp.where(known.any(-1), (right * weight).sum(-1), np.nan)
