"""Noisy validation accuracies corrected for the noise, once its transition matrix is known.

One matrix serves a whole data set, so that all models are judged by the same one. A matrix from
each model itself would not do: one with flat probabilities gives a nearly singular matrix, and so
a high corrected accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...ground.names import nearest
from ...stats.criteria import corrected_accuracy
from .counts import examples
from .criterion import CORRECTED
from .records import Record, unpack_confusion
from .results import Results
from .runs import Runs

WIDTH = 2 * 1.959963984540054  # of a 95 % interval, in standard errors


@dataclass(frozen=True, eq=False)
class Noise:
    """What is known of the noise in a data set's given labels.

    Attributes:
        transition: float (q, q), P(given = column | true = row); rows sum to 1.
        ends: the same at both ends of a 95 % interval of how many labels are wrong; None where the
            matrix is known.
    """

    transition: np.ndarray
    ends: tuple[np.ndarray, np.ndarray] | None = None


def with_corrected(results: Results, noise: Mapping[str, Noise]) -> Results:
    """The same results, whose records also have ``NVA:corrected`` and its standard error.

    Where the matrix has no inverse there is no value, and a note says so.

    Args:
        noise: by data set; records of others stay as they are.

    Raises:
        ValueError: data of two names with the same content and not the same noise, which share
            their runs; no such data set, a matrix of another number of classes or whose rows are no
            probabilities, or a data set whose records hold no confusion.

    The standard error is that of :func:`candidly.criteria.corrected_accuracy`, and where the matrix
    was estimated what its interval adds, as the root of the sum of squares.
    """
    names = {run.dataset for run in examples(results)}
    for name in noise:
        if name not in names:
            raise ValueError(
                f"there is no data set {name!r} here{nearest(name, names)} It has"
                f" {', '.join(sorted(names))}."
            )
        _check_twins(name, noise, results.fingerprints)
        if not any(r.confusion for run in results.runs for r in run.records if run.dataset == name):
            raise ValueError(
                f"no record of {name} counts given labels by predictions: it has no given labels,"
                " more than 5,000 different pairs of them, or is from before that was recorded."
            )
    runs = tuple(
        replace(run, records=tuple(_corrected(r, noise[run.dataset]) for r in run.records))
        if run.dataset in noise
        else run
        for run in results.runs
    )
    lost = [name for name in noise if not _any_value(runs, name)]
    notes = [
        f"{name}: the transition matrix has no inverse (labels do not tell some classes apart), so"
        " no accuracy can be corrected"
        for name in lost
    ]
    return replace(results, runs=Runs.of(runs), notes=(*results.notes, *notes))


def _check_twins(name: str, noise: Mapping[str, Noise], fingerprints: Mapping[str, str]) -> None:
    mine, content = noise[name].transition, fingerprints.get(name)
    for other, its in fingerprints.items():
        if its == content and not (
            other in noise and np.array_equal(noise[other].transition, mine)
        ):
            raise ValueError(
                f"{name} and {other} are the same data under two names, and share their runs; give"
                " both the same matrix."
            )


def _corrected(record: Record, noise: Noise) -> Record:
    values = dict.fromkeys((CORRECTED, f"{CORRECTED} error"))
    if record.confusion is not None:
        confusion = unpack_confusion(record.confusion)
        found = corrected_accuracy(confusion, noise.transition)
        error = float(found.error)
        if noise.ends is not None:
            low, high = (corrected_accuracy(confusion, end).accuracy for end in noise.ends)
            error = math.hypot(error, float(high - low) / WIDTH)
        numbers = (float(found.accuracy), error)
        values = {name: None if v != v else v for name, v in zip(values, numbers)}
    return replace(record, validation={**record.validation, **values})


def _any_value(runs, name: str) -> bool:
    return any(
        record.validation.get(CORRECTED) is not None
        for run in runs
        if run.dataset == name
        for record in run.records
    )
