"""The only way to a stack: everything that its trials start from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...ground.problem import users_place
from ...ground.seeds import draw
from ..algorithms import Algorithm
from ..nets import Flat, Module, Net
from ._memory import check_fits
from .examples import Examples
from .recipe import ADAM, Recipe
from .stack import Member, Stack, Tables

# what operations round to on the way; a GPU's rounding to TF32 is a setting: ``arithmetic``
PRECISIONS = {"float32": None, "tf32": None, "bfloat16": torch.bfloat16}


def start(
    method: Algorithm,
    net: Net,
    examples: Examples,
    members: Sequence[Member],
    steps: int,
    recipe: Recipe = ADAM,
) -> Stack:
    """A fresh stack of these trials.

    Args:
        net: the network that is asked for; the method may have others, or another head on it.
        members: with equally many rows, one batch size and one value of what is static.
        steps: updates in all.
        recipe: how they train where the method leaves it open.

    Raises:
        ValueError: fewer rows than a batch, or members that differ in what they must share.
    """
    if (net.words is None) != (examples.words is None):
        takes, given = ("numbers", "texts") if net.words is None else ("texts", "numbers")
        raise ValueError(f"the network takes {takes}, and the inputs are {given}.")
    n, batch = len(members[0].rows), int(members[0].hyper["batch_size"])
    if n < batch:
        raise ValueError(
            f"{n} training rows are fewer than a batch of {batch}: the batch size is a "
            "hyper-parameter of at most 128; use more data or smaller held-out shares."
        )
    index = torch.from_numpy(np.stack([m.rows for m in members])).to(examples.device)
    return Stack(
        method,
        examples,
        members,
        steps,
        _flats(method, net, examples, members, recipe),
        index,
        _scaling(examples, members),
        hyper_parameters(method, members, examples),
        tables(method, members, examples, index),
        recipe,
        _words(examples, members),
    )


def _words(examples: Examples, members: Sequence[Member]) -> Tensor | None:
    """What each trial's token numbers are, int64 (K, size + 1)."""
    if examples.words is None or all(m.words is None for m in members):
        return None
    same = np.arange(examples.words.size + 1)
    each = [same if m.words is None else m.words for m in members]
    return torch.from_numpy(np.stack(each)).to(examples.device)


def _flats(
    method: Algorithm, net: Net, examples: Examples, members: Sequence[Member], recipe: Recipe
) -> dict[str, Flat]:
    """The method's networks, and its parameters beside them."""
    seeds = [member.seed for member in members]
    where = examples.dtype, examples.device
    trained = _trained(method)

    def module(made: Net, name: str, init: str) -> Module:
        return Module(
            made,
            seeds,
            *where,
            method.networks,
            init,
            trained=name in trained,
            moves_always=method.statistics == "always",
            precision=PRECISIONS[recipe.precision],
            mix_at=recipe.mix_at,
        )

    nets = method.networks_on(net, examples.q, members[0].hyper)
    trained_net = nets.pop("net")
    batch = int(members[0].hyper["batch_size"])
    check_fits([trained_net, *nets.values()] * method.networks, len(members), batch, *where)
    flats: dict[str, Flat] = {"net": module(trained_net, "net", "init")}
    for name, other in nets.items():
        flats[name] = module(other, name, f"init {name}")
    for name, array in method.parameters_on(examples.labels, examples.q).items():
        flats[name] = Flat(
            {name: array.shape}, {}, partial(_same, {name: array}), seeds, *where, 1, f"init {name}"
        )
    return flats


def _same(values: Mapping[str, np.ndarray], rng: np.random.Generator) -> Mapping[str, np.ndarray]:
    return values


def _trained(method: Algorithm) -> set[str]:
    """Networks that some stage moves by gradient."""
    every = {"net", *method.modules}
    return {
        name.partition(".")[0]
        for stage in method.stages
        for name in (every if stage.trains is None else stage.trains)
    }


def hyper_parameters(
    method: Algorithm, members: Sequence[Member], examples: Examples
) -> SimpleNamespace:
    """As methods see them: a plain number where it is static, else (K, 1), or (K, 1, 1)."""
    settings = method.settings()

    def shared(name: str) -> float | int:
        values = {m.hyper[name] for m in members}
        if len(values) > 1:
            raise ValueError(f"{method.name}'s {name} is common to a stack; got {sorted(values)}.")
        return values.pop()

    def each(name: str) -> Tensor:
        values = [m.hyper[name] for m in members]
        tensor = torch.tensor(values, dtype=examples.dtype, device=examples.device)
        return tensor.view(-1, *[1] * (1 if method.networks == 1 else 2))

    return SimpleNamespace(
        **{name: shared(name) if settings[name].static else each(name) for name in members[0].hyper}
    )


def _scaling(examples: Examples, members: Sequence[Member]) -> tuple[Tensor, Tensor] | None:
    """Shift and factor, each (K, 1, ...)."""
    pairs = [m.scaling for m in members if m.scaling is not None]
    if not pairs:
        return None

    def stacked(rows: Sequence[np.ndarray]) -> Tensor:
        return torch.tensor(np.stack(rows), dtype=examples.dtype, device=examples.device)[:, None]

    shifts, factors = zip(*pairs)
    return stacked(shifts), stacked(factors)


def tables(
    method: Algorithm, members: Sequence[Member], examples: Examples, index: Tensor
) -> Tables:
    """What the method keeps beside its networks, as training begins.

    Args:
        index: int64 (K, n), the trials' rows in the examples.
    """
    initial = partial(_initial, examples, members, index)
    return Tables(
        rows=initial(method.rows) | initial(partial(_learned, method)),
        memory=initial(method.memory),
        constants=initial(method.constants),
    )


def _learned(method: Algorithm, trial: Any) -> dict[str, Tensor]:
    return {name: row.make(trial) for name, row in method.learned.items()}


def _initial(
    examples: Examples,
    members: Sequence[Member],
    index: Tensor,
    make: Callable[[Any], Mapping[str, Tensor]] | None,
) -> dict[str, Tensor]:
    """Tables made trial by trial, so that a large stack never holds two copies."""
    tables: dict[str, Tensor] = {}
    for k, member in enumerate(members if make else ()):
        labels = {name: v[index[k]][None] for name, v in examples.labels.items()}
        trial = SimpleNamespace(
            n=index.shape[1],
            q=examples.q,
            dtype=examples.dtype,
            hp=SimpleNamespace(**member.hyper),
            rng=partial(draw, member.seed),
            **labels,
        )
        made = _made(make, trial)
        for name, table in made.items():
            if name not in tables:
                size = (len(members), *table.shape[1:])
                tables[name] = table.new_empty(size, device=examples.device)
            tables[name][k] = table[0]
    return tables


def _made(make: Any, trial: Any) -> Mapping[str, Tensor]:
    """A method's tables of a trial, (1, ...) each."""
    try:
        tables: Mapping[str, Tensor] = make(trial)
    except Exception as error:
        if users_place(error):
            error.add_note(f"called with n = {trial.n} rows and q = {trial.q} classes")
        raise
    for name, table in tables.items():
        if not isinstance(table, Tensor) or table.dim() < 1 or len(table) != 1:
            given = getattr(table, "shape", None)
            given = type(table).__name__ if given is None else f"shape {tuple(given)}"
            raise ValueError(f"table {name!r} is of {given}; a trial's has shape (1, ...).")
    return tables
