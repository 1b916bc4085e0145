"""Building a noisy benchmark: the funnel on a million events, and the neighbour search.

Run as ``python bench/build.py``. The funnel runs in a process of its own, whose peak memory holds
the events, too; the search is compared with the products alone that it consists of, in the same
blocks, round by round.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from _bench import Claim, at_least, at_most, interleaved, main, median_ratio, timed
from candidly.data.imperfect._similar import BLOCK, WIDE, most_similar_few, whole_rows
from candidly.data.imperfect.open_set import FEW

FUNNEL = """
import sys, time
import numpy as np
from candidly.ground.process import peak_memory_bytes
from candidly.compare.corpora.articles import Articles
from candidly.compare.corpora.funnel import funnel

n = int(sys.argv[1])
g = np.random.default_rng(0)
words = np.array([f"word{k}x" for k in range(20_000)])
verbs = np.array("open close take make cut draw wash fold bake clean paint sew".split())
lengths = g.integers(4, 12, n)
rare = 1 / np.arange(1, len(words) + 1)
drawn = words[g.choice(len(words), lengths.sum(), p=rare / rare.sum())].tolist()
heads = verbs[g.integers(0, len(verbs), n)].tolist()
ends = np.concatenate([[0], lengths.cumsum()]).tolist()
texts = np.empty(n, object)
for k, head in enumerate(heads):
    texts[k] = f"{head} the {' '.join(drawn[ends[k]:ends[k + 1]])}."
del drawn, heads
articles = Articles(
    np.array([str(k) for k in range(n // 14)], object),
    tuple((f"r{k % 19}", f"s{k % 200}", f"c{k}") for k in range(3_000)),
    g.integers(0, 3_000, n // 14).astype(np.int32),
    np.sort(g.integers(0, n // 14, n)).astype(np.int32),
    texts,
)
begun = time.perf_counter()
found = funnel(articles, more_than=100)
print(time.perf_counter() - begun, peak_memory_bytes() / 1e9, found.stages[4].events)
"""
EVENTS, ROUNDS = 1_000_000, 9
MINE, OTHERS, DIMENSIONS = 2_048, 163_840, 256


def measure(quick: bool) -> list[Claim]:
    n = EVENTS // 20 if quick else EVENTS
    done = subprocess.run(
        [sys.executable, "-c", FUNNEL, str(n)], capture_output=True, text=True, check=True
    )
    seconds, memory, left = map(float, done.stdout.split())
    return [
        at_most(f"funnel of {n:,} events: minutes", seconds / 60, 5),
        at_most(f"funnel of {n:,} events: GB at the peak", memory, 2),
        Claim("events behind the keyword filter", left),
        *search(3 if quick else ROUNDS, OTHERS // 8 if quick else OTHERS),
    ]


def search(rounds: int, m: int) -> list[Claim]:
    g = np.random.default_rng(0)
    mine, others = (whole_rows(g.normal(size=(size, DIMENSIONS))) for size in (MINE, m))
    every = np.ones((1, m), bool)

    def products() -> None:
        for start in range(0, MINE, BLOCK):
            for first in range(0, m, WIDE * BLOCK):
                mine[start : start + BLOCK] @ others[first : first + WIDE * BLOCK].T

    def searched() -> None:
        most_similar_few(mine, others, lambda rows, columns: every[:, columns], FEW)

    products()
    times = interleaved(rounds, timed(searched, 1), timed(products, 1))
    block = BLOCK * WIDE * BLOCK * 8 / 1e6
    return [
        at_least(f"search among {m:,}: of the rate of its products", 1 / median_ratio(*times), 0.6),
        Claim("search: MB of products at a time", block),
    ]


if __name__ == "__main__":
    main("build", __doc__ or "", measure)
