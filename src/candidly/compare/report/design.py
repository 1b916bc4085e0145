"""What the splits of a sweep have in common: cells as a table by split, and the design of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...stats import Design, OneTestSet, PairedT, RandomSplits
from ..sweep.counts import examples
from ..sweep.records import unpack_right
from ..sweep.results import Results
from ..sweep.select import Cell, Choice

Model = tuple[str, int]  # a run's key, and the step of the record that was chosen


def one_test_set(results: Results) -> bool:
    """Whether all splits are tested on the same rows."""
    return results.settings.get("split") == "official"


def share_tested(results: Results, dataset: str) -> float:
    """The test rows' share of training and test rows; by the settings where rows are not known."""
    run = next(run for run in examples(results) if run.dataset == dataset)
    if run.n_train:
        return run.n_test / (run.n_train + run.n_test)
    tested = float(results.settings.get("test_share") or 0.1)
    learned = (1 - tested) * (1 - float(results.settings.get("validation_share") or 0.1))
    return tested / (tested + learned)


def design_of(results: Results, dataset: str, metric: str = "top1") -> Design:
    """What the splits of a data set have in common, as far as the plan says it."""
    if not one_test_set(results):
        return RandomSplits(share_tested(results, dataset))
    run = next(run for run in examples(results) if run.dataset == dataset)
    return OneTestSet(run.n_test if metric == "top1" else None)


@dataclass(frozen=True, eq=False)
class BySplit:
    """Cells of one data set, a row per split and a column per cell.

    Attributes:
        table: float64 (n, k), the metric; NaN where there is none.
        design: what the rows have in common.
    """

    table: np.ndarray
    design: Design

    @property
    def right(self) -> np.ndarray | None:
        """Bool (n, k, m), which of shared test rows are right; None unless all is known."""
        design = self.design
        if isinstance(design, RandomSplits) or design.right is None:
            return None
        there = ~np.isnan(self.table).any(1)
        whole = design.known is None or bool(design.known[there].all())
        return design.right if whole else None

    def compared(self, i: int, j: int, level: float = 0.95) -> PairedT:
        """Column i minus column j."""
        return self.design.compared(self.table, i, j, level)


def by_split(cells: Sequence[Cell], results: Results, metric: str = "top1") -> BySplit:
    """Cells of one data set with the design of its splits, and which test rows were right."""
    splits = sorted({split for cell in cells for split in cell.splits})
    chosen = [{choice.split: choice for choice in cell.choices if choice} for cell in cells]
    table = np.array(
        [[_value(mine.get(split), metric) for mine in chosen] for split in splits], np.float64
    ).reshape(len(splits), len(cells))
    design = design_of(results, cells[0].dataset, metric)
    if isinstance(design, OneTestSet) and design.rows is not None:
        models = [[_model(mine.get(split)) for mine in chosen] for split in splits]
        design = with_right(design, models, right_of(results, models, design.rows))
    return BySplit(table, design)


def with_right(
    design: OneTestSet, models: Sequence[Sequence[Model | None]], right: Mapping[Model, np.ndarray]
) -> OneTestSet:
    """The design with what is known of each model's test rows.

    Args:
        models: of each split and column.
        right: bool (rows,) each.
    """
    if not right or design.rows is None:
        return design
    none = np.zeros(design.rows, bool)
    every = [[none if one is None else right.get(one, none) for one in row] for row in models]
    known = [[one in right for one in row] for row in models]
    return OneTestSet(design.rows, np.array(every), np.array(known))


def right_of(
    results: Results, models: Sequence[Sequence[Model | None]], rows: int
) -> dict[Model, np.ndarray]:
    """Which test rows these models predicted right, bool (rows,), where that was recorded.

    Bits of another number of rows are not of this test set, and count as not recorded.
    """
    asked = {one for row in models for one in row if one is not None}
    found = results.runs.right(asked).items()
    return {one: unpack_right(bits, rows) for one, bits in found if len(bits) == -(-rows // 8)}


def averaged(whole: BySplit, pairs: Sequence[tuple[int, int]]) -> BySplit:
    """Two columns, the means of the first and of the second of some pairs that a split has."""
    first, second = (list(column) for column in zip(*pairs))
    there = ~np.isnan(whole.table[:, first] + whole.table[:, second])
    counts = there.sum(1)
    some = counts > 0
    table = np.full((len(there), 2), np.nan)
    design = whole.design
    for side, columns in enumerate((first, second)):
        values = np.where(there, whole.table[:, columns], 0.0)
        table[some, side] = values[some].sum(1) / counts[some]
    if isinstance(design, OneTestSet) and design.right is not None:
        weights = there / np.maximum(counts, 1)[:, None]
        sides = [
            np.einsum("sk,skm->sm", weights, design.right[:, columns])
            for columns in (first, second)
        ]
        known = (
            np.ones(there.shape, bool)
            if design.known is None
            else (design.known[:, first] & design.known[:, second])
        )
        whole_rows = (known | ~there).all(1)
        known = np.repeat(whole_rows[:, None], 2, 1)
        design = OneTestSet(design.rows, np.stack(sides, 1), known)
    return BySplit(table, design)


def _value(choice: Choice | None, metric: str) -> float:
    value = None if choice is None else choice.test.get(metric)
    return np.nan if value is None else value


def _model(choice: Choice | None) -> Model | None:
    return None if choice is None else (choice.key, choice.step)
