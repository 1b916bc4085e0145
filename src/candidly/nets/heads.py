"""Other heads on a network's trunk, for algorithms that need one (``Algorithm.head``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor

from ._net import Net, Parameters

Shapes = Mapping[str, tuple[int, ...]]
Parts = Mapping[str, tuple[str, ...]]


def width(net: Net, features: int) -> int:
    """How many numbers the network's trunk makes of an input."""
    zeros = {name: torch.zeros(1, *shape) for name, shape in net.shapes.items()}
    with torch.no_grad():
        return net.trunk(zeros, torch.zeros(1, 1, features)).shape[-1]


def with_head(
    net: Net,
    shapes: Shapes,
    init: Callable[[np.random.Generator], Mapping[str, np.ndarray]],
    head: Callable[[Parameters, Tensor], Tensor],
    parts: Parts,
) -> Net:
    """The network's trunk under a head of these parameters.

    The trunk starts from the numbers that it would have under its own head.

    Args:
        shapes, init, head: of the new head, as in ``Net``.
        parts: names of its parameters by part; ``head`` is all of them.
    """
    kept = {name: s for name, s in net.shapes.items() if name not in net.parts["head"]}

    def start(rng: np.random.Generator) -> Mapping[str, np.ndarray]:
        old = net.init(rng)
        return {name: old[name] for name in kept} | dict(init(rng))

    named = dict(net.parts) | {"head": tuple(shapes)} | dict(parts)
    return Net(kept | dict(shapes), start, net.trunk, head, named)


def with_more(
    net: Net,
    shapes: Shapes,
    init: Callable[[np.random.Generator], Mapping[str, np.ndarray]],
    head: Callable[[Parameters, Tensor], Tensor],
    parts: Parts,
) -> Net:
    """The network with further parameters behind its own; arguments as for ``with_head``."""

    def start(rng: np.random.Generator) -> Mapping[str, np.ndarray]:
        return dict(net.init(rng)) | dict(init(rng))

    return Net(dict(net.shapes) | dict(shapes), start, net.trunk, head, {**net.parts, **parts})


def linear(rng: np.random.Generator, shape: tuple[int, ...], fan_in: int) -> np.ndarray:
    """Uniform in ±1/sqrt(fan in), as a network's own layers start."""
    return rng.uniform(-1, 1, shape) / math.sqrt(fan_in)
