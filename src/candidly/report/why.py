"""Which criterion to trust: what can be said of the choices by CR and AA without clean labels."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from .._names import lookup
from ..sweep.records import Results
from ..sweep.trust import ERRORS, REPEATS, RESAMPLES, Trust, trust
from ._forms import finite, markdown_safe, markdown_table, rich_table
from ._wording import NOTHING, algorithm_label, algorithm_order, dataset_order, percent

SCHEMA = 1  # of the JSON form
COLUMNS = ("algorithm", "criterion", "its value", "Eq. 8", "tied", "redrawn", "AA over-confident")
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


def render_why(results: Results, format: str = "text", width: int = 100) -> str:
    """How far the choices by CR and AA can be trusted, for every data set and algorithm.

    Args:
        results: what :func:`candidly.sweep.journal.read_results` returns.
        format: ``text``, ``markdown`` or ``json``.
        width: columns the text form may use.

    Raises:
        UnknownName: a format that is not there; suggests the nearest.
        ValueError: the validation rows were trained on, so nothing was chosen by them.
    """
    _, form = lookup(FORMATS, format, "format")
    return form(results, width)


def why_rows(found: Sequence[Trust]) -> list[tuple[str, ...]]:
    """Texts for a table with ``COLUMNS``."""
    return [
        (
            algorithm_label(one.algorithm),
            one.criterion,
            _plus_minus(one.value, one.standard_error),
            "–" if one.accuracy is None else _plus_minus(one.accuracy, one.accuracy_error),
            "–" if one.ties is None else f"{one.ties:.1f}",
            _redrawn(one),
            _overconfident(one),
        )
        for one in found
    ]


def _plus_minus(value: float | None, error: float | None) -> str:
    if value is None:
        return "nothing chosen"
    return f"{percent(value, 1)} ± {'not recorded' if error is None else percent(error, 1)}"


def _redrawn(one: Trust) -> str:
    if one.value is None:
        return "–"
    return "not recorded" if one.other is None else f"{percent(one.other, 0)} %"


def _overconfident(one: Trust) -> str:
    if one.criterion != "AA" or one.value is None:
        return ""
    judged = [split for split in one.splits if split and split.overconfident is not None]
    if one.overconfident is None:
        return "unknown" if one.doubt else "not recorded"
    return f"{one.overconfident} of {len(judged)} splits" + " !" * bool(one.overconfident)


def _notes(found: Sequence[Trust], dataset: str) -> list[str]:
    doubts = dict.fromkeys(one.doubt for one in found if one.dataset == dataset and one.doubt)
    return [f"{dataset}: Eq. 8 is not applied: {doubt.rstrip('.')}." for doubt in doubts]


def _of(found: Sequence[Trust], results: Results, dataset: str) -> list[Trust]:
    order = algorithm_order(results)
    mine = [one for one in found if one.dataset == dataset]
    return sorted(mine, key=lambda one: order.index(one.algorithm))


def _text(results: Results, width: int) -> str:
    from rich.console import Console

    if not results.runs:
        return "\n".join([NOTHING, *results.notes])
    found = trust(results)
    page = io.StringIO()
    # names are data: no markup, emoji codes or highlighting in them
    console = Console(
        file=page, width=width, markup=False, emoji=False, highlight=False, color_system=None
    )
    for dataset in dataset_order(results):
        mine = _of(found, results, dataset)
        console.print(f"{dataset}: choices on {mine[0].n_validation} validation rows")
        drawn = rich_table()
        for column in COLUMNS:
            drawn.add_column(column, justify="left" if column in COLUMNS[:2] else "right")
        for row in why_rows(mine):
            drawn.add_row(*row)
        console.print(drawn)
        for note in _notes(found, dataset):
            console.print(f"Note: {note}")
        console.print()
    console.print(LEGEND)
    for note in results.notes:
        console.print(f"Note: {note}")
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()).rstrip()


def _markdown(results: Results, width: int) -> str:
    if not results.runs:
        return "\n\n".join([NOTHING, *results.notes])
    found = trust(results)
    parts = []
    for dataset in dataset_order(results):
        mine = _of(found, results, dataset)
        title = f"### {markdown_safe(dataset)}: choices on {mine[0].n_validation} validation rows"
        parts += [title, markdown_table(COLUMNS, why_rows(mine), "right")]
        parts += [f"Note: {markdown_safe(note)}" for note in _notes(found, dataset)]
    return "\n\n".join([*parts, LEGEND, *(f"Note: {markdown_safe(n)}" for n in results.notes)])


def _json(results: Results, width: int) -> str:
    about = {
        "schema": SCHEMA,
        "unit": "shares, 0 to 1",
        "resamples": RESAMPLES,
        "rule": RULE,
        "notes": list(results.notes),
        "rows": [asdict(one) for one in trust(results)],
    }
    return json.dumps(finite(about), indent=1, ensure_ascii=False, allow_nan=False)


FORMATS: Mapping[str, Callable[[Results, int], str]] = {
    "text": _text,
    "markdown": _markdown,
    "json": _json,
}
