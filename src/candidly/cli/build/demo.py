"""``candidly build demo``: from articles to a benchmark, methods on it, and a page, in one go."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import _progress
from .._print import print_text, width
from .._stopping import stoppable
from .._types import how_many_workers
from .articles import told

if TYPE_CHECKING:
    from ...compare.corpora import Articles

ARTICLES, MORE_THAN, TAIL, HELD = 3_000, 75, 150, 12
PERCENT = 40
NOISES = {"no noise": "", f"{PERCENT} % replaced": "mix", f"{PERCENT} % flipped": "sym"}
METHODS: Mapping[str, Any] = {
    "algorithms": ("ce", "mixup", "data-parameters", "sr", "co-teaching", "cnlcu-soft", "seal"),
    "net": "encoder",
    "configs": 1,
    "splits": 1,
    "split": "official",
    "validation_share": 0.1,
    "steps": 600,
    "eval_every": 100,
    "hyper": {"batch_size": 64, "ramp": 3},
}


def demo(
    out: Annotated[Path, typer.Option(help="Folder of everything.")] = Path("candidly-build-demo"),
    workers: Annotated[int | None, how_many_workers("Processes. (default: one per core)")] = None,
) -> None:
    """Build a benchmark of made-up articles, train NoisywikiHow's methods on it, and show it all.

    Nobody wrote the articles, and the votes on their categories are simulated. Takes some ten
    minutes on two cores; the same command goes on where it was.

    Example:  candidly build demo --out /tmp/demo
    """
    from ...compare.corpora import make_corpus
    from ...ground.files import check_folder

    started = time.monotonic()
    check_folder(out)
    with stoppable(lambda: "stopped; the same command goes on."):
        benchmark = out / "benchmark"
        with ExitStack() as steps:
            _build(make_corpus(ARTICLES), benchmark, steps)
        _train(benchmark, out, workers)
    print(f"\n{time.monotonic() - started:.0f} s. Look at {out / 'page.html'}", file=sys.stderr)


def _build(articles: Articles, folder: Path, steps: ExitStack) -> None:
    """The benchmark, with votes of three people who are simulated."""
    from ...compare.corpora.builder import BuildSettings, build, chosen_events
    from ...compare.corpora.corpus import simulated_votes
    from ...compare.corpora.votes import event_questions, sense_questions

    settings = BuildSettings(more_than=MORE_THAN, tail_at_most=TAIL, held=HELD)
    watch = told(steps)
    large, _ = chosen_events(articles, settings, watch=watch)
    events = simulated_votes(event_questions(articles, large))
    kept, _ = chosen_events(articles, settings, votes=events, watch=watch)
    sense = simulated_votes(sense_questions(articles, kept))
    build(articles, folder, settings, event_votes=events, sense_votes=sense, watch=watch)


def _train(benchmark: Path, out: Path, workers: int | None) -> None:
    """Every method on every noise, and the page."""
    from ...compare.benchmarking import prepare
    from ...compare.corpora.built_document import built_document
    from ...compare.corpora.files import as_labelled
    from ...compare.corpora.read import read_built
    from ...compare.report import accuracy_tables
    from ...compare.sweep.journal import read_results
    from ...compare.sweep.run import run_plan
    from ...compare.sweep.settings import make_settings

    own = {name: as_labelled(benchmark, mode, PERCENT / 100) for name, mode in NOISES.items()}
    settings = make_settings(datasets=tuple(own), **METHODS)
    plan, loaded = prepare(settings, own=own)
    print(
        f"Training {len(plan.trials)} networks that read the texts, each for {settings.steps:,} "
        "updates.",
        file=sys.stderr,
    )
    with _progress.shown() as watch:
        run_plan(plan, loaded, out / "runs", workers=workers, watch=watch)
    results = read_results(out / "runs")
    print_text(accuracy_tables(results, choices=False).render(width=width()))
    built_document(read_built(benchmark), results).write(out / "page.html")
