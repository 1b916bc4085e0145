"""Whether rows that people checked are rows of the data."""

from __future__ import annotations

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.names import made_by
from ...stats.checked import CheckedRows


def check_same(checked: CheckedRows, data: Labelled) -> None:
    """Refuse rows that were drawn from other data, or from these before they changed.

    Raises:
        ValueError: data without one label a row, more or fewer labels than rows were drawn from, a
            row that is not there or has another label.
    """
    made_by(checked, CheckedRows, "checked", "people.review.checked_rows")
    if data.given is None:
        raise ValueError("`checked` is about data with one label a row, and these have sets.")
    labelled = int(np.count_nonzero(data.given >= 0))
    drawn = int(checked.drawn.sizes.sum())
    what = data.source or "the data"
    if drawn != labelled:
        raise ValueError(
            f"{checked.source} has rows that were drawn from {drawn:,} labels, and {what} has "
            f"{labelled:,}; give the data that they were drawn from."
        )
    rows = checked.drawn.rows
    for row in rows[(rows < 0) | (rows >= data.n)][:1]:
        raise ValueError(f"{checked.source} is about row {row}, and {what} has {data.n:,} rows.")
    for row, said in zip(rows.tolist(), checked.given or ()):
        there = int(data.given[row])
        if str(said) not in (str(there), data.classes[there] if there >= 0 else ""):
            name = repr(data.classes[there]) if there >= 0 else "none"
            raise ValueError(
                f"{checked.source} says that the label of row {row} is {said!r}, and {what} has "
                f"{name} there; give the data that the rows were drawn from."
            )
