"""False differences, and intervals that hold, in every design that candidly offers, by simulation.

Algorithms are equally good: each learns the means of two classes from a block of features of its
own, and blocks are exchangeable. So they err on different rows, as algorithms do. How often a
learner is right on all rows that there could be is known exactly, so what an interval should hold
is known: the difference over what the design's sentence says it covers.

    python bench/designs.py            about fifteen minutes; writes bench/results/designs.json
    python bench/designs.py --quick    a few draws; writes nothing

A rate of false differences is held to be beyond 5 % where all of its 95 % interval is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

from _bench import Claim, at_most, main
from candidly.stats import (
    Design,
    OneTestSet,
    RandomSplits,
    clopper_pearson,
    compare_all,
    crossed_t,
    leader,
    nemenyi,
    rank_stability,
)

WIDTH, SHIFT = 3, 0.4
LEARNED = 300  # rows that a training sees
ALGORITHMS, SPLITS, ROWS = (2, 8), (3, 5, 10), (100, 1000)
POOLS = {
    "training rows that overlap little": 20_000,
    "training rows of which 9 in 10 are shared": 333,
}
FLIPPED = 0.3
LEVEL = 0.95


def blocks(labels: np.ndarray, k: int, g: np.random.Generator) -> np.ndarray:
    """Features (k, rows, WIDTH): each algorithm has a block of its own."""
    signs = (2.0 * labels - 1)[:, None] * SHIFT
    return g.normal(size=(k, len(labels), WIDTH)) + signs


class Learners:
    """k equal algorithms on one pool of training rows.

    ``flipped``: the share of the pool's labels that are wrong, drawn with every ``noise``.
    """

    def __init__(self, k: int, pool: int, g: np.random.Generator, flipped: float = 0.0):
        self.k, self.g, self.flipped = k, g, flipped
        self.truth = g.integers(0, 2, pool)
        self.x = blocks(self.truth, k, g)
        self.noise()

    def noise(self) -> None:
        """Draw which labels are wrong."""
        wrong = self.g.random(len(self.truth)) < self.flipped
        self.given = np.where(wrong, 1 - self.truth, self.truth)

    def trained(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights (k, WIDTH) and thresholds (k,) of one training on some rows of the pool."""
        rows = self.g.choice(len(self.truth), LEARNED, replace=False)
        one, zero = (self.x[:, rows[self.given[rows] == c]].mean(1) for c in (1, 0))
        weights = one - zero
        return weights, (weights * (one + zero) / 2).sum(1)


def right(model: tuple[np.ndarray, np.ndarray], x: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Bool (k, m): which rows are predicted right."""
    weights, threshold = model
    scores = (x * weights[:, None]).sum(-1) - threshold[:, None]
    return (scores > 0) == (labels == 1)


def accuracy(model: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The share of all rows that there could be that is predicted right, exactly: (k,)."""
    weights, threshold = model
    size, middle = np.linalg.norm(weights, axis=1), SHIFT * weights.sum(1)
    return (ndtr((middle - threshold) / size) + ndtr((middle + threshold) / size)) / 2


def expected(learners: Learners, trainings: int, noise: bool) -> np.ndarray:
    """Accuracies (k,) that trainings on this pool have on average, over noises too if asked."""
    found = np.zeros(learners.k)
    for _ in range(trainings):
        if noise:
            learners.noise()
        found += accuracy(learners.trained())
    return found / trainings


class Count:
    """How often an interval held, and how often there was a false difference."""

    def __init__(self) -> None:
        self.held, self.leader, self.any, self.of = 0, 0, 0, 0

    def add(self, table: np.ndarray, design: Design, truth: np.ndarray) -> None:
        """One repetition.

        Args:
            table: (n, k) values.
            truth: (k,) what they should be on average.
        """
        names = [str(j) for j in range(table.shape[1])]
        test = design.compared(table, 0, 1, LEVEL)
        low, high = (np.nan if end is None else end for end in (test.low, test.high))
        self.held += bool(low <= truth[0] - truth[1] <= high)
        first = leader(table, names, design)
        best = names.index(first.name or "0")
        beats = [truth[best] > truth[j] for j in range(len(names)) if j != best]
        self.leader += first.beyond_chance and not all(beats)
        self.any += any(
            (pair.verdict == "win") != (truth[int(pair.first)] > truth[int(pair.second)])
            for pair in compare_all(table, names, design).pairs
            if pair.verdict in ("win", "loss")
        )
        self.of += 1

    def claims(self, about: str, bound: bool) -> Iterator[Claim]:
        """``bound``: the level is claimed."""
        yield Claim(f"{about}: interval holds", self.held / self.of)
        for name, count in (("false leader", self.leader), ("any false difference", self.any)):
            low, high = clopper_pearson(np.array(count), self.of).tolist()
            yield Claim(f"{about}: {name}", count / self.of)
            lowest = f"{about}: {name}: from"
            yield at_most(lowest, low, 0.05) if bound else Claim(lowest, low)
            yield Claim(f"{about}: {name}: to", high)


def random_splits(k: int, splits: int, draws: int) -> Iterator[Claim]:
    """Rows are divided anew; the truth is over data sets, where all are equal."""
    share, count, usual = 0.1 / 0.9, Count(), Count()
    g = np.random.default_rng([1, k, splits])
    rows = LEARNED * 10 // 8
    for _ in range(draws):
        labels = g.integers(0, 2, rows)
        x = blocks(labels, k, g)
        table = np.empty((splits, k))
        for split in range(splits):
            order = g.permutation(rows)
            train, test = order[:LEARNED], order[LEARNED : LEARNED + rows // 10]
            one, zero = (x[:, train[labels[train] == c]].mean(1) for c in (1, 0))
            model = one - zero, ((one - zero) * (one + zero) / 2).sum(1)
            table[split] = right(model, x[:, test], labels[test]).mean(1)
        # in which direction a difference is, is false either way: nobody is better
        count.add(table, RandomSplits(share), np.zeros(k))
        usual.add(table, RandomSplits(0.0), np.zeros(k))
    about = f"{RandomSplits(share).name}, {k} algorithms, {splits} splits"
    yield from count.claims(about, bound=True)
    yield from usual.claims(f"{about}, as if independent", bound=False)


def one_test_set(k: int, splits: int, rows: int, pool: str, draws: int) -> Iterator[Claim]:
    """The same test rows in each split; the truth is over test rows and trainings on this pool."""
    g = np.random.default_rng([2, k, splits, rows, POOLS[pool]])
    designs = {
        "": Count(),
        "rows unknown": Count(),
        "splits alone": Count(),
        "of other training rows": Count(),
    }
    for _ in range(draws):
        learners = Learners(k, POOLS[pool], g)
        labels = g.integers(0, 2, rows)
        x = blocks(labels, k, g)
        by_row = np.stack([right(learners.trained(), x, labels) for _ in range(splits)])
        truth = expected(learners, 50 if POOLS[pool] < 1000 else 10, noise=False)
        if POOLS[pool] > 1000:
            truth = np.zeros(k)
        table = by_row.mean(-1)
        whole, bounded = OneTestSet(rows, by_row), OneTestSet(rows)
        designs[""].add(table, whole, truth)
        designs["rows unknown"].add(table, bounded, truth)
        designs["splits alone"].add(table, RandomSplits(rows / (rows + LEARNED)), truth)
        designs["of other training rows"].add(table, whole, np.zeros(k))
    about = f"{k} algorithms, {splits} splits, {rows:,} test rows, {pool}"
    yield from designs[""].claims(f"{whole.name}, {about}", bound=True)
    yield from designs["rows unknown"].claims(f"{bounded.name}, {about}", bound=True)
    for name in ("splits alone", "of other training rows"):
        yield from designs[name].claims(f"{whole.name}, {about}, {name}", bound=False)


def noises(count: int, splits: int, rows: int, draws: int) -> Iterator[Claim]:
    """Wrong labels drawn several times, by splits, by test rows: three crossed kinds of chance."""
    g = np.random.default_rng([3, count, splits, rows])
    held = {"crossed with noises": 0, "one noise": 0}
    false = dict.fromkeys(held, 0)
    for _ in range(draws):
        learners = Learners(2, POOLS["training rows of which 9 in 10 are shared"], g, FLIPPED)
        labels = g.integers(0, 2, rows)
        x = blocks(labels, 2, g)
        found = []
        for _ in range(count):
            learners.noise()
            found.append([right(learners.trained(), x, labels) for _ in range(splits)])
        truth = expected(learners, 60, noise=True)
        by_row = np.array(found, float)
        d = by_row[:, :, 0] - by_row[:, :, 1]
        tests = {"crossed with noises": crossed_t(d), "one noise": crossed_t(d[0])}
        for name, test in tests.items():
            if test.low is None or test.high is None or test.p is None:
                continue
            held[name] += test.low <= truth[0] - truth[1] <= test.high
            wrong = (test.difference or 0.0) * (truth[0] - truth[1]) < 0
            false[name] += bool(test.p <= 0.05 and wrong)
    about = f"one test set, {count} noises, {splits} splits, {rows:,} test rows"
    for name in held:
        yield Claim(f"{about}, {name}: interval holds", held[name] / draws)
        low, _ = clopper_pearson(np.array(false[name]), draws).tolist()
        lowest = f"{about}, {name}: false difference: from"
        yield at_most(lowest, low, 0.05) if name == "crossed with noises" else Claim(lowest, low)


def data_sets(k: int, sets: int, draws: int) -> Iterator[Claim]:
    """Average ranks of equal algorithms over data sets: any two beyond the critical difference."""
    g, found = np.random.default_rng([4, k, sets]), 0
    names = [str(j) for j in range(k)]
    for _ in range(draws):
        test = nemenyi(g.normal(size=(sets, k)), names, 0.05, higher=True)
        found += len(test.groups) != 1 or len(test.groups[0]) < k
    low, high = clopper_pearson(np.array(found), draws).tolist()
    about = f"data sets, {k} algorithms, {sets} sets: any false difference"
    yield Claim(about, found / draws)
    yield at_most(f"{about}: from", low, 0.05)
    yield Claim(f"{about}: to", high)


def first_places(splits: int, rows: int, draws: int) -> Iterator[Claim]:
    """How often 95 % of drawn ranks leave out that two equal algorithms tie, by what is drawn."""
    g, out = np.random.default_rng([5, splits, rows]), {"splits": 0, "splits and test rows": 0}
    for _ in range(draws):
        learners = Learners(2, POOLS["training rows that overlap little"], g)
        labels = g.integers(0, 2, rows)
        x = blocks(labels, 2, g)
        by_row = np.stack([right(learners.trained(), x, labels) for _ in range(splits)])
        for name, more in (("splits", None), ("splits and test rows", by_row)):
            steady = rank_stability(
                by_row.mean(-1), ["0", "1"], higher=True, by="mean", resamples=400, right=more
            )
            one = steady.algorithms[0]
            out[name] += one.low == one.high != 1.5
    for name, count in out.items():
        yield Claim(
            f"one test set, {splits} splits, {rows:,} test rows: ranks of equals said to be one "
            f"rank, {name} drawn again",
            count / draws,
        )


def measure(quick: bool) -> list[Claim]:
    few, many = (20, 40) if quick else (600, 2000)
    claims: list[Claim] = []
    for k in ALGORITHMS:
        for splits in SPLITS:
            claims += random_splits(k, splits, many)
            for rows in ROWS:
                for pool in POOLS:
                    claims += one_test_set(k, splits, rows, pool, few)
    for rows in ROWS:
        claims += noises(5, 5, rows, few)
        claims += noises(10, 5, rows, few)
        claims += first_places(5, rows, few)
    for k, sets in ((4, 5), (8, 10), (8, 30)):
        claims += data_sets(k, sets, many)
    return claims


if __name__ == "__main__":
    main("designs", __doc__ or "", measure)
