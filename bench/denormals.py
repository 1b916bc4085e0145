"""Training with denormal floats and without, where weight decay drives weights to nothing.

Adam takes a decay that is all of a weight's gradient for a gradient like any other, so a weight
that the loss does not need decays exponentially: below the smallest normal float within 2,000
updates at a rate of 2.6e-3 and a decay of 8.4e-4, which are within the benchmark's ranges. Both
sides train the same stack through ``train``, on one thread; one of them leaves the processor as it
is. They take turns of 500 updates, each timed by the processor's clock, and in the end what they
predict is compared.

    python bench/denormals.py            two minutes; writes bench/results/denormals.json
    python bench/denormals.py --quick    some seconds, too few updates to show it
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext

import torch

from _bench import Claim, at_most, main
from _sides import make_data, make_stack
from candidly.ground.process import tune_memory
from candidly.learn.engine import train

SHAPE = (1122, 108, 16)
NAME = "L-W"
HYPER = {"lr": 2.6e-3, "weight_decay": 8.4e-4}
BATCH = 128
UPDATES = 3_000
EVERY = 500


class Side:
    """A stack of one trial, and the seconds of each turn."""

    def __init__(self, updates: int, guard: Callable):
        self.guard, self.seconds = guard, []
        self.stack = make_stack(make_data(*SHAPE), 1, BATCH, NAME, **HYPER)
        self.stack.T = updates
        self.steps: Iterator[int] = train.train(self.stack, range(0, updates, EVERY))

    def advance(self) -> None:
        ours, train.without_denormals = (
            train.without_denormals,
            self.guard,
        )
        started = time.process_time()
        try:
            next(self.steps)
        finally:
            train.without_denormals = ours
        self.seconds.append(time.process_time() - started)

    def predict(self) -> torch.Tensor:
        with torch.no_grad():
            return self.stack.net(self.stack.examples.inputs[None])[0].softmax(-1)


def measure(quick: bool) -> list[Claim]:
    updates = 2 * EVERY if quick else UPDATES
    with train.one_thread():
        ours = Side(updates, train.without_denormals)
        plain = Side(updates, nullcontext)
        for _ in range(updates // EVERY):
            ours.advance()
            plain.advance()
    difference = (ours.predict() - plain.predict()).abs().max()
    return [
        Claim("with denormals: slowest turn to the first", max(plain.seconds) / plain.seconds[0]),
        at_most("without: slowest turn to the first", max(ours.seconds) / ours.seconds[0], 1.3),
        at_most("largest difference of a probability", difference, 1e-6),
    ]


if __name__ == "__main__":
    tune_memory()
    main("denormals", __doc__ or "", measure)
