"""The inner loops, compiled: one sweep over the probabilities, and loops over what it found.

Floats are compared through their bits as unsigned integers. Those of non-negative floats have the
same order, so that a maximum is one instruction for many entries; what is negative, infinite or NaN
comes out above 1. That is rare and looked at again as floats.
"""

from __future__ import annotations

import numba
import numpy as np

# sums in any order; nothing that would let the compiler assume NaN away
compiled = numba.njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})

NONE, UNDECIDED = -1, -2  # no confident guess; the row has to be read once more
SOUND, NOT_FINITE, OUTSIDE, SUM = 0, 1, 2, 3  # what may be wrong with a row; the first that is


@compiled
def sweep(probs, bits, zeros, one, given, slack, predicted, own, other, other_bits, unsound):
    """What one pass over rows has to say of each.

    Args:
        probs: float32 or float64 (r, m), C-contiguous; ``bits`` the same memory as integers.
        zeros: 0 as such a float and as such an integer: sums and maxima stay as narrow as these.
        one: the bits of 1.
        given: int (r,), -1 where unlabelled.
        slack: how far an entry may lie outside [0, 1], and a sum from 1.
        predicted: out, int (r,): the smallest index among the largest entries.
        own, other: out, like probs (r,): the given label's entry (0 without one), and the largest
            of the others; ``other_bits`` is the memory of the latter as integers.
        unsound: out, uint8 (r,).

    Returns:
        how many rows are unsound, and which row's sum is furthest from 1, and by how much.
    """
    rows, classes = probs.shape
    bad, worst, furthest = 0, 0, 0.0
    for i in range(rows):
        label, row = given[i], bits[i]
        total, top = zeros
        for j in range(classes):
            total += probs[i, j]
            top = max(top, row[j])
        own[i] = probs[i, label] if label >= 0 else 0
        off = abs(total - 1.0)
        if off > furthest:
            worst, furthest = i, off
        unsound[i] = SUM if off > slack[1] else SOUND
        if top > one:
            unsound[i] = _look(probs[i], slack, unsound[i])
            predicted[i], other[i] = _slow(probs[i], label)
        else:
            before = top  # the largest entry before the label
            rest = top
            if label >= 0 and row[label] == top:
                before = _top(row[:label], zeros[1])
                rest = max(before, _top(row[label + 1 :], zeros[1]))
            other_bits[i] = rest
            predicted[i] = label if before < top else _first(row, top)
        bad += unsound[i] != SOUND
    return bad, worst, furthest


@compiled
def _top(row, zero):
    top = zero
    for j in range(len(row)):  # by index: an iterator is not vectorised
        top = max(top, row[j])
    return top


@compiled
def _first(row, value):
    at = 0
    while row[at] != value:
        at += 1
    return at


@compiled
def tally(given, own, m):
    """How often each label was given, and its rows' ``own`` added up: int64 and float64 (m,)."""
    counts, sums = np.zeros(m, np.int64), np.zeros(m)
    for i in range(len(given)):
        if given[i] >= 0:
            counts[given[i]] += 1
            sums[given[i]] += own[i]
    return counts, sums


@compiled
def resolve(predicted, own, other, bounds, reach, guess):
    """Guesses that the columns decide; UNDECIDED, and counted, where the row must be read again.

    Where the prediction is not confident another class may be, if its entry reaches the lowest of
    the bounds. No entry but the largest exceeds ``reach`` less the largest, and where that is the
    label's, none exceeds ``other``.

    Args:
        reach: more than a sound row can sum to.
    """
    least, rest = bounds.min(), 0
    for i in range(len(predicted)):
        top = max(own[i], other[i])
        second = min(reach - top, other[i] if own[i] >= other[i] else top)
        if top >= bounds[predicted[i]]:
            guess[i] = predicted[i]
        elif top >= least and second >= least:
            guess[i] = UNDECIDED
            rest += 1
        else:
            guess[i] = NONE
    return rest


@compiled
def count_joint(given, guess, m):
    """Labelled rows by (given, guess): int64 (m, m)."""
    joint = np.zeros((m, m), np.int64)
    for i in range(len(given)):
        if given[i] >= 0 and guess[i] >= 0:
            joint[given[i], guess[i]] += 1
    return joint


@compiled
def near_ties(given, predicted, own, other, epsilon, near):
    """Whether the given label is the prediction once ``epsilon`` is added to its entry."""
    for i in range(len(given)):
        mine = own[i] + epsilon
        near[i] = (
            predicted[i] == given[i]
            or mine > other[i]
            or (mine == other[i] and given[i] < predicted[i])
        )


@compiled
def _look(row, slack, found):
    """What is wrong with a row that holds something negative, above 1, or no number."""
    for value in row:
        if not np.isfinite(value):
            return NOT_FINITE
    for value in row:
        if value < -slack[0] or value > 1.0 + slack[0]:
            return OUTSIDE
    return found


@compiled
def _slow(row, label):
    best, highest = 0, -np.inf
    for j in range(len(row)):
        if row[j] > row[best]:
            best = j
        if j != label and row[j] > highest:
            highest = row[j]
    return best, highest


@compiled
def changed(block, first, rows, given, own):
    """The first of ``rows`` whose label's entry is not ``own`` any more; -1 for none.

    Args:
        block: (r, m), rows from ``first`` on; so in what follows.
        rows: some of these, by number.
    """
    for i in rows:
        if given[i] >= 0 and block[i - first, given[i]] != own[i]:
            return i
    return -1


@compiled
def confident(block, first, rows, bounds, given, predicted, masked, guess):
    """Guess for rows that the sweep's columns could not decide, -1 for none.

    Args:
        bounds: like block (m,), the thresholds with the slack taken off.
        masked: of several confident classes take the largest among them, not among all.
        guess: out, int (n,), where ``rows`` are.

    Returns:
        how many labelled rows the other rule guesses otherwise.
    """
    differ = 0
    for i in rows:
        row = block[i - first]
        count, best = 0, NONE
        for j in range(len(row)):
            count += row[j] >= bounds[j]
        if count:
            for j in range(len(row)):
                if row[j] >= bounds[j] and (best < 0 or row[j] > row[best]):
                    best = j
        whole = best if count < 2 else predicted[i]
        differ += given[i] >= 0 and whole != best
        guess[i] = best if masked else whole
    return differ


@compiled
def count_above(probs, rows, own, least):
    """How many (row, class) pairs of these rows exceed the given label's entry by ``least``."""
    found = 0
    for r in rows:
        mine = own[r]
        for j in range(probs.shape[1]):
            found += probs[r, j] - mine >= least
    return found


@compiled
def above(probs, rows, first, own, least, at, klass, gap):
    """Those pairs: row (``first`` + position), class, and by how much."""
    n = 0
    for r in rows:
        mine = own[r]
        for j in range(probs.shape[1]):
            if probs[r, j] - mine >= least:
                at[n] = first + r
                klass[n] = j
                gap[n] = probs[r, j] - mine
                n += 1


@compiled
def round_rows(matrix):
    """Rows rounded so that they have their rounded totals: float64 (r, m) -> int64 (r, m).

    What rounding lost or won is spread over the entries that it moved the most, ties to the lower
    column.
    """
    rows, m = matrix.shape
    result = np.empty((rows, m), np.int64)
    for k in range(rows):
        total, missing = 0.0, 0
        for j in range(m):
            whole = np.rint(matrix[k, j])
            total += matrix[k, j]
            missing -= int(whole)
            result[k, j] = int(whole)
        missing += int(np.rint(total))
        if missing == 0:
            continue
        step = 1 if missing > 0 else -1
        lost = (matrix[k] - result[k]) * step
        for _ in range(abs(missing)):  # at most half a row
            j = lost.argmax()  # the lowest of equals
            lost[j] = -np.inf
            result[k, j] += step
    return result
