"""scikit-learn estimators: candidly's algorithms in pipelines, cross-validation and grid searches.

``PartialLabelClassifier`` learns from sets of candidate labels, ``NoisyLabelClassifier`` from one
label a row that may be wrong, and ``LabelErrorDetector`` finds such labels. All of them do what
``candidly.fit``, ``candidly.errors.cross_validate`` and ``candidly.errors.find`` do.
"""

from ._classifiers import NoisyLabelClassifier, PartialLabelClassifier
from ._detector import LabelErrorDetector
from ._labels import LabelSets, candidate_sets, read_sets
from ._scorers import accuracy_scorer, covering_rate_scorer

__all__ = [
    "LabelErrorDetector",
    "LabelSets",
    "NoisyLabelClassifier",
    "PartialLabelClassifier",
    "accuracy_scorer",
    "candidate_sets",
    "covering_rate_scorer",
    "read_sets",
]
