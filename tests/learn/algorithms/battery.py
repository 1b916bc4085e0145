"""The package's battery on every algorithm of the table, and what never ran of their pages."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial

import pytest

from candidly.learn.algorithms import ALGORITHMS, Algorithm
from candidly.learn.contract import battery
from candidly.learn.contract.battery import check_bits as check_bits
from candidly.learn.contract.battery import check_buried as check_buried
from candidly.learn.contract.battery import check_looking as check_looking
from candidly.learn.contract.battery import check_resumed as check_resumed
from candidly.learn.contract.battery import check_rows as check_rows
from candidly.learn.contract.battery import train_reference
from candidly.learn.contract.reached import FOLDER, Steps, Where, never_ran, on_import
from candidly.learn.nets import Module


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

reference = cache(train_reference)


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


# the first trial's networks forget at once
check_alone = partial(battery.check_alone, first=forgetful)


# where a page's algorithms are


def home(name: str) -> str:
    """The module of ``candidly.algorithms`` that defines an algorithm."""
    base = name.partition(":")[0]
    return next(m for m in modules() if base in defined(m))


@cache
def defined(module: str) -> frozenset[str]:
    values = vars(importlib.import_module(f"candidly.learn.algorithms.{module}")).values()
    return frozenset(one.name for one in values if isinstance(one, Algorithm))


@cache
def modules() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__"))


def missed(module: str) -> list[str]:
    """What never ran of a module, on import or in trainings of the algorithms that use it."""
    ran: dict[Where, Steps] = {}
    left = never_ran(FOLDER / f"{module}.py", ran)
    for name in users(module):
        for steps_of in (on_import(module), on_import(home(name)), reference(name).ran):
            for key, steps in steps_of.items():
                ran.setdefault(key, set()).update(steps)
        left = never_ran(FOLDER / f"{module}.py", ran)
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
