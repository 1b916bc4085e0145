"""Confident learning as it is written down, row by row, and data to compare it on."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

EPSILON = 1e-6


class Slow(NamedTuple):
    """What the slow version says of (given, probs)."""

    thresholds: np.ndarray
    guess: np.ndarray
    counts: np.ndarray
    disagreements: int
    predicted: np.ndarray
    own: np.ndarray
    other: np.ndarray
    near: np.ndarray


def examined(given, probs, collisions="global", thresholds=None) -> Slow:
    """Thresholds, guesses and the confident joint, by definition."""
    n, m = probs.shape
    if thresholds is None:
        thresholds = np.full(m, 2.0)
        for k in range(m):
            if (given == k).any():
                mean = 0.0
                for value in probs[given == k, k]:
                    mean += float(value)
                thresholds[k] = max(mean / (given == k).sum(), 2 * EPSILON)
    guess = np.full(n, -1)
    counts = np.zeros((m, m), int)
    disagreements = 0
    own, other, near = np.zeros(n, probs.dtype), np.zeros(n, probs.dtype), np.zeros(n, bool)
    for i in range(n):
        row, label = probs[i], given[i]
        sure = [j for j in range(m) if float(row[j]) >= thresholds[j] - EPSILON]
        if sure:
            masked = max(sure, key=lambda j: (row[j], -j))
            whole = sure[0] if len(sure) == 1 else int(row.argmax())
            guess[i] = masked if collisions == "masked" else whole
            if label >= 0:
                counts[label, guess[i]] += 1
                disagreements += masked != whole
        other[i] = max(row[j] for j in range(m) if j != label)
        if label >= 0:
            own[i] = row[label]
            lifted = row.copy()
            lifted[label] += probs.dtype.type(EPSILON)
            near[i] = lifted.argmax() == label
    return Slow(thresholds, guess, counts, disagreements, probs.argmax(1), own, other, near)


def round_rows(matrix) -> np.ndarray:
    """Rows rounded so that each keeps its total, ties to the lower column."""
    result = []
    for row in matrix:
        whole = [round(value) for value in row]  # half to even
        missing = round(sum(row)) - sum(whole)
        while missing:
            step = 1 if missing > 0 else -1
            order = sorted(range(len(row)), key=lambda j: (-step * (row[j] - whole[j]), j))
            for j in order[: abs(missing)]:
                whole[j] += step
                missing -= step
        result.append(whole)
    return np.array(result)


def calibrate(counts, given_counts) -> list[list[Fraction]]:
    """Rows scaled to how often each label was given."""
    m = len(counts)
    level = [
        [max(int(counts[k][j]), 1) if k == j else int(counts[k][j]) for j in range(m)]
        for k in range(m)
    ]
    return [[Fraction(c * int(given_counts[k]), sum(level[k])) for c in level[k]] for k in range(m)]


def take_counts(joint, given_counts, keep=1, fraction=1.0, quotas=None) -> np.ndarray:
    """How many to take for each pair of classes; how many stay, on the diagonal."""
    m, share = len(joint), Fraction(str(fraction))
    matrix = [[Fraction(int(value)) for value in row] for row in joint]
    if quotas is not None:
        for k in range(m):
            wrong = sum(matrix[k]) - matrix[k][k]
            for j in range(m):
                matrix[k][j] = matrix[k][j] * int(quotas[k]) / wrong if wrong else Fraction(0)
            matrix[k][k] = Fraction(int(given_counts[k] - quotas[k]))
        matrix = round_rows(matrix).tolist()
    result = np.zeros((m, m), int)
    for k in range(m):
        stays = max(matrix[k][k], keep)
        part = Fraction(stays - matrix[k][k], max(sum(c != 0 for c in matrix[k]) - 1, 1))
        back = Fraction(0)
        for j in range(m):
            if j != k:
                taken = max(matrix[k][j] - part, Fraction(0))
                back += taken - taken * share
                result[k, j] = int(taken * share)
        result[k, k] = int(stays + back)
    return result


def lowest(rows, values, count) -> list[int]:
    """The ``count`` rows with the lowest values, ties by row."""
    return [row for _, row in sorted(zip(values, rows))[: max(count, 0)]]


def select(given, probs, slow: Slow, take, by, keep=1) -> np.ndarray:
    """A method's mask, near-ties dropped."""
    n, m = probs.shape
    if by == "both":
        parts = [select(given, probs, slow, take, each, keep) for each in ("class", "noise rate")]
        return parts[0] & parts[1]
    mask = np.zeros(n, bool)
    if by == "predicted":
        mask = (given >= 0) & (slow.predicted != given)
    elif by == "confident":
        mask = (given >= 0) & (slow.guess >= 0) & (slow.guess != given)
    for k in range(m):
        rows = np.flatnonzero(given == k)
        if len(rows) <= keep:
            continue
        if by == "class":
            mask[lowest(rows, probs[rows, k], len(rows) - take[k, k])] = True
        elif by == "noise rate":
            for j in range(m):
                if j != k:
                    mask[lowest(rows, probs[rows, k] - probs[rows, j], take[k, j])] = True
    return mask & ~slow.near


def find(given, probs, by="noise rate", keep=1, fraction=1.0, quotas=None, **options):
    """A mask, all steps in a row."""
    slow = examined(given, probs, **options)
    labelled = given[given >= 0]
    given_counts = np.bincount(labelled, minlength=probs.shape[1])
    if by in ("margin", "self-confidence"):
        off = select(given, probs, slow, None, "confident").sum()
        values = slow.own - slow.other if by == "margin" else slow.own
        rows = np.flatnonzero(given >= 0)
        mask = np.zeros(len(given), bool)
        mask[lowest(rows, values[rows], off)] = True
        return mask
    joint = round_rows(calibrate(slow.counts, given_counts))
    return select(
        given, probs, slow, take_counts(joint, given_counts, keep, fraction, quotas), by, keep
    )


# data


def softmax(logits) -> np.ndarray:
    exp = np.exp(logits - logits.max(1, keepdims=True))
    return exp / exp.sum(1, keepdims=True)


def make(seed, n, m, sharp=3.0, wrong=0.15, skew=1.0, absent=0, dtype=np.float64):
    """Labels, some of them wrong, and probabilities of a model that is often right.

    Args:
        sharp: how far the true class stands out.
        skew: 1 for classes alike, less for a few large ones.
        absent: how many of the classes nobody is given.
    """
    rng = np.random.default_rng(seed)
    shares = skew ** np.arange(m)
    truth = rng.choice(m, n, p=shares / shares.sum())
    logits = rng.normal(size=(n, m))
    logits[np.arange(n), truth] += sharp
    given = np.where(rng.random(n) < wrong, rng.integers(0, m, n), truth)
    if absent:
        given = np.where(given >= m - absent, rng.integers(0, m - absent, n), given)
    return given, softmax(logits).astype(dtype)


def make_grid(seed, n, m, steps, dtype=np.float64):
    """Labels and probabilities that are multiples of 1 / steps: ties everywhere."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(m, rng.choice([0.3, 1.0, 3.0])), n)
    probs = np.array([rng.multinomial(steps, row) for row in weights]) / steps
    given = np.where(rng.random(n) < 0.6, probs.argmax(1), rng.integers(0, m, n))
    return given, probs.astype(dtype)
