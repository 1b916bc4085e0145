"""How what a process makes enters the data, and which examples it is asked about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ..labels.labelled import Labelled
from ._classes import read_classes
from ._rows import nearest_count
from ._specs import Process, ProcessInput, Values


def taken(task: ProcessInput, process: Process, values: Values) -> ProcessInput:
    """The task behind a process."""
    return TAKERS[process.makes](task, process, values)


def finished(task: ProcessInput) -> Labelled:
    """The data that a pipeline has made: inputs that were replaced are of no class."""
    if task.outside is None:
        return task.data
    return replace(task.data, truth=np.where(task.outside, -1, task.truth))


def _candidates(task: ProcessInput, process: Process, values: Values) -> ProcessInput:
    return replace(task, data=replace(task.data, candidates=process.run(task, values)))


def _examples(task: ProcessInput, process: Process, values: Values) -> ProcessInput:
    made: ProcessInput = process.run(task, values)
    return made


def _given(task: ProcessInput, process: Process, values: Values) -> ProcessInput:
    rows, part, own = _part(task, values)
    given = (task.truth if task.given is None else task.given).copy()
    made = np.asarray(process.run(part, own))
    if made.shape != rows.shape or made.dtype.kind not in "iu":
        raise ValueError(
            f"it made labels of {made.dtype} {made.shape}, and there have to be integers "
            f"({len(rows)},)."
        )
    given[rows] = made
    return replace(task, data=replace(task.data, given=given), given=given)


def _inputs(task: ProcessInput, process: Process, values: Values) -> ProcessInput:
    rows, part, own = _part(task, values)
    found = process.run(part, own)
    assert task.pool is not None
    outside = np.zeros(task.data.n, bool) if task.outside is None else task.outside.copy()
    outside[rows[found.mask]] = True
    _check_none_lost(task.truth, outside)
    inputs = np.array(task.data.inputs)
    inputs[rows[found.mask]] = task.pool.inputs[found.origin[found.mask]]
    labels = task.truth if task.data.given is None else task.data.given
    data = replace(task.data, inputs=inputs, given=np.array(labels))
    used = np.zeros(task.pool.n, bool)
    used[found.origin[found.mask]] = not own["reuse"]
    return replace(task, data=data, given=data.given, outside=outside, pool=task.pool[~used])


TAKERS: Mapping[str, Callable[[ProcessInput, Process, Values], ProcessInput]] = {
    "candidates": _candidates,
    "given": _given,
    "inputs": _inputs,
    "examples": _examples,
}


def _part(task: ProcessInput, values: Values) -> tuple[np.ndarray, ProcessInput, Values]:
    """Rows of the classes that a process is for, the task of these alone, and its own parameters.

    Raises:
        ValueError: a class that is not there or has no example; with ``of_all``, more wrong labels
            than these classes have examples.
    """
    own = {key: value for key, value in values.items() if key not in ("classes", "of_all")}
    classes = read_classes(values.get("classes", ""))
    if not classes:
        return np.arange(task.data.n), task, own
    for label in classes:
        if not (task.truth == label).any():
            raise ValueError(
                f"class {label} has no example here (classes are 0..{task.data.q - 1}); leave it "
                "out of classes."
            )
    rows = np.flatnonzero(np.isin(task.truth, classes))
    if values.get("of_all"):
        count = nearest_count(own["rate"], task.data.n)
        if count > len(rows):
            raise ValueError(
                f"{own['rate']:g} of all {task.data.n} examples is {count}, but classes "
                f"{values['classes']} have {len(rows)}. Lower the rate."
            )
        own["rate"] = count / len(rows)
    part = replace(
        task,
        data=task.data[rows],
        truth=task.truth[rows],
        given=None if task.given is None else task.given[rows],
        outside=None if task.outside is None else task.outside[rows],
    )
    return rows, part, own


def _check_none_lost(truth: np.ndarray, outside: np.ndarray) -> None:
    lost = np.setdiff1d(truth, truth[~outside])
    if len(lost):
        raise ValueError(
            f"every input of class {int(lost[0])} would be replaced, so that the class is lost. "
            "Lower the rate, or use per_class=true."
        )
