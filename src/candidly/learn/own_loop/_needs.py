"""What a method asks of a loop: found by training it a little, on rows that are made up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch

from ..algorithms import Algorithm, Stage, configuration
from ..contract.battery import BATCH, DATA, HIDDEN, STEPS, shortened
from ..engine.examples import make_examples
from ..engine.stack import Member, Stack
from ..engine.start import start
from ..engine.train import enter, finish, objective
from ..engine.writing import move
from ..nets import Module, Output, mlp
from ._module import parameters_of


@dataclass(frozen=True)
class Needs:
    """What a method needs beside a batch's inputs and the ids of its rows.

    Attributes:
        inputs: the inputs of any rows, as a function of their ids.
        optimizer: to change what the user's optimiser does, at stages or at every update, or to
            move what no gradient reaches at some.
        sampler: to choose the rows of batches itself.
        views: of a batch's inputs, by name, ``weak 1`` being a second draw.
        views_of_others: the same of other rows than the batch's, which no loader can give.
        head: features, or another head in place of the network's own.
        networks: further networks of the same kind.
    """

    inputs: bool
    optimizer: bool
    sampler: bool
    views: tuple[str, ...]
    views_of_others: tuple[str, ...]
    head: bool
    networks: bool

    def told(self) -> tuple[str, ...]:
        """Each in a few words; none: inputs and ids are all."""
        views = " and ".join(
            dict.fromkeys(v.split()[0] for v in (*self.views, *self.views_of_others))
        )
        each = {
            "any row's inputs (inputs=)": self.inputs,
            "your optimiser (drive)": self.optimizer,
            "its own batches (batch_sampler)": self.sampler,
            f"views of pictures and texts: {views} (views=)": bool(views),
            "which layer is the head (head=)": self.head,
            "new networks of the same kind (make=)": self.networks,
        }
        return tuple(words for words, needed in each.items() if needed)


class _Watched:
    """A stack or a network, and which of its names a method asks for."""

    def __init__(self, of: Any, asked: set[str]):
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "asked", asked)

    def __getattr__(self, name: str) -> Any:
        self.asked.add(name)
        found = getattr(self.of, name)
        return _Watched(found, self.asked) if isinstance(found, Module) else found

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.of, name, value)

    def __call__(self, x: Any) -> _Said:
        return _Said(self.of(x), self.asked)


class _Said(Output):
    """A network's answer, which notes whether its features are asked for."""

    asked: set[str]

    def __new__(cls, said: Output, asked: set[str]) -> _Said:
        new = super().__new__(cls, *said)
        new.asked = asked
        return new

    def __iter__(self) -> Iterator[Any]:
        self.asked.add("features")
        return super().__iter__()

    def __getattribute__(self, name: str) -> Any:
        if name == "features":
            self.asked.add(name)
        return super().__getattribute__(name)


def needs_of(method: Algorithm) -> Needs:
    """What the method needs."""
    return _needs(method.label) if _is_known(method) else _found(method)


def _is_known(method: Algorithm) -> bool:
    from ..algorithms import ALGORITHMS, algorithm

    return method.name in ALGORITHMS and algorithm(method.label) == method


@cache
def _needs(label: str) -> Needs:
    from ..algorithms import algorithm

    return _found(algorithm(label))


def _found(method: Algorithm) -> Needs:
    asked = _asked(method)
    stages = method.stages
    return Needs(
        inputs=bool(asked & {"whole", "drawn"}) or any(len(st.samplers) > 1 for st in stages),
        optimizer="zeros" in asked
        or any(map(_changes, stages))
        or len({stage.trains for stage in stages}) > 1,
        sampler=any(callable(stage.samplers[0]) for stage in stages),
        views=_views(asked, "view"),
        views_of_others=_views(asked | _unseen(method, asked), "other"),
        head=method.head is not None or bool(asked & {"trunk", "head", "features"}),
        networks=method.networks > 1 or bool(method.modules) or "anew" in asked,
    )


def _views(asked: set[str], kind: str) -> tuple[str, ...]:
    """The names of views that were asked for, without the number of a first draw."""
    found = sorted(name.split() for name in asked if name.startswith(f"{kind} "))
    return tuple(view if which == "0" else f"{view} {which}" for _, view, which in found)


def _unseen(method: Algorithm, asked: set[str]) -> set[str]:
    """Views that the method declares and asks of no batch: it asks them of all rows."""
    seen = {name.split()[1] for name in asked if name.startswith(("view ", "other "))}
    return {f"other {view} 0" for view in method.views.keys() - seen}


def _changes(stage: Stage) -> bool:
    own = any(how.optimiser for how in stage.own.values())
    return bool(stage.optimiser or stage.afresh or stage.rate or own)


def _asked(method: Algorithm) -> set[str]:
    """The names that a short training of the method asks its stack and its networks for."""
    examples = make_examples(DATA, method.reads)
    values = configuration(method.settings(), 0, 0) | {"batch_size": BATCH} | shortened(method)
    member = Member(0, np.arange(DATA.n), values)
    stack = start(method, mlp(examples.shape[0], DATA.q, HIDDEN), examples, [member], STEPS)
    seen: Any = _Watched(stack, set())
    while stack.t < STEPS:
        _update(stack, seen)
    return seen.asked


def _update(stack: Stack, seen: Any) -> None:
    """An update as in ``engine.train``, which notes where no gradient reaches a parameter."""
    enter(seen)
    batches = stack.feed.batches(seen)
    for flat in stack.flats.values():
        flat.begin(stack.t)
    leaves = [
        leaf
        for network, _, part in (name.partition(".") for name in stack.movers.trained(stack.stage))
        for leaf in parameters_of(stack.flats[network], part)
    ]
    places = [leaf.grad for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None
    each, updates = objective(seen, batches)
    if each.requires_grad:
        each.sum().backward()
    for number, batch in enumerate(batches):
        views = {name.partition(" ")[2] for name in batch.__dict__ if name.startswith("view ")}
        kind = "other" if number else "view"
        seen.asked.update(f"{kind} {view}" for view in views if not view.startswith("plain"))
    for leaf, place in zip(leaves, places):
        if leaf.grad is None:
            seen.asked.add("zeros")
        elif place is not None:
            place.copy_(leaf.grad)
        leaf.grad = place
    with torch.no_grad():
        move(stack, batches[0])
        finish(seen, batches, updates)
