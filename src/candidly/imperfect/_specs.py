"""Processes as text names them: their parameters, read and written in one way."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._names import lookup, nearest
from ..labelled import Labelled
from ._checks import check_rate, check_seed
from .pair import read_partners

Values = dict[str, Any]  # a process's parameters by name


@dataclass(frozen=True)
class Task:
    """What a process works on.

    Attributes:
        data: the examples.
        truth: theirs, int (n,).
        candidates: what the processes before it have made, or the data's own; None without.
        watch: called with rows done and rows in all, by what takes long.
    """

    data: Labelled
    truth: np.ndarray
    candidates: np.ndarray | None
    watch: Callable[[int, int], None]


@dataclass(frozen=True)
class Process:
    """A process that text can name.

    Args:
        summary: what it does, for people.
        defaults: its parameters in the order they are written; a type instead of a value means
            that there is no default.
        run: (task, parameters) -> what it makes.
        makes: ``candidates``, bool (n, q), or ``given``, int64 (n,).
    """

    summary: str
    defaults: Mapping[str, bool | int | float | str | type]
    run: Callable[[Task, Values], np.ndarray]
    makes: Literal["candidates", "given"] = "candidates"


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
CHECKS: dict[str, Callable[[Any], object]] = {
    "rate": check_rate,
    "seed": check_seed,
    "to": read_partners,
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
    for name, process, _ in steps:
        if len(steps) > 1 and process.makes == "given":
            raise ValueError(
                f"{name} makes one given label an example, straight from the truth, and nothing"
                f" can be joined to that by +. Apply {name} alone; for candidate sets without the"
                " truth, end with noise:rate=0.1."
            )
    return steps


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
                f"{name} needs {key}; write for example {name}:{key}={EXAMPLES[default]}."
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
