"""Processes as text names them: the tables of their parameters, which ``ground.spec`` reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from ...ground.progress import OnProgress
from ...ground.spec import Reader, Spec, anything, integer, number, pipeline, switch
from ..labels.labelled import Labelled
from ._classes import read_classes
from .pair import read_partners

Values = dict[str, Any]  # a process's parameters by name


@dataclass(frozen=True)
class ProcessInput:
    """What a process works on.

    Attributes:
        data: the examples.
        truth: theirs, int (n,).
        watch: called with rows done and rows in all, by what takes long.
        given: labels that processes before it have made.
        outside: bool (n,), inputs that processes before it have replaced.
        pool: inputs that are in none of the classes.
    """

    data: Labelled
    truth: np.ndarray
    watch: OnProgress = lambda done, total: None
    given: np.ndarray | None = None
    outside: np.ndarray | None = None
    pool: Labelled | None = None


@dataclass(frozen=True)
class Process:
    """A process that text can name.

    Args:
        summary: what it does, for people.
        defaults: its parameters in the order they are written; a type instead of a value means
            that there is no default.
        run: (task, parameters) -> what it makes.
        makes: ``candidates``, bool (n, q); ``given``, int64 (n,); ``inputs``, a ``Replacement``;
            or ``examples``, a ``ProcessInput`` of other ones.
    """

    summary: str
    defaults: Mapping[str, bool | int | float | str | type]
    run: Callable[[ProcessInput, Values], Any]
    makes: Literal["candidates", "given", "inputs", "examples"] = "candidates"


Steps = list[tuple[str, Process, Values]]

READERS: dict[type, Reader] = {
    bool: switch,
    int: integer(),
    float: number(example=0.1),
    str: anything,
}
EXAMPLES = {float: "0.1", str: "name.npz"}
EXAMPLES_OF = {"classes": "8/9", "factor": "100"}  # where the kind's own misleads


def _kept(read: Callable[[str], object]) -> Reader:
    def take(text: str, name: str) -> str:
        read(text)
        return text

    return take


OF_KEY: dict[tuple[str, type], Reader] = {  # where the kind says too little
    ("rate", float): number(0, 1, 0.1),
    ("seed", int): integer(0, 2**64 - 1),
    ("factor", float): number(1, example=100),
    ("to", str): _kept(read_partners),
    ("classes", str): _kept(read_classes),
}


def parsed(processes: Mapping[str, Process], spec: str, seed: int | None = None) -> Steps:
    """The pipeline that ``spec`` names, in order.

    Args:
        seed: of the processes that have one and are not told which; None: as their tables say.

    Raises:
        UnknownName (a KeyError): no such process or parameter.
        ValueError: a parameter missing or out of range; processes that do not join.
    """
    steps: Steps = []
    for step in pipeline(spec, "labels", "flip:rate=0.3"):
        name, process = step.lookup(processes, "process")
        seeded = {} if seed is None or "seed" not in process.defaults else {"seed": seed}
        steps.append((name, process, _values(name, process, seeded, step)))
    _check_joined(steps)
    return steps


def _check_joined(steps: Steps) -> None:
    """Examples first, then sets or one label; several sources of noise share out the classes.

    Raises:
        ValueError: processes that do not join.
    """
    for (name, before, _), (after, later, _) in pairwise(steps):
        if later.makes == "examples" != before.makes:
            raise ValueError(f"{after} says what examples there are; put it in front of {name}.")
    label = [step for step in steps if step[1].makes != "examples"]
    alone = [step for step in label if step[1].makes != "candidates"]
    if alone and len(label) > len(alone):
        name = alone[0][0]
        raise ValueError(
            f"{name} makes one given label an example, straight from the truth, and no candidate"
            f" sets can be joined to that by +. Apply {name} alone; for candidate sets without the"
            " truth, end with noise:rate=0.1."
        )
    taken: dict[int, str] = {}
    for name, _, values in alone if len(alone) > 1 else ():
        classes = read_classes(values["classes"])
        if not classes:
            raise ValueError(
                f"{name} is one of several sources of noise, and needs the classes it is for;"
                f" write for example {name}:...,classes=0-4."
            )
        for label_number in classes:
            if label_number in taken:
                raise ValueError(
                    f"class {label_number} has two sources of noise, {taken[label_number]} and"
                    f" {name}; leave it to one of them."
                )
            taken[label_number] = name


def shown(values: Values) -> Values:
    """Parameters without false switches and empty texts."""
    return {key: value for key, value in values.items() if value is not False and value != ""}


def _values(name: str, process: Process, usual: Values, step: Spec) -> Values:
    kinds = {
        key: default if isinstance(default, type) else type(default)
        for key, default in process.defaults.items()
    }
    given = step.options(
        {key: OF_KEY.get((key, kind), READERS[kind]) for key, kind in kinds.items()}
    )
    values = {**process.defaults, **usual, **given}
    for key, value in values.items():
        if isinstance(value, type):
            raise ValueError(
                f"{name} needs {key}; write for example {name}:{key}="
                f"{EXAMPLES_OF.get(key, EXAMPLES[value])}."
            )
    return values
