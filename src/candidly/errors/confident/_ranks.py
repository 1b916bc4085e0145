"""Which rows are the lowest of their class, or the nearest to another: compiled loops."""

from __future__ import annotations

import numpy as np

from ._kernels import compiled, is_near


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
def _value(own, other, i):
    """What a row is ranked by: its label's entry, less the largest of the others if these count."""
    return own[i] - other[i] if len(other) else own[i]


def _order_of(floats, ints, bits):
    """Loops for floats whose bits, as unsigned integers, are brought into the floats' order."""
    top, zero = ints(1 << (bits - 1)), floats(0)

    @compiled
    def key(value):
        if value == zero:  # of either sign
            return top
        raw = floats(value).view(ints)
        return ~raw if raw & top else raw | top

    @compiled
    def mark(given, own, other, count, mask):
        """Mark the ``count`` labelled rows with the lowest values, ties by row; see ``_value``.

        The last one's value is found digit by digit of 16 bits, by how many rows share what is
        known of it: a sorted copy would take as much memory as the column.
        """
        cut, left = ints(0), count
        for digit in range(bits // 16):
            shift = ints(bits - 16 * (digit + 1))
            tally = np.zeros(1 << 16, np.int64)
            for i in range(len(given)):
                if given[i] >= 0:
                    bare = key(_value(own, other, i)) >> shift
                    if digit == 0 or bare >> ints(16) == cut:
                        tally[bare & ints(0xFFFF)] += 1
            place = 0
            while tally[place] < left:
                left -= tally[place]
                place += 1
            cut = ints(cut << ints(16)) | ints(place) if digit else ints(place)
        for i in range(len(given)):
            mask[i] = False
            if given[i] >= 0:
                mine = key(_value(own, other, i))
                mask[i] = mine < cut or (mine == cut and left > 0)
                left -= mine == cut and mask[i]

    return mark


_mark_32 = _order_of(np.float32, np.uint32, 32)
_mark_64 = _order_of(np.float64, np.uint64, 64)


def mark_lowest(given, own, other, count, mask):
    """Mark the ``count`` labelled rows with the lowest ``own``, or ``own - other``; ties by row.

    Args:
        other: (n,), or (0,) where ``own`` alone counts.
        count: from 1 to as many as have a label.
    """
    (_mark_32 if own.dtype == np.float32 else _mark_64)(given, own, other, count, mask)


@compiled
def cell_table(starts, other):
    """Where to look for a cell: per given class a hash table, of a power of 2 of places.

    Half of them are empty at least, unless there is one for every class; so few steps find a cell,
    mostly one, and with few cells the tables are small, however many classes there are.

    Args:
        starts: (m + 1,), where each given class's cells start.
        other: (cells,), the other class of each.

    Returns:
        begin (m + 1,), where each table starts; the class at each place, -1 for none; its cell.
    """
    m = len(starts) - 1
    begin = np.zeros(m + 1, np.int64)
    for k in range(m):
        size = 1
        while size < min(m, 2 * (starts[k + 1] - starts[k])):
            size *= 2
        begin[k + 1] = begin[k] + size
    held, cell = np.full(begin[m], -1, np.int32), np.empty(begin[m], np.int32)
    for k in range(m):
        size = begin[k + 1] - begin[k]
        for c in range(starts[k], starts[k + 1]):
            at = other[c] & (size - 1)
            while held[begin[k] + at] >= 0:
                at = (at + 1) & (size - 1)
            held[begin[k] + at], cell[begin[k] + at] = other[c], c
    return begin, held, cell


@compiled
def _find(begin, held, cell, given, klass):
    """The cell of (given, klass); -1 where none is wanted."""
    first = begin[given]
    last = begin[given + 1] - first - 1
    at = klass & last
    for _ in range(last + 1):
        if held[first + at] == klass:
            return cell[first + at]
        if held[first + at] < 0:
            return -1
        at = (at + 1) & last
    return -1


@compiled
def count_pairs(given, row, klass, cells, table):
    """How many pairs each of the cells that are wanted has: int64 (cells,).

    Args:
        table: what ``cell_table`` gives.
    """
    counts = np.zeros(cells, np.int64)
    begin, held, cell = table
    for i in range(len(row)):
        c = _find(begin, held, cell, given[row[i]], klass[i])
        if c >= 0:
            counts[c] += 1
    return counts


@compiled
def group_pairs(given, row, klass, table, starts, order):
    """Fill ``order`` with places of pairs sorted by cell, in order within one.

    Args:
        starts: (cells + 1,), where the pairs of each cell start.
    """
    at = starts[:-1].copy()
    begin, held, cell = table
    for i in range(len(row)):
        c = _find(begin, held, cell, given[row[i]], klass[i])
        if c >= 0:
            order[at[c]] = i
            at[c] += 1


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
def highest_open(given, predicted, own, other, epsilon, mask, highest):
    """Per label the largest ``own`` of labelled rows that are neither marked nor near-ties.

    Returns:
        0 where there is no such row.
    """
    count = 0
    for i in range(len(given)):
        open_yet = given[i] >= 0 and not mask[i] and own[i] > highest[given[i]]
        if open_yet and not is_near(given[i], predicted[i], own[i], other[i], epsilon):
            count += 1
            highest[given[i]] = own[i]
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
def keep_nearest(block, rows, given, own, least, of, other, begin, filled, row, gap):
    """Of rows that come in order keep, for every pair, those with the smallest ``own`` - entry.

    Rows that exceed by ``least`` are passed over: they are known. Ties go to the earlier row.

    Args:
        block: (r, m), the rows with these numbers; ``given`` and ``own`` (r,) are theirs.
        of: (m + 1,), where each given class's pairs start.
        other: (pairs,), the other class of each.
        begin: (pairs + 1,), where each pair's part of ``row`` and ``gap`` starts: a heap, the
            largest on top, of rows that come later before those that come earlier.
        filled: (pairs,), how much of it is in use.
    """
    for i in range(len(rows)):
        for p in range(of[given[i]], of[given[i] + 1]):
            value = own[i] - block[i, other[p]]
            if value > -least:
                _push(p, rows[i], value, begin, filled, row, gap)


@compiled
def keep_again(pair, rows, gaps, begin, filled, row, gap):
    """Put what was kept of later rows to what was kept of earlier ones; see ``keep_nearest``.

    Args:
        pair, rows, gaps: (found,), in order of rows for each pair.
    """
    for i in range(len(pair)):
        _push(pair[i], rows[i], gaps[i], begin, filled, row, gap)


@compiled
def _push(p, number, value, begin, filled, row, gap):
    """Put a row that is later than all of a pair's heap into it, if it is among the nearest."""
    places, heap = row[begin[p] : begin[p + 1]], gap[begin[p] : begin[p + 1]]
    if filled[p] < len(heap):
        at = filled[p]
        filled[p] += 1
        while at > 0 and heap[(at - 1) // 2] <= value:
            heap[at], places[at] = heap[(at - 1) // 2], places[(at - 1) // 2]
            at = (at - 1) // 2
    elif len(heap) and value < heap[0]:
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
        return
    heap[at], places[at] = value, number
