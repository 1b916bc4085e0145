"""One self-contained page: findings, tables, figures, choices, cost and settings of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ...show.document import Document
from ...show.pieces import (
    Bullets,
    Command,
    Figure,
    Figures,
    Heading,
    Links,
    Paragraph,
    Piece,
    Pieces,
    Section,
    SideBySide,
)
from ..sweep.counts import counted
from ..sweep.results import Results
from ..sweep.select import Cell, cells, usual_criteria
from ._dataset import dataset_section, dataset_views, runs_id
from ._wording import NOTHING, legend, warm_up_text
from .accuracies import accuracies_figure
from .completeness import completeness_text, missing_grid
from .design import by_split
from .findings import findings_by_dataset
from .ranking import ranks_of, ranks_text
from .ranking_figures import rank_figure
from .tables import Choices, bold_text, criteria_grid, make_tables


def results_document(
    results: Results,
    metric: str = "top1",
    criteria: Sequence[str] | None = None,
    finish: str = "",
) -> Document:
    """What a sweep says, whole.

    Args:
        results: what :func:`candidly.compare.sweep.journal.read_results` returns.
        metric: ``top1``, ``balanced``, ``top5`` or ``adjusted``.
        criteria: of the tables; by default ``select.usual_criteria``.
        finish: a command that trains what is missing, if there is one.

    Raises:
        UnknownName: a metric or criterion that is not there; suggests the nearest.
    """
    names = usual_criteria(results)
    chosen = cells(results, list(dict.fromkeys((*names, *(criteria or names)))))
    tables = make_tables(results, criteria, chosen) if results.runs else []
    lead = completeness_text(results)
    return Document(
        "Which algorithm learns best from these labels?",
        tuple(_pieces(results, tables, chosen, metric, finish)) if tables else (),
        lead=lead if results.runs else Paragraph(NOTHING),
        facts=dict(_settings(results)),
        facts_title="Settings",
        notes=(Heading("Notes"), Bullets(results.notes)) if results.notes else (),
        made_of="the plan and journal of one results directory",
        scripts=("tables",),
    )


def _pieces(
    results: Results,
    tables: Sequence[Choices],
    chosen: Sequence[Cell],
    metric: str,
    finish: str,
) -> Iterator[Piece]:
    yield _lead(results, metric, chosen)
    yield _accuracies(results, tables, metric)
    ranked = ranks_of(list(tables[0].cells.values()), metric)
    if ranked is not None:
        found, apart, steady = ranked
        draw = partial(
            rank_figure,
            dict(zip(apart.names, apart.ranks or ())),
            apart.groups,
            apart.critical_difference,
            "Average ranks over data sets",
        )
        said = f"Chosen by {tables[0].criterion.name}. {ranks_text(found, apart, steady)}"
        yield Section("Ranks over data sets", (said, Figures([Figure("", "", draw)])))
    views = list(dataset_views(results, tables, metric))
    for view in views:
        yield dataset_section(view, folded=len(views) > 1)
    yield _completeness(results, finish)


def _accuracies(results: Results, tables: Sequence[Choices], metric: str) -> Section:
    """As few tables as there can be: one for each criterion, or one for each data set."""
    datasets = tables[0].datasets
    if len(datasets) < len(tables):
        grids = [criteria_grid(tables, dataset, metric) for dataset in datasets]
    else:
        grids = [table.grid(metric) for table in tables]
    behind = [
        Links(
            f"The runs behind each number of {dataset}, as",
            [(table.criterion.name, runs_id(dataset, table.criterion.name)) for table in tables],
            " chose them.",
        )
        for dataset in datasets
    ]
    warm = warm_up_text(cell for table in tables for cell in table.cells.values())
    told = f"{legend(results, metric)} {bold_text(results)}. {warm}".rstrip()
    pieces: tuple[Piece, ...] = (told, Pieces(grids, "tables"), *behind)
    return Section("Test accuracy by selection criterion", pieces)


def _lead(results: Results, metric: str, chosen: Sequence[Cell]) -> Section:
    found = findings_by_dataset(results, metric, chosen)
    lead = chosen[0].criterion
    said: list[Piece] = []
    for name, sentences in found.items():
        mine = [cell for cell in chosen if (cell.dataset, cell.criterion) == (name, lead)]
        figure = accuracies_figure(mine, results, metric)
        drawn = [] if figure is None else [Figures([figure])]
        said += [Heading(name), SideBySide((*drawn, Bullets(sentences)))]
    whose = chosen[0].dataset, chosen[0].criterion
    first = [cell for cell in chosen if (cell.dataset, cell.criterion) == whose]
    design = by_split(first, results, metric).design
    intervals = (
        f"Intervals are of {design.how}. They are over {design.covers}; {design.leaves_out} are "
        "not in them."
        if design.level_holds
        else f"There are {design.how}."
    )
    return Section("", (*said, intervals), label="What the tables show", kind="lead")


def _completeness(results: Results, finish: str) -> Section:
    left = bool(finish) and any(one.complete < one.planned for one in counted(results))
    train = ("This trains what is missing:", Command(finish)) if left else ()
    pieces = (completeness_text(results), missing_grid(results), *train)
    return Section("What is missing", pieces)


def _settings(results: Results) -> list[tuple[str, str]]:
    def text(value: object) -> str:
        if isinstance(value, list | tuple):
            return ", ".join(str(one) for one in value) or "none"
        return "default" if value is None else str(value)

    return [(str(name), text(value)) for name, value in results.settings.items()]
