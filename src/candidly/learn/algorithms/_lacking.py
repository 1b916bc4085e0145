"""How many candidate sets lack the label, by the prototypes: an estimate of the noise rate.

A row's gap is its largest similarity to a prototype of a candidate, minus its largest to one of
another class. Where the set has the label, the gap is a clear similarity minus a chance one; where
it lacks it, a chance one minus a clear one, which is the same with the other sign. So gaps are
taken as a mixture of N(mu, var) and its mirror image N(-mu, var), mu >= 0, and the weight of the
mirror image is the estimate. Two free Gaussians will not do: without noise they find two halves of
one heap; the mirror image has nothing to explain there, and its weight goes to 0.

Rows that are hard make it uncertain, and a network that has learned its rows by heart has every
gap above 0: it holds between these, while most prototypes are right and before that.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

ITERATIONS, TOLERANCE = 100, 1e-5  # of the weight
FLOOR = 1e-3  # of the variance, times mu²


def share_lacking(gaps: Tensor, sets: Tensor) -> float:
    """The share of rows whose set lacks the label: at least 0, at most that of the gaps below 0.

    Args:
        gaps: float (n,), in any unit; 0 says nothing.
        sets: bool (n, q). A full set lacks nothing, and its gap is not looked at.
    """
    partial = ~sets.all(-1)
    told = gaps.double()[partial & (gaps != 0)]
    return mirrored(told) * float(partial.double().mean()) if len(told) else 0.0


def mirrored(gaps: Tensor) -> float:
    """The weight of the mirror image by EM, from the signs: float64 (n,) -> [0, share below 0]."""
    below = weight = float((gaps < 0).double().mean())
    mean, power = gaps.abs().mean(), gaps.square().mean()
    for _ in range(ITERATIONS):
        before, variance = weight, (power - mean**2).clamp_min(FLOOR * mean**2)
        tiny = 1e-12
        prior = math.log(max(1 - weight, tiny)) - math.log(max(weight, tiny))
        upright = torch.sigmoid(2 * mean * gaps / variance + prior)
        mean = ((2 * upright - 1) * gaps).mean().clamp_min(tiny)
        weight = 1 - float(upright.mean())
        if abs(weight - before) < TOLERANCE:
            break
    return min(weight, below)
