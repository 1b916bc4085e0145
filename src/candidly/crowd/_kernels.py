"""The inner loops of Dawid-Skene, compiled: a round over a range of items.

What items add to the sums is in halves (``_sums``), so that ranges may be added up in any order.
Nothing lets the compiler change the order of additions within an item: its numbers are the same in
whatever range it is.
"""

from __future__ import annotations

import math

import numpy as np

from .._compiled import compiler
from ._sums import HALF, LOWER, UNIT

compiled = compiler()


@compiled
def with_matrices(first, last, weigh, answers, probs, known, logs, posterior, sums):
    """A round over items ``first`` to ``last``, with a confusion matrix per annotator.

    Args:
        weigh: whether posteriors are made, from ``logs``; they are there already otherwise.
        answers: where each item's answers start, int64 (n + 1,); their annotators and labels,
            int32 (answers,).
        probs: float64 (n, m), a model's probabilities; (0, m) without one.
        known: bool (n,), the items that count for the prior.
        logs: logarithms of the prior (m,), of what each annotator says (J m, m), by annotator and
            label in a row and by true class, and the same of the model (m, m).
        posterior: in or out, float64 (n, m).
        sums: in and out, what the items are added to: the posterior in halves, (2 m,); the same
            by annotator and label (J m, 2 m), and by the model's label (m, 2 m); and the logarithms of
            the items' probabilities (3,), as a whole part and halves. All int64.
    """
    starts, annotator, label = answers
    log_prior, log_said, log_model = logs
    prior, said, model, likelihood = sums
    m = len(log_prior)
    mine, product, other = np.empty(2 * m, np.int64), np.empty(m), np.empty(2 * m, np.int64)
    for i in range(first, last):
        row = posterior[i]
        if weigh:
            row[:] = log_prior
            for a in range(starts[i], starts[i + 1]):
                add(row, log_said[np.int64(annotator[a]) * m + label[a]])
            if len(probs):
                for l in range(m):  # noqa: E741
                    for k in range(m):
                        row[k] += probs[i, l] * log_model[l, k]
            to_shares(row, likelihood)
        split(row, mine)
        if known[i]:
            add(prior, mine)
        for a in range(starts[i], starts[i + 1]):
            add(said[np.int64(annotator[a]) * m + label[a]], mine)
        if len(probs):
            for l in range(m):  # noqa: E741
                for k in range(m):
                    product[k] = row[k] * probs[i, l]
                split(product, other)
                add(model[l], other)


@compiled
def with_coins(first, last, weigh, answers, probs, known, logs, posterior, sums):
    """The same with one accuracy per annotator.

    Args:
        logs: of the prior (m,), of right and wrong answers of each annotator (J, 2), and of the
            model (1, 2).
        sums: the posterior (2 m,), that of what each annotator said (J, 2), the model's (1, 2),
            and the logarithms (3,).
    """
    starts, annotator, label = answers
    log_prior, log_said, log_model = logs
    prior, said, model, likelihood = sums
    m = len(log_prior)
    mine, product, other = np.empty(2 * m, np.int64), np.empty(m), np.empty(2 * m, np.int64)
    for i in range(first, last):
        row = posterior[i]
        if weigh:
            row[:] = log_prior
            wrong = 0.0
            for a in range(starts[i], starts[i + 1]):
                right, other_than = log_said[annotator[a]]
                wrong += other_than
                row[label[a]] += right - other_than
            for k in range(m):
                row[k] += wrong
                if len(probs):
                    row[k] += probs[i, k] * log_model[0, 0] + (1 - probs[i, k]) * log_model[0, 1]
            to_shares(row, likelihood)
        split(row, mine)
        if known[i]:
            add(prior, mine)
        for a in range(starts[i], starts[i + 1]):
            said[annotator[a], 0] += mine[label[a]]
            said[annotator[a], 1] += mine[m + label[a]]
        if len(probs):
            for k in range(m):
                product[k] = row[k] * probs[i, k]
            split(product, other)
            for k in range(m):
                model[0, 0] += other[k]
                model[0, 1] += other[m + k]


@compiled
def add(row, more):
    for k in range(len(row)):
        row[k] += more[k]


@compiled
def split(row, found):
    """Numbers in [-1, 1] (m,) in halves (2 m,): the higher ones, then the lower ones."""
    m = len(row)
    for k in range(m):
        units = np.int64(np.rint(row[k] * UNIT))
        found[k] = units >> HALF
        found[m + k] = units & LOWER


@compiled
def to_shares(row, likelihood):
    """Logarithms become shares of 1, and that of their sum is added to ``likelihood``."""
    top, total = row.max(), 0.0
    for k in range(len(row)):
        row[k] = math.exp(row[k] - top)
        total += row[k]
    for k in range(len(row)):
        row[k] /= total
    value = math.log(total) + top
    whole = np.int64(value)
    units = np.int64(np.rint((value - whole) * UNIT))
    likelihood[0] += whole
    likelihood[1] += units >> HALF
    likelihood[2] += units & LOWER
