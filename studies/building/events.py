"""Benchmarks built in memory of corpora that nobody wrote, as ``candidly.compare.corpora`` builds
them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from candidly.compare.corpora import BuildSettings, make_corpus
from candidly.compare.corpora import noise as sources
from candidly.compare.corpora.builder import chosen_events, class_names
from candidly.compare.corpora.checks import check_mixed, check_replaced
from candidly.compare.corpora.corpus import wanted
from candidly.compare.corpora.embed import of_words, windows
from candidly.data.imperfect.open_set import Likeness
from candidly.ground.seeds import draw

ARTICLES, MORE_THAN, TAIL_AT_MOST, HELD = 4_000, 80, 140, 16


@dataclass(frozen=True, eq=False)
class Noise:
    """What the rows to learn from have.

    Attributes:
        kind: ``none``; ``mix``, inputs of every source replaced; of one source alone ``replaced``
            or ``flipped`` at a rate of its own rows, or ``of-all``, replaced at a rate of all rows.
        source: a number of ``candidly.compare.corpora.noise.SOURCES``; -1 where it is none.
        percent: the rate.
    """

    kind: str
    source: int = -1
    percent: int = 0


@dataclass(frozen=True, eq=False)
class Built:
    """One corpus's benchmark.

    Attributes:
        seed: of the corpus.
        events: the rows to learn from, and the pool.
        near: what is alike.
        train, pool, held: float32 (n, 256), (m, 256) and (r, 256), what the texts are as numbers.
        labels: int64 (r,), of the rows to test on; as many of every class.
    """

    seed: int
    events: sources.Events
    near: Likeness
    train: np.ndarray
    pool: np.ndarray
    held: np.ndarray
    labels: np.ndarray

    @property
    def of_held(self) -> np.ndarray:
        """The source of each row to test on, int8 (r,)."""
        return self.events.source[self.labels]


def built(seed: int) -> Built:
    """Funnel, split, sources and search; both held parts are tested on, as nothing is chosen."""
    articles = make_corpus(ARTICLES, seed)
    found, _ = chosen_events(articles, BuildSettings(more_than=MORE_THAN), wanted)
    left = found.step_id >= 0
    mine = found.choosen_id >= 0
    pool = left & ~mine
    classes, labels = np.unique(found.category[mine], return_inverse=True)
    names = class_names([articles.categories[one] for one in classes])
    sizes = np.bincount(labels)
    source = sources.sources_of(sizes.tolist(), beyond(sizes, seed), TAIL_AT_MOST)
    part = sources.split(labels, names, HELD, seed)
    learned = part == sources.TRAINING
    parents = sources.parents_of(articles.categories)
    pool_parents = parents[found.category[pool]]
    events = sources.Events(labels[learned], names, source, parents[classes], pool_parents)
    seen = windows(found.texts[left].tolist(), found.verb[left].tolist())
    alike, numbers = of_words(seen, _quiet), of_words(found.texts[left].tolist(), _quiet)
    rows, others = found.step_id[mine], found.step_id[pool]
    near = events.search(alike[rows[learned]], alike[others])
    held = numbers[rows[~learned]]
    return Built(
        seed, events, near, numbers[rows[learned]], numbers[others], held, labels[~learned]
    )


def beyond(sizes: np.ndarray, seed: int) -> list[int]:
    """Half of the classes that are no tail classes, as large as the other half.

    By falling size they are taken in the order a, b, b, a; which half it is changes with the seed.
    """
    large = np.flatnonzero(sizes > TAIL_AT_MOST)
    order = large[np.argsort(-sizes[large], kind="stable")]
    second = np.isin(np.arange(len(order)) % 4, (1, 2))
    return order[second == (seed % 2 == 0)].tolist()


def made(of: Built, noise: Noise) -> tuple[np.ndarray, np.ndarray, float]:
    """Inputs and labels to learn from, and the noisy share of the source's own rows.

    Raises:
        ValueError: so much cannot be replaced.
    """
    events, rate = of.events, noise.percent / 100
    origin = np.full(len(events.labels), -1)
    given = events.labels.copy()
    if noise.kind == "mix":
        origin = sources.mixed(events, of.near, rate)
        check_mixed(events, {rate: origin})
    elif noise.kind in ("replaced", "of-all"):
        share_of = "source" if noise.kind == "replaced" else "train"
        origin = sources.single(events, of.near, noise.source, rate, share_of)
    elif noise.kind == "flipped":
        rows = np.flatnonzero(events.event_source == noise.source)
        seed = int(draw(of.seed, "build_study.flipped").integers(2**31))
        given[rows] = sources.flipped(given[rows], len(events.names), rate, seed)
    check_replaced(events, origin)
    moved = origin >= 0
    inputs = np.where(moved[:, None], of.pool[origin], of.train)
    there = events.event_source == noise.source if noise.source >= 0 else slice(None)
    return inputs, given, float((moved | (given != events.labels))[there].mean())


def _quiet(done: int, total: int) -> None:
    pass
