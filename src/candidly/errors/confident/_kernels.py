"""The inner loops, compiled: one sweep over the probabilities, and loops over what it found.

Floats are compared through their bits as unsigned integers. Those of non-negative floats have the
same order, so that a maximum is one instruction for many entries; what is negative, infinite or NaN
comes out above 1. That is rare and looked at again as floats.
"""

from __future__ import annotations

import numpy as np

from ...ground.compiled import compiler

# sums in any order; nothing that would let the compiler assume NaN away
compiled = compiler(fastmath={"reassoc", "contract", "nsz"})

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
def is_near(given, predicted, own, other, epsilon):
    """Whether a row's given label is the prediction once ``epsilon`` is added to its entry."""
    mine = own + epsilon
    return predicted == given or mine > other or (mine == other and given < predicted)


@compiled
def near_ties(given, predicted, own, other, epsilon, near):
    """Whether each row's is."""
    for i in range(len(given)):
        near[i] = is_near(given[i], predicted[i], own[i], other[i], epsilon)


@compiled
def drop_near_ties(given, predicted, own, other, epsilon, mask):
    """Unmark those rows, without a column for them."""
    for i in range(len(given)):
        if mask[i] and is_near(given[i], predicted[i], own[i], other[i], epsilon):
            mask[i] = False


@compiled
def confidently_other(given, guess):
    """Labelled rows whose guess is another class: bool (n,)."""
    mask = np.empty(len(given), np.bool_)
    for i in range(len(given)):
        mask[i] = given[i] >= 0 and guess[i] >= 0 and guess[i] != given[i]
    return mask


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
def changed(block, given, own):
    """The first row whose label's entry is not ``own`` any more; -1 for none.

    Args:
        block: (r, m); ``given`` and ``own`` (r,) are of the same rows.
    """
    for i in range(len(given)):
        if given[i] >= 0 and block[i, given[i]] != own[i]:
            return i
    return -1


@compiled
def confident(block, bounds, given, predicted, masked, guess):
    """Guess for rows that the first pass's columns could not decide, -1 for none.

    Args:
        block: (r, m); ``given`` and ``predicted`` (r,) are of the same rows.
        bounds: like block (m,), the thresholds with the slack taken off.
        masked: for several confident classes take the largest among them, not among all.
        guess: out, int (r,).

    Returns:
        how many labelled rows the other rule guesses otherwise.
    """
    differ = 0
    for i in range(len(given)):
        row = block[i]
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
def apportion(starts, part, totals, out):
    """Rows of whole numbers scaled to whole totals and rounded so that they keep these.

    Rounds half to even; what that won or lost is spread over the entries that it moved the most,
    ties to the lower column. All in integers, as floats would decide ties by their own errors.

    Args:
        starts: (m + 1,), where each row's entries start.
        part: int64 (c,), >= 0; the square of a row's sum and of its total must fit.
        totals: int64 (m,).
        out: int64 (c,); 0 where a row holds nothing but 0.
    """
    for k in range(len(totals)):
        row, rounded = part[starts[k] : starts[k + 1]], out[starts[k] : starts[k + 1]]
        whole, missing = row.sum(), totals[k]
        rounded[:] = 0
        if whole == 0:
            continue
        lost = np.empty(len(row), np.int64)  # in parts of ``whole``
        for j in range(len(row)):
            product = row[j] * totals[k]
            count = product // whole
            rest = product - count * whole
            if 2 * rest > whole or (2 * rest == whole and count % 2 == 1):
                count += 1
            rounded[j] = count
            lost[j] = product - count * whole
            missing -= count
        if missing == 0:
            continue
        step = 1 if missing > 0 else -1
        order = np.argsort(-step * lost, kind="mergesort")  # stable: the lowest of equals first
        for j in order[: abs(missing)]:  # at most half a row
            rounded[j] += step


@compiled
def count_diagonal(given, guess, diagonal):
    """Add rows whose guess is their label to ``diagonal``; how many have another guess."""
    others = 0
    for i in range(len(given)):
        if given[i] >= 0 and guess[i] == given[i]:
            diagonal[given[i]] += 1
        elif given[i] >= 0 and guess[i] >= 0:
            others += 1
    return others


@compiled
def off_diagonal(given, guess, m, places):
    """Where those others are in a matrix of m columns, as numbers of its cells."""
    at = 0
    for i in range(len(given)):
        if given[i] >= 0 and guess[i] >= 0 and guess[i] != given[i]:
            places[at] = np.int64(given[i]) * m + guess[i]
            at += 1
