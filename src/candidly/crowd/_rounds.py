"""Rounds of Dawid-Skene over ranges of items, by threads, whose sums are exact (``_sums``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ._answers import Answers
from ._sums import as_floats, nearest

Logs = tuple[np.ndarray, np.ndarray, np.ndarray]
Loop = Callable[..., None]


class Sums(NamedTuple):
    """What the items come to: of the posterior (m,), by annotator, of the model; in nats."""

    prior: np.ndarray
    said: np.ndarray
    model: np.ndarray
    log_likelihood: float


class Rounds:
    """Answers cut into ranges of items.

    Attributes:
        posterior: float64 (n, m), what the last round has made.
    """

    def __init__(
        self,
        loop: Loop,
        shapes: tuple[tuple[int, int], tuple[int, int]],
        answers: Answers,
        probs: np.ndarray | None,
        known: np.ndarray,
        posterior: np.ndarray,
        threads: int,
    ):
        """
        Args:
            loop: one of ``_kernels``.
            shapes: of the sums by annotator and of the model; the second halves of columns are the
                lower ones.
            known: bool (n,), the items that count for the prior.
            posterior: to begin with.
            threads: and ranges.
        """
        starts = np.concatenate([[0], np.cumsum(answers.per_item)])
        self.answers = (starts, answers.annotator, answers.label)
        self.probs = np.zeros((0, answers.m)) if probs is None else np.ascontiguousarray(probs)
        self.loop, self.known, self.posterior = loop, known, posterior
        work = starts + np.arange(len(starts))  # of the items before each
        bounds = np.searchsorted(work, np.linspace(0, work[-1], threads + 1)[1:-1])
        self.bounds = [0, *bounds.tolist(), answers.n]
        whole = ((2 * answers.m,), *shapes, (3,))
        self.sums = [tuple(np.zeros(shape, np.int64) for shape in whole) for _ in range(threads)]
        self.no_logs = tuple(np.zeros((1,) * len(shape)) for shape in whole[:3])
        self.no_logs = (np.zeros(answers.m), *self.no_logs[1:])

    def run(self, logs: Logs | None, each: Callable[..., Any] = map) -> Sums:
        """A round: posteriors from logarithms of the rates, where they are given; and the sums."""

        def work(place: int) -> None:
            for mine in self.sums[place]:
                mine.fill(0)
            self.loop(
                *self.bounds[place : place + 2],
                logs is not None,
                self.answers,
                self.probs,
                self.known,
                logs or self.no_logs,
                self.posterior,
                self.sums[place],
            )

        for _ in each(work, range(len(self.sums))):
            pass
        first, *others = self.sums
        for other in others:
            for mine, more in zip(first, other):
                mine += more
        *parts, (whole, high, low) = first
        return Sums(*(_floats(part) for part in parts), nearest(high, low, whole))


def _floats(sums: np.ndarray) -> np.ndarray:
    high, low = np.split(sums, 2, axis=-1)
    return as_floats(high, low)


@contextmanager
def threads(number: int) -> Iterator[Callable[..., Any]]:
    """A ``map`` by this many threads."""
    if number == 1:
        yield map
        return
    with ThreadPoolExecutor(number) as pool:
        yield pool.map
