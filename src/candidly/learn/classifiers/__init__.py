"""Classifiers beside the networks: logistic regression, trees, Bayes, and a blend of them.

They learn from one label a row. scikit-learn fits them; ``frozen`` makes of a fitted one plain
arrays, which ``learn.model`` saves and asks.
"""

from .frozen import Frozen, frozen, thawed
from .pipelines import POOL, encoded_logistic
from .table import CLASSIFIERS, classifier, is_classifier

__all__ = [
    "CLASSIFIERS",
    "POOL",
    "Frozen",
    "classifier",
    "encoded_logistic",
    "frozen",
    "is_classifier",
    "thawed",
]
