"""Probabilities of a classifier, and labels with planted errors, made row by row from a seed.

A row follows from the seed and its number alone, so that any process makes any rows of it, and
nothing needs to be stored. Of its class, which may be several times as frequent as another, the
label is one of three partners with the probability ``errors_of`` the class. The classifier is sure
of 88 of 100 rows, whatever their labels: it gives the true class its ``level``, and the softmax of
Gaussian logits shares out the rest. Of the others it is torn between the true class and a partner,
and confident of none: levels differ from class to class, so many such rows must be read twice.

Then confident learning counts what was planted among the rows that it is confident of, and scales
that up by (rows with the label) / (rows that it is confident of): what it estimates differs from
what was planted by chance alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial

import numba
import numpy as np

from candidly.data.ingest.prob_rows import Part, ProbRows

PARTNERS = np.array([0.6, 0.9, 1.0])  # of a wrong label, cumulated
SURE = 0.88
AT_ONCE = 512
TORN = 0.5, 0.4  # of their levels, that an unsure row gives its class and a partner


@dataclass(frozen=True)
class World:
    """What rows are made from.

    Attributes:
        seed: of all.
        cumulated: float64 (m,), shares of the classes, cumulated.
        wrong: float64 (m,), how probable an error of each class is.
        level: float32 (m,), what a sure row gives its class.
        partners: int64 (m, 3), for which each class is taken.
    """

    seed: int
    cumulated: np.ndarray
    wrong: np.ndarray
    level: np.ndarray
    partners: np.ndarray

    @property
    def m(self) -> int:
        return len(self.wrong)

    @property
    def numbers(self) -> tuple:
        seed = np.uint64(self.seed)
        return seed, self.cumulated, self.wrong, self.level, self.partners


@lru_cache(maxsize=4)
def world(seed: int, m: int) -> World:
    """A world of m classes."""
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.5, 1.5, m)
    return World(
        seed,
        np.cumsum(share) / share.sum(),
        rng.uniform(0.04, 0.162, m),
        rng.uniform(0.35, 0.95, m).astype(np.float32),
        np.array([rng.choice(np.delete(np.arange(m), k), 3, replace=False) for k in range(m)]),
    )


@numba.njit(cache=True, nogil=True, inline="always")
def _mixed(x):
    """A word that looks random, for each word (splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@numba.njit(cache=True, nogil=True, inline="always")
def _uniform(start, number):
    """The number-th of a row's numbers in [0, 1)."""
    word = _mixed(start + np.uint64(number) * np.uint64(0x9E3779B97F4A7C15))
    return (word >> np.uint64(11)) * 2.0**-53


@numba.njit(cache=True, nogil=True, inline="always")
def _start(row, seed):
    """What a row's numbers follow from."""
    return _mixed(seed + np.uint64(row) * np.uint64(0xD1B54A32D192ED03))


@numba.njit(cache=True, nogil=True)
def _classes(start, cumulated, wrong, partners):
    """A row's class and its label."""
    y = min(np.searchsorted(cumulated, _uniform(start, 1), side="right"), len(wrong) - 1)
    if _uniform(start, 2) >= wrong[y]:
        return y, y
    u, which = _uniform(start, 3), 0
    while u >= PARTNERS[which]:
        which += 1
    return y, partners[y, which]


@numba.njit(cache=True, nogil=True)
def _labels(rows, seed, cumulated, wrong, level, partners, given, truth):
    for i in range(len(rows)):
        truth[i], given[i] = _classes(_start(rows[i], seed), cumulated, wrong, partners)


@numba.njit(cache=True, nogil=True)
def _logits(rows, seed, out):
    """Gaussian logits of rows: float32 (r, m), standard deviation 1.2."""
    for i in range(len(rows)):
        start, row = _start(rows[i], seed), out[i]
        for j in range(len(row)):
            word = _mixed(start + np.uint64(j + 8) * np.uint64(0x9E3779B97F4A7C15))
            # the sum of four uniform numbers of 16 bits is close to a Gaussian one
            four = (word & np.uint64(0xFFFF)) + ((word >> np.uint64(16)) & np.uint64(0xFFFF))
            four += ((word >> np.uint64(32)) & np.uint64(0xFFFF)) + (word >> np.uint64(48))
            row[j] = (np.float32(np.int32(four)) - np.float32(131070)) * np.float32(1.2 / 37837)


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _settle(rows, seed, cumulated, wrong, level, partners, out):
    """Turn exponentials of logits into the rows' probabilities."""
    for i in range(len(rows)):
        start, row = _start(rows[i], seed), out[i]
        y, _ = _classes(start, cumulated, wrong, partners)
        total = np.float32(0)
        for j in range(len(row)):
            total += row[j]
        first = level[y] * np.float32(1 + 0.04 * (_uniform(start, 4) - 0.5))
        other, second = -1, np.float32(0)
        if _uniform(start, 5) >= SURE:
            other = partners[y, int(_uniform(start, 6) * 3)]
            first *= np.float32(TORN[0])
            second = min(np.float32(TORN[1]) * level[other], np.float32(0.8) * (1 - first))
        rest = np.float32(1 - first - second) / total
        for j in range(len(row)):
            row[j] *= rest
        row[y] += first
        if other >= 0:
            row[other] += second


def labels(made: World, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
    """Given labels and true classes of rows start..stop: int16 (stop - start,) each."""
    given, truth = np.empty(stop - start, np.int16), np.empty(stop - start, np.int16)
    _labels(np.arange(start, stop), *made.numbers, given, truth)
    return given, truth


def rows_of(made: World, rows: np.ndarray) -> np.ndarray:
    """Probabilities of rows with these numbers: float32 (r, m)."""
    out = np.empty((len(rows), made.m), np.float32)
    for start in range(0, len(rows), AT_ONCE):  # as many as stay in the cache
        some, block = rows[start : start + AT_ONCE], out[start : start + AT_ONCE]
        _logits(some, np.uint64(made.seed), block)
        np.exp(block, out=block)
        _settle(some, *made.numbers, block)
    return out


def opened(seed: int, m: int, start: int, stop: int) -> ProbRows:
    """Rows start..stop of a world, made when they are read."""
    made = world(seed, m)
    return ProbRows(
        stop - start,
        m,
        np.dtype(np.float32),
        lambda a, b: rows_of(made, np.arange(start + a, start + b)),
        f"rows {start} to {stop - 1} of seed {seed}",
        stamp=lambda: f"{seed}:{m}:{start}:{stop}",
        pick=lambda some: rows_of(made, start + some),
    )


def parts(seed: int, n: int, m: int, size: int) -> list[Part]:
    """All n rows, in parts of ``size``, none of them stored."""
    kind = np.dtype(np.float32)
    bounds = [(a, min(a + size, n)) for a in range(0, n, size)]
    return [
        Part(f"part-{k}", b - a, m, kind, partial(opened, seed, m, a, b), f"{seed}:{m}:{a}:{b}")
        for k, (a, b) in enumerate(bounds)
    ]
