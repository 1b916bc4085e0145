"""Processes as text names them: their parameters, read and written in one way."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from ...ground.names import lookup, nearest
from ..labels.labelled import Labelled
from ._checks import check_factor, check_rate, check_seed
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
    watch: Callable[[int, int], None] = lambda done, total: None
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

BOOLS = {"true": True, "false": False, "1": True, "0": False}
READERS: dict[type, Callable[[str], Any]] = {
    bool: lambda text: BOOLS[text.lower()],
    int: int,
    float: float,
    str: str,
}
WORDS = {bool: "true or false", int: "an integer", float: "a number", str: "text"}
EXAMPLES = {float: "0.1", str: "name.npz"}
EXAMPLES_OF = {"classes": "8/9", "factor": "100"}  # where the kind's own misleads
CHECKS: dict[str, Callable[[Any], object]] = {
    "rate": check_rate,
    "seed": check_seed,
    "to": read_partners,
    "factor": check_factor,
    "classes": read_classes,
}


def parsed(processes: Mapping[str, Process], spec: str) -> Steps:
    """The pipeline that ``spec`` names, in order.

    Raises:
        UnknownName (a KeyError): no such process.
        ValueError: a parameter unknown, missing or out of range; processes that do not join.
    """
    steps: Steps = []
    for step in spec.split("+"):
        name, _, parameters = (part.strip() for part in step.partition(":"))
        name, process = lookup(processes, name, "process for making labels")
        steps.append((name, process, _values(name, process, parameters)))
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


def written(values: Values, separator: str) -> str:
    """Parameters as text, without false switches and empty texts."""
    shown = {key: value for key, value in values.items() if value is not False and value != ""}
    return separator.join(
        f"{key}={'true' if value is True else value}" for key, value in shown.items()
    )


def _values(name: str, process: Process, parameters: str) -> Values:
    values: Values = {
        key: default for key, default in process.defaults.items() if not isinstance(default, type)
    }
    for pair in filter(None, re.split(r"\s*,\s*", parameters)):
        key, _, text = (part.strip() for part in pair.partition("="))
        if key not in process.defaults:
            choices = ", ".join(process.defaults)
            raise ValueError(
                f"{name} has no parameter {key!r}{nearest(key, process.defaults) or '.'} It has"
                f" {choices}."
            )
        values[key] = _value(name, key, text, process.defaults[key])
    for key, default in process.defaults.items():
        if key not in values and isinstance(default, type):
            raise ValueError(
                f"{name} needs {key}; write for example {name}:{key}="
                f"{EXAMPLES_OF.get(key, EXAMPLES[default])}."
            )
    return {key: values[key] for key in process.defaults}


def _value(name: str, key: str, text: str, default: Any) -> Any:
    kind = default if isinstance(default, type) else type(default)
    try:
        value = READERS[kind](text)
    except (ValueError, KeyError):
        raise ValueError(f"{name}:{key}={text!r}; {key} must be {WORDS[kind]}.") from None
    if key in CHECKS:
        CHECKS[key](value)
    return value
