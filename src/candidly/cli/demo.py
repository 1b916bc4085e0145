"""``candidly demo``: a whole benchmark on real images, in about a minute."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from . import _progress
from ._help import whole
from ._print import print_text, width
from ._stopping import stoppable

SETTINGS = {
    "datasets": ("digits",),
    "algorithms": ("PRODEN", "CC", "LWS", "CAVL", "ABS-GCE", "supervised-oracle"),
    "labels": "flip:rate=0.7",
    "configs": 4,
    "splits": 3,
    "steps": 2_000,
    "eval_every": 200,
}


def demo(
    out: Annotated[Path, typer.Option(help="Results directory.")] = Path("candidly-demo"),
    workers: Annotated[int | None, whole("Processes. (default: one per core)", least=1)] = None,
) -> None:
    """Benchmark five algorithms and an oracle on handwritten digits with flipped candidates.

    4 configurations x 3 splits x 2,000 updates each; ends with four tables and report.html.

    Example:  candidly demo --out /tmp/demo
    """
    with stoppable(lambda: "stopped; the same command goes on."):
        _run(out, workers)


def _run(out: Path, workers: int | None) -> None:
    from ..benchmarking import prepare
    from ..report import findings, render, write_report
    from ..sweep.journal import read_results
    from ..sweep.run import run_plan
    from ..sweep.settings import make_settings

    started = time.monotonic()
    settings = make_settings(**SETTINGS)
    plan, loaded = prepare(settings)
    print(
        f"1,797 images of digits; every wrong label is a candidate with probability 0.7. Training "
        f"{len(plan.trials)} networks, each for {settings.steps:,} updates.",
        file=sys.stderr,
    )
    with _progress.shown() as watch:
        run_plan(plan, loaded, out, workers=workers, watch=watch)
    results = read_results(out)
    print_text(render(results, width=width(), choices=False))
    write_report(results, out / "report.html")
    for sentence in findings(results)[:2]:
        print(sentence)
    print(f"\n{time.monotonic() - started:.0f} s. Look at {out / 'report.html'}", file=sys.stderr)
