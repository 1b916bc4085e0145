"""One update of a stack beside its matrix products alone, on one thread.

The products are plain ``bmm`` of the same shapes, in turns with the updates: inputs by weights, and
their gradients. What an update has beside them: biases, the loss, sums over rows, the optimiser,
rows fetched, calls. Processor time of the thread; ratios are medians over the rounds.

    python bench/products.py            a minute or two; writes bench/results/products.json
    python bench/products.py --quick    seconds
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import itertools
import time
from collections.abc import Callable

import torch

from _bench import Claim, at_most, interleaved, main, median_ratio
from _sides import make_data
from candidly.ground.process import tune_memory
from candidly.learn.algorithms import algorithm, configuration
from candidly.learn.engine.examples import make_examples, split_scaling
from candidly.learn.engine.stack import Member, Stack
from candidly.learn.engine.start import start
from candidly.learn.engine.train import update
from candidly.learn.nets import mlp
from candidly.learn.nets.softmax import softmax_regression

# rows, features, classes, hidden units (0: none), trials in the stack
HIDDEN, LINEAR = (17_472, 279, 171, 256, 4), (50_000, 1_280, 10, 0, 5)
MOST = {64: 1.35, 256: 1.2}  # by rows in a batch
PRODUCTS = 3e10  # floating-point operations of a round


def stack_of(shape: tuple[int, int, int, int, int], batch: int, name: str) -> Stack:
    n, d, q, hidden, trials = shape
    data, page = make_data(n, d, q), algorithm(name)
    examples = make_examples(data, page.reads)
    members = []
    for k in range(trials):
        rows = data.split(k).train
        hyper = configuration(page.settings(), 0, 0) | {"batch_size": batch}
        members.append(Member(k, rows, hyper, split_scaling(data, examples, rows, "train")))
    net = mlp(d, q, hidden) if hidden else softmax_regression(d, q)
    return start(page, net, examples, members, 10**9)


def products_of(
    shape: tuple[int, int, int, int, int], batch: int
) -> tuple[Callable[[], None], float]:
    """Those of an update, and their floating-point operations."""
    _, d, q, hidden, trials = shape
    widths = [d, hidden, q] if hidden else [d, q]
    made = [
        tuple(torch.randn(trials, *size) for size in ((batch, i), (i, o), (batch, o)))
        for i, o in itertools.pairwise(widths)
    ]

    def products() -> None:
        for k, (x, w, out) in enumerate(made):
            torch.bmm(x, w)
            torch.bmm(x.mT, out)
            if k:
                torch.bmm(out, w.mT)

    pairs = sum(i * o * (3 if k else 2) for k, (i, o) in enumerate(itertools.pairwise(widths)))
    return products, 2.0 * batch * pairs * trials


def seconds(work: Callable[[], object], times: int) -> Callable[[], float]:
    def side() -> float:
        begun = time.thread_time()
        for _ in range(times):
            work()
        return (time.thread_time() - begun) / times

    return side


def beside(
    shape: tuple[int, int, int, int, int], batch: int, name: str, rounds: int
) -> list[Claim]:
    stack = stack_of(shape, batch, name)
    products, work = products_of(shape, batch)
    times = max(4, int(PRODUCTS / work / rounds))
    ours, theirs = seconds(lambda: update(stack), times), seconds(products, times)
    for side in (ours, theirs):
        side()
    found = interleaved(rounds, ours, theirs)
    n, d, q, hidden, trials = shape
    of = f"hidden {hidden}" if hidden else "linear"
    about = f"{n} x {d} x {q}, {of}, {trials} trials, batch {batch}, {name}: times its products"
    return [at_most(about, median_ratio(*found), MOST[batch])]


def measure(quick: bool) -> list[Claim]:
    torch.set_num_threads(1)
    tune_memory()
    claims = []
    for shape in (HIDDEN, LINEAR):
        for batch in MOST:
            for name in ("ce",) if quick else ("ce", "CC"):
                claims += beside(shape, batch, name, 5 if quick else 31)
    return claims


if __name__ == "__main__":
    main("products", __doc__ or "", measure)
