"""Means over splits and what their ± is, shares, and which differences are real.

Over random splits of one data set, which share rows: ``corrected_t``, ``compare_all``, ``leader``
and ``correlated_t``, which take the overlap of training sets into account. Over data sets:
``wilcoxon``, ``friedman``, ``nemenyi``, ``conover``, ``signed_rank``. Over either:
``bootstrap_interval``, ``rank_stability``. Differences are always the first minus the second, and
what is missing, None or NaN, is left out and counted in what comes back.
"""

from .bayes import Beliefs, correlated_t, signed_rank
from .bootstrap import BootstrapInterval, bootstrap_interval
from .leading import Lead, Leader, leader
from .metrics import Metric
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
from .ranks import (
    AverageRanks,
    ConoverTest,
    FriedmanTest,
    NemenyiGroups,
    RankPair,
    average_ranks,
    conover,
    friedman,
    nemenyi,
    ranked,
)
from .shares import FEW, clopper_pearson, share_interval, wilson
from .steady import RankStability, SteadyRank, rank_stability
from .strata import StratifiedTotal, stratified_total
from .summaries import Summary, interval, paired_difference, summarise

__all__ = [
    "FEW",
    "AllPairs",
    "AverageRanks",
    "Beliefs",
    "BootstrapInterval",
    "ConoverTest",
    "FriedmanTest",
    "Lead",
    "Leader",
    "Metric",
    "NemenyiGroups",
    "PairOutcome",
    "PairedT",
    "RankPair",
    "RankStability",
    "SignedRanks",
    "SteadyRank",
    "StratifiedTotal",
    "Summary",
    "average_ranks",
    "bootstrap_interval",
    "clopper_pearson",
    "compare_all",
    "conover",
    "corrected_t",
    "correlated_t",
    "friedman",
    "holm",
    "interval",
    "leader",
    "nemenyi",
    "paired_difference",
    "rank_stability",
    "ranked",
    "share_interval",
    "signed_rank",
    "stratified_total",
    "summarise",
    "wilcoxon",
    "wilson",
]
