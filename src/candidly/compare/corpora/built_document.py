"""A built benchmark on one self-contained page: what was left out, what is wrong and how, and what
methods make of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ...ground.seeds import draw
from ...show.document import Document
from ...show.grid import Column, Grid
from ...show.pieces import Figure, Figures, Folded, Piece, Section, Tiles
from ..report.tables import make_tables
from .built_figures import difficulty_figure, funnel_figure
from .noise import SOURCES
from .read import BuiltBenchmark

if TYPE_CHECKING:
    from ..sweep.results import Results
    from .files import ReplacedEvent

EXAMPLES = 5  # of each source


def built_document(built: BuiltBenchmark, results: Results | None = None) -> Document:
    """What a benchmark that was built holds.

    Args:
        built: from ``read_built``.
        results: the results of methods that were trained on it.
    """
    told = built.manifest
    asked = told["settings"]
    said = (Section("What people said", (_votes(told),)),) if told["votes"] else ()
    methods = (Section("What methods make of it", tuple(_methods(results))),) if results else ()
    return Document(
        "What is in it, and what is wrong in it",
        (
            Section("", (Tiles(tuple(_numbers(built))),), label="Counts"),
            Section("What the filters leave", tuple(_funnel(told))),
            *said,
            Section("Sources of noise", tuple(_sources(built))),
            Section("Events, and what stands in their place", tuple(_examples(built))),
            *methods,
        ),
        over="A noisy benchmark",
        lead="Texts stand under the label of another one that they are like. Labels stay; "
        "validation and test events are as they were.",
        facts={
            "articles": f"{told['articles']:,}",
            "corpus": f"SHA-256 {told['corpus']}",
            "alike": f"{told['embedding']['name']} in {told['embedding']['dimensions']} dimensions",
            "rates": ", ".join(f"{100 * rate:g} %" for rate in asked["rates"]),
            "seed": asked["seed"],
            "candidly": told["candidly"],
        },
        made_of="a benchmark that candidly built",
    )


def _numbers(built: BuiltBenchmark) -> Iterator[tuple[str, str, str]]:
    told = built.manifest
    left = told["stages"][-1]["events"]
    share = f"{100 * left / told['events']:.0f} % of {told['events']:,}"
    yield "events", f"{left:,}", f"{share} that the articles have"
    yield "classes", f"{len(built.names):,}", f"of {told['categories']:,} categories"
    yield "training events", f"{len(built.chosen):,}", "the others are held out, and right"
    rate, moved = max(built.replaced.items())
    yield "replaced", f"{len(moved):,}", f"of them at the highest rate, {100 * rate:g} %"


def _funnel(told: Any) -> Iterator[Piece]:
    stages = [(one["name"], one["classes"], one["events"]) for one in told["stages"]]
    drawn = partial(funnel_figure, stages, "What the filters leave")
    yield Figures([Figure("", "", drawn)])
    columns = (Column("reason", "word"), Column("events", form=","))
    gone = [(name, count) for name, count in told["dropped"].items() if count]
    yield Folded("Why events are gone", (Grid("Events that are gone", columns, gone),))
    pages = told["pages"]
    if pages is not None:
        yield f"{pages['read']:,} pages were read."
        columns = (Column("reason", "word"), Column("pages", form=","))
        yield Grid("Pages without an article", columns, list(pages["left out"].items()))


def _votes(told: Any) -> Grid:
    columns = (
        Column("", "word"),
        *(Column(name, form=",") for name in ("questions", "answers")),
        *(Column(name, form=".2f") for name in ("kappa", "from", "to")),
    )
    keys = ("questions", "answers", "kappa", "low", "high")
    rows = [(name, *(one[key] for key in keys)) for name, one in told["votes"].items()]
    return Grid("Answers, and Fleiss' kappa with its 95 % interval", columns, rows)


def _sources(built: BuiltBenchmark) -> Iterator[Piece]:
    yield (
        "Each class has one source of noise: tail classes are small, others are beyond common "
        "sense, and the rest are taken for categories next to them. Of each source the same share "
        "is replaced, the hardest events first."
    )
    keys = ("source", "classes", "train", "val", "test", "events")
    names = ("source", "classes", "training", "validation", "test", "events")
    columns = (Column(names[0], "word"), *(Column(name, form=",") for name in names[1:]))
    rows = [tuple(one[key] for key in keys) for one in built.manifest["sources"]]
    yield Grid("Classes and events of each source", columns, rows)
    values = {
        name: built.difficulty[built.source == k]
        for k, name in enumerate(SOURCES)
        if (built.source == k).any()
    }
    title = "How hard events are"
    drawn = partial(difficulty_figure, values, title)
    yield Figures([Figure(title, "the further right, the harder", drawn)])


def _examples(built: BuiltBenchmark) -> Iterator[Piece]:
    rate, moved = max(built.replaced.items())
    place = {int(one): row for row, one in enumerate(built.chosen)}
    by_source: dict[int, list[ReplacedEvent]] = {}
    for one in moved:
        by_source.setdefault(int(built.source[place[one.chosen]]), []).append(one)
    yield f"Drawn from the events that are replaced at {100 * rate:g} %; the hardest of them first."
    columns = (
        Column("label that it keeps", "text"),
        Column("event", "text"),
        Column("in its place", "text"),
        Column("which is of", "text"),
        Column("cosine", form=".2f"),
    )
    for source, some in sorted(by_source.items()):
        drawn = draw(0, "report.built", source).permutation(len(some))[:EXAMPLES]
        rows = [
            (one.label, one.text, one.noisy_text, one.noisy_label, hard)
            for hard, one in sorted(
                ((float(built.difficulty[place[some[k].chosen]]), some[k]) for k in drawn),
                key=lambda pair: (-pair[0], pair[1].chosen),
            )
        ]
        yield Grid(SOURCES[source].capitalize(), columns, rows)


def _methods(results: Results) -> Iterator[Piece]:
    tables = make_tables(results)
    yield (
        "Test accuracy in percent, on right test events. Configurations and epochs are chosen "
        "without clean labels."
    )
    yield tables[0].grid("top1")
