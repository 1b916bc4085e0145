"""From a file to labels that look wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .. import errors
from ..crossval import by_name, cross_validate
from ._leaks import Leak, find_leaks
from ._opened import Columns, opened
from ._result import Checked

Watch = Callable[[int, int], None]
READ, FITTED, ALL = 5, 95, 100  # how far the work is after each step


def check(
    where: Any,
    label: str | None = None,
    *,
    separator: str | None = None,
    id: str | None = None,
    text: str | None = None,
    image: str | None = None,
    drop: Sequence[str] = (),
    classifier: str | None = None,
    folds: int = 5,
    by: errors.FindBy = "noise rate",
    seed: int = 0,
    watch: Watch | None = None,
) -> Checked:
    """Labels that look wrong to a classifier that did not see them.

    Args:
        where: a file with a table, a folder of pictures, a data frame, or ``Labelled``.
    """

    def step(low: int, high: int) -> Watch:
        def tell(done: int, total: int) -> None:
            if watch is not None:
                watch(low * total + (high - low) * done, ALL * total)

        return tell

    columns = Columns(label, separator, id, text, image, tuple(drop))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        read = opened(where, columns)
        data = read.data.blind()
        judged = cross_validate(
            by_name(classifier or "logistic", data.kind), data, folds, seed=seed,
            watch=step(READ, FITTED),
        )  # fmt: skip
        leaks: tuple[Leak, ...] = ()
        used: tuple[str, ...] = ()
        if read.frame is not None and judged.given is not None:
            used = tuple(c for c in read.frame.columns if c not in {read.label, id, *drop})
            leaks = find_leaks(read.frame.select(used), judged.given)
        issues = errors.find(
            judged.given, judged.probs, by, unlabelled=True, classes=data.classes,
            watch=step(FITTED, ALL),
        )  # fmt: skip
    notes = tuple(dict.fromkeys(str(each.message) for each in caught))
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return Checked(read.name, data, read.frame, read.label, used, judged, issues, leaks, notes)
