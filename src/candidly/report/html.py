"""One self-contained page: findings, tables, figures, choices, cost and settings of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..grid import Column, Datum, Grid
from ..stats import summarise
from ..sweep.records import Record, Results, Run
from ..sweep.select import METRICS, trained_on_validation
from . import figures
from ._page import (
    Html,
    bullets,
    figure_row,
    folded,
    heading,
    make_page,
    paragraph,
    section,
    together,
    write_page,
)
from ._wording import NOTHING, algorithm_order, dataset_order, is_oracle, legend
from .findings import findings_by_dataset
from .tables import BOLD, CONFIGURATIONS, Choices, make_tables

CURVES = 7  # lines a reader can tell apart; the best ones are drawn, and an oracle


@dataclass(frozen=True)
class TrainingCost:
    """What training took, over the complete runs of an algorithm on a data set."""

    algorithm: str
    runs: int
    networks: int
    epochs: float | None  # of all networks together; of the longest run
    ms_per_update: float | None
    spread_ms: float | None  # standard deviation over runs
    peak_mib: float | None


def write_report(
    results: Results,
    path: Path | str,
    *,
    metric: str = "top1",
    criteria: Sequence[str] | None = None,
) -> None:
    """Write the page, whole or not at all. The same results give the same bytes.

    Raises:
        OSError: the folder cannot be written, or the disk is full; the message names ``path``.
    """
    write_page(make_results_page(results, metric, criteria), path)


def make_results_page(
    results: Results, metric: str = "top1", criteria: Sequence[str] | None = None
) -> str:
    """The page as HTML text; it refers to nothing outside itself."""
    tables = make_tables(results, criteria) if results.runs else []
    complete = sum(run.complete for run in results.runs)
    lead = f"{complete} of {len(results.runs)} planned runs are complete."
    unread = (heading("Notes"), bullets(results.notes))
    return make_page(
        "Which algorithm learns best from these labels?",
        *(_pieces(results, tables, metric) if tables else ()),
        lead=lead if results.runs else paragraph(NOTHING),
        facts=dict(_settings(results)),
        facts_title="Settings",
        notes=unread if results.notes else (),
        made_of="the plan and journal of one results directory",
    )


def _pieces(results: Results, tables: Sequence[Choices], metric: str) -> Iterator[Html]:
    yield _lead(results, metric)
    yield section(
        "Test accuracy by selection criterion",
        f"{legend(results, metric)} {BOLD}; whether it is a difference is said above.",
        Html(f'<div class="tables">\n{together(*(t.grid(metric) for t in tables))}\n</div>'),
    )
    for dataset in dataset_order(results):
        yield _section(results, dataset, tables, metric)


def _lead(results: Results, metric: str) -> Html:
    found = findings_by_dataset(results, metric)
    said = [
        piece for name, sentences in found.items() for piece in (heading(name), bullets(sentences))
    ]
    intervals = (
        "Intervals are Student's t over splits, paired. Splits share rows, so they are somewhat "
        "too narrow."
    )
    return section("", *said, intervals, label="What the tables show", kind="lead")


def costs(results: Results, dataset: str) -> list[TrainingCost]:
    """Time and memory per algorithm, in the order of the tables."""
    found = []
    for algorithm in algorithm_order(results):
        runs = [
            run
            for run in results.runs
            if (run.dataset, run.algorithm) == (dataset, algorithm) and run.complete
        ]
        last = [run.records[-1] for run in runs if run.records]
        pace = summarise([1000 * r.seconds / r.step for r in last if r.step], ddof=1)
        peak = max((r.memory_bytes for r in last), default=0)
        found.append(
            TrainingCost(
                algorithm=algorithm,
                runs=len(runs),
                networks=max((run.networks for run in runs), default=1),
                epochs=max(
                    (e for r in runs if r.records and (e := r.epochs(r.records[-1].step))),
                    default=None,
                ),
                ms_per_update=pace.mean,
                spread_ms=pace.standard_deviation,
                peak_mib=peak / 2**20 or None,
            )
        )
    return found


def cost_grid(spent: Sequence[TrainingCost]) -> Grid:
    """Time and memory of every algorithm."""
    columns = (
        Column("algorithm", "name"),
        Column("runs"),
        Column("networks"),
        Column("epochs × networks", form=".1f"),
        Column("ms per update", form=".3f", spread="standard deviation"),
        Column("peak MiB", form=".0f"),
    )
    rows = [
        (
            *(cost.algorithm, cost.runs, cost.networks, cost.epochs),
            Datum(
                cost.ms_per_update,
                cost.spread_ms,
                text=f"{cost.ms_per_update:.3f} ± –"
                if cost.ms_per_update is not None and cost.spread_ms is None
                else None,
            ),
            cost.peak_mib,
        )
        for cost in spent
    ]
    note = (
        "A run's time is its share of the stack it was trained in; memory is the peak of the "
        "process, its imports included. Epochs are those of the longest run: batch sizes differ."
    )
    title = "Mean over complete runs ± standard deviation over runs"
    return Grid(title, columns, rows, (note,))


def _section(results: Results, dataset: str, tables: Sequence[Choices], metric: str) -> Html:
    """Everything the page shows about one data set below the tables."""
    algorithms = algorithm_order(results)
    colours = figures.make_colours(algorithms)
    spent = costs(results, dataset)
    columns = [
        [t.cells[a, dataset] for a in t.algorithms if (a, dataset) in t.cells] for t in tables
    ]
    limits = _limits([v for column in columns for cell in column for v in cell.values(metric)])
    boxed = any(figures.boxed(cell.values(metric)) for column in columns for cell in column)
    box = (
        ". The box spans the quartiles, its thick line is the median, and the whiskers reach the "
        "extremes."
    )
    plots = [figures.split_plot(column, colours, metric, limits) for column in columns]
    names = [t.criterion.name for t in tables]
    curves = _curves(results, dataset, tables, colours, metric)
    several = sum(not is_oracle(name) for name in algorithms) > CURVES
    drawn = (
        heading("Learning curves"),
        f"Mean over splits of the runs chosen by {names[0]}, with a band of one standard error."
        + f" The {CURVES} best algorithms and the oracle are drawn." * several
        + " A line ends where a run diverged.",
        figure_row([(name, "", svg) for name, svg in zip(("Test", "Validation"), curves)]),
    )
    times = figures.bars(
        {cost.algorithm: cost.ms_per_update for cost in spent},
        colours,
        f"{dataset}: time per update",
        "milliseconds per update and run",
    )
    return section(
        dataset,
        heading("Spread over splits"),
        "A point per split" + (box if boxed else ", and a thick line at their mean."),
        figure_row([(f"Chosen by {name}", "", svg) for name, svg in zip(names, plots)]),
        *(drawn if curves else ()),
        heading("Time and memory"),
        figure_row([("Time per update", "", times)]),
        cost_grid(spent),
        heading("Configurations chosen"),
        CONFIGURATIONS.format(METRICS[metric]),
        *(
            folded(f"Chosen by {name}", table.configurations(dataset, metric))
            for name, table in zip(names, tables)
        ),
    )


def _limits(values: Sequence[float | None]) -> tuple[float, float] | None:
    """One axis for all the box plots of a data set, in percent."""
    there = [100 * v for v in values if v is not None and v == v]
    if not there:
        return None
    margin = max(1.0, 0.04 * (max(there) - min(there)))
    return min(there) - margin, max(there) + margin


def _curves(
    results: Results,
    dataset: str,
    tables: Sequence[Choices],
    colours: figures.Colours,
    metric: str,
) -> list[str]:
    """Learning curves of the runs that the first criterion chose, one run per split."""
    if not tables:
        return []
    table, by_key = tables[0], {run.key: run for run in results.runs}
    cells = [table.cells[a, dataset] for a in table.algorithms if (a, dataset) in table.cells]
    there = [cell for cell in cells if any(cell.choices)]
    best = sorted(
        (cell for cell in there if not is_oracle(cell.algorithm)),
        key=lambda cell: -(cell.summary[metric].mean or 0.0),
    )[:CURVES]
    shown: Mapping[str, list[Run]] = {
        cell.algorithm: [by_key[choice.key] for choice in cell.choices if choice]
        for cell in there
        if cell in best or is_oracle(cell.algorithm)
    }
    name, noisy = table.criterion.name, table.criterion.measure == "NVA"
    measure = "NVA" if noisy else "CR"
    what_is_seen = "noisy accuracy" if noisy else "covering rate"

    def tested(record: Record) -> float | None:
        return None if record.diverged_at is not None else record.test.get(metric)

    def validated(record: Record) -> float | None:
        return None if record.diverged_at is not None else record.validation.get(measure)

    drawn = [(METRICS[metric], f"{METRICS[metric]} (%)", tested)]
    if not trained_on_validation(results):
        drawn.append(
            (f"{what_is_seen} on validation", f"{what_is_seen}, validation (%)", validated)
        )
    return [
        figures.learning_curve(
            shown, colours, what, f"{dataset}: {what} of the runs chosen by {name}", label, value
        )
        for what, label, value in drawn
    ]


def _settings(results: Results) -> list[tuple[str, str]]:
    def text(value: object) -> str:
        if isinstance(value, list | tuple):
            return ", ".join(str(one) for one in value)
        return "default" if value is None else str(value)

    return [(str(name), text(value)) for name, value in results.settings.items()]
