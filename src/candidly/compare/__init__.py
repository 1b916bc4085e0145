"""Which is better: sweeps, rankings, challenges, benchmarks that are built.

A benchmark: ``sources.load`` → ``imperfect.apply`` → ``make_plan`` → ``make_tasks`` → ``execute``
(``train``, then ``oracle_measure`` at each record) → ``Journal`` → ``read_results`` → ``cells`` →
``results_document``. Stability: two versions of labels, predictions → ``make_case`` → ``Case`` →
``assess`` → ``Report`` → ``stability_document``. A ranking: scores of models on items →
``make_scores`` → ``rank`` → ``Ranking`` → ``ranking_document``. A challenge: label sets →
``make_challenge`` → folder; submissions → ``submit`` → ``run_challenge`` → outcomes and answers →
``score_challenge`` → ``Result`` → page, CSV, JSON. All but the runs follows from the folder, and is
computed anew each time.
"""

from typing import TYPE_CHECKING

from ..ground.faces import lazy

if TYPE_CHECKING:
    from . import challenge as challenge
    from . import corpora as corpora
    from . import ranking as ranking
    from . import report as report
    from . import stability as stability
    from . import sweep as sweep
    from . import tracking as tracking
    from .benchmarking import benchmark as benchmark
    from .corpora.built_document import built_document as built_document
    from .corpora.read import read_built as read_built
    from .ranking import rank as rank
    from .ranking.document import ranking_document as ranking_document
    from .report import accuracy_tables as accuracy_tables
    from .report import findings as findings
    from .report import results_document as results_document
    from .stability.document import stability_document as stability_document
    from .sweep.journal import read_results as read_results
    from .sweep.results import Results as Results
    from .sweep.select import Criterion as Criterion
    from .sweep.select import cells as cells
    from .tracking import track as track

_WHERE = {  # public name -> module that has it; '' or PACKAGE. where the name is a module there
    "Criterion": "sweep.select",
    "Results": "sweep.results",
    "accuracy_tables": "report",
    "benchmark": "benchmarking",
    "built_document": "corpora.built_document",
    "cells": "sweep.select",
    "challenge": "",
    "corpora": "",
    "findings": "report",
    "rank": "ranking",
    "ranking": "",
    "ranking_document": "ranking.document",
    "read_built": "corpora.read",
    "read_results": "sweep.journal",
    "report": "",
    "results_document": "report",
    "stability": "",
    "stability_document": "stability.document",
    "sweep": "",
    "track": "tracking",
    "tracking": "",
}

if not TYPE_CHECKING:  # for them, a name that is not above is an error
    __getattr__, __dir__, __all__ = lazy(__name__, _WHERE)
