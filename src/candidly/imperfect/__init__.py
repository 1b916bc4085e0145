"""How labels become imperfect: one process a file, and text that names a pipeline of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..describe import transition
from ..labelled import Labelled
from ..seeds import draw
from ._features import checked_table, condensed
from ._specs import Process, Task, Values, parsed, written
from .flip import flip
from .instance import instance
from .instance_label import instance_label
from .lookalike import lookalike
from .matrix import empirical, matrix, read_labels, read_shares
from .noise import noise
from .pair import pair, read_partners
from .symmetric import symmetric
from .uniform import uniform

__all__ = [
    "PROCESSES",
    "Process",
    "apply",
    "canonical",
    "empirical",
    "flip",
    "instance",
    "instance_label",
    "lookalike",
    "matrix",
    "noise",
    "pair",
    "symmetric",
    "transition",
    "uniform",
]


def _noise(task: Task, values: Values) -> np.ndarray:
    alone = task.truth[:, None] == np.arange(task.data.q)
    return noise(alone if task.candidates is None else task.candidates, task.truth, **values)


def _pair(task: Task, values: Values) -> np.ndarray:
    rest = {key: value for key, value in values.items() if key != "to"}
    return pair(task.truth, task.data.q, partners=read_partners(values["to"]), **rest)


def _features(task: Task) -> np.ndarray:
    from threadpoolctl import threadpool_limits

    table = checked_table(task.data.inputs, task.data.n)
    seed = int(draw(0, "imperfect.features").integers(2**31))  # the same whatever the labels' seed
    with threadpool_limits(1):  # the same sums whatever the number of cores
        return condensed(table, seed)


def _lookalike(task: Task, values: Values) -> np.ndarray:
    return lookalike(_features(task), task.truth, task.data.q, watch=task.watch, **values)


def _matrix(task: Task, values: Values) -> np.ndarray:
    rest = {key: value for key, value in values.items() if key != "file"}
    return matrix(task.truth, task.data.q, read_shares(values["file"]), **rest)


def _empirical(task: Task, values: Values) -> np.ndarray:
    rest = {key: value for key, value in values.items() if key != "file"}
    other = read_labels(values["file"], task.data.q)
    return empirical(task.truth, task.data.q, *other, **rest)


PROCESSES: dict[str, Process] = {
    "uniform": Process(
        "candidate sets drawn uniformly among those with the truth, except the full one (USS)",
        {"seed": 0},
        lambda task, values: uniform(task.truth, task.data.q, **values),
    ),
    "flip": Process(
        "each wrong label is a candidate with probability rate (FPS);"
        " force=true adds one where none was drawn",
        {"rate": float, "force": False, "seed": 0},
        lambda task, values: flip(task.truth, task.data.q, **values),
    ),
    "instance": Process(
        "wrong labels are candidates where the example looks like their class, by the"
        " probabilities of a classifier; rate is the mean probability",
        {"rate": float, "seed": 0},
        lambda task, values: instance(task.data.inputs, task.truth, task.data.q, **values),
    ),
    "noise": Process(
        "the truth is taken from a share `rate` of the candidate sets; on data without candidate"
        " sets, symmetric label noise",
        {"rate": float, "seed": 0},
        _noise,
    ),
    "symmetric": Process(
        "one given label; a share `rate` is wrong, uniformly among the other classes",
        {"rate": float, "per_class": False, "seed": 0},
        lambda task, values: symmetric(task.truth, task.data.q, **values),
        makes="given",
    ),
    "pair": Process(
        "one given label; a share `rate` is taken for the partner of its class, by default the"
        " next; to=9-1/2-0 names partners",
        {"rate": float, "to": "", "per_class": False, "seed": 0},
        _pair,
        makes="given",
    ),
    "matrix": Process(
        "one given label, drawn from the transition matrix in a .csv or .npy file; exact=true"
        " meets its shares to the nearest example",
        {"file": str, "exact": False, "seed": 0},
        _matrix,
        makes="given",
    ),
    "empirical": Process(
        "one given label, drawn from the transition matrix counted in other data with truth and"
        " given labels (.npz)",
        {"file": str, "exact": False, "seed": 0},
        _empirical,
        makes="given",
    ),
    "lookalike": Process(
        "one given label; a share `rate` has that of the nearest example of another class, those"
        " most like it first",
        {"rate": float, "per_class": False},
        _lookalike,
        makes="given",
    ),
    "instance-label": Process(
        "one given label; how likely it is wrong, and as what, depends on the example's features"
        " by random projections",
        {"rate": float, "per_class": False, "seed": 0},
        lambda task, values: instance_label(_features(task), task.truth, task.data.q, **values),
        makes="given",
    ),
}


def apply(
    data: Labelled, spec: str, watch: Callable[[int, int], None] = lambda done, total: None
) -> Labelled:
    """The same examples with imperfect labels made from their truth.

    Args:
        data: with a complete truth. ``uniform``, ``flip`` and ``instance`` replace its candidate
            sets; ``noise`` works on them, or on the truth alone when there are none. The rest
            replace its given labels.
        spec: process names and parameters, joined by ``+`` and applied from left to right, for
            example ``flip:rate=0.3,seed=1`` or ``uniform+noise:rate=0.1``. What makes given labels
            stands alone.
        watch: called with rows done and rows in all, by processes that take long.

    Returns:
        ``data`` with new ``candidates`` or ``given``, and a ``source`` that tells how they came
        about.

    Raises:
        UnknownName (a KeyError): no such process.
        ValueError: a parameter unknown, missing or out of range; processes that do not join; truth
            missing.
        FileNotFoundError: a file that a process reads is not there.
    """
    steps = parsed(PROCESSES, spec)
    truth = data.truth
    if truth is None:
        raise ValueError(
            f"labels cannot be made by {spec!r}: {data.source or 'the data'} has no `truth`."
        )
    for name, process, values in steps:
        task = Task(data, truth, data.candidates, watch)
        made: dict[str, Any] = {process.makes: process.run(task, values)}
        source = f"{data.source or 'data'} + {name}({written(values, ', ')})"
        data = replace(data, source=source, **made)
    return data


def canonical(spec: str) -> str:
    """The one way to write ``spec``: known names, every parameter in order, no false switches.

    >>> canonical("Flip: rate=.30 + noise:rate=0.1")
    'flip:rate=0.3,seed=0+noise:rate=0.1,seed=0'
    """
    steps = parsed(PROCESSES, spec)
    return "+".join(f"{name}:{written(values, ',')}" for name, _, values in steps)
