"""Candid evaluation with candidate labels.

Train, compare and select learning algorithms when labels are partial (sets of candidates), noisy
or wrong. Names load on first use, so that ``import candidly`` costs next to nothing.

>>> import candidly
>>> data = candidly.imperfect.apply(candidly.load("digits"), "flip:rate=0.3")
>>> data.q
10
"""

from typing import TYPE_CHECKING

from .ground.faces import lazy
from .ground.version import __version__ as __version__

if TYPE_CHECKING:
    from . import compare as compare
    from . import data as data
    from . import errors as errors
    from . import learn as learn
    from . import people as people
    from . import stats as stats
    from .compare import challenge as challenge
    from .compare import ranking as ranking
    from .compare import report as report
    from .compare import stability as stability
    from .compare.benchmarking import benchmark as benchmark
    from .compare.ranking import rank as rank
    from .data import examples as examples
    from .data import imperfect as imperfect
    from .data import inputs as inputs
    from .data import sources as sources
    from .data.ingest import read as read
    from .data.labels.building import from_arrays as from_arrays
    from .data.labels.labelled import Labelled as Labelled
    from .data.sources import load as load
    from .errors import detectors as detectors
    from .errors.checking import check as check
    from .errors.estimator import CleanClassifier as CleanClassifier
    from .errors.estimator import LabelErrorDetector as LabelErrorDetector
    from .ground import plugins as plugins
    from .ground.names import UnknownName as UnknownName
    from .ground.plugins import register as register
    from .learn import algorithms as algorithms
    from .learn import encoders as encoders
    from .learn import estimators as estimators
    from .learn import losses as losses
    from .learn import nets as nets
    from .learn.algorithms import ALGORITHMS as ALGORITHMS
    from .learn.encoders import features as features
    from .learn.estimators import NoisyLabelClassifier as NoisyLabelClassifier
    from .learn.estimators import PartialLabelClassifier as PartialLabelClassifier
    from .learn.model import Model as Model
    from .learn.model import fit as fit
    from .learn.model import fit_and_measure as fit_and_measure
    from .learn.model import load_model as load_model
    from .learn.own_loop import attach as attach
    from .people import crowd as crowd
    from .people import review as review
    from .people import validation as validation
    from .stats import criteria as criteria

_WHERE = {  # public name -> module that has it; '' or PACKAGE. where the name is a module there
    "ALGORITHMS": "learn.algorithms",
    "CleanClassifier": "errors.estimator",
    "LabelErrorDetector": "errors.estimator",
    "Labelled": "data.labels.labelled",
    "Model": "learn.model",
    "NoisyLabelClassifier": "learn.estimators",
    "PartialLabelClassifier": "learn.estimators",
    "UnknownName": "ground.names",
    "algorithms": "learn.",
    "attach": "learn.own_loop",
    "benchmark": "compare.benchmarking",
    "challenge": "compare.",
    "check": "errors.checking",
    "compare": "",
    "criteria": "stats.",
    "crowd": "people.",
    "data": "",
    "detectors": "errors.",
    "encoders": "learn.",
    "errors": "",
    "estimators": "learn.",
    "examples": "data.",
    "features": "learn.encoders",
    "fit": "learn.model",
    "fit_and_measure": "learn.model",
    "from_arrays": "data.labels.building",
    "imperfect": "data.",
    "inputs": "data.",
    "learn": "",
    "load": "data.sources",
    "load_model": "learn.model",
    "losses": "learn.",
    "nets": "learn.",
    "people": "",
    "plugins": "ground.",
    "rank": "compare.ranking",
    "ranking": "compare.",
    "read": "data.ingest",
    "register": "ground.plugins",
    "report": "compare.",
    "review": "people.",
    "sources": "data.",
    "stability": "compare.",
    "stats": "",
    "validation": "people.",
}

if not TYPE_CHECKING:  # for them, a name that is not above is an error
    __getattr__, __dir__, __all__ = lazy(__name__, _WHERE)
