"""Which criterion to trust: what can be said of the choices by CR and AA without clean labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...show.document import Document
from ...show.grid import Column, Datum, Grid, Value
from ...show.pieces import Piece
from ...show.words import in_percent
from ..sweep.counts import labels_read
from ..sweep.results import Results
from ..sweep.trust import ERRORS, REPEATS, RESAMPLES, Trust, trust
from ._wording import NOTHING, algorithm_label, algorithm_order, dataset_order

SCHEMA = 1  # of the JSON form
COLUMNS = (
    Column("algorithm", "name"),
    Column("criterion", "word"),
    Column("its value", form=".1f", spread="standard error"),
    Column("Eq. 8", form=".1f", spread="standard error"),
    Column("tied", form=".1f"),
    Column("redrawn", form=".0f"),
    Column("AA over-confident"),
)
RULE = (
    f"AA is over-confident in a split where it is above {REPEATS} CR, so that it only repeats CR, "
    f"and above Eq. 8's estimate from the same CR by more than {ERRORS} standard errors of the "
    "difference."
)
LEGEND = (
    "From the validation rows without their truth, in percent, means over splits. Its value: of "
    "the criterion, for the models it chose. Eq. 8: the accuracy that their CR stands for where "
    "every wrong label is a candidate at one rate. ±: the standard error from the rows of one "
    "validation set. Tied: configurations that share the best value, the chosen one included. "
    f"Redrawn: the share of {RESAMPLES:,} bootstrap resamples of the validation rows that choose "
    f"another configuration. {RULE}"
)


def trust_tables(results: Results) -> Document:
    """How far the choices by CR and AA can be trusted, for every data set and algorithm.

    Args:
        results: what :func:`candidly.compare.sweep.journal.read_results` returns.

    Raises:
        ValueError: the validation rows were trained on, so nothing was chosen by them.
    """
    found = trust(results) if results.runs else []
    reads = labels_read(results)
    rows = [(one.dataset, *_row(one, reads)) for one in found]
    return Document(
        "",
        tuple(_pieces(results, found)) if found else (NOTHING, *results.notes),
        table=Grid("", (Column("dataset", "name"), *COLUMNS), rows),
        data=lambda: _data(results, found),
    )


def why_grid(found: Sequence[Trust], reads: Mapping[str, Sequence[str]] | None = None) -> Grid:
    """What is said of the choices on one data set, in percent; ``reads``: as ``labels_read``."""
    doubts = dict.fromkeys(one.doubt.rstrip(".") for one in found if one.doubt)
    name = found[0].dataset
    return Grid(
        f"{name}: choices on {found[0].n_validation} validation rows",
        COLUMNS,
        [_row(one, reads or {}) for one in found],
        tuple(f"Note: {name}: Eq. 8 is not applied: {doubt}." for doubt in doubts),
        keys=2,
    )


def _row(one: Trust, reads: Mapping[str, Sequence[str]]) -> tuple[Value | Datum, ...]:
    return (
        algorithm_label(one.algorithm, reads.get(one.algorithm, ())),
        one.criterion,
        _plus_minus(one.value, one.standard_error),
        None if one.accuracy is None else _plus_minus(one.accuracy, one.accuracy_error),
        one.ties,
        _redrawn(one),
        _overconfident(one),
    )


def _plus_minus(value: float | None, error: float | None) -> str | Datum:
    if value is None:
        return "nothing chosen"
    return Datum(
        in_percent(value),
        in_percent(error),
        text=f"{100 * value:.1f} ± not recorded" if error is None else None,
    )


def _redrawn(one: Trust) -> Value | Datum:
    if one.value is None:
        return None
    if one.other is None:
        return "not recorded"
    return Datum(100 * one.other, text=f"{100 * one.other:.0f} %")


def _overconfident(one: Trust) -> str:
    if one.criterion != "AA" or one.value is None:
        return ""
    judged = [split for split in one.splits if split and split.overconfident is not None]
    if one.overconfident is None:
        return "unknown" if one.doubt else "not recorded"
    return f"{one.overconfident} of {len(judged)} splits" + " !" * bool(one.overconfident)


def _pieces(results: Results, found: Sequence[Trust]) -> Iterator[Piece]:
    order = algorithm_order(results)
    for dataset in dataset_order(results):
        mine = [one for one in found if one.dataset == dataset]
        ordered = sorted(mine, key=lambda one: order.index(one.algorithm))
        yield why_grid(ordered, labels_read(results))
    yield LEGEND
    yield from (f"Note: {note}" for note in results.notes)


def _data(results: Results, found: Sequence[Trust]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "unit": "shares, 0 to 1",
        "resamples": RESAMPLES,
        "rule": RULE,
        "notes": list(results.notes),
        "rows": [asdict(one) for one in found],
    }
