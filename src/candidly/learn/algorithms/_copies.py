"""Networks that start as, or average, another one."""

from __future__ import annotations

from torch import Tensor

from ..nets import Module


def copy_of(module: Module, name: str, flat: Tensor | None = None) -> dict[str, Tensor]:
    """Updates that make the network of this name a copy of ``module``, running statistics too.

    Args:
        flat: other parameters than ``module``'s, such as a mean of several; (K, P).
    """
    buffers = {f"{name}.{buffer}": tensor for buffer, tensor in module.buffers.items()}
    return {name: module.flat if flat is None else flat, **buffers}
