"""Stacks of 1, 20 and 100 of the network for tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from _bench import Claim
from _gpu.where import Where
from _sides import make_data, make_stack
from candidly.learn.engine.train import update

SHAPES = [(1122, 108, 16), (5303, 384, 44), (22991, 163, 219)]
TRIALS = (1, 20, 100)


def measure(where: Where) -> Iterator[Claim | str]:
    """ms of an update and trial of PRODEN at batch 64, and what stacking gains."""
    for shape in where.sized(SHAPES, [(300, 20, 5)]):
        name, data = " x ".join(map(str, shape)), make_data(*shape)
        sizes = where.sized(TRIALS, (1, 3))
        works = {
            trials: partial(update, make_stack(data, trials, 64, device=where.device))
            for trials in sizes
        }
        seconds = where.medians(works, 50, 5)
        each = {trials: 1e3 * seconds[trials] / trials for trials in sizes}
        for trials in sizes:
            yield Claim(f"{name}: stack of {trials}, ms per trial", each[trials])
        most = sizes[-1]
        yield Claim(f"{name}: stack of {most}, times faster than one by one", each[1] / each[most])
