"""Small data, small stacks, for tests."""

from __future__ import annotations

import numpy as np
import torch

from candidly.algorithms import Algorithm, algorithm, configuration
from candidly.engine.examples import make_examples, split_scaling
from candidly.engine.recipe import ADAM
from candidly.engine.stack import Member, Stack
from candidly.engine.start import start
from candidly.engine.train import update
from candidly.labelled import Labelled
from candidly.nets import mlp

torch.set_num_threads(1)


def toy(n=330, d=12, q=7, rate=0.25, seed=0, spread=2.0) -> Labelled:
    """Gaussian classes, constant-rate candidates, a given label that is wrong at 30 %."""
    g = np.random.default_rng(seed)
    truth = g.integers(0, q, n)
    inputs = g.normal(size=(n, d)) + spread * g.normal(size=(q, d))[truth]
    candidates = g.random((n, q)) < rate
    candidates[np.arange(n), truth] = True
    given = np.where(g.random(n) < 0.3, g.integers(0, q, n), truth)
    return Labelled(
        inputs=inputs,
        classes=tuple(f"class {j}" for j in range(q)),
        candidates=candidates,
        given=given,
        truth=truth,
        source="toy",
    )


def shortened(page: Algorithm) -> dict[str, float | int]:
    """The page's values for trainings of a few epochs, of the hyper-parameters that it has."""
    there = page.settings()
    return {name: value for name, value in page.shortened.items() if name in there}


def member(data: Labelled, k: int, page, examples, rows=0.81, batch=32, **hyper) -> Member:
    """Trial ``k``: its own rows, seed and drawn hyper-parameters."""
    chosen = np.random.default_rng(k).permutation(data.n)[: int(rows * data.n)]
    values = configuration(page.settings(), k, 0) | {"batch_size": batch}
    values |= shortened(page) | hyper
    return Member(100 + k, chosen, values, split_scaling(data, examples, chosen, "train"))


def make_stack(
    data: Labelled,
    name: str,
    trials=(0, 1, 2),
    steps=60,
    dtype=torch.float64,
    batch=32,
    hidden=40,
    device="cpu",
    **hyper,
) -> Stack:
    """A stack of the algorithm's trials, each with other hyper-parameters."""
    page = algorithm(name)
    examples = make_examples(data, page.reads, dtype=dtype, device=device)
    members = [member(data, k, page, examples, batch=batch, **hyper) for k in trials]
    net = mlp(examples.inputs.shape[1], data.q, hidden)
    return start(page, net, examples, members, steps)


def stack_of(
    page, trials=(0, 1, 2), data=None, dtype=torch.float64, steps=60, recipe=ADAM, **hyper
):
    """A stack of a page that is no entry of the table."""
    data = data or toy()
    examples = make_examples(data, page.reads, dtype=dtype)
    members = [member(data, k, page, examples, **hyper) for k in trials]
    return start(page, mlp(12, data.q, 20), examples, members, steps, recipe)


def few(s):
    """Twenty rows, fewer than a batch."""
    return (torch.arange(s.n) < 20).expand(s.K, -1)


def advance(stack: Stack, steps: int) -> Stack:
    for _ in range(steps):
        update(stack)
    return stack


def tensors(stack: Stack) -> dict[str, torch.Tensor]:
    """What changes in a stack, by name, with the trials' axis first."""
    return stack.changing()
