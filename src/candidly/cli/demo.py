"""``candidly demo``: a whole benchmark on real images in a minute, or in colour in three."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import _progress
from ._print import print_text, width
from ._stopping import stoppable
from ._types import how_many_workers

if TYPE_CHECKING:
    from ..data.labels.labelled import Labelled

SETTINGS: Mapping[str, Any] = {
    "datasets": ("digits",),
    "algorithms": ("PRODEN", "CC", "LWS", "CAVL", "ABS-GCE", "supervised-oracle"),
    "labels": "flip:rate=0.7",
    "configs": 4,
    "splits": 3,
    "steps": 2_000,
    "eval_every": 200,
}
PICTURES: Mapping[str, Any] = {
    "datasets": ("scattered-digits",),
    "algorithms": ("PRODEN", "CC", "supervised-oracle"),
    "labels": "flip:rate=0.3",
    "configs": 1,
    "splits": 3,
    "split": "random",  # among a few of the pictures, as with digits
    "steps": 800,
    "eval_every": 100,
    "net": "cnn",
    "recipe": "adam",  # a digit that is mirrored is none
    "hyper": {"batch_size": 64},
}
REAL = {"cifar10": "adam:views=weak", "mnist": "adam"}  # taken where their files are: how to train
MOST = 5_000  # pictures of these


@dataclass(frozen=True)
class _Demo:
    """What is trained: settings, how its inputs are called, and data that is not loaded by name."""

    settings: Mapping[str, Any]
    inputs: str
    own: Mapping[str, Labelled] = field(default_factory=dict)


def demo(
    out: Annotated[
        Path | None,
        typer.Option(
            help="Results directory. (default: candidly-demo; with --images candidly-demo-images)"
        ),
    ] = None,
    workers: Annotated[int | None, how_many_workers("Processes. (default: one per core)")] = None,
    images: Annotated[
        bool,
        typer.Option(
            "--images",
            help="Train a convolutional network on colour pictures: of CIFAR-10 or MNIST where "
            "their files are in CANDIDLY_DATA, otherwise of scattered digits.",
        ),
    ] = False,
) -> None:
    """Benchmark five algorithms and an oracle on handwritten digits with flipped candidates.

    4 configurations x 3 splits x 2,000 updates each; ends with four tables and report.html. With
    --images two algorithms and an oracle, 1 configuration x 3 splits x 800 updates each.

    Example:  candidly demo --out /tmp/demo
    """
    with stoppable(lambda: "stopped; the same command goes on."):
        if images:
            _run(_pictures(), out or Path("candidly-demo-images"), workers)
        else:
            _run(_Demo(SETTINGS, "1,797 images of digits"), out or Path("candidly-demo"), workers)


def _pictures() -> _Demo:
    """Real pictures that are on this machine, or else digits made into pictures."""
    from ..data.sources import load, title_of

    for name, recipe in REAL.items():
        try:
            with _progress.reading("decoding") as watch:
                data = load(name, download=False, watch=watch)
        except FileNotFoundError:
            continue
        some = data[:MOST]
        called = f"{name} ({some.n:,})"
        settings = {**PICTURES, "datasets": (called,), "recipe": recipe}
        return _Demo(settings, f"The first {some.n:,} pictures of {title_of(name)}", {called: some})
    return _Demo(
        PICTURES,
        f"no files of {' or '.join(map(title_of, REAL))} here: 1,797 handwritten digits, each in a "
        "colour and at a place of its own in a noisy picture",
    )


def _run(what: _Demo, out: Path, workers: int | None) -> None:
    from ..compare.benchmarking import prepare
    from ..compare.report import accuracy_tables, findings, results_document
    from ..compare.sweep.journal import read_results
    from ..compare.sweep.run import run_plan
    from ..compare.sweep.settings import make_settings
    from ..data.imperfect import steps

    started = time.monotonic()
    settings = make_settings(**what.settings)
    plan, loaded = prepare(settings, own=what.own)
    rate = steps(str(settings.labels))[0][2]["rate"]
    print(
        f"{what.inputs}; every wrong label is a candidate with probability {rate}. Training "
        f"{len(plan.trials)} networks, each for {settings.steps:,} updates.",
        file=sys.stderr,
    )
    with _progress.shown() as watch:
        run_plan(plan, loaded, out, workers=workers, watch=watch)
    results = read_results(out)
    print_text(accuracy_tables(results, choices=False).render(width=width()))
    results_document(results).write(out / "report.html")
    for sentence in findings(results)[:2]:
        print(sentence)
    print(f"\n{time.monotonic() - started:.0f} s. Look at {out / 'report.html'}", file=sys.stderr)
