"""False winners among equal algorithms, and true leads that are found, by simulation.

Run as ``python bench/stats.py``. Each repetition draws a fresh data set with a block of features
for each algorithm; the blocks are exchangeable, so that no algorithm is better. Each algorithm
learns from its own block, on the same random splits: 80 % training, 10 % test, the rest unused.
Each rate stands between the ends of its 95 % interval (Clopper and Pearson's). A rate is held to
be beyond 5 % where all of its interval is: with a true rate of 5 %, half of all runs are above.
"""

from __future__ import annotations

import math

import numpy as np

from _bench import Claim, at_least, at_most, main
from candidly.stats import RandomSplits, clopper_pearson, compare_all, corrected_t, leader

ROWS, WIDTH = 500, 3
SPLITS, ALGORITHMS = (3, 5, 10), (2, 8)
TEST_SHARE = 10 / 90  # of training and test rows together
REPETITIONS = 4_000
LEAD, DEVIATION = 3.0, 2.0


def accuracies(
    k: int, splits: int, g: np.random.Generator, squares: bool, rows: int = ROWS
) -> np.ndarray:
    """Test accuracies (splits, k) of k equal algorithms on one fresh data set.

    Args:
        k: algorithms.
        splits: random ones, which share rows.
        g: draws data and splits.
        squares: fit least squares instead of the classes' means.
        rows: of the data set.
    """
    labels = g.integers(0, 2, rows)
    x = g.normal(size=(k, rows, WIDTH)) + (0.4 * (2 * labels - 1))[:, None]
    signs = (2.0 * labels - 1)[:, None]
    found = np.empty((splits, k))
    for split in range(splits):
        order = g.permutation(rows)
        train, test = order[: rows * 8 // 10], order[rows * 8 // 10 : rows * 9 // 10]
        if squares:
            ones = np.concatenate([x, np.ones((k, rows, 1))], 2)
            a, b = ones[:, train], ones[:, test]
            weights = np.linalg.solve(a.swapaxes(1, 2) @ a, a.swapaxes(1, 2) @ signs[train])
            scores = (b @ weights)[..., 0]
        else:
            one = x[:, train[labels[train] == 1]].mean(1)
            zero = x[:, train[labels[train] == 0]].mean(1)
            scores = ((x[:, test] - ((one + zero) / 2)[:, None]) * (one - zero)[:, None]).sum(-1)
        found[split] = ((scores > 0) == (labels[test] == 1)).mean(1)
    return found


def false_winners(
    k: int, splits: int, repetitions: int, squares: bool = False, seed: int = 0, rows: int = ROWS
) -> dict[str, int]:
    """How often equal algorithms have a leader beyond chance, by several rules.

    Returns:
        counts among the repetitions: by ``leader``, by any pair of ``compare_all``, and by a
        ``usual`` rule, which is ``leader`` without the correction for overlap.
    """
    g = np.random.default_rng([seed, k, splits, int(squares)])
    names = [str(j) for j in range(k)]
    counts = {"leader": 0, "compare_all": 0, "usual": 0}
    for _ in range(repetitions):
        table = accuracies(k, splits, g, squares, rows)
        counts["leader"] += leader(table, names, RandomSplits(TEST_SHARE)).beyond_chance
        counts["usual"] += leader(table, names, RandomSplits(0)).beyond_chance
        pairs = compare_all(table, names, RandomSplits(TEST_SHARE)).pairs
        counts["compare_all"] += any(pair.verdict in ("win", "loss") for pair in pairs)
    return counts


def found_leads(repetitions: int, correlation: float, splits: int = 10, seed: int = 0) -> int:
    """How often a lead of 3 points is found, whose differences have standard deviation 2.

    Args:
        repetitions: of which the count is returned.
        correlation: of the differences of two splits.
        splits: of a repetition.
        seed: a whole number.
    """
    g = np.random.default_rng([seed, splits])
    found = 0
    for _ in range(repetitions):
        shared, own = g.normal(), g.normal(size=splits)
        noise = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * own
        d = LEAD + DEVIATION * noise
        test = corrected_t(80 + d, np.full(splits, 80.0), TEST_SHARE)
        table = np.stack([80 + d, np.full(splits, 80.0)], 1)
        winner = leader(table, ["a", "b"], RandomSplits(TEST_SHARE))
        found += winner.beyond_chance and winner.name == "a" and test.told
    return found


def rate(name: str, count: int, of: int, target: float | None, least: bool = False) -> list[Claim]:
    """A rate and the two ends of its Monte-Carlo interval; the target is for the lower end.

    A rate that must be at most the target misses it where the whole interval lies above; one
    that must be at least the target, where any of the interval lies below.
    """
    low, high = clopper_pearson(np.array(count), of).tolist()
    lowest = f"{name}: from"
    if target is None:
        first = Claim(lowest, low)
    else:
        first = (at_least if least else at_most)(lowest, low, target)
    return [Claim(name, count / of), first, Claim(f"{name}: to", high)]


def measure(quick: bool) -> list[Claim]:
    repetitions = REPETITIONS // 20 if quick else REPETITIONS
    claims = []
    for squares, fit in ((False, "nearest mean"), (True, "least squares")):
        for k in ALGORITHMS:
            for splits in SPLITS:
                counts = false_winners(k, splits, repetitions, squares)
                about = f"{k} equal, {splits} splits, {fit}"
                claims += rate(f"{about}: false leader", counts["leader"], repetitions, 0.05)
                claims += rate(f"{about}: any false win", counts["compare_all"], repetitions, 0.05)
                claims += rate(f"{about}: leader uncorrected", counts["usual"], repetitions, None)
    for correlation in (0.0, TEST_SHARE):
        count = found_leads(repetitions, correlation)
        about = f"lead of 3 ± 2, 10 splits, correlation {correlation:.2f}: found"
        claims += rate(about, count, repetitions, 0.5, least=True)
    return claims


if __name__ == "__main__":
    main("stats", __doc__ or "", measure)
