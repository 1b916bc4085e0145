"""Transition matrices of given labels, T[i, j] = P(given = j | label = i), and their estimates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from ._algorithm import Stage, warm_up
from ._protocol import OneTrial, Trials
from ._space import one_of
from .ce import step as warm_step

ALIKE = 1e-4  # singular values below this share of the largest count as 0
LEAST = 1e-12  # of an entry whose logarithm is taken


def of_symmetric_noise(q: int, rate: float, dtype: torch.dtype) -> Tensor:
    """1 - rate on the diagonal, rate / (q - 1) beside it: dtype (q, q).

    Raises:
        ValueError: a rate outside [0, 1), or the one at which all rows are the same.
    """
    if not 0 <= rate < 1:
        raise ValueError(f"noise_rate is {rate:g}; the share of wrong labels must lie in [0, 1).")
    off = rate / max(q - 1, 1)
    table = torch.full((q, q), off, dtype=dtype).fill_diagonal_(1 - rate)
    if q > 1 and abs(1 - rate - off) < ALIKE:
        raise ValueError(
            f"noise_rate is {rate:g}: with {q} classes every transition is then as likely as "
            "any other, the matrix is singular, and given labels say nothing. Use a rate below "
            f"{(q - 1) / q:.4g}."
        )
    return table


def from_counts(labels: Tensor, given: Tensor, q: int, dtype: torch.dtype) -> Tensor:
    """Shares of the given labels among the rows of each label: int (n,), int (n,) -> (q, q).

    A label that no row has is taken to be given as itself.
    """
    counts = torch.bincount(labels * q + given, minlength=q * q).view(q, q).to(dtype)
    total = counts.sum(1, keepdim=True)
    itself = torch.eye(q, dtype=dtype, device=counts.device)
    return torch.where(total > 0, counts / total.clamp_min(1), itself)


def from_anchors(probs: Tensor, quantile: float) -> Tensor:
    """For each class what is predicted of its anchor, the row surest of it: (n, q) -> (q, q).

    Args:
        probs: rows sum to 1; what a network trained on given labels predicts.
        quantile: 1 for the row that is surest, less for one with that share of the rows below it,
            which an odd row or two do not move. Of a class below twice what it leaves above, half
            of the class: at 0.97 the row would be another class's, where a class has 3 % of them.

    Returns:
        (q, q), rows sum to 1; the identity where ``probs`` has a value that is not finite.

    Source: Patrini et al., CVPR 2017.
    """
    share = probs.double().mean(0).nan_to_num(1).clamp(0, 1)
    places = ((1 - share / 2).clamp_min(quantile) * (len(probs) - 1)).round().long()
    anchors = probs.argsort(dim=0, stable=True).gather(0, places[None])[0]
    return _finite(probs[anchors] / probs[anchors].sum(1, keepdim=True))


def inverse(table: Tensor) -> Tensor:
    """The pseudo-inverse, (q, q) -> (q, q): of what can be told apart, the inverse.

    Directions that the matrix shrinks to less than 1e-4 of the largest are given up, as undoing
    that would amplify chance ten-thousandfold.
    """
    wide = torch.linalg.pinv(table.double(), rtol=ALIKE)
    return wide.to(table.dtype)


def _finite(table: Tensor) -> Tensor:
    itself = torch.eye(len(table), dtype=table.dtype, device=table.device)
    return torch.where(table.isfinite().all(), table, itself)


def rows_of(table: Tensor, labels: Tensor) -> Tensor:
    """Row ``labels`` of each trial's table: (..., q, q), int (..., B) -> (..., B, q)."""
    at = labels[..., None].expand(*labels.shape, table.shape[-1])
    return table.gather(-2, at)


def forward_loss(logits: Tensor, given: Tensor, table: Tensor) -> Tensor:
    """-log (p T)_y, per example, in log space.

    Args:
        logits: float (..., B, q).
        given: int (..., B), in 0..q-1.
        table: float (..., q, q), rows sum to 1.

    Returns:
        float (..., B), in nats, >= 0.
    """
    log_columns = rows_of(table.transpose(-1, -2), given).clamp_min(LEAST).log()
    return logits.logsumexp(-1) - (logits + log_columns).logsumexp(-1)


# where a trial's matrix comes from

Matrix = Callable[[Any, int], Tensor]  # (stack, trial) -> (q, q)


def anchored(s: Trials, k: int) -> Tensor:
    """By anchors, from what trial ``k`` predicts of its training rows."""
    return from_anchors(s.whole(k).logits.softmax(-1), float(s.hyper[k]["quantile"]))


def counted(s: Trials, k: int) -> Tensor:
    """By counting given labels under what trial ``k`` predicts of its training rows."""
    return from_counts(s.whole(k).logits.argmax(-1), s.labels("given")[k], s.q, s.dtype)


def counted_by_truth(s: OneTrial) -> Tensor:
    """The shares themselves, of one trial's rows: an oracle's."""
    return from_counts(s.truth[0], s.given[0], s.q, s.dtype)


def declared(s: OneTrial) -> Tensor:
    """Of symmetric noise at the rate that was declared."""
    return of_symmetric_noise(s.q, float(s.hp.noise_rate), s.dtype)


QUANTILE = {"quantile": one_of(0.97, (0.97, 1), within="(0, 1]")}
WARM_UP = {"warm_up": one_of(0.5, (0.25, 0.5), static=True, within="[0, 1)")}
NOISE_RATE = {"noise_rate": one_of(0.2, (0.1, 0.2, 0.4), within="[0, 1)")}


def identity(s: OneTrial) -> dict[str, Tensor]:
    """The memory ``table`` of a trial that has yet to estimate it."""
    return {"table": torch.eye(s.q, dtype=s.dtype)[None]}


def estimated(step, estimate: Matrix, of_table=lambda table: table) -> tuple[Stage, Stage]:
    """Cross-entropy, an estimate of T kept in memory as ``table``, and a network started anew."""

    def begin(s: Trials):
        tables = [of_table(estimate(s, k)) for k in range(s.K)]
        return {"table": torch.stack(tables), "net": s.anew("net")}

    return warm_up(warm_step), Stage(step, begin=begin, afresh=True)


def known(step, matrix, of_table) -> Mapping[str, Any]:
    """Fields of a variant whose T is fixed from the start, by (trial) -> (q, q)."""

    def memory(s: OneTrial):
        return {"table": of_table(matrix(s))[None]}

    return {"stages": (Stage(step),), "memory": memory}


DIFFERENCES = {
    "counts": "The matrix counts given labels under the predicted class of each training row.",
    "symmetric": "The matrix is that of symmetric noise at the rate `noise_rate`, which somebody "
    "has to know; no warm-up.",
    "oracle": "The matrix is counted from the true labels of the training rows, which makes it an "
    "oracle; no warm-up.",
}


def variants(step, of_table=lambda table: table) -> dict[str, Mapping[str, Any]]:
    """Other ways to come by the matrix, for a method whose default is ``anchored``."""
    return {
        "counts": {"stages": estimated(step, counted, of_table), "space": WARM_UP, "version": 1},
        "symmetric": {
            "version": 1,
            **known(step, declared, of_table),
            "space": NOISE_RATE,
            "told": ("noise_rate",),
        },
        "oracle": {
            "version": 1,
            **known(step, counted_by_truth, of_table),
            "reads": ("given", "truth"),
            "space": {},
        },
    }
