"""The inner loops of Dawid-Skene, compiled: logarithms of posteriors, and what items add to sums.

Each works on a block of items that follow each other. Sums are in halves (``_sums``), so that
blocks may be added up in any order. Nothing lets the compiler change the order of additions within
an item, whose numbers are therefore the same in whatever block it is.

In every function:
    starts: int64 (b + 1,), where each item's answers start.
    annotator, label: int32 (answers,), of all items.
    probs: float64 (b, m), a model's probabilities; (0, m) without one.
"""

from __future__ import annotations

import math

import numpy as np

from ...ground.compiled import compiler
from ._sums import HALF, LOWER, UNIT

HIGHER = 2.0**HALF  # how many units of the higher half 1 is

compiled = compiler()


@compiled
def weigh_by_matrices(starts, annotator, label, probs, logs, found):
    """Logarithms of how probable each class is together with what was said about an item.

    Args:
        logs: of the prior (m,); of what each annotator says (J m, m), by annotator and label in a
            row, by true class in a column; of what the model says (m, m), by label and true class.
        found: out, float64 (b, m).
    """
    prior, said, model = logs
    m = len(prior)
    for i in range(len(found)):
        row = found[i]
        row[:] = prior
        for a in range(starts[i], starts[i + 1]):
            add(row, said[np.int64(annotator[a]) * m + label[a]])
        if len(probs):
            for l in range(m):  # noqa: E741
                for k in range(m):
                    row[k] += probs[i, l] * model[l, k]


@compiled
def weigh_by_coins(starts, annotator, label, probs, logs, found):
    """The same with one accuracy per annotator.

    Args:
        logs: of the prior (m,), of right and wrong answers of each annotator (J, 2), and of the
            model (1, 2).
    """
    prior, said, model = logs
    for i in range(len(found)):
        row, all_wrong = found[i], 0.0
        row[:] = prior
        for a in range(starts[i], starts[i + 1]):
            right, wrong = said[annotator[a]]
            all_wrong += wrong
            row[label[a]] += right - wrong
        for k in range(len(row)):
            row[k] += all_wrong
            if len(probs):
                row[k] += probs[i, k] * model[0, 0] + (1 - probs[i, k]) * model[0, 1]


@compiled
def below_the_largest(rows, tops):
    """Take its largest entry off each row, and keep it in ``tops`` (b,)."""
    for i in range(len(rows)):
        tops[i] = rows[i].max()
        for k in range(rows.shape[1]):
            rows[i, k] -= tops[i]


@compiled
def to_shares(rows, tops, likelihood):
    """Divide rows by their sums, and add up the logarithms of these, and ``tops``.

    Args:
        likelihood: in and out, int64 (3,): the sum's whole part, and its fraction in halves.
    """
    for i in range(len(rows)):
        total = 0.0
        for k in range(rows.shape[1]):
            total += rows[i, k]
        for k in range(rows.shape[1]):
            rows[i, k] /= total
        value = math.log(total) + tops[i]
        whole = np.int64(value)
        units = np.int64(np.rint((value - whole) * UNIT))
        likelihood[0] += whole
        likelihood[1] += units >> HALF
        likelihood[2] += units & LOWER


@compiled
def add_to_matrices(starts, annotator, label, probs, known, posterior, sums):
    """What items add to the sums of a confusion matrix per annotator.

    Args:
        known: bool (b,), the items that count for the prior.
        posterior: float64 (b, m).
        sums: in and out, int64, of the posterior in halves: of the known (2 m,); by annotator and
            label (J m, 2 m); by the model's label (m, 2 m).
    """
    prior, said, model = sums
    m = posterior.shape[1]
    mine, product, other = np.empty(2 * m, np.int64), np.empty(m), np.empty(2 * m, np.int64)
    for i in range(len(posterior)):
        split(posterior[i], mine)
        if known[i]:
            add(prior, mine)
        for a in range(starts[i], starts[i + 1]):
            add(said[np.int64(annotator[a]) * m + label[a]], mine)
        if len(probs):
            for l in range(m):  # noqa: E741
                for k in range(m):
                    product[k] = posterior[i, k] * probs[i, l]
                split(product, other)
                add(model[l], other)


@compiled
def add_to_coins(starts, annotator, label, probs, known, posterior, sums):
    """The same of one accuracy per annotator.

    Args:
        sums: of the known (2 m,); of what each annotator said (J, 2); of the model (1, 2).
    """
    prior, said, model = sums
    m = posterior.shape[1]
    mine, product, other = np.empty(2 * m, np.int64), np.empty(m), np.empty(2 * m, np.int64)
    for i in range(len(posterior)):
        split(posterior[i], mine)
        if known[i]:
            add(prior, mine)
        for a in range(starts[i], starts[i + 1]):
            said[annotator[a], 0] += mine[label[a]]
            said[annotator[a], 1] += mine[m + label[a]]
        if len(probs):
            for k in range(m):
                product[k] = posterior[i, k] * probs[i, k]
            split(product, other)
            for k in range(m):
                model[0, 0] += other[k]
                model[0, 1] += other[m + k]


@compiled
def to_matrices(halves, alpha, rates):
    """Sums of some annotators as probabilities of what they say, uniform where they said nothing.

    Args:
        halves: int64 (r m, 2 m), as ``add_to_matrices`` makes them.
        alpha: how often each label counts as said beforehand.
        rates: out, float64 (r m, m): by annotator and label in a row, by true class in a column.
    """
    m = rates.shape[1]
    totals = np.empty(m)
    for j in range(0, len(rates), m):
        totals[:] = 0
        for l in range(j, j + m):  # noqa: E741
            for k in range(m):
                high, low = halves[l, k], halves[l, m + k]
                high += low >> HALF
                rates[l, k] = high / HIGHER + (low & LOWER) / UNIT + alpha
                totals[k] += rates[l, k]
        for l in range(j, j + m):  # noqa: E741
            for k in range(m):
                rates[l, k] = rates[l, k] / totals[k] if totals[k] > 0 else 1 / m


@compiled
def add(row, more):
    for k in range(len(row)):
        row[k] += more[k]


@compiled
def split(row, halves):
    """Numbers in [-1, 1] (m,) in halves (2 m,): the higher ones, then the lower ones."""
    m = len(row)
    for k in range(m):
        units = np.int64(np.rint(row[k] * UNIT))
        halves[k] = units >> HALF
        halves[m + k] = units & LOWER
