"""Whether a stack fits in memory, before any of it is made."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from ...ground.device import free_bytes
from ...ground.numbers import count_of
from ..nets import Net

STATE = 4  # tensors of the parameters' size: they, their gradients and an optimiser's two moments


def check_fits(
    nets: Sequence[Net], trials: int, batch: int, dtype: torch.dtype, device: torch.device
) -> None:
    """Refuse what needs more memory than there is.

    Args:
        nets: every network of one trial.

    Raises:
        ValueError: says how much is needed for what, and what would need less.
    """
    width = torch.finfo(dtype).bits // 8
    parameters = sum(math.prod(shape) for net in nets for shape in net.shapes.values())
    state = STATE * width * parameters * trials
    rows = batch * sum(net.bytes for net in nets) * width // 4 * trials
    free = free_bytes(str(device))
    if free is None or state + rows <= free:
        return
    raise ValueError(
        f"{count_of(trials, 'trial')} of a network with {parameters:,} parameters need "
        f"about {_gigabytes(state)} for these and {_gigabytes(rows)} for a batch of {batch}, and "
        f"{_gigabytes(free)} are free on {device}. Take a smaller network, or a smaller "
        "batch_size."
    )


def _gigabytes(count: float) -> str:
    return f"{count / 1e9:,.1f} GB"
