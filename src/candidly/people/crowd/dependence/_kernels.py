"""The inner loops over items whose answers are weighed together, compiled.

In every function:
    said: starts, int64 (n + 1,), where each item's answers start; annotator and label, int32
        (answers,).
    known: logarithms of the classes' shares, float64 (m,); and of what a model says of each class,
        float64 (n, m), 0 without a model.
    logs: float64 (J, m, m), logarithms of what annotators say: annotator, label, true class.
"""

from __future__ import annotations

import math

import numpy as np

from ....ground.compiled import compiler

compiled = compiler()


@compiled
def held_out_score(said, known, logs, temperature):
    """Mean log-probability of each answer, given the other answers about its item.

    Returns:
        (the mean in nats, how many answers have others beside them).
    """
    starts, annotator, label = said
    prior, beside = known
    m = len(prior)
    row, rest = np.empty(m), np.empty(m)
    total, counted = 0.0, 0
    for i in range(len(starts) - 1):
        first, last = starts[i], starts[i + 1]
        if last - first < 2:
            continue
        row[:] = beside[i]
        for a in range(first, last):
            for k in range(m):
                row[k] += logs[annotator[a], label[a], k]
        for a in range(first, last):
            mine = logs[annotator[a], label[a]]
            for k in range(m):
                rest[k] = prior[k] + (row[k] - mine[k]) / temperature
            top, without, with_it = rest.max(), 0.0, 0.0
            for k in range(m):
                weight = math.exp(rest[k] - top)
                without += weight
                with_it += weight * math.exp(mine[k])
            total += math.log(max(with_it / without, 1e-300))
            counted += 1
    return total / max(counted, 1), counted


@compiled
def shared_by_pair(said, known, logs, rates, keys, found):
    """Add up, by pair of annotators, the wrong answers that both gave; see ``_of_two``.

    Args:
        rates: float64 (J, m, m), what ``logs`` are logarithms of.
        keys: int64 (pairs,), sorted: the first annotator times J, plus the second.
        found: in and out, float64 (pairs, 4): items that both answered; shared wrong answers, their
            expected number, and about its variance.
    """
    starts, annotator, label = said
    prior, beside = known
    row, p = np.empty(len(prior)), np.empty(len(prior))
    for i in range(len(starts) - 1):
        first, last = starts[i], starts[i + 1]
        if last - first < 3:
            continue
        _weigh(prior, beside[i], logs, annotator[first:last], label[first:last], row)
        for a in range(first, last):
            for b in range(a + 1, last):
                one, other = np.int64(annotator[a]), np.int64(annotator[b])
                key = min(one, other) * len(logs) + max(one, other)
                place = np.searchsorted(keys, key)
                if place == len(keys) or keys[place] != key:
                    continue
                shared, expected, square = _of_two(
                    row, logs, rates, one, label[a], other, label[b], p
                )
                found[place, 0] += 1
                found[place, 1] += shared
                found[place, 2] += expected
                found[place, 3] += square


@compiled
def shared_in_all(said, known, logs, rates):
    """The same over all pairs: shared wrong answers, and their expected number."""
    starts, annotator, label = said
    prior, beside = known
    row, p = np.empty(len(prior)), np.empty(len(prior))
    found, chance = 0.0, 0.0
    for i in range(len(starts) - 1):
        first, last = starts[i], starts[i + 1]
        if last - first < 3:
            continue
        _weigh(prior, beside[i], logs, annotator[first:last], label[first:last], row)
        for a in range(first, last):
            for b in range(a + 1, last):
                shared, expected, _ = _of_two(
                    row, logs, rates, annotator[a], label[a], annotator[b], label[b], p
                )
                found += shared
                chance += expected
    return found, chance


@compiled
def _weigh(prior, beside, logs, annotator, label, row):
    for k in range(len(row)):
        row[k] = prior[k] + beside[k]
        for a in range(len(annotator)):
            row[k] += logs[annotator[a], label[a], k]


@compiled
def _of_two(row, logs, rates, one, says, other, replies, p):
    """What two answers about an item add to the wrong answers that their annotators share.

    What is right is judged by the posterior p of all but the two. Where both say l, they share a
    wrong answer with probability 1 - p(l). Where they err independently, both say l with
    probability q(l), the sum over classes k of p(k) P(the one says l | k) P(the other says l | k).

    Args:
        row: float64 (m,), logarithms of how probable each class is with all answers.
        p: float64 (m,), to work in.

    Returns:
        1 - p(l) if both say l, 0 else; the sums over l of (1 - p(l)) q(l) and of its product with
        1 - p(l), about the variance.
    """
    m = len(row)
    for k in range(m):
        p[k] = row[k] - logs[one, says, k] - logs[other, replies, k]
    top, total = p.max(), 0.0
    for k in range(m):
        p[k] = math.exp(p[k] - top)
        total += p[k]
    expected, square = 0.0, 0.0
    for l in range(m):  # noqa: E741
        both = 0.0
        for k in range(m):
            both += p[k] * rates[one, l, k] * rates[other, l, k]
        wrong = 1 - p[l] / total
        expected += wrong * both / total
        square += wrong * wrong * both / total
    return 1 - p[says] / total if says == replies else 0.0, expected, square
