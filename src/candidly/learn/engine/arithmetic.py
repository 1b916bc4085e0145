"""How a GPU computes for a stack: what float32 means there, and the same bits at every run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def arithmetic(device: torch.device, precision: str = "float32") -> Iterator[None]:
    """Torch's settings for a stack's calls, for the time of the block; on a CPU nothing changes.

    Products and convolutions are of float32 numbers where ``precision`` is, though torch would have
    cuDNN round these to TF32 (8 bits of exponent, 10 of mantissa); ``tf32`` allows it. cuDNN takes
    algorithms that give the same bits each time, and does not choose them by timing, which would
    choose others from run to run.

    Args:
        precision: a recipe's.
    """
    if device.type != "cuda":
        yield
        return
    wanted = [*_rounding(precision == "tf32"), *SAME_BITS]
    before = [getattr(holder, name) for holder, name, _ in wanted]
    try:
        for holder, name, value in wanted:
            setattr(holder, name, value)
        yield
    finally:
        for (holder, name, _), value in zip(wanted, before):
            setattr(holder, name, value)


SAME_BITS = (
    (torch.backends.cudnn, "deterministic", True),
    (torch.backends.cudnn, "benchmark", False),
)


def _rounding(tf32: bool) -> Iterator[tuple[Any, str, Any]]:
    """Where torch keeps what products and convolutions may round to: holder, name, value."""
    cudnn, products = torch.backends.cudnn, torch.backends.cuda.matmul
    if hasattr(cudnn, "conv"):  # from torch 2.9 on; setting both old and new names is an error
        for holder in (products, cudnn.conv, cudnn.rnn):
            yield holder, "fp32_precision", "tf32" if tf32 else "ieee"
    else:
        yield products, "allow_tf32", tf32
        yield cudnn, "allow_tf32", tf32
