"""Which rows are the lowest of their class, or the nearest to another: compiled loops."""

from __future__ import annotations

import numpy as np

from ._kernels import compiled


@compiled
def sort_by_given(given, starts, rows):
    """Fill ``rows`` with the labelled rows sorted by label, in order within one."""
    at = starts[:-1].copy()
    for i in range(len(given)):
        if given[i] >= 0:
            rows[at[given[i]]] = i
            at[given[i]] += 1


@compiled
def _nth(values, n):
    """The n-th smallest, from 0, of numbers that are moved about: ``np.partition``, but faster."""
    low, high = 0, len(values) - 1
    while low < high:
        a, b, c = values[low], values[(low + high) // 2], values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if n <= j:
            high = j
        elif n >= i:
            low = i
        else:
            break
    return values[n]


@compiled
def take_smallest(order, starts, wanted, values, mask):
    """Mark the rows with the ``wanted`` smallest values of every group, ties by row."""
    for g in range(len(wanted)):
        members, count = order[starts[g] : starts[g + 1]], wanted[g]
        if count <= 0:
            continue
        if len(members) <= count:
            mask[members] = True
            continue
        cut = _nth(values[members], count - 1)
        ties = count
        for i in members:
            if values[i] < cut:
                mask[i] = True
                ties -= 1
        for i in members:  # in order of rows
            if ties and values[i] == cut:
                mask[i] = True
                ties -= 1


@compiled
def mark_lowest(given, values, cut, count, mask):
    """Mark ``count`` labelled rows: those below ``cut``, and of those at it the first."""
    for i in range(len(given)):
        mask[i] = given[i] >= 0 and values[i] < cut
        count -= mask[i]
    for i in range(len(given)):
        if count and given[i] >= 0 and values[i] == cut:
            mask[i] = True
            count -= 1


@compiled
def count_pairs(given, row, klass, group, groups):
    """How many pairs each of the groups that are wanted has: int64 (groups,).

    Args:
        group: int32 (m, m), the group's number by (given, class); -1 where nothing is wanted.
    """
    counts = np.zeros(groups, np.int64)
    for i in range(len(row)):
        g = group[given[row[i]], klass[i]]
        if g >= 0:
            counts[g] += 1
    return counts


@compiled
def group_pairs(given, row, klass, group, starts, order):
    """Fill ``order`` with places of pairs sorted by group, in order within one."""
    at = starts[:-1].copy()
    for i in range(len(row)):
        g = group[given[row[i]], klass[i]]
        if g >= 0:
            order[at[g]] = i
            at[g] += 1


@compiled
def take_largest(order, starts, wanted, row, gap, mask):
    """Mark the rows with the ``wanted`` largest gaps of every group, ties by row."""
    for g in range(len(starts) - 1):
        size, count = starts[g + 1] - starts[g], wanted[g]
        if size == 0 or count <= 0:
            continue
        members = order[starts[g] : starts[g + 1]]
        if size <= count:
            for i in members:
                mask[row[i]] = True
            continue
        cut = _nth(gap[members], size - count)
        ties = count
        for i in members:
            if gap[i] > cut:
                mask[row[i]] = True
                ties -= 1
        for i in members:  # in order of rows
            if ties and gap[i] == cut:
                mask[row[i]] = True
                ties -= 1


@compiled
def highest_open(given, own, near, mask, highest):
    """How many labelled rows are neither marked nor near-ties; per label, their largest ``own``."""
    count = 0
    for i in range(len(given)):
        if given[i] >= 0 and not near[i] and not mask[i]:
            count += 1
            highest[given[i]] = max(highest[given[i]], own[i])
    return count


@compiled
def reachable(given, own, other, least):
    """Labelled rows with ``other - own`` at least their label's ``least``: int64."""
    rows, count = np.empty(len(given), np.int64), 0
    for i in range(len(given)):
        if given[i] >= 0 and other[i] - own[i] >= least[given[i]]:
            rows[count] = i
            count += 1
    return rows[:count]


@compiled
def keep_nearest(block, first, rows, given, own, least, of, other, begin, filled, row, gap):
    """Of rows that come in order keep, for every pair, those with the smallest ``own`` - entry.

    Rows that exceed by ``least`` are passed over: they are known. Ties go to the earlier row.

    Args:
        of: (m + 1,), where each given class's pairs start.
        other: (pairs,), the other class of each.
        begin: (pairs + 1,), where each pair's part of ``row`` and ``gap`` starts: a heap, the
            largest on top, of rows that come later before those that come earlier.
        filled: (pairs,), how much of it is in use.
    """
    for i in rows:
        for p in range(of[given[i]], of[given[i] + 1]):
            value = own[i] - block[i - first, other[p]]
            if value <= -least:
                continue
            places, heap = row[begin[p] : begin[p + 1]], gap[begin[p] : begin[p + 1]]
            if filled[p] < len(heap):
                at = filled[p]
                filled[p] += 1
                while at > 0 and heap[(at - 1) // 2] <= value:  # the new row is the latest
                    heap[at], places[at] = heap[(at - 1) // 2], places[(at - 1) // 2]
                    at = (at - 1) // 2
            elif value < heap[0]:
                at = 0
                while 2 * at + 1 < len(heap):
                    child = 2 * at + 1
                    if child + 1 < len(heap) and (
                        heap[child + 1] > heap[child]
                        or (heap[child + 1] == heap[child] and places[child + 1] > places[child])
                    ):
                        child += 1
                    if heap[child] <= value:
                        break
                    heap[at], places[at] = heap[child], places[child]
                    at = child
            else:
                continue
            heap[at], places[at] = value, i
