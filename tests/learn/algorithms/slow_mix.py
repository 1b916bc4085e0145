"""What tests of pages that mix rows share: a row's views on tables, and the network, written out.

In float64 torch, a network of a trial at a time, so that autograd gives gradients to compare with.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import torch

from candidly.ground.seeds import draw

double = partial(torch.tensor, dtype=torch.float64)


def softmax(z):
    """Of a list of numbers."""
    e = [math.exp(v - max(z)) for v in z]
    return [v / sum(e) for v in e]


def leaves(stack, k, m=0):
    """The parameters of a network of trial ``k``, as leaves of their own."""
    at = k * stack.net.copies + m
    return {
        name: leaf.detach()[at].clone().requires_grad_()
        for name, leaf in stack.net.parameters.items()
    }


def features(w, x):
    return torch.relu(x @ w["w1"] + w["b1"])


def logits(w, x):
    return features(w, x) @ w["w2"].T + w["b2"]


def seen(stack, k, batch, view="", which=0, noise=0.0):
    """Trial ``k``'s rows of a batch, standardised, with the noise of a view: float64 (B, d)."""
    scale, shift = stack.scaling[1][k].numpy(), stack.scaling[0][k].numpy()
    raw = stack.examples.inputs.numpy()[stack.index[k].numpy()][batch.ids[k].numpy()]
    x = (raw - shift) * scale
    if view:
        g = draw(stack.seeds[k], f"view {view} {batch.name} {which}", stack.t)
        x = x + noise * g.standard_normal(x.shape)
    return torch.from_numpy(x)


def check_gradient(stack, k, expected, w, m=0, rtol=1e-9):
    """The gradient of the update that was just made is that of a slow objective."""
    expected.backward()
    at = k * stack.net.copies + m
    for name, leaf in w.items():
        wanted = torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
        np.testing.assert_allclose(
            stack.net.parameters[name].grad[at], wanted, rtol=rtol, atol=1e-13, err_msg=name
        )
