"""The benchmark's network for tables: d -> 500, ReLU, -> q (Wang et al., ICLR 2025)."""

from __future__ import annotations

import math

import numpy as np
import torch

from ._net import Net, affine


def mlp(
    shape: int | tuple[int, ...], classes: int, hidden: int = 500, initial: str = "linear"
) -> Net:
    """One hidden layer, no dropout, no norm.

    Args:
        shape: the shape of one input; pictures are taken as their numbers in a row.
        initial: ``linear``: all start uniform in ±1/sqrt(fan in). ``xavier``: weights normal with
            variance 2 / (fan in + fan out), biases 0.01.
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    features = math.prod(shape)
    shapes = {
        "w1": (features, hidden),
        "b1": (1, hidden),
        "w2": (classes, hidden),
        "b2": (1, classes),
    }
    fan_in = {"w1": features, "b1": features, "w2": hidden, "b2": hidden}

    def linear(rng: np.random.Generator):
        return {
            name: rng.uniform(-1, 1, shape) / math.sqrt(fan_in[name])
            for name, shape in shapes.items()
        }

    def xavier(rng: np.random.Generator):
        return {
            name: np.full(shape, 0.01)
            if name.startswith("b")
            else rng.normal(size=shape) * math.sqrt(2 / sum(shape))
            for name, shape in shapes.items()
        }

    init = {"linear": linear, "xavier": xavier}[initial]

    def trunk(p, x):
        return torch.relu_(affine(x.flatten(2), p["w1"], p["b1"]))

    def head(p, features):
        return affine(features, p["w2"], p["b2"], rows_out=True)

    return Net(
        shape=shape,
        width=hidden,
        shapes=shapes,
        init=init,
        trunk=trunk,
        heads={"head": head},
        parts={"trunk": ("w1", "b1"), "head": ("w2", "b2")},
        plain=("b1", "b2"),
        macs=features * hidden + hidden * classes,
        bytes=4 * (features + hidden + classes),
    )
