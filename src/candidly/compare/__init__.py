"""Which is better: sweeps, rankings, challenges, benchmarks that are built.

A benchmark: ``sources.load`` → ``imperfect.apply`` → ``make_plan`` → ``make_tasks`` → ``execute``
(``train``, then ``oracle_measure`` at each record) → ``Journal`` → ``read_results`` → ``cells`` →
``render``, ``write_report``. Stability: two versions of labels, predictions → ``make_case`` →
``Case`` → ``assess`` → ``Report``. A challenge: label sets → ``make_challenge`` → folder;
submissions → ``submit`` → ``run_challenge`` → outcomes and answers → ``score_challenge`` →
``Result`` → page, CSV, JSON. All but the runs follows from the folder, and is computed anew each
time.
"""

from typing import TYPE_CHECKING

from ..ground.faces import lazy

if TYPE_CHECKING:
    from . import challenge as challenge
    from . import corpora as corpora
    from . import report as report
    from . import stability as stability
    from . import sweep as sweep
    from . import tracking as tracking
    from .benchmarking import benchmark as benchmark
    from .corpora.built_page import write_built_page as write_built_page
    from .report import findings as findings
    from .report import render as render
    from .report import write_report as write_report
    from .stability.page import render_stability as render_stability
    from .stability.page import write_stability_page as write_stability_page
    from .sweep.journal import read_results as read_results
    from .sweep.results import Results as Results
    from .sweep.select import Criterion as Criterion
    from .sweep.select import cells as cells
    from .tracking import track as track

_WHERE = {  # public name -> module that has it; '' or PACKAGE. where the name is a module there
    "Criterion": "sweep.select",
    "Results": "sweep.results",
    "benchmark": "benchmarking",
    "cells": "sweep.select",
    "challenge": "",
    "corpora": "",
    "findings": "report",
    "read_results": "sweep.journal",
    "render": "report",
    "render_stability": "stability.page",
    "report": "",
    "stability": "",
    "sweep": "",
    "track": "tracking",
    "tracking": "",
    "write_built_page": "corpora.built_page",
    "write_report": "report",
    "write_stability_page": "stability.page",
}

if not TYPE_CHECKING:  # for them, a name that is not above is an error
    __getattr__, __dir__, __all__ = lazy(__name__, _WHERE)
