"""Inner loops of scores, candidate sets and ensembles, compiled; see ``_kernels`` for the idea."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...ground.compiled import compiler

_compiled = compiler(error_model="numpy", fastmath={"reassoc", "contract"})


@_compiled
def glance(probs, bits, one, given, slack, own, other, other_bits):
    """The given label's entry and the largest of the others; are all rows beyond doubt?

    Args:
        probs: float32 or float64 (r, m), C-contiguous; ``bits`` the same memory as integers.
        one: the bits of 1.
        given: int (r,), -1 where unlabelled.
        slack: how far a sum may lie from 1.
        own, other: out, like probs (r,); ``other_bits`` is the memory of the latter as integers.

    Returns:
        whether every entry lies in [0, 1] and every sum within the slack.
    """
    rows, classes = probs.shape
    sound = True
    for i in range(rows):
        label = given[i]
        low = bits[i, 0]
        none = low * 0 - 1
        rest = none
        total = probs[i, 0] * 0
        for j in range(classes):  # one loop without branches: as fast as memory
            value = bits[i, j]
            low = min(low, value)
            rest = max(rest, value if j != label else none)
            total += probs[i, j]
        mine = none
        own[i] = 0
        if label >= 0:
            mine = bits[i, label]
            own[i] = probs[i, label]
        other_bits[i] = rest
        if low < 0 or max(mine, rest) > one or not abs(total - 1.0) <= slack:
            sound = False
    return sound


@_compiled
def glance_own(probs, bits, zeros, one, given, slack, own):
    """The given label's entry; are all rows beyond doubt? As ``glance``, as fast as memory.

    Args:
        bits: the memory of ``probs`` as unsigned integers, of which what is negative, infinite or
            NaN comes out above ``one``, the bits of 1.
        zeros: 0 as such a float and as such an integer.
    """
    sound = True
    for i in range(probs.shape[0]):
        total, top = zeros
        row = bits[i]
        for j in range(probs.shape[1]):
            total += probs[i, j]
            top = max(top, row[j])
        own[i] = probs[i, given[i]] if given[i] >= 0 else 0
        if top > one or not abs(total - 1.0) <= slack:
            sound = False
    return sound


def _entropies(ints: Any, floats: Any, fraction_bits: int) -> Any:
    """A loop for -sum(p ln p) of rows, with a logarithm that the compiler can do many at a time.

    p = 2^e f with f between sqrt(1/2) and sqrt(2), so that ln p = e ln 2 + 2 artanh((f - 1) /
    (f + 1)), of which ten terms leave less than 1e-16. Eight times as fast as calling ``log``.
    """
    start = ints(np.array([math.sqrt(0.5)], floats).view(ints)[0])
    shift = ints(fraction_bits)

    @_compiled
    def entropies(probs, bits, out):
        """float (r, m), C-contiguous, and its memory as integers -> out, (r,), in nats."""
        rows, classes = probs.shape
        for i in range(rows):
            total = floats(0)
            for j in range(classes):
                p = probs[i, j]
                exponent = ints((bits[i, j] - start) >> shift)
                f = ints(bits[i, j] - ints(exponent << shift)).view(floats)
                s = (f - floats(1)) / (f + floats(1))
                z = s * s
                series = floats(2 / 19) + z * floats(2 / 21)
                series = floats(2 / 17) + z * series
                series = floats(2 / 15) + z * series
                series = floats(2 / 13) + z * series
                series = floats(2 / 11) + z * series
                series = floats(2 / 9) + z * series
                series = floats(2 / 7) + z * series
                series = floats(2 / 5) + z * series
                series = floats(2 / 3) + z * series
                series = floats(2) + z * series
                term = p * (floats(exponent) * floats(0.6931471805599453) + s * series)
                total -= term if p > floats(0) else floats(0)
            out[i] = total

    return entropies


entropies_32 = _entropies(np.int32, np.float32, 23)
entropies_64 = _entropies(np.int64, np.float64, 52)


@_compiled
def adjusted(probs, given, lift, own, other):
    """``own`` and ``other`` of rows p + lift that are divided by their sums: float64 (m,)."""
    rows, classes = probs.shape
    for i in range(rows):
        label = given[i]
        total, rest = 0.0, -np.inf
        for j in range(classes):
            value = probs[i, j] + lift[j]
            total += value
            rest = max(rest, value if j != label else -np.inf)
        own[i] = (probs[i, label] + lift[label]) / total if label >= 0 else 0
        other[i] = rest / total


@_compiled
def floored_sums(probs, least, out):
    """Sums of rows whose entries are raised to ``least``: (r, m) -> out, float64 (r,)."""
    for i in range(probs.shape[0]):
        total = 0.0
        for j in range(probs.shape[1]):
            total += max(np.float64(probs[i, j]), least)
        out[i] = total


@_compiled
def set_columns(probs, sets, epsilon, own, other, near):
    """What rows have inside and outside their candidate sets.

    Args:
        probs: (r, m).    sets: bool (r, m).
        own: out, (r,), the mass inside; ``other``: out, the largest entry outside, 0 for none.
        near: out, bool (r,), whether the prediction is inside once ``epsilon`` is added there.
    """
    rows, classes = probs.shape
    for i in range(rows):
        mass = probs[i, 0] * 0
        inside, outside = -1, -1
        for j in range(classes):
            if sets[i, j]:
                mass += probs[i, j]
                if inside < 0 or probs[i, j] > probs[i, inside]:
                    inside = j
            elif outside < 0 or probs[i, j] > probs[i, outside]:
                outside = j
        own[i] = mass
        other[i] = probs[i, outside] if outside >= 0 else 0
        near[i] = outside < 0
        if inside >= 0 and outside >= 0:
            raised = probs[i, inside] + epsilon
            near[i] = raised > probs[i, outside] or (
                raised == probs[i, outside] and inside < outside
            )


@_compiled
def set_sums(probs, sets, own, sums, weights):
    """Add up p_k w_k and w_k of candidates k, w_k their share of the mass inside.

    Without mass inside, candidates share alike. ``sums`` and ``weights``: float64 (m,).
    """
    rows, classes = probs.shape
    for i in range(rows):
        mass, size = np.float64(own[i]), 0
        if mass <= 0:
            for j in range(classes):
                size += sets[i, j]
        for j in range(classes):
            if sets[i, j]:
                weight = probs[i, j] / mass if mass > 0 else 1.0 / size
                weights[j] += weight
                sums[j] += weight * probs[i, j]
