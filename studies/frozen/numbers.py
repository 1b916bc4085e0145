"""The numbers of docs/studies/frozen.md, from the committed results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from candidly.compare.sweep.journal import read_results
from candidly.stats import PairedT, equivalent, holm
from studies.kit.rows import BASE, Row, Rows, apart, row_of

from .runs import sweeps

MARGIN = 0.005  # of accuracy: a difference that does not matter
ALPHA = 0.05
AHEAD, BEHIND, SAME, OPEN = "ahead", "behind", "same", "open"


class AnySweep(Protocol):
    """A results directory: one label set, one group of algorithms. Its column of the page."""

    @property
    def name(self) -> str: ...

    @property
    def label_set(self) -> str: ...

    @property
    def column(self) -> str: ...

    def called(self, algorithm: str) -> str: ...


@dataclass(frozen=True)
class Against:
    """An algorithm against the plain one on one label set.

    Attributes:
        gain: selected accuracy minus the plain one's, with its 95 % interval.
        p, same: of no difference, and of a difference within ``MARGIN``, by Holm's correction over
            all algorithms and label sets; None where nothing can be told.
    """

    gain: PairedT
    p: float | None
    same: float | None

    @property
    def verdict(self) -> str:
        if self.same is not None and self.same <= ALPHA:
            return SAME
        if self.p is not None and self.p <= ALPHA:
            return AHEAD if (self.gain.difference or 0) > 0 else BEHIND
        return OPEN


def read_study(
    folder: Path, of: Iterable[AnySweep] | None = None, criterion: str = "NVA"
) -> Mapping[str, Rows]:
    """By column of the page, what is in the committed files, without sweeps that are not there.

    Args:
        of: the sweeps; by default those of noisy labels.
        criterion: what selects an epoch.
    """
    found: dict[str, dict[str, Row]] = {}
    for sweep in sweeps() if of is None else of:
        if (folder / sweep.name / "plan.json").exists():
            runs = read_results(folder / sweep.name).runs
            rows = found.setdefault(sweep.column, {})
            for name in dict.fromkeys(run.algorithm for run in runs):
                rows[sweep.called(name)] = row_of(
                    [run for run in runs if run.algorithm == name], criterion
                )
    return found


def against(
    study: Mapping[str, Rows], base: str = BASE, untested: Collection[str] = ()
) -> dict[tuple[str, str], Against]:
    """By (label set, algorithm), every algorithm but the one that they are compared with.

    Args:
        untested: oracles, which no verdict is about.
    """
    tests = {
        (label_set, name): apart(rows[name], rows[base])
        for label_set, rows in study.items()
        for name in rows
        if name != base and base in rows and name not in untested
    }
    different = _corrected({key: test.p for key, test in tests.items()})
    same = _corrected({key: equivalent(test, MARGIN) for key, test in tests.items()})
    return {key: Against(test, different[key], same[key]) for key, test in tests.items()}


def _corrected(p: Mapping[tuple[str, str], float | None]) -> dict[tuple[str, str], float | None]:
    told = [key for key, value in p.items() if value is not None]
    adjusted = holm(np.array([p[key] for key in told], float)) if told else []
    return {**dict.fromkeys(p), **dict(zip(told, map(float, adjusted)))}
