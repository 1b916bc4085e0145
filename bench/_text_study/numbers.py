"""The numbers of docs/text.md, from the committed results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from candidly.compare.sweep.journal import read_results
from candidly.stats import Summary, interval, paired_difference

from . import losses
from .events import KINDS, RATES
from .runs import GROUPS, NETS, TAILED, Group, sweeps

BASE = "ce"
Noise = tuple[str, int]  # kind and percent
CLEAN: Noise = ("clean", 0)


@dataclass(frozen=True)
class Row:
    """An algorithm under one noise: test accuracies, one per split, NaN where a run diverged.

    Attributes:
        best, selected, last: of the epoch that is best on the test rows, of the one that accuracy
            on noisy validation rows chooses, and of the last.
        five, adjusted: of the selected epoch, top-5, and top-1 of predictions adjusted for the
            frequencies of labels.
        curve: after each epoch, the mean of the splits.
        seconds: of the processor, for a run; the mean.
    """

    best: tuple[float, ...]
    selected: tuple[float, ...]
    last: tuple[float, ...]
    five: tuple[float, ...]
    adjusted: tuple[float, ...]
    curve: tuple[float, ...]
    seconds: float


Rows = Mapping[str, Row]  # by algorithm


@dataclass(frozen=True)
class Study:
    """All of it.

    Attributes:
        main: by noise, of a linear layer.
        tails: the same with long-tailed training rows.
        nets: by group of runs, by noise: cross-entropy on the texts.
        losses: as ``losses.measure`` found.
    """

    main: Mapping[Noise, Rows]
    tails: Mapping[Noise, Rows]
    nets: Mapping[str, Mapping[Noise, Row]]
    losses: list[dict[str, Any]]


def read_study(folder: Path) -> Study:
    """What is in the committed files; sweeps that are not there are left out."""
    nets = {name: _read(folder, {name: group}) for name, group in NETS.items()}
    return Study(
        _read(folder, GROUPS),
        _read(folder, TAILED),
        {
            name: {noise: rows[BASE] for noise, rows in of.items()}
            for name, of in nets.items()
            if of
        },
        losses.read(folder),
    )


def noises() -> Iterator[Noise]:
    """None, then by kind and rising."""
    yield CLEAN
    yield from ((kind, rate) for kind in KINDS for rate in sorted(RATES) if rate)


def _read(folder: Path, groups: Mapping[str, Group]) -> dict[Noise, dict[str, Row]]:
    found: dict[Noise, dict[str, Row]] = {}
    for sweep in sweeps(groups):
        if (folder / sweep.name / "plan.json").exists():
            runs = read_results(folder / sweep.name).runs
            rows = found.setdefault((sweep.kind, sweep.percent), {})
            for name in dict.fromkeys(run.algorithm for run in runs):
                rows[name] = _row([run for run in runs if run.algorithm == name])
    return {noise: found[noise] for noise in noises() if noise in found}


def _row(runs: list) -> Row:
    tests, fives, adjusted, noisy = (
        np.array([[_number(read(record)) for record in run.records] for run in runs])
        for read in (
            lambda record: record.test.get("top1"),
            lambda record: record.test.get("top5"),
            lambda record: record.test.get("adjusted"),
            lambda record: record.validation.get("NVA"),
        )
    )
    chosen = np.where(np.isnan(noisy), -1, noisy).argmax(1)
    each = np.arange(len(runs))
    return Row(
        tuple(tests.max(1)),
        tuple(tests[each, chosen]),
        tuple(tests[:, -1]),
        tuple(fives[each, chosen]),
        tuple(adjusted[each, chosen]),
        tuple(tests.mean(0)),
        float(np.mean([run.records[-1].seconds for run in runs])),
    )


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def gain(rows: Rows, name: str) -> tuple[Summary, tuple[float, float] | None]:
    """Selected accuracy against cross-entropy's, split by split, and its 95 % interval."""
    found = paired_difference(rows[name].selected, rows[BASE].selected)
    return found, interval(found)
