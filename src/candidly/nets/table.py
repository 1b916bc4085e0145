"""A table of numbers that is trained beside a network: no inputs, one parameter."""

from __future__ import annotations

import math

import numpy as np

from ._module import ALIGN
from ._net import Net


def table(rows: int, columns: int, value: float) -> Net:
    """A matrix per trial, every entry ``value`` at first; its output is the matrix for any input.

    Logits and features are both the matrix, float (K, rows, columns).
    """
    # as long as its place in the flat tensors, so that its gradient is laid out like it
    size = math.ceil(rows * columns / ALIGN) * ALIGN

    def matrix(p, x):
        return p["w"][:, : rows * columns].unflatten(1, (rows, columns))

    def same(p, features):
        return features

    return Net({"w": (size,)}, lambda rng: {"w": np.full(size, value)}, matrix, same)
