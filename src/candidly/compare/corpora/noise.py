"""Noise of known sources: which events are hard, and what stands in their place.

Noise replaces the input and keeps the label. Each class has one source: *tail* classes are small,
*beyond* ones are beyond common sense, and the rest, *sub-categories*, are taken for their siblings.
The difficulty of an event is how alike the nearest event is that may replace it; of every source
the same share is replaced, the hardest first.

Source: Wu et al., "NoisywikiHow: A benchmark for learning with real-world noisy labels in natural
language processing", Findings of ACL 2023, 3.3. What is silent there is settled so: of equals the
first comes first, no event replaces two, and an event's place within its source says who chooses
first, at every rate the same; a share of n events is rounded down.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ...data.imperfect import symmetric
from ...data.imperfect.open_set import ANYTHING, DOWN, Likeness, NothingLeft, neighbours
from ...ground.progress import OnProgress
from ...ground.seeds import draw
from .articles import Path

SUB, BEYOND, TAIL = range(3)
SOURCES = ("sub-categories", "beyond common sense", "tail")  # by number
MODES = ("neighbor", "uncommon", "tail")  # what files of a single source are called
RATES = (0.1, 0.2, 0.4, 0.6)
TAIL_AT_MOST = 400  # events of a class
HELD = 50  # events of each class for validation, and as many for testing
TRAINING, VALIDATION, TEST = range(3)

RateOf = Literal["source", "train"]


def sources_of(
    sizes: Sequence[int], beyond: Collection[int] = (), tail_at_most: int = TAIL_AT_MOST
) -> np.ndarray:
    """Each class's source: int8 (q,).

    Args:
        sizes: events of each class.
        beyond: classes that people found to be beyond common sense; tail classes among them are
            tail classes.

    Raises:
        ValueError: a class that is not there.
    """
    found = np.full(len(sizes), SUB, np.int8)
    for label in beyond:
        if not 0 <= label < len(sizes):
            raise ValueError(f"class {label} is not there; classes are 0 to {len(sizes) - 1}.")
        found[label] = BEYOND
    found[np.asarray(sizes) <= tail_at_most] = TAIL
    return found


def split(labels: np.ndarray, names: Sequence[str], held: int = HELD, seed: int = 0) -> np.ndarray:
    """Which events are held out, before there is noise: int8 (n,), as many of every class.

    Args:
        labels: int (n,), in 0..q-1.
        held: of each class for validation, and as many for testing.

    Raises:
        ValueError: a class with too few events, by its name.
    """
    part = np.full(len(labels), TRAINING, np.int8)
    for label, name in enumerate(names):
        rows = np.flatnonzero(labels == label)
        if len(rows) <= 2 * held:
            raise ValueError(
                f"{name!r} has {len(rows)} events, of which {2 * held} are to be held out. Hold "
                "out fewer, or keep only classes with more events."
            )
        drawn = draw(seed, "build.split", label).permutation(rows)
        part[drawn[:held]], part[drawn[held : 2 * held]] = VALIDATION, TEST
    return part


@dataclass(frozen=True, eq=False)
class Events:
    """Events that noise is made of: those of the benchmark's training part, and the pool.

    Attributes:
        labels: int (n,), classes of the training events.
        names: the names of the q classes.
        source: int8 (q,), of each class.
        parents: int (q,), a number for what stands above each class.
        pool_parents: int (m,), the same for the category of each event of the pool.
    """

    labels: np.ndarray
    names: tuple[str, ...]
    source: np.ndarray
    parents: np.ndarray
    pool_parents: np.ndarray

    @cached_property
    def event_source(self) -> np.ndarray:
        """Of each training event, int8 (n,)."""
        return self.source[self.labels]

    def search(
        self,
        vectors: np.ndarray,
        pool: np.ndarray,
        watch: OnProgress = lambda done, total: None,
        known: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Likeness:
        """The nearest events of the pool that may replace each training event.

        Args:
            vectors, pool: numbers (n, d) and (m, d).
            known: as for ``imperfect.open_set.neighbours``.
        """
        near = np.where(self.event_source == SUB, self.parents[self.labels], ANYTHING)
        return neighbours(vectors, pool, near, self.pool_parents, known=known, watch=watch)


def parents_of(paths: Sequence[Path]) -> np.ndarray:
    """A number for what stands above each category, int64: siblings have the same."""
    known: dict[Path, int] = {}
    return np.array([known.setdefault(path[:-1], len(known)) for path in paths], np.int64)


def mixed(events: Events, found: Likeness, rate: float) -> np.ndarray:
    """All sources at one rate: the row of the pool in place of each event, -1 where it stays.

    Raises:
        ValueError: the pool has too few events, or a class no siblings in it.
    """
    sizes = np.bincount(events.event_source, minlength=len(SOURCES))
    return _replaced(events, found, {k: share(rate, size) for k, size in enumerate(sizes)})


def single(
    events: Events, found: Likeness, source: int, rate: float, rate_of: RateOf = "source"
) -> np.ndarray:
    """One source alone; as ``mixed``.

    Args:
        rate_of: what the rate is a share of: the source's own training events, or all of them. At
            the same share of all, small sources have far more noise in them than large ones.

    Raises:
        ValueError: as for ``mixed``; or so many events the source does not have.
    """
    size = int((events.event_source == source).sum())
    count = share(rate, size if rate_of == "source" else len(events.labels))
    if count > size:
        raise ValueError(
            f"{rate:g} of all training events are {count:,}, and {SOURCES[source]} has {size:,}. "
            "Lower the rate, or take it of the source (rate_of=source)."
        )
    return _replaced(events, found, {source: count})


def flipped(labels: np.ndarray, q: int, rate: float, seed: int = 0) -> np.ndarray:
    """Synthetic noise beside it: labels of which a share is another, uniformly; inputs stay."""
    return symmetric(labels, q, rate, seed=seed)


def share(rate: float, n: int) -> int:
    """``rate * n`` rounded down, where 0.29 * 100 is 29.

    Raises:
        ValueError: a rate outside 0 to 1.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"the rate is {rate}; it is a share, from 0 to 1.")
    return int(rate * n + 1e-9)


def _replaced(events: Events, found: Likeness, counts: dict[int, int]) -> np.ndarray:
    rows = found.rows(events.event_source, counts, DOWN)
    if len(rows) > len(events.pool_parents):
        raise ValueError(
            f"{len(rows):,} events are to be replaced, and {len(events.pool_parents):,} are "
            "outside the classes. Keep fewer categories as classes, or lower the rates."
        )
    try:
        return found.chooser.origin(rows)
    except NothingLeft as error:
        label = int(events.labels[error.row])
        name, source = events.names[label], int(events.source[label])
        who = "its sibling categories have" if source == SUB else "the pool has"
        raise ValueError(
            f"{name!r}: {who} too few events outside the benchmark for {sum(counts.values()):,} to "
            "be replaced. Lower the rates, leave some categories of the same parent out of the "
            "benchmark, or bring more articles."
        ) from None
