"""The numbers of docs/studies/building.md, from the committed tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from candidly.compare.corpora.noise import SOURCES, share
from candidly.stats import Summary, interval, paired_difference

from .runs import BASE, METHODS, NONE, OF_ALL, RUNS, SIZES, Run, Sizes, keys, noises, read

Cell = tuple[str, int, int, str]  # kind and source of the noise, percent, method
EVERYWHERE = -1  # in place of a source: all classes


@dataclass(frozen=True, eq=False)
class Study:
    """All corpora on which every method was trained.

    Attributes:
        sizes: of each of c corpora.
        right: by cell, int (c, 3), rows to test on that are right, by source.
        tested: int (c, 3), of how many.
    """

    sizes: tuple[Sizes, ...]
    right: Mapping[Cell, np.ndarray]
    tested: np.ndarray

    def accuracy(self, cell: Cell, of: int = EVERYWHERE) -> list[float]:
        """On the classes of a source, or on all, a number for each corpus."""
        right, tested = self.right[cell], self.tested
        if of == EVERYWHERE:
            return list(right.sum(1) / tested.sum(1))
        return list(right[:, of] / tested[:, of])

    def lost(
        self, kind: str, source: int, percent: int, method: str = BASE, of: int | None = None
    ) -> list[float]:
        """What a noise costs a method on the classes of its source, or of another."""
        where = source if of is None else of
        without = self.accuracy((NONE.kind, NONE.source, 0, method), where)
        noisy = self.accuracy((kind, source, percent, method), where)
        return list(np.subtract(without, noisy))

    def gained(self, cell: Cell, of: int = EVERYWHERE) -> Summary:
        """What a method is above cross-entropy under the same noise."""
        return paired_difference(self.accuracy(cell, of), self.accuracy((*cell[:3], BASE), of))

    def local_rates(self, source: int) -> list[float]:
        """The share of a source's rows that a tenth of all rows is."""
        return [
            share(OF_ALL / 100, sum(sizes.learned)) / sizes.learned[source] for sizes in self.sizes
        ]


def read_study(folder: Path) -> Study:
    """What the committed tables say of corpora that every method was trained on."""
    runs = {run.key: run for run in read(folder / RUNS, Run)}
    sizes = tuple(
        each for each in read(folder / SIZES, Sizes) if all(k in runs for k in keys(each.corpus))
    )
    cells = [
        (noise.kind, noise.source, noise.percent, method)
        for method in METHODS
        for noise in noises(method)
    ]
    right = {
        cell: np.array([runs[each.corpus, *cell].right for each in sizes]).reshape(-1, 3)
        for cell in cells
    }
    tested = np.array([each.tested for each in sizes]).reshape(-1, len(SOURCES))
    return Study(sizes, right, tested)


def beside_zero(found: Summary) -> int:
    """1 or -1 where the 95 % interval lies above or below 0, else 0."""
    span = interval(found)
    if span is None:
        return 0
    return int(span[0] > 0) - int(span[1] < 0)


def falling(values: Mapping[int, Iterable[float]]) -> list[int]:
    """Keys by falling mean."""
    means = {key: float(np.mean(list(each))) for key, each in values.items()}
    return sorted(means, key=lambda key: -means[key])
