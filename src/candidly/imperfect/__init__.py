"""How labels become imperfect: one process a file, and text that names a pipeline of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._names import lookup, nearest
from ..labelled import Labelled
from ._checks import check_rate, check_seed
from .flip import flip
from .instance import instance
from .noise import noise
from .uniform import uniform

__all__ = ["PROCESSES", "Process", "apply", "canonical", "flip", "instance", "noise", "uniform"]


Values = dict[str, Any]  # a process's parameters by name


@dataclass(frozen=True)
class Process:
    """A process that text can name.

    Args:
        summary: what it does, for people.
        defaults: its parameters in the order they are written; a type instead of a value means
            that there is no default.
        run: (data, its truth, candidates so far or None, parameters) -> candidates bool (n, q).
    """

    summary: str
    defaults: Mapping[str, bool | int | float | type]
    run: Callable[[Labelled, np.ndarray, np.ndarray | None, Values], np.ndarray]


def _noise(
    data: Labelled, truth: np.ndarray, sets: np.ndarray | None, values: Values
) -> np.ndarray:
    alone = truth[:, None] == np.arange(data.q)
    return noise(alone if sets is None else sets, truth, **values)


PROCESSES: dict[str, Process] = {
    "uniform": Process(
        "candidate sets drawn uniformly among those with the truth, except the full one (USS)",
        {"seed": 0},
        lambda data, truth, sets, values: uniform(truth, data.q, **values),
    ),
    "flip": Process(
        "each wrong label is a candidate with probability rate (FPS);"
        " force=true adds one where none was drawn",
        {"rate": float, "force": False, "seed": 0},
        lambda data, truth, sets, values: flip(truth, data.q, **values),
    ),
    "instance": Process(
        "wrong labels are candidates where the example looks like their class, by the"
        " probabilities of a classifier; rate is the mean probability",
        {"rate": float, "seed": 0},
        lambda data, truth, sets, values: instance(data.inputs, truth, data.q, **values),
    ),
    "noise": Process(
        "the truth is taken from a share `rate` of the candidate sets; on data without candidate"
        " sets, symmetric label noise",
        {"rate": float, "seed": 0},
        _noise,
    ),
}


def apply(data: Labelled, spec: str) -> Labelled:
    """The same examples with candidate sets made from their truth.

    Args:
        data: with a complete truth. ``uniform``, ``flip`` and ``instance`` replace its candidate
            sets; ``noise`` works on them, or on the truth alone when there are none.
        spec: process names and parameters, joined by ``+`` and applied from left to right, for
            example ``flip:rate=0.3,seed=1`` or ``uniform+noise:rate=0.1``.

    Returns:
        ``data`` with new ``candidates``, and a ``source`` that tells how they came about.

    Raises:
        UnknownName (a KeyError): no such process.
        ValueError: a parameter unknown, missing or out of range; truth missing.
    """
    steps = _parsed(spec)
    if data.truth is None:
        raise ValueError(
            f"labels cannot be made by {spec!r}: {data.source or 'the data'} has no `truth`."
        )
    candidates = data.candidates
    for name, values in steps:
        candidates = PROCESSES[name].run(data, data.truth, candidates, values)
    told = "".join(f" + {name}({_text(values, ', ')})" for name, values in steps)
    return replace(data, candidates=candidates, source=(data.source or "data") + told)


def canonical(spec: str) -> str:
    """The one way to write ``spec``: known names, every parameter in order, no false switches.

    >>> canonical("Flip: rate=.30 + noise:rate=0.1")
    'flip:rate=0.3,seed=0+noise:rate=0.1,seed=0'
    """
    return "+".join(f"{name}:{_text(values, ',')}" for name, values in _parsed(spec))


def _parsed(spec: str) -> list[tuple[str, Values]]:
    steps = []
    for step in spec.split("+"):
        name, _, parameters = (part.strip() for part in step.partition(":"))
        name, process = lookup(PROCESSES, name, "process for making labels")
        steps.append((name, _values(name, process, parameters)))
    return steps


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
    for key in process.defaults:
        if key not in values:
            raise ValueError(f"{name} needs {key}; write for example {name}:{key}=0.1.")
    return {key: values[key] for key in process.defaults}


def _value(
    name: str, key: str, text: str, default: bool | int | float | type
) -> bool | int | float:
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False, "1": True, "0": False}[text.lower()]
        number = float(text) if default is float else int(text)
    except (ValueError, KeyError):
        wanted = "true or false" if isinstance(default, bool) else "a number"
        if default == 0 and not isinstance(default, bool):
            wanted = "an integer"
        raise ValueError(f"{name}:{key}={text!r}; {key} must be {wanted}.") from None
    check_rate(number) if key == "rate" else check_seed(int(number))
    return number


def _text(values: Values, separator: str) -> str:
    shown = {key: value for key, value in values.items() if value is not False}
    return separator.join(f"{key}={str(value).lower()}" for key, value in shown.items())
