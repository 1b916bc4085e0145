"""Rows that were drawn, as a table for people to check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.arrays import door
from ...ground.names import made_by
from ...stats.checked import RowsToCheck
from ..confident import Evidence
from ._result import WrongLabels

if TYPE_CHECKING:
    import polars as pl


@door
def table_to_check(
    drawn: RowsToCheck,
    found: WrongLabels,
    evidence: Evidence,
    classes: Sequence[str] | None = None,
) -> pl.DataFrame:
    """A row per drawn row, in their order.

    Columns: index (the row, from 0), id, where rows have one, given (its label), proposed (the most
    probable other class), the chance that the label is wrong, and of its stratum: stratum, stratum
    size and stratum chance. ``candidly review new`` asks people about such a table.

    Args:
        drawn: what ``errors.rows_to_check`` returned.
        found: what ``errors.estimate`` returned.
        evidence: the labels and probabilities that it looked at.
        classes: names of the classes.
    """
    import polars as pl

    made_by(drawn, RowsToCheck, "drawn", "errors.rows_to_check")
    made_by(found, WrongLabels, "found", "errors.estimate")
    made_by(evidence, Evidence, "evidence", "errors.examine")
    ascending = np.argsort(drawn.rows)
    probs = np.empty((len(drawn.rows), evidence.m))
    probs[ascending] = evidence.source.some(drawn.rows[ascending])
    given = evidence.given[drawn.rows]
    probs[np.arange(len(given)), given] = -1
    columns: dict[str, Any] = {"index": drawn.rows}
    if evidence.ids is not None:
        columns["id"] = evidence.ids[drawn.rows]
    columns |= {
        "given": _names(given, classes),
        "proposed": _names(probs.argmax(1), classes),
        "chance": found.chance[drawn.rows],
        **drawn.columns(),
    }
    return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))


def _names(numbers: np.ndarray, classes: Sequence[str] | None) -> np.ndarray | list[str]:
    return numbers if classes is None else [classes[k] for k in numbers.tolist()]
