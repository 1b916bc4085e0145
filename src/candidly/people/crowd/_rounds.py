"""Rounds of Dawid-Skene over ranges of items, by threads, whose sums are exact (``_sums``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ._answers import Answers
from ._sums import as_floats, with_whole

BLOCK = 2**15  # entries of the posterior that are worked on together: they stay in a core's cache

Logs = tuple[np.ndarray, np.ndarray, np.ndarray]
Loop = Callable[..., None]
Each = Callable[..., Iterable[Any]]  # ``map``


class ItemSums(NamedTuple):
    """What the items come to.

    Attributes:
        prior: float64 (m,), of the posterior.
        said: of the same by annotator, in halves: int64, an array for each range of items.
        model: float64, of the model, in the shape of the loop.
        log_likelihood: in nats.
    """

    prior: np.ndarray
    said: list[np.ndarray]
    model: np.ndarray
    log_likelihood: float


def together(parts: list[np.ndarray], rows: slice) -> np.ndarray:
    """Rows of the sums over all ranges; the first of them becomes these."""
    first, *others = (part[rows] for part in parts)
    for other in others:
        first += other
    return first


class Rounds:
    """Answers cut into ranges of items, one for each thread.

    Attributes:
        posterior: float64 (n, m), what the last round has made.
    """

    def __init__(
        self,
        answers: Answers,
        probs: np.ndarray | None,
        known: np.ndarray,
        posterior: np.ndarray,
        loops: tuple[Loop, Loop],
        shapes: tuple[tuple[int, int], tuple[int, int]],
        ranges: int,
    ):
        """
        Args:
            known: bool (n,), the items that count for the prior.
            posterior: to begin with.
            loops: two loops of ``_kernels``, one that weighs and one that adds.
            shapes: the shapes of the sums that the second adds to, by annotator and of the model.
        """
        self.answers, self.posterior, self.loops = answers, posterior, loops
        self.known = known
        self.probs = np.zeros((0, answers.m)) if probs is None else np.ascontiguousarray(probs)
        self.starts = np.concatenate([[0], np.cumsum(answers.per_item)])
        work = self.starts + np.arange(answers.n + 1)  # of the items before each
        cuts = np.searchsorted(work, np.linspace(0, work[-1], ranges + 1)[1:-1])
        self.cuts = [0, *cuts.tolist(), answers.n]
        sizes = ((2 * answers.m,), *shapes, (3,))
        self.sums = [tuple(np.zeros(size, np.int64) for size in sizes) for _ in range(ranges)]

    def run(self, logs: Logs | None, each: Each = map) -> ItemSums:
        """A round: posteriors by these logarithms, if there are any; and what they sum to.

        Args:
            each: ``map``, or that of threads.
        """
        for _ in each(lambda place: self._range(place, logs), range(len(self.sums))):
            pass
        priors, said, models, likelihoods = map(list, zip(*self.sums))
        floats = [as_floats(*np.split(sum(parts), 2, axis=-1)) for parts in (priors, models)]
        return ItemSums(floats[0], said, floats[1], with_whole(*sum(likelihoods)))

    def _range(self, place: int, logs: Logs | None) -> None:
        from ._kernels import below_the_largest, to_shares

        weigh, add = self.loops
        answers, (*parts, likelihood) = self.answers, self.sums[place]
        for sums in self.sums[place]:
            sums.fill(0)
        step = max(1, BLOCK // answers.m)
        end = self.cuts[place + 1]
        tops = np.empty(step)
        for first in range(self.cuts[place], end, step):
            items = slice(first, min(first + step, end))
            said = (self.starts[first : items.stop + 1], answers.annotator, answers.label)
            probs, rows = self.probs[items], self.posterior[items]
            if logs is not None:
                weigh(*said, probs, logs, rows)
                below_the_largest(rows, tops)
                np.exp(rows, out=rows)
                to_shares(rows, tops, likelihood)
            add(*said, probs, self.known[items], rows, tuple(parts))


@contextmanager
def mapping(threads: int) -> Iterator[Each]:
    """A ``map`` by this many threads."""
    if threads == 1:
        yield map
        return
    with ThreadPoolExecutor(threads) as pool:
        yield pool.map
