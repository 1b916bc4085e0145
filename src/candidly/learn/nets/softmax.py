"""Multinomial logistic regression: d -> q, as a network without a hidden layer."""

from __future__ import annotations

import math

import numpy as np

from ._net import Net, affine


def softmax_regression(shape: int | tuple[int, ...], classes: int) -> Net:
    """Logits are a linear function of the inputs; the features are the inputs themselves.

    For features that another network made: a linear probe. Weights start uniform in ±1/sqrt(d).

    Args:
        shape: the shape of one input; pictures are taken as their numbers in a row.
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    features = math.prod(shape)
    shapes = {"w": (classes, features), "b": (1, classes)}

    def init(rng: np.random.Generator):
        return {
            name: rng.uniform(-1, 1, size) / math.sqrt(features) for name, size in shapes.items()
        }

    def trunk(p, x):
        return x.flatten(2)

    def head(p, x):
        return affine(x, p["w"], p["b"], rows_out=True)

    return Net(
        shape=shape,
        width=features,
        shapes=shapes,
        init=init,
        trunk=trunk,
        heads={"head": head},
        parts={"trunk": (), "head": ("w", "b")},
        plain=("b",),
        macs=features * classes,
        bytes=4 * (features + classes),
    )
