"""Answers that are sets of labels: what sets of some annotators are like, and a consensus."""

from ._consensus import SetConsensus, set_consensus
from ._curve import SetCurve, set_curve, union_spread
from ._of_beliefs import by_known, by_mass

__all__ = [
    "SetConsensus",
    "SetCurve",
    "by_known",
    "by_mass",
    "set_consensus",
    "set_curve",
    "union_spread",
]
