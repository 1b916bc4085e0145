"""Candid evaluation with candidate labels.

Train, compare and select learning algorithms when labels are partial (sets of candidates), noisy
or wrong. Names load on first use, so that ``import candidly`` costs next to nothing.

>>> import candidly
>>> data = candidly.imperfect.apply(candidly.load("digits"), "flip:rate=0.3")
>>> data.q
10
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__ as __version__

# public name -> module that holds it; a name that is its own module stands for the module
_WHERE = {
    "ALGORITHMS": "algorithms",
    "LabelErrorDetector": "estimators",
    "Labelled": "labelled",
    "Model": "model",
    "NoisyLabelClassifier": "estimators",
    "PartialLabelClassifier": "estimators",
    "algorithms": "",
    "benchmark": "benchmarking",
    "challenge": "",
    "check": "checking",
    "criteria": "",
    "crowd": "",
    "detectors": "",
    "errors": "",
    "estimators": "",
    "examples": "",
    "fit": "model",
    "from_arrays": "labelled",
    "imperfect": "",
    "inputs": "",
    "load": "sources",
    "load_model": "model",
    "plugins": "",
    "read": "ingest",
    "register": "plugins",
    "report": "",
    "sources": "",
    "stability": "",
    "stats": "",
    "validation": "",
}

if TYPE_CHECKING:
    from . import (
        algorithms,
        challenge,
        criteria,
        crowd,
        detectors,
        errors,
        estimators,
        examples,
        imperfect,
        inputs,
        plugins,
        report,
        sources,
        stability,
        stats,
        validation,
    )
    from .algorithms import ALGORITHMS
    from .benchmarking import benchmark
    from .checking import check
    from .estimators import LabelErrorDetector, NoisyLabelClassifier, PartialLabelClassifier
    from .ingest import read
    from .labelled import Labelled, from_arrays
    from .model import Model, fit, load_model
    from .plugins import register
    from .sources import load


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'candidly' has no attribute {name!r}")
    module = import_module(f".{_WHERE[name] or name}", __name__)
    value = getattr(module, name) if _WHERE[name] else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE])


__all__ = [
    "ALGORITHMS",
    "LabelErrorDetector",
    "Labelled",
    "Model",
    "NoisyLabelClassifier",
    "PartialLabelClassifier",
    "algorithms",
    "benchmark",
    "challenge",
    "check",
    "criteria",
    "crowd",
    "detectors",
    "errors",
    "estimators",
    "examples",
    "fit",
    "from_arrays",
    "imperfect",
    "inputs",
    "load",
    "load_model",
    "plugins",
    "read",
    "register",
    "report",
    "sources",
    "stability",
    "stats",
    "validation",
]
