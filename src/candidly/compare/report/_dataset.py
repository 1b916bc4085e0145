"""What the page shows about one data set, part by part."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from ...show.pieces import Figure, Figures, Folded, Heading, Piece, Section
from ...show.words import in_percent
from ..sweep.counts import labels_read
from ..sweep.gap import Gap, chosen_runs, gaps
from ..sweep.records import Record, Run
from ..sweep.results import Results
from ..sweep.select import METRICS, Cell, trained_on_validation
from . import results_figures as figures
from ._wording import algorithm_order, dataset_order, is_oracle
from .cost import TrainingCost, cost_grid, costs, pareto_figure
from .design import by_split
from .gap import gap_grid
from .importance import importance_grid, importances
from .ranking import (
    beliefs_text,
    clear_grid,
    pairs_grid,
    pairs_of,
    pairs_text,
    steadiness_of,
    steadiness_text,
)
from .selection import selection_figure
from .tables import CONFIGURATIONS, Choices

SEEN = {"CR": "covering rate", "NVA": "noisy accuracy", "answers": "answers predicted"}
CURVES = 7  # lines a reader can tell apart; the best ones are drawn, and an oracle


@dataclass(frozen=True, eq=False)
class DatasetView:
    """One data set of a sweep, with what several parts need.

    Attributes:
        tables: what each criterion chose, of all data sets; the first leads.
        gaps: best, last and selected records by the first criterion, of this data set.
        tested: whether there are test accuracies.
    """

    results: Results
    dataset: str
    tables: Sequence[Choices]
    metric: str
    gaps: Sequence[Gap]
    tested: bool

    @cached_property
    def algorithms(self) -> list[str]:
        return algorithm_order(self.results)

    @cached_property
    def reads(self) -> Mapping[str, Sequence[str]]:
        return labels_read(self.results)

    @cached_property
    def oracles(self) -> list[str]:
        return [name for name, reads in self.reads.items() if is_oracle(reads)]

    @cached_property
    def colours(self) -> figures.Colours:
        return figures.make_colours(self.algorithms, self.oracles)

    @cached_property
    def lead(self) -> list[Cell]:
        """What the first criterion chose."""
        return self.cells_of(self.tables[0])

    @cached_property
    def spent(self) -> list[TrainingCost]:
        return costs(self.results, self.dataset)

    @cached_property
    def ranked(self) -> list[str]:
        """Algorithms by the mean of what the first criterion chose, the highest first."""
        means = {cell.algorithm: cell.summary[self.metric].mean for cell in self.lead}
        return sorted(self.algorithms, key=lambda name: -(means.get(name) or 0.0))

    def cells_of(self, table: Choices) -> list[Cell]:
        there = ((name, self.dataset) for name in table.algorithms)
        return [table.cells[place] for place in there if place in table.cells]


def dataset_views(
    results: Results, tables: Sequence[Choices], metric: str
) -> Iterator[DatasetView]:
    """Every data set, in the order of the plan."""
    blind, found = results.runs.untested, []
    chosen_runs(results, tables[0].cells.values())  # in one pass, where that takes reading
    if not trained_on_validation(results):
        lead = tables[0]
        found = gaps(results, lead.criterion.name, metric, tuple(lead.cells.values()))
    for dataset in dataset_order(results):
        mine = [one for one in found if one.dataset == dataset and dataset not in blind]
        yield DatasetView(results, dataset, tables, metric, mine, dataset not in blind)


def dataset_section(view: DatasetView, folded: bool = False) -> Section:
    """All parts, under the name of the data set; ``folded`` where there are several."""
    pieces: list[Piece] = [piece for part in PARTS for piece in part(view)]
    told = "Curves, pairs of algorithms, what choosing costs, time, configurations"
    return Section(view.dataset, [Folded(told, pieces)] if folded else pieces)


def _spread(view: DatasetView) -> Iterator[Piece]:
    order = {name: place for place, name in enumerate(view.ranked)}
    columns = [
        sorted(view.cells_of(table), key=lambda cell: order[cell.algorithm])
        for table in view.tables
    ]
    values = [cell.values(view.metric) for column in columns for cell in column]
    limits = _limits([value for several in values for value in several])
    box = (
        ". The box spans the quartiles, its thick line is the median, and the whiskers reach the "
        "extremes."
    )
    few = (
        f", and a thick line at their mean. A box needs {figures.BOXED} values: the quartiles of "
        "fewer are single splits, which the points show."
    )
    boxed = any(map(figures.boxed, values))
    yield Heading("Spread over splits")
    told = (
        "A point per split"
        + (box if boxed else few)
        + " Blue is the highest mean, orange the lowest; "
        + f"rows are in the order of what {view.tables[0].criterion.name} chose."
    )
    shown = Figures(
        [
            Figure(
                f"Chosen by {table.criterion.name}",
                "",
                partial(figures.split_plot, column, view.metric, limits),
            )
            for table, column in zip(view.tables, columns)
        ]
    )
    yield Folded("Every split, by each criterion", (told, shown))


def _learning(view: DatasetView) -> Iterator[Piece]:
    curves = _curves(view)
    if not curves:
        return
    several = len(view.algorithms) - len(view.oracles) > CURVES
    yield Heading("Learning curves")
    yield (
        f"Mean over splits of the runs chosen by {view.tables[0].criterion.name}, with a band of "
        "one standard error; a point for each record that was chosen, one per split."
        + f" The {CURVES} best algorithms and the oracle are drawn." * several
        + " A line ends where a run diverged."
    )
    yield Figures([Figure(name, "", draw) for name, draw in zip(("Test", "Validation"), curves)])


def _pairs(view: DatasetView) -> Iterator[Piece]:
    found = pairs_of(view.lead, view.results, view.metric) if view.tested else None
    if found is None:
        return
    steady = steadiness_of(view.lead, view.results, view.metric)
    design = by_split(view.lead, view.results, view.metric).design
    yield Heading("Who is clearly ahead of whom")
    yield f"Chosen by {view.tables[0].criterion.name}. {pairs_text(found, design)}"
    yield beliefs_text(view.lead, view.results, view.metric)
    yield steadiness_text(steady, design)
    each = pairs_grid(found, steady, view.lead, view.dataset, view.metric)
    yield Folded("Each algorithm", (each,))
    clear = clear_grid(found, view.dataset)
    if clear.rows:
        yield Folded("The pairs that are clearly apart", (clear,))


def _selection(view: DatasetView) -> Iterator[Piece]:
    mine = [one for one in view.gaps if one.best.mean is not None]
    if not mine:
        return
    criterion = view.tables[0].criterion.name
    yield Heading("What choosing costs")
    yield (
        f"The records of the runs that {criterion} chose: best is an oracle that reads the test "
        "rows, and nobody can choose by it."
    )
    order = view.algorithms
    grid = gap_grid(
        sorted(mine, key=lambda one: order.index(one.algorithm)), view.dataset, view.reads
    )
    yield Figures([Figure("", "", partial(selection_figure, mine, view.dataset))])
    yield Folded("The numbers", (grid,))


def _cost(view: DatasetView) -> Iterator[Piece]:
    yield Heading("Time and memory")
    worth = {cell.algorithm: in_percent(cell.summary[view.metric].mean) for cell in view.lead}
    shown = []
    for caption, label, number in (
        ("Accuracy and time", "milliseconds per update and run", _milliseconds),
        ("Accuracy and memory", "peak of the process (MiB)", _mebibytes),
    ):
        points = {
            one.algorithm: (cost, value)
            for one in view.spent
            if (cost := number(one)) is not None and (value := worth.get(one.algorithm)) is not None
        }
        if len(points) > 1:
            title = f"{view.dataset}: {caption.lower()}"
            named, drawn = pareto_figure(
                points, view.colours, title, label, f"{METRICS[view.metric].about} (%)"
            )
            shown.append(Figure(caption, f"nobody is better and cheaper: {named}", drawn))
    if not shown:
        times = {one.algorithm: one.ms_per_update for one in view.spent}
        title = f"{view.dataset}: time per update"
        label = "milliseconds per update and run"
        bars = partial(figures.bars, times, view.colours, title, label)
        shown.append(Figure("Time per update", "", bars))
    yield Figures(shown)
    yield Folded("The numbers, over all complete runs of each", (cost_grid(view.spent),))


def _important(view: DatasetView) -> Iterator[Piece]:
    if not view.tested:
        return
    criterion = view.tables[0].criterion
    found = importances(view.results, view.dataset, criterion, view.metric)
    if not found:
        return
    yield Heading("Hyper-parameters that mattered")
    yield (
        "How much of the variance of mean test accuracy over configurations lies between values "
        "of each hyper-parameter (omega squared, corrected for chance; of many values between "
        "quarters). Near 0: it does not matter by itself, within the values that were tried."
    )
    yield Folded("The numbers", (importance_grid(found, view.dataset),))


def _configurations(view: DatasetView) -> Iterator[Piece]:
    yield Heading("Configurations chosen")
    yield CONFIGURATIONS.format(METRICS[view.metric].about)
    for table in view.tables:
        name = table.criterion.name
        grid = table.configurations(view.dataset, view.metric)
        yield Folded(f"Chosen by {name}", (grid,), id=runs_id(view.dataset, name))


PARTS: tuple[Callable[[DatasetView], Iterator[Piece]], ...] = (
    _spread,
    _learning,
    _pairs,
    _selection,
    _cost,
    _important,
    _configurations,
)


def runs_id(dataset: str, criterion: str) -> str:
    """Where the runs stand that a criterion chose on a data set; names may hold anything.

    >>> runs_id("lost", "OA & ES")
    'runs-lost-oa-es-e44b5e4a'
    """
    plain = re.sub(r"[^a-z0-9]+", "-", f"{dataset} {criterion}".lower()).strip("-")
    return f"runs-{plain}-{zlib.crc32(repr((dataset, criterion)).encode()):08x}"


def _milliseconds(one: TrainingCost) -> float | None:
    return one.ms_per_update


def _mebibytes(one: TrainingCost) -> float | None:
    return one.peak_mib


def _limits(values: Sequence[float | None]) -> tuple[float, float] | None:
    """One axis for all the box plots of a data set, in percent."""
    there = [100 * v for v in values if v is not None and v == v]
    if not there:
        return None
    margin = max(1.0, 0.04 * (max(there) - min(there)))
    return min(there) - margin, max(there) + margin


def _curves(view: DatasetView) -> list[Callable[[], str]]:
    """Learning curves of the runs that the first criterion chose, one run per split."""
    table, metric = view.tables[0], view.metric
    by_key = chosen_runs(view.results, view.lead)
    there = [cell for cell in view.lead if any(cell.choices)]
    best = sorted(
        (cell for cell in there if not cell.oracle),
        key=lambda cell: -(cell.summary[metric].mean or 0.0),
    )[:CURVES]
    shown: Mapping[str, list[Run]] = {
        cell.algorithm: [by_key[view.dataset, choice.key] for choice in cell.choices if choice]
        for cell in there
        if cell in best or cell.oracle
    }
    steps = {
        cell.algorithm: [choice.step for choice in cell.choices if choice]
        for cell in there
        if cell.algorithm in shown
    }
    name, measure = table.criterion.name, table.criterion.measure or ""
    measure = measure if measure in SEEN else "CR"
    what_is_seen = SEEN[measure]

    def tested(record: Record) -> float | None:
        return None if record.diverged_at is not None else record.test.get(metric)

    def validated(record: Record) -> float | None:
        return None if record.diverged_at is not None else record.validation.get(measure)

    drawn = [(METRICS[metric].about, f"{METRICS[metric].about} (%)", tested)]
    if not trained_on_validation(view.results):
        drawn.append(
            (f"{what_is_seen} on validation", f"{what_is_seen}, validation (%)", validated)
        )
    return [
        partial(
            figures.learning_curve,
            shown,
            figures.make_colours(list(shown), view.oracles),
            what,
            f"{view.dataset}: {what} of the runs chosen by {name}",
            label,
            value,
            steps,
        )
        for what, label, value in drawn
    ]
