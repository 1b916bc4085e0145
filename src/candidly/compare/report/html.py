"""One self-contained page: findings, tables, figures, choices, cost and settings of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...show.figures import keep_drawings, write_drawings
from ...show.page import (
    Html,
    bullets,
    command,
    figure_row,
    heading,
    links,
    make_page,
    paragraph,
    section,
    together,
    write_page,
)
from ..sweep.counts import counted
from ..sweep.results import Results
from ..sweep.select import Cell, cells, usual_criteria
from ._dataset import dataset_section, dataset_views, runs_id
from ._wording import NOTHING, legend
from .completeness import completeness_text, missing_grid
from .findings import findings_by_dataset
from .ranking import ranks_of, ranks_text
from .ranking_figures import rank_figure
from .tables import BOLD, Choices, criteria_grid, make_tables


def write_report(
    results: Results,
    path: Path | str,
    *,
    metric: str = "top1",
    criteria: Sequence[str] | None = None,
    figures_in: Path | str | None = None,
    finish: str = "",
) -> None:
    """Write the page, whole or not at all. The same results give the same bytes.

    Args:
        figures_in: a folder for every figure as SVG, PDF and PNG; made if it is not there.
        finish: a command that trains what is missing, if there is one.

    Raises:
        OSError: the folder cannot be written, or the disk is full; the message names ``path``.
    """
    with keep_drawings() as kept:
        page = make_results_page(results, metric, criteria, finish)
    write_page(page, path)
    if figures_in is not None:
        write_drawings(kept, Path(figures_in))


def make_results_page(
    results: Results,
    metric: str = "top1",
    criteria: Sequence[str] | None = None,
    finish: str = "",
) -> str:
    """The page as HTML text; it refers to nothing outside itself."""
    names = usual_criteria(results)
    chosen = cells(results, list(dict.fromkeys((*names, *(criteria or names)))))
    tables = make_tables(results, criteria, chosen) if results.runs else []
    lead = completeness_text(results)
    unread = (heading("Notes"), bullets(results.notes))
    return make_page(
        "Which algorithm learns best from these labels?",
        *(_pieces(results, tables, chosen, metric, finish) if tables else ()),
        lead=lead if results.runs else paragraph(NOTHING),
        facts=dict(_settings(results)),
        facts_title="Settings",
        notes=unread if results.notes else (),
        made_of="the plan and journal of one results directory",
        tables=True,
    )


def _pieces(
    results: Results,
    tables: Sequence[Choices],
    chosen: Sequence[Cell],
    metric: str,
    finish: str,
) -> Iterator[Html]:
    yield _lead(results, metric, chosen)
    yield _accuracies(results, tables, metric)
    ranked = ranks_of(list(tables[0].cells.values()), metric)
    if ranked is not None:
        found, apart, steady = ranked
        drawn = rank_figure(
            dict(zip(apart.names, apart.ranks or ())),
            apart.groups,
            apart.critical_difference,
            "Average ranks over data sets",
        )
        yield section(
            "Ranks over data sets",
            f"Chosen by {tables[0].criterion.name}. {ranks_text(found, apart, steady)}",
            figure_row([("", "", drawn)]),
        )
    yield from map(dataset_section, dataset_views(results, tables, metric))
    yield _completeness(results, finish)


def _accuracies(results: Results, tables: Sequence[Choices], metric: str) -> Html:
    """As few tables as there can be: one for each criterion, or one for each data set."""
    datasets = tables[0].datasets
    if len(datasets) < len(tables):
        grids = [criteria_grid(tables, dataset, metric) for dataset in datasets]
    else:
        grids = [table.grid(metric) for table in tables]
    behind = [
        links(
            f"The runs behind each number of {dataset}, as",
            [(table.criterion.name, runs_id(dataset, table.criterion.name)) for table in tables],
            " chose them.",
        )
        for dataset in datasets
    ]
    return section(
        "Test accuracy by selection criterion",
        f"{legend(results, metric)} {BOLD}.",
        Html(f'<div class="tables">\n{together(*grids)}\n</div>'),
        *behind,
    )


def _lead(results: Results, metric: str, chosen: Sequence[Cell]) -> Html:
    found = findings_by_dataset(results, metric, chosen)
    said = [
        piece for name, sentences in found.items() for piece in (heading(name), bullets(sentences))
    ]
    intervals = (
        "Intervals are of paired t tests over splits, wider by what splits that share rows ask for "
        "(Nadeau and Bengio)."
    )
    return section("", *said, intervals, label="What the tables show", kind="lead")


def _completeness(results: Results, finish: str) -> Html:
    missing = missing_grid(results)
    left = bool(finish) and any(one.complete < one.planned for one in counted(results))
    return section(
        "What is missing",
        completeness_text(results),
        missing,
        *(("This trains what is missing:",) * left),
        *((command(finish),) * left),
    )


def _settings(results: Results) -> list[tuple[str, str]]:
    def text(value: object) -> str:
        if isinstance(value, list | tuple):
            return ", ".join(str(one) for one in value) or "none"
        return "default" if value is None else str(value)

    return [(str(name), text(value)) for name, value in results.settings.items()]
