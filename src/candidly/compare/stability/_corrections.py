"""The same models under several corrections, such as stricter and looser rules of agreement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ground.arrays import door
from ...ground.problem import within
from ...stats.places import competition_ranks
from ...stats.rank_correlation import kendall
from ._case import Case, make_case

THIS = "this correction"  # what a report calls the one that others are put beside


@dataclass(frozen=True)
class Correction:
    """What one correction of the labels amounts to.

    Attributes:
        name: the name of the correction.
        changed, pruned: |C| and |U|.
        prevalence: c, in [0, 1].
        errors: |C| + |U| as a share of all items, in [0, 1].
        moved: models whose rank by corrected labels on P is another than by original labels on D.
        tau: Kendall's tau b between the two rankings; None where all models tie.
        ranks: (R,), by corrected labels.
    """

    name: str
    changed: int
    pruned: int
    prevalence: float
    errors: float
    moved: int
    tau: float | None
    ranks: tuple[int, ...]


@door
def compare_corrections(
    original: Any, corrections: Mapping[str, Any], models: Mapping[str, Any], **options: Any
) -> list[Correction]:
    """A row per correction, in their order.

    Args:
        original, models, options: see ``make_case``.
        corrections: name -> corrected int (n,), -1 for pruned.

    Raises:
        ValueError: see ``make_case``; the message names the correction.
    """
    rows = []
    for name, corrected in corrections.items():
        try:
            case = make_case(original, corrected, models, **options)
        except ValueError as error:
            raise within(name, error) from None
        rows.append(correction_of(name, case))
    return rows


def correction_of(name: str, case: Case) -> Correction:
    """The row of one case."""
    before, after = case.right_original.sum(1), case.right_corrected.sum(1)
    ranks, tau = competition_ranks(after), kendall(before, after)
    changed, pruned = int(case.changed.sum()), int((~case.kept).sum())
    return Correction(
        name=name,
        changed=changed,
        pruned=pruned,
        prevalence=case.prevalence,
        errors=(changed + pruned) / case.n,
        moved=int((ranks != competition_ranks(before)).sum()),
        tau=None if np.isnan(tau) else tau,
        ranks=tuple(ranks.tolist()),
    )
