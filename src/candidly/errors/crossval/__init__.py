"""Out-of-sample probabilities: each example's from a model that did not learn from it.

``cross_validate`` is also ``candidly.errors.cross_validate``. A scikit-learn classifier is fitted
once per fold; networks of candidly's own train all folds as one stack. What can make such
probabilities look better than they are is checked, refused or warned of; see
``docs/out-of-sample.md``.
"""

from __future__ import annotations

from ...data.labels.folds import make_folds
from ._calibration import calibration_error
from ._duplicates import digests
from ._encoder import OWN
from ._job import Network
from ._named import DEFAULTS, NAMED, Default, by_name, by_names, default_classifier
from ._result import CrossValidated
from ._validate import cross_validate

__all__ = [
    "DEFAULTS",
    "NAMED",
    "OWN",
    "CrossValidated",
    "Default",
    "Network",
    "by_name",
    "by_names",
    "calibration_error",
    "cross_validate",
    "default_classifier",
    "digests",
    "make_folds",
]
