"""Small tensor functions that several methods share. All take any leading axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad


def by_trial(function: Callable[[Tensor], Tensor], values: Tensor) -> Tensor:
    """``function(values)`` of each number, a trial at a time: (K, ...) -> (K, ...).

    On a CPU sigmoids and powers of what is left over behind the last whole vector are rounded
    otherwise than the rest, and a trial's bits must not depend on its neighbours.
    """
    return torch.stack([function(one) for one in values])


def joined(parts: Sequence[Tensor], dim: int) -> Tensor:
    """Inputs one behind the other along ``dim``; texts are padded to the longest of them first."""
    if parts[0].is_floating_point():
        return torch.cat([*parts], dim)
    longest = max(part.shape[-1] for part in parts)
    return torch.cat([pad(part, (0, longest - part.shape[-1])) for part in parts], dim)


def spread(share: Tensor, like: Tensor) -> Tensor:
    """A share of each trial, or of each of its rows, beside inputs of any kind.

    Args:
        share: (K,), (K, 1), as hyper-parameters are, or (K, B): axes that ``like`` begins with.
        like: (K, B, ...), such as ``b.x``: of tables, pictures or texts.

    Returns:
        share with axes of size 1 behind its own, so that it multiplies ``like`` trial by trial.

    Raises:
        ValueError: ``like`` does not begin with the axes of ``share``.
    """
    begins = like.shape[: share.dim()]
    if len(begins) < share.dim() or any(a not in (1, b) for a, b in zip(share.shape, begins)):
        raise ValueError(
            f"a share of shape {tuple(share.shape)} does not go beside inputs of shape "
            f"{tuple(like.shape)}: these must begin with its axes, trials and rows."
        )
    return share.reshape(*share.shape, *[1] * (like.dim() - share.dim()))


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the True entries, 0 elsewhere: (..., q), bool (..., q) -> (..., q).

    Equals ``p * mask / (p * mask).sum()`` without its 0/0 when all of the mask has underflowed.
    Rows without a True entry are all 0.
    """
    outside = ~mask
    # a row without a True entry is NaN after the softmax, and all of it lies outside
    return logits.masked_fill(outside, -torch.inf).softmax(-1).masked_fill(outside, 0)


def cross_entropy(weights: Tensor, logits: Tensor) -> Tensor:
    """-sum_j w_j log p_j per example: (..., q), (..., q) -> (...), in nats."""
    return -(weights * logits.log_softmax(-1)).sum(-1)


def uniform_over(candidates: Tensor, dtype: torch.dtype) -> Tensor:
    """Equal weight on every candidate: bool (..., q) -> dtype (..., q), rows sum to 1."""
    weights = candidates.to(dtype)
    return weights / weights.sum(-1, keepdim=True)


def log_complement(logits: Tensor) -> Tensor:
    """log(1 - p_j) for every class without cancellation: (..., q) -> (..., q), <= 0.

    log(1 - p_j) = log1p(-p_j) is safe for p_j <= 1/2, hence for every class but the largest; for
    that one it is the logsumexp of the others minus the logsumexp of all. With one class alone,
    -inf.
    """
    top = logits.argmax(-1, keepdim=True)
    log_all = logits.logsumexp(-1, keepdim=True)
    others = logits.scatter(-1, top, -torch.inf).logsumexp(-1, keepdim=True) - log_all
    # the largest entry's own log1p is not used: keep its value and gradient finite
    safe = (logits - log_all).scatter(-1, top, -1.0).exp()
    return torch.log1p(-safe).scatter(-1, top, others)


def complementary_weight(candidates: Tensor, dtype: torch.dtype) -> Tensor:
    """(q - 1) / (q - s) for sets of s of q classes, 0 for a full set: bool (..., q) -> (...)."""
    outside = (~candidates).sum(-1).to(dtype)
    # a full set has no complementary label, so it says nothing
    return torch.where(outside > 0, (candidates.shape[-1] - 1) / outside.clamp_min(1), 0)


def pair_mean(values: Tensor, candidates: Tensor) -> Tensor:
    """Mean over a batch's pairs of an example and one of its non-candidates; 0 without a pair.

    (..., B, q), bool (..., B, q) -> (...). Examples with small candidate sets have more pairs and
    weigh more (D-CLL-1).
    """
    pairs = (~candidates).sum((-2, -1))
    return values.masked_fill(candidates, 0).sum((-2, -1)) / pairs.clamp_min(1)
