"""scikit-learn estimators: candidly's algorithms in pipelines, cross-validation and grid searches.

``PartialLabelClassifier`` learns from sets of candidate labels, ``NoisyLabelClassifier`` from one
label a row that may be wrong. Both do what ``candidly.fit`` does. ``candidly.LabelErrorDetector``
finds labels that may be wrong.
"""

from ._classifiers import NoisyLabelClassifier, PartialLabelClassifier, inputs_of, seed_of
from ._labels import CandidateSet, LabelSets, candidate_sets, read_sets
from ._scorers import accuracy_scorer, covering_rate_scorer

__all__ = [
    "CandidateSet",
    "LabelSets",
    "NoisyLabelClassifier",
    "PartialLabelClassifier",
    "accuracy_scorer",
    "candidate_sets",
    "covering_rate_scorer",
    "inputs_of",
    "read_sets",
    "seed_of",
]
