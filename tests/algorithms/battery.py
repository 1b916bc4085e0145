"""What every algorithm is put through: whole, small trainings, and checks on them.

A training is short enough to be run whole, because each page says at which values of its
hyper-parameters it still reaches everything (``Algorithm.shortened``). The reference, a stack of
three trials, is run once for all checks.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import Tensor

from algorithms.reached import FOLDER, Steps, Where, never_ran, on_import, watched
from candidly.algorithms import ALGORITHMS, Algorithm
from candidly.engine.checkpoint import restore, state_of
from candidly.engine.stack import Stack
from candidly.engine.suspicion import suspicion
from candidly.engine.train import update
from candidly.nets._module import Module

from toys import advance, make_stack, tensors, toy

DATA = toy(n=84, seed=8)  # no set is full, which ends EXP:plench
STEPS, BATCH, HIDDEN = 24, 16, 16  # six epochs of four updates
WITHIN = (5, 13)  # updates done in the middle of an epoch


def labels(page: Algorithm) -> tuple[str, ...]:
    """The page's name and those of its variants that compute something else."""
    same = {
        "variant": "",
        "variants": {},
        "differences": {},
        "version": 0,
        "seeded_as": {},
        "statistics": "",  # the network here has none
    }
    each = {f"{page.name}:{variant}": page.as_variant(variant) for variant in page.variants}
    fixed = replace(page, **same)
    return page.name, *(label for label, one in each.items() if replace(one, **same) != fixed)


NAMES = [label for page in ALGORITHMS.values() for label in labels(page)]

State = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Reference:
    """A whole training of three trials, undisturbed.

    Attributes:
        ends: what changed, and the rows' suspicion, at the end.
        marks: saved states by updates done: within and between stages.
        ran: the pages' instructions that ran.
    """

    name: str
    ends: Mapping[str, Tensor]
    marks: Mapping[int, State]
    ran: Mapping[Where, Steps]


def stack_of(name: str, trials=(0, 1, 2), dtype=torch.float64, hidden=HIDDEN, steps=STEPS) -> Stack:
    return make_stack(DATA, name, trials, steps, dtype, BATCH, hidden)


def train_reference(name: str) -> Reference:
    """Run it; pages' instructions are watched."""
    marks = {}
    with watched() as ran:
        stack = stack_of(name)
        at = cuts(stack)
        while stack.t < STEPS:
            update(stack)
            if stack.t in at:
                marks[stack.t] = saved(stack)
        ends = ends_of(stack)
    return Reference(name, ends, marks, ran)


reference = cache(train_reference)


def cuts(stack: Stack) -> set[int]:
    """Updates done: in the middle of each stage, between two, and in the middle of an epoch."""
    bounds = [0, *(min(max(end, 0), STEPS) for end in stack.stages.ends[:-1]), STEPS]
    middles = [(low + high) // 2 for low, high in pairwise(bounds)]
    return {*bounds, *middles, *WITHIN} - {0, STEPS}


def saved(stack: Stack) -> State:
    return {what: np.array(value) for what, value in state_of(stack).items()}


def ends_of(stack: Stack) -> dict[str, Tensor]:
    doubts = [torch.from_numpy(suspicion(stack, k)) for k in range(stack.K)]
    clones = {what: tensor.clone() for what, tensor in tensors(stack).items()}
    return clones | {"suspicion": torch.stack(doubts)}


# the checks: each raises an AssertionError that names what differs


def check_alone(run: Reference) -> None:
    """Each trial alone ends as it does in the stack; the first one's networks forget at once."""
    for k in range(3):
        with forgetful() if k == 0 else nullcontext():
            alone = ends_of(advance(stack_of(run.name, [k]), STEPS))
        assert alone.keys() == run.ends.keys()
        for what, tensor in alone.items():
            torch.testing.assert_close(
                run.ends[what][k], tensor[0], rtol=1e-9, atol=1e-12, equal_nan=False, msg=what
            )


@contextmanager
def forgetful() -> Iterator[None]:
    """Networks compute whatever they are asked, also when asked again."""
    asked = Module.__call__

    def afresh(module, x):
        module._said.clear()
        return asked(module, x)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Module, "__call__", afresh)
        yield


def check_bits(name: str) -> None:
    """In float32 a trial's bits are the same alone and in a stack."""
    steps = STEPS // 2
    how = {"dtype": torch.float32, "hidden": 500, "steps": steps}
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
    for what, tensor in tensors(stack).items():
        assert torch.equal(tensor[[0, 2]], tensors(there)[what][[0, 2]]), (what, late)
    stack.net.flat[2] = torch.nan
    advance(stack, STEPS - late)
    assert stack.diverged_at == [None, 0, late]
    for what, tensor in tensors(stack).items():
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


# where a page's algorithms are


def home(name: str) -> str:
    """The module of ``candidly.algorithms`` that defines an algorithm."""
    base = name.partition(":")[0]
    return next(m for m in modules() if base in defined(m))


@cache
def defined(module: str) -> frozenset[str]:
    values = vars(importlib.import_module(f"candidly.algorithms.{module}")).values()
    return frozenset(one.name for one in values if isinstance(one, Algorithm))


@cache
def modules() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__"))


def missed(module: str) -> list[str]:
    """What never ran of a module, on import or in trainings of the algorithms that use it."""
    ran: dict[Where, Steps] = {}
    left = never_ran(module, ran)
    for name in users(module):
        for steps_of in (on_import(module), on_import(home(name)), reference(name).ran):
            for key, steps in steps_of.items():
                ran.setdefault(key, set()).update(steps)
        left = never_ran(module, ran)
        if not left:
            break
    return left


def users(module: str) -> list[str]:
    """Algorithms whose page is the module, and those whose page imports it, at some remove."""
    own = [name for name in NAMES if home(name) == module]
    return own + [name for name in NAMES if name not in own and module in imported(home(name))]


@cache
def imported(module: str) -> frozenset[str]:
    tree = ast.parse((FOLDER / f"{module}.py").read_text())
    near = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            near |= {node.module} if node.module else {alias.name for alias in node.names}
    near &= set(modules())
    return frozenset(near.union(*(imported(one) for one in near)))
