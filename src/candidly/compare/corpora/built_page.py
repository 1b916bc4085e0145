"""A built benchmark on one self-contained page: what was left out, what is wrong and how, and what
methods make of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...ground.seeds import draw
from ...show.grid import Column, Grid
from ...show.page import Piece, figure_row, folded, make_page, section, tiles, write_page
from ..report.tables import make_tables
from .built_figures import difficulty_figure, funnel_figure
from .noise import SOURCES
from .read import BuiltBenchmark, read_built

if TYPE_CHECKING:
    from ..sweep.results import Results
    from .files import ReplacedEvent

EXAMPLES = 5  # of each source


def write_built_page(folder: Path | str, path: Path | str, results: Results | None = None) -> None:
    """Write the page of a benchmark that was built, whole or not at all.

    Args:
        folder: the folder of the benchmark.
        results: the results of methods that were trained on it.

    Raises:
        FileNotFoundError, ValueError: no finished build. OSError: the page cannot be written.
    """
    write_page(make_built_page(read_built(folder), results), path)


def make_built_page(built: BuiltBenchmark, results: Results | None = None) -> str:
    """The page as HTML text; it refers to nothing outside itself. The same input, the same text."""
    told = built.manifest
    asked = told["settings"]
    return make_page(
        "What is in it, and what is wrong in it",
        section("", tiles(_numbers(built)), label="Counts"),
        section("What the filters leave", *_funnel(told)),
        *([section("What people said", _votes(told))] if told["votes"] else []),
        section("Sources of noise", *_sources(built)),
        section("Events, and what stands in their place", *_examples(built)),
        *([section("What methods make of it", *_methods(results))] if results else []),
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
    yield figure_row([("", "", funnel_figure(stages, "What the filters leave"))])
    columns = (Column("reason", "word"), Column("events", form=","))
    gone = [(name, count) for name, count in told["dropped"].items() if count]
    yield folded("Why events are gone", Grid("Events that are gone", columns, gone))
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
    figure = difficulty_figure(values, "How hard events are")
    yield figure_row([("How hard events are", "the further right, the harder", figure)])


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
