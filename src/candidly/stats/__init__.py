"""Means over splits and what their ± is, shares, and which differences are real.

Over splits of one data set: ``compare_all`` and ``leader``, by a design that says what splits have
in common. ``RandomSplits`` share training rows (``corrected_t``, ``correlated_t``); where all have
``OneTestSet``, its rows are a second kind of chance (``crossed_t``). Over data sets:
``wilcoxon``, ``friedman``, ``nemenyi``, ``conover``, ``signed_rank``. Over either:
``bootstrap_interval``, ``rank_stability``. Differences are always the first minus the second, and
what is missing, None or NaN, is left out and counted in what comes back.
"""

from .all_pairs import AllPairs, PairOutcome, compare_all
from .bayes import Beliefs, beliefs_of, correlated_t, signed_rank
from .bootstrap import BootstrapInterval, bootstrap_interval
from .designs import Design, OneTestSet, RandomSplits, crossed_parts, crossed_t
from .leading import Lead, Leader, leader
from .metrics import Metric
from .paired import PairedT, SignedRanks, corrected_t, equivalent, holm, wilcoxon
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
    "Design",
    "FriedmanTest",
    "Lead",
    "Leader",
    "Metric",
    "NemenyiGroups",
    "OneTestSet",
    "PairOutcome",
    "PairedT",
    "RandomSplits",
    "RankPair",
    "RankStability",
    "SignedRanks",
    "SteadyRank",
    "StratifiedTotal",
    "Summary",
    "average_ranks",
    "beliefs_of",
    "bootstrap_interval",
    "clopper_pearson",
    "compare_all",
    "conover",
    "corrected_t",
    "correlated_t",
    "crossed_parts",
    "crossed_t",
    "equivalent",
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
