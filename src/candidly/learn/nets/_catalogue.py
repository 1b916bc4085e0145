"""A network of the catalogue: what it is asked for is checked before any of it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from ...ground.device import free_bytes
from ._net import Net
from ._refusals import needs_pictures
from ._widths import whole
from .from_torch import from_torch

NORMAL = "normal_", "trunc_normal_", "kaiming_normal_"  # of tensors, and of ``nn.init``
COPIES = 4  # of a module's numbers, in ``from_torch``


def of_pictures(
    name: str,
    make: Callable[[], nn.Module],
    shape: tuple[int, ...],
    classes: int,
    smallest: int,
    size: int,
    option: str = "width",
) -> Net:
    """The network of a module for pictures.

    Args:
        name: what errors call the network.
        make: () -> a new module of this package, as for ``from_torch``; called once more without
            numbers.
        shape: the shape of a picture, (C, H, W).
        smallest: height and width that the network can take.
        size: what ``option`` says: how wide the network is.

    Raises:
        ValueError: another shape, a size that is no whole number from 1 on, or more parameters than
            fit into the free memory.
    """
    needs_pictures(name, shape, smallest)
    whole(name, option, size)
    check_memory(f"{name} with {option}={size}", make)
    return from_torch(make, shape, classes)


def check_memory(called: str, make: Callable[[], nn.Module]) -> None:
    """Refuse a module that is too large, before any of its numbers is made.

    Args:
        called: what the error calls it.

    Raises:
        ValueError: more parameters than fit into the free memory.
    """
    needed, free = COPIES * 4 * _parameters(make), free_bytes("cpu")
    if free is not None and needed > free:
        raise ValueError(
            f"the {called} needs {needed / 1e9:,.1f} GB or more, and {free / 1e9:,.1f} GB are "
            "free. Take a smaller network."
        )


def _parameters(make: Callable[[], nn.Module]) -> int:
    try:
        return sum(parameter.numel() for parameter in bare(make).parameters())
    except RuntimeError:  # what torch says of a layer whose bytes it cannot count
        return 2**61


def bare(make: Callable[[], nn.Module]) -> nn.Module:
    """What ``make()`` returns, without numbers: on torch's device for shapes alone."""
    with torch.device("meta"), _Undrawn():
        return make()


class _Undrawn(TorchFunctionMode):
    """While it is entered, normal numbers are not drawn, by tensors or by ``nn.init``.

    The first that a tensor without numbers is asked for loads torch's reference operators, which
    takes two seconds.
    """

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        given = kwargs or {}
        if getattr(function, "__name__", "") in NORMAL:
            return args[0] if args else given["tensor"]
        return function(*args, **given)
