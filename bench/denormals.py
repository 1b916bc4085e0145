"""Training on, once rows are learned by heart, with denormal floats and without.

The gradients of such a network, and Adam's moments with them, decay below the smallest normal
float. Both sides train the same stack through ``train``, on one thread; one of them leaves the
processor as it is. They take turns of a thousand updates, each timed by the processor's clock, and
in the end what they predict is compared.

    python bench/denormals.py            about a minute; writes bench/results/denormals.json
    python bench/denormals.py --quick    a few seconds, too few updates to show it
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext

import torch

import candidly.train
from _bench import Claim, at_most, main
from _sides import make_data, make_stack
from candidly._process import tune_memory

SHAPE = (1122, 108, 16)
NAMES = ("L-W", "EXP")
BATCH = 128
TRIALS = 2
UPDATES = 10_000
EVERY = 1_000


class Side:
    def __init__(self, name: str, updates: int, guard: Callable):
        self.guard, self.seconds = guard, []
        self.stack = make_stack(make_data(*SHAPE), TRIALS, BATCH, name)
        self.stack.T = updates
        self.steps: Iterator[int] = candidly.train.train(self.stack, range(0, updates, EVERY))

    def advance(self) -> None:
        ours, candidly.train.without_denormals = candidly.train.without_denormals, self.guard
        started = time.process_time()
        try:
            next(self.steps)
        finally:
            candidly.train.without_denormals = ours
        self.seconds.append(time.process_time() - started)

    def predict(self) -> torch.Tensor:
        with torch.no_grad():
            return self.stack.net(self.stack.examples.inputs.expand(TRIALS, -1, -1))[0].softmax(-1)


def compared(name: str, updates: int) -> list[Claim]:
    ours = Side(name, updates, candidly.train.without_denormals)
    plain = Side(name, updates, nullcontext)
    for _ in range(updates // EVERY):
        ours.advance()
        plain.advance()
    slower = [a / b for a, b in zip(plain.seconds, ours.seconds)]
    return [
        Claim(f"{name}: first thousand updates, time with denormals to without", slower[0]),
        Claim(f"{name}: slowest thousand, time with denormals to without", max(slower)),
        at_most(
            f"{name}: slowest thousand without denormals to its first",
            max(ours.seconds) / ours.seconds[0],
            1.3,
        ),
        at_most(
            f"{name}: largest difference of a probability",
            (ours.predict() - plain.predict()).abs().max(),
            1e-6,
        ),
    ]


def measure(quick: bool) -> list[Claim]:
    with candidly.train.one_thread():
        return [
            claim for name in NAMES for claim in compared(name, 2 * EVERY if quick else UPDATES)
        ]


if __name__ == "__main__":
    tune_memory()
    main("denormals", __doc__ or "", measure)
