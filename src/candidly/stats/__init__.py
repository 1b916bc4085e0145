"""Means over splits and what their ± is, shares, paired tests, ranks and leaders."""

from .paired import (
    AllPairs,
    PairedT,
    PairOutcome,
    SignedRanks,
    compare_all,
    corrected_t,
    holm,
    wilcoxon,
)
from .shares import FEW, clopper_pearson, share_interval, wilson
from .summaries import Summary, interval, paired_difference, summarise

__all__ = [
    "FEW",
    "AllPairs",
    "PairOutcome",
    "PairedT",
    "SignedRanks",
    "Summary",
    "clopper_pearson",
    "compare_all",
    "corrected_t",
    "holm",
    "interval",
    "paired_difference",
    "share_interval",
    "summarise",
    "wilcoxon",
    "wilson",
]
