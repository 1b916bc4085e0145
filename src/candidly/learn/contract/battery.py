"""What every algorithm is put through: whole, small trainings, and checks on them.

A training is short enough to be run whole, because each method says at which values of its
hyper-parameters it still reaches everything (``Algorithm.shortened``). The reference, a stack of
three trials, is run once for all checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...data.labels.labelled import Labelled
from ...data.labels.votes import Votes
from ..algorithms import Algorithm, algorithm, configuration
from ..engine.checkpoint import restore, state_of
from ..engine.examples import Examples, make_examples, split_scaling
from ..engine.stack import Member, Stack
from ..engine.start import start
from ..engine.suspicion import suspicion
from ..engine.train import update
from ..nets import mlp
from .reached import FOLDER, Steps, Where, watched

STEPS, BATCH, HIDDEN = 24, 16, 16  # six epochs of four updates
WITHIN = (5, 13)  # updates done in the middle of an epoch


def toy(
    n: int = 330,
    d: int = 12,
    q: int = 7,
    rate: float = 0.25,
    seed: int = 0,
    spread: float = 2.0,
    wrong: float = 0.3,
) -> Labelled:
    """Gaussian classes, constant-rate candidates, a given label that is ``wrong`` now and then.

    Of five annotators one to four say what each row is; each is wrong as often as the given label.
    """
    g = np.random.default_rng(seed)
    truth = g.integers(0, q, n)
    inputs = g.normal(size=(n, d)) + spread * g.normal(size=(q, d))[truth]
    candidates = g.random((n, q)) < rate
    candidates[np.arange(n), truth] = True
    given = np.where(g.random(n) < wrong, g.integers(0, q, n), truth)
    return Labelled(
        inputs=inputs,
        classes=tuple(f"class {j}" for j in range(q)),
        votes=votes_about(truth, q, wrong, g),
        candidates=candidates,
        given=given,
        truth=truth,
        source="toy",
    )


def votes_about(truth: np.ndarray, q: int, wrong: float, g: np.random.Generator) -> Votes:
    """What one to four of five annotators say of each row; ``wrong`` of it is drawn at random."""
    n = len(truth)
    who = np.stack([g.permutation(5) for _ in range(n)])[:, :4]
    who[np.arange(4) > g.integers(0, 4, n)[:, None]] = -1
    item, place = np.nonzero(who >= 0)
    return Votes(
        item=item,
        annotator=np.array([f"annotator {a}" for a in who[item, place]], object),
        offsets=np.arange(len(item) + 1),
        labels=np.where(g.random(len(item)) < wrong, g.integers(0, q, len(item)), truth[item]),
    )


def shortened(method: Algorithm) -> dict[str, float | int]:
    """The method's values for trainings of a few epochs, of the hyper-parameters that it has."""
    there = method.settings()
    return {name: value for name, value in method.shortened.items() if name in there}


def member(
    data: Labelled,
    k: int,
    method: Algorithm,
    examples: Examples,
    rows: float = 0.81,
    batch: int = 32,
    **hyper: float,
) -> Member:
    """Trial ``k``: its own rows, seed and drawn hyper-parameters."""
    chosen = np.random.default_rng(k).permutation(data.n)[: int(rows * data.n)]
    values = configuration(method.settings(), k, 0) | {"batch_size": batch}
    values |= shortened(method) | hyper
    return Member(100 + k, chosen, values, split_scaling(data, examples, chosen, "train"))


def make_stack(
    data: Labelled,
    name: str,
    trials: Sequence[int] = (0, 1, 2),
    steps: int = 60,
    dtype: torch.dtype = torch.float64,
    batch: int = 32,
    hidden: int = 40,
    device: str = "cpu",
    **hyper: float,
) -> Stack:
    """A stack of the algorithm's trials, each with other hyper-parameters."""
    method = algorithm(name)
    examples = make_examples(data, method.reads, dtype=dtype, device=device)
    members = [member(data, k, method, examples, batch=batch, **hyper) for k in trials]
    net = mlp(examples.inputs.shape[1], data.q, hidden)
    return start(method, net, examples, members, steps)


def advance(stack: Stack, steps: int) -> Stack:
    for _ in range(steps):
        update(stack)
    return stack


DATA = toy(n=84, seed=8)  # no set is full, which ends EXP:plench

State = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Reference:
    """A whole training of three trials, undisturbed.

    Attributes:
        ends: what changed, and the rows' suspicion, at the end.
        marks: saved states by updates done: within and between stages.
        ran: the methods' instructions that ran.
    """

    name: str
    ends: Mapping[str, Tensor]
    marks: Mapping[int, State]
    ran: Mapping[Where, Steps]


def stack_of(
    name: str,
    trials: Sequence[int] = (0, 1, 2),
    dtype: torch.dtype = torch.float64,
    hidden: int = HIDDEN,
    steps: int = STEPS,
) -> Stack:
    """A stack of the algorithm's trials on ``DATA``."""
    return make_stack(DATA, name, trials, steps, dtype, BATCH, hidden)


def train_reference(name: str, place: str = str(FOLDER)) -> Reference:
    """Run it; instructions of files whose path begins with ``place`` are watched."""
    marks = {}
    with watched(place) as ran:
        stack = stack_of(name)
        at = cuts(stack)
        while stack.t < STEPS:
            update(stack)
            if stack.t in at:
                marks[stack.t] = saved(stack)
        ends = ends_of(stack)
    return Reference(name, ends, marks, ran)


def cuts(stack: Stack) -> set[int]:
    """Updates done: in the middle of each stage, between two, and in the middle of an epoch."""
    bounds = [0, *(min(max(end, 0), STEPS) for end in stack.stages.ends[:-1]), STEPS]
    middles = [(low + high) // 2 for low, high in pairwise(bounds)]
    return {*bounds, *middles, *WITHIN} - {0, STEPS}


def saved(stack: Stack) -> State:
    return {what: np.array(value) for what, value in state_of(stack).items()}


def ends_of(stack: Stack) -> dict[str, Tensor]:
    doubts = [torch.from_numpy(suspicion(stack, k)) for k in range(stack.K)]
    clones = {what: tensor.clone() for what, tensor in stack.changing().items()}
    return clones | {"suspicion": torch.stack(doubts)}


# the checks: each raises an AssertionError that names what differs


def check_alone(
    run: Reference, first: Callable[[], AbstractContextManager[None]] = nullcontext
) -> None:
    """Each trial alone ends as it does in the stack, ``first`` around the first one."""
    for k in range(3):
        with first() if k == 0 else nullcontext():
            alone = ends_of(advance(stack_of(run.name, [k]), STEPS))
        assert alone.keys() == run.ends.keys()
        for what, tensor in alone.items():
            torch.testing.assert_close(
                run.ends[what][k], tensor[0], rtol=1e-9, atol=1e-12, equal_nan=False, msg=what
            )


def check_bits(name: str) -> None:
    """In float32 a trial's bits are the same alone and in a stack."""
    steps = STEPS // 2
    how: dict[str, Any] = {"dtype": torch.float32, "hidden": 500, "steps": steps}
    together, alone = (advance(stack_of(name, k, **how), steps) for k in ([0, 1, 2], [2]))
    for what, module in alone.modules.items():
        assert torch.equal(together.modules[what].flat[2], module.flat[0]), what


def check_resumed(run: Reference) -> None:
    """A training that is saved and taken up again at every mark is as one that never stopped."""
    stack = stack_of(run.name)
    for t in sorted(run.marks):
        advance(stack, t - stack.t)
        now = saved(stack)
        assert now.keys() == run.marks[t].keys()
        for what, value in run.marks[t].items():
            if what != "seconds":
                assert np.array_equal(now[what], value), (what, t)
        stack = restore(stack_of(run.name), now)
    for what, tensor in ends_of(advance(stack, STEPS - stack.t)).items():
        assert torch.equal(tensor, run.ends[what]), what


def check_buried(run: Reference) -> None:
    """Trials that turn NaN, at first and late, leave their neighbours alone, and stay finite."""
    late = max(run.marks)
    stack = stack_of(run.name)
    stack.net.flat[1] = torch.nan
    advance(stack, late)
    there = restore(stack_of(run.name), run.marks[late])
    for what, tensor in stack.changing().items():
        assert torch.equal(tensor[[0, 2]], there.changing()[what][[0, 2]]), (what, late)
    stack.net.flat[2] = torch.nan
    advance(stack, STEPS - late)
    assert stack.diverged_at == [None, 0, late]
    for what, tensor in stack.changing().items():
        assert torch.equal(tensor[0], run.ends[what][0]), what
        if what != "loss_sum":
            assert tensor.isfinite().all(), what


def check_looking(run: Reference) -> None:
    """Predictions that are asked for at every update change nothing."""
    *_, start, _, end = sorted(run.marks)
    stack = restore(stack_of(run.name), run.marks[start])
    while stack.t < end:
        update(stack)
        stack.logits(1, torch.arange(50))
        suspicion(stack, 0)
    now = saved(stack)
    assert now.keys() == run.marks[end].keys()
    for what, value in run.marks[end].items():
        if what != "seconds":
            assert np.array_equal(now[what], value), what


def check_rows(run: Reference) -> None:
    """Rows outside the batch stay as they are, early and late."""
    for t in WITHIN:
        stack = restore(stack_of(run.name), run.marks[t])
        if stack.enters():
            continue
        tables = stack.rows | {f"momentum of {n}": v for n, v in stack.learned.momenta.items()}
        before = {what: table.clone() for what, table in tables.items()}
        ids = stack.next_batches()[0].ids
        update(stack)
        outside = torch.ones(stack.K, stack.n, dtype=torch.bool)
        outside.scatter_(1, ids.flatten(1), False)
        for what, table in tables.items():
            assert torch.equal(table[outside], before[what][outside]), (what, t)
