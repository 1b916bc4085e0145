"""What methods share that mix labelled rows with others: partners, sharpened guesses, a ramp.

Everything takes leading axes: of trials, (K, ...), or of trials and networks, (K, 2, ...). Inputs
are mixed as the numbers that the network sees, pictures behind their view.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

RAMP = 16  # epochs


def sharpen(p: Tensor) -> Tensor:
    """p² over its sum: (..., q), rows sum to 1 and stay so."""
    return p.square() / p.square().sum(-1, keepdim=True)


def drawn_mixes(s: Any, rows: int, alpha: float, networks: int) -> tuple[Tensor, Tensor]:
    """Who is mixed with whom, and with which weight, for each trial and network.

    Returns:
        int64 (K, networks, rows), permutations; (K, networks), max(l, 1 - l) of l ~ Beta(alpha,
        alpha).
    """
    generators = s.rng("mix")
    shares = torch.from_numpy(np.stack([g.beta(alpha, alpha, networks) for g in generators]))
    orders = np.stack([[g.permutation(rows) for _ in range(networks)] for g in generators])
    shares = torch.maximum(shares, 1 - shares).to(s.device, s.dtype)
    return torch.from_numpy(orders).to(s.device), shares


def partners(values: Tensor, order: Tensor) -> Tensor:
    """Rows in another order: (..., R, *row), int64 (..., R) -> (..., R, *row)."""
    lead = order.shape[:-1]
    starts = torch.arange(lead.numel(), device=order.device).view(*lead, 1) * order.shape[-1]
    rows = values.flatten(0, len(lead))
    return rows.index_select(0, (order + starts).flatten()).view_as(values)


def mixed(values: Tensor, order: Tensor, share: Tensor) -> Tensor:
    """Rows and their partners: (..., R, *row), int64 (..., R), (...) -> (..., R, *row)."""
    share = share.view(*share.shape, *[1] * (values.dim() - share.dim()))
    return share * values + (1 - share) * partners(values, order)


def ramp(s: Any, start: float) -> float:
    """From 0 at ``start``, in epochs, linearly to 1 within 16 of them."""
    return min(1.0, max(0.0, (s.t / s.E - start) / RAMP))
