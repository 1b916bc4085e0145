"""Detectors of label errors, and how they compare.

A detector gives every label a score, higher for more suspicious, and, where its method has a cut,
says which labels it flags. By name they all go through one door:

>>> from dataclasses import replace
>>> from candidly import load
>>> from candidly.errors.detectors import detect
>>> digits = load("digits")
>>> given = digits.truth.copy()
>>> given[:3] = (given[:3] + 1) % 10
>>> found = detect(replace(digits, given=given), "knn-vote")
>>> bool(found.flagged[:3].all())
True

Each is also a function of its own: of labels and probabilities, of labels and features, of a
record of training, or of the data. ``judge`` measures a detection against the truth, ``compare``
several detectors on the same data. Names load on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# public name -> module that holds it
_WHERE = {
    "BUDGETS": "_judge",
    "DETECTORS": "_table",
    "EPOCHS": "_subject",
    "Detection": "_detection",
    "Detector": "_table",
    "Judgement": "_judge",
    "Neighbours": "_neighbours",
    "TrainingDynamics": "_watch",
    "ComparedDetector": "_compare",
    "Transition": "_hoc",
    "Watch": "_watch",
    "aum": "_aum",
    "check_taken": "_table",
    "compare": "_compare",
    "compare_noises": "noises",
    "confident_learning": "_probs",
    "cores2": "_cores2",
    "data_maps": "_trained",
    "detect": "_table",
    "el2n": "_trained",
    "estimate_transition": "_hoc",
    "forgetting": "_trained",
    "incv": "_incv",
    "judge": "_judge",
    "knn_rank": "_knn",
    "knn_vote": "_knn",
    "loss": "_probs",
    "mean_probs": "_trained",
    "mistakenness": "_probs",
    "nearest": "_neighbours",
    "rank_average": "_rank_average",
    "record": "_watch",
    "retag": "_probs",
    "small_loss": "_trained",
    "tracin": "_trained",
}

if TYPE_CHECKING:
    from ._aum import aum
    from ._compare import ComparedDetector, compare
    from ._cores2 import cores2
    from ._detection import Detection
    from ._hoc import Transition, estimate_transition
    from ._incv import incv
    from ._judge import BUDGETS, Judgement, judge
    from ._knn import knn_rank, knn_vote
    from ._neighbours import Neighbours, nearest
    from ._probs import confident_learning, loss, mistakenness, retag
    from ._rank_average import rank_average
    from ._subject import EPOCHS
    from ._table import DETECTORS, Detector, check_taken, detect
    from ._trained import data_maps, el2n, forgetting, mean_probs, small_loss, tracin
    from ._watch import TrainingDynamics, Watch, record
    from .noises import compare_noises


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'candidly.errors.detectors' has no attribute {name!r}")
    value = getattr(import_module(f".{_WHERE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE])


__all__ = [
    "BUDGETS",
    "DETECTORS",
    "EPOCHS",
    "ComparedDetector",
    "Detection",
    "Detector",
    "Judgement",
    "Neighbours",
    "TrainingDynamics",
    "Transition",
    "Watch",
    "aum",
    "check_taken",
    "compare",
    "compare_noises",
    "confident_learning",
    "cores2",
    "data_maps",
    "detect",
    "el2n",
    "estimate_transition",
    "forgetting",
    "incv",
    "judge",
    "knn_rank",
    "knn_vote",
    "loss",
    "mean_probs",
    "mistakenness",
    "nearest",
    "rank_average",
    "record",
    "retag",
    "small_loss",
    "tracin",
]
