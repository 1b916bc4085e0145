"""Real events of noisywikiHow with replaced inputs, or with labels that are wrong at random."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from candidly import Labelled
from candidly.data.imperfect import long_tail, open_set, symmetric
from candidly.ground.seeds import draw
from candidly.learn.encoders import sentence_vectors

POOL_CLASSES = 50
TEST = 0.2  # of every class
POOL_SHARE = 0.8  # of the pool, that a draw of the noise may take
KINDS = ("replaced", "symmetric")
RATES = (0, 10, 20, 40, 60)  # percent; the pool is too small for the last, see ``share``


@dataclass(frozen=True, eq=False)
class Events:
    """Texts with their classes, and what they look like to the sentence encoder.

    Attributes:
        vectors: float32 (n, 384) of length 1.
        truth: int64 (n,), in 0..q-1.
        test: bool (n,), the rows to test on.
        pool: float32 (m, 384), of the events of other classes.
        texts, pool_texts: the events themselves, objects (n,) and (m,).
    """

    vectors: np.ndarray
    truth: np.ndarray
    test: np.ndarray
    classes: tuple[str, ...]
    pool: np.ndarray
    texts: np.ndarray
    pool_texts: np.ndarray

    @property
    def share(self) -> float:
        """The most that can be replaced without using an event of the pool twice."""
        return min(1.0, len(self.pool) / int((~self.test).sum()))


def read_events(data: Path, cache: Path) -> Events:
    """The events of the released validation and test files; vectors are kept in ``cache``."""
    import polars as pl

    files = [data / "noisywikihow" / f"{name}.csv" for name in ("val", "test")]
    table = pl.concat([pl.read_csv(file) for file in files])
    names, labels = np.unique(table["cat"].to_numpy(), return_inverse=True)
    kept = cache / "vectors.npy"
    if not kept.exists():
        cache.mkdir(parents=True, exist_ok=True)
        np.save(kept, sentence_vectors(table["step"].to_list()))
    vectors = np.load(kept, allow_pickle=False)
    held = np.zeros(len(names), bool)
    held[draw(0, "text_study.pool").permutation(len(names))[:POOL_CLASSES]] = True
    mine = ~held[labels]
    truth = (np.cumsum(~held) - 1)[labels[mine]]
    test = np.zeros(len(truth), bool)
    for label in range(len(names) - POOL_CLASSES):
        rows = np.flatnonzero(truth == label)
        some = draw(0, "text_study.test", label).permutation(rows)
        test[some[: round(TEST * len(rows))]] = True
    classes = tuple(str(name) for name in names[~held])
    texts = table["step"].to_numpy().astype(object)
    return Events(vectors[mine], truth, test, classes, vectors[~mine], texts[mine], texts[~mine])


def rate_of(events: Events, percent: int) -> float:
    return min(percent / 100, events.share)


def made(
    events: Events,
    kind: str,
    percent: int,
    *,
    texts: bool = False,
    tail: float = 1.0,
    noise: int | None = None,
) -> Labelled:
    """The rows to learn from and to validate on with noise, the rows to test on without.

    Inputs are replaced by the nearest of the pool, the most alike first, each used once.

    Args:
        texts: whether the inputs are the texts, and not what the encoder says of them.
        tail: the largest class has so many times the rows of the smallest, but to test on.
        noise: which draw of the noise: of the labels that are wrong, or of four in five events of
            the pool, which alone may replace others. None: the first, and the whole pool.
    """
    learned = np.flatnonzero(~events.test)
    q = len(events.classes)
    if tail > 1:
        learned = learned[long_tail(events.truth[learned], q, tail, shuffle=True)]
    inputs, given = (events.texts if texts else events.vectors).copy(), events.truth.copy()
    there = np.arange(len(events.pool))
    if noise is not None:
        there = draw(noise, "text_study.noise").permutation(there)[: int(POOL_SHARE * len(there))]
    others = (events.pool_texts if texts else events.pool)[there]
    rate = rate_of(events, percent)
    if kind == "replaced" and percent:
        found = open_set(events.vectors[learned], events.pool[there], rate)
        inputs[learned[found.mask]] = others[found.origin[found.mask]]
    elif percent:
        given[learned] = symmetric(events.truth[learned], q, rate, seed=noise or 0)
    source = f"noisywikihow events, {percent} % {kind}"
    whole = Labelled(inputs=inputs, classes=events.classes, truth=events.truth, given=given)
    whole = replace(whole, source=source, official_test=events.test)
    return whole[np.sort(np.concatenate([learned, np.flatnonzero(events.test)]))]
