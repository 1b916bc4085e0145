"""From a million answers of people to verdicts: seconds, the long table in memory.

Counting, verdicts and totals, as `candidly validate` makes them; 200,000 items, five people each,
of 2,000. The median of five runs, processor time of one thread beside the clock's.

    python bench/validation.py            seconds; writes bench/results/validation.json
    python bench/validation.py --quick    a hundredth of the answers
"""

from __future__ import annotations

import time

import numpy as np

from _bench import Claim, at_most, main
from candidly import validation

PER_ITEM, PEOPLE, RUNS = 5, 2000, 5


def table(items: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Item, person and answer of every row, items in random order."""
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(items), PER_ITEM)
    person = (rng.integers(0, PEOPLE, items)[:, None] + np.arange(PER_ITEM)).ravel() % PEOPLE
    answer = np.array(validation.ANSWERS[:4], object)[
        rng.choice(4, len(item), p=(0.6, 0.2, 0.1, 0.1))
    ]
    order = rng.permutation(len(item))
    return item[order], person[order], answer[order]


def measure(quick: bool) -> list[Claim]:
    items = 2_000 if quick else 200_000
    rows = table(items)
    seconds = []
    for _ in range(RUNS):
        wall, cpu = time.perf_counter(), time.process_time()
        verdicts = validation.judge(validation.from_answers(*rows), 3)
        validation.totals(verdicts)
        seconds.append((time.perf_counter() - wall, time.process_time() - cpu))
    wall, cpu = np.median(seconds, axis=0)
    label = f"{PER_ITEM * items} answers about {items} items: verdicts and totals"
    return [at_most(f"{label}, seconds", float(wall), 2), Claim(f"{label}, CPU s", float(cpu))]


if __name__ == "__main__":
    main("validation", __doc__ or "", measure)
