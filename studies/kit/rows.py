"""An algorithm's accuracies of a study, and how far two of them are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from candidly.compare.sweep.records import Record, unpack_right
from candidly.stats import OneTestSet, PairedT

BASE = "ce"


@dataclass(frozen=True)
class Row:
    """An algorithm under one noise: test accuracies, one per split, NaN where a run diverged.

    Attributes:
        best, selected, last: of the epoch that is best on the test rows, of the one that accuracy
            on noisy validation rows chooses, and of the last.
        five, adjusted: of the selected epoch, top-5, and top-1 of predictions adjusted for the
            frequencies of labels.
        curve: after each epoch, the mean of the splits.
        right: of ``best``, ``selected`` and ``last``, bool (splits, rows), which test rows are
            predicted right; without those of which that is not known.
        rows: the test rows of every split, which are the same.
        seconds: of the processor, for a run; the mean.
    """

    best: tuple[float, ...]
    selected: tuple[float, ...]
    last: tuple[float, ...]
    five: tuple[float, ...]
    adjusted: tuple[float, ...]
    curve: tuple[float, ...]
    right: Mapping[str, np.ndarray]
    rows: int
    seconds: float


Rows = Mapping[str, Row]  # by algorithm


Rows = Mapping[str, Row]  # by algorithm


def row_of(runs: list, criterion: str = "NVA") -> Row:
    """Of an algorithm's runs, where this criterion selects."""
    tests, fives, adjusted, noisy = (
        np.array([[_number(read(record)) for record in run.records] for run in runs])
        for read in (
            lambda record: record.test.get("top1"),
            lambda record: record.test.get("top5"),
            lambda record: record.test.get("adjusted"),
            lambda record: record.validation.get(criterion),
        )
    )
    chosen = np.where(np.isnan(noisy), -1, noisy).argmax(1)
    each = np.arange(len(runs))
    best = np.where(np.isnan(tests), -1, tests).argmax(1)
    places = {"best": best, "selected": chosen, "last": np.full(len(runs), -1)}
    rows = runs[0].n_test
    return Row(
        tuple(tests.max(1)),
        tuple(tests[each, chosen]),
        tuple(tests[:, -1]),
        tuple(fives[each, chosen]),
        tuple(adjusted[each, chosen]),
        tuple(tests.mean(0)),
        {
            what: np.stack([unpack_right(bits, rows) for bits in packed])
            for what, at in places.items()
            if all(packed := [run.records[k].right for run, k in zip(runs, at)])
        },
        rows,
        float(np.mean([run.records[-1].seconds for run in runs])),
    )


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def steps_of(records: Sequence[Record], criterion: str = "NVA") -> set[int]:
    """The steps of the best record of a run, of the one this criterion selects, and the last."""
    tests = [_number(one.test.get("top1")) for one in records]
    noisy = [_number(one.validation.get(criterion)) for one in records]
    places = (int(np.where(np.isnan(v), -1, v).argmax()) for v in (tests, noisy))
    return {records[place].step for place in places} | {records[-1].step}


def apart(first: Row, second: Row, of: str = "selected", other: str = "selected") -> PairedT:
    """One minus another, by splits and the test rows that all of them share.

    Without an interval where it was not recorded which test rows were predicted right.
    """
    table = np.array([getattr(first, of), getattr(second, other)]).T
    right = [row.right.get(what) for row, what in ((first, of), (second, other))]
    whole = [one for one in right if one is not None]
    there = len(whole) == 2
    design = OneTestSet(first.rows, np.stack(whole, 1)) if there else OneTestSet(None)
    return design.compared(table, 0, 1, 0.95)


def gain(rows: Rows, name: str) -> PairedT:
    """Selected accuracy minus cross-entropy's."""
    return apart(rows[name], rows[BASE])
