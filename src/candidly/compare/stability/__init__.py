"""Does a benchmark's ranking survive the errors in its labels?

From original labels, corrected labels (-1 where an item was pruned) and the predictions of several
models: accuracies on the parts of the test set, tests and intervals for pairs of models, rankings
as wrong labels become more frequent, and how many labels may still be wrong, or must be checked.

>>> import numpy as np
>>> original = np.array([0, 1, 0, 1, 0, 1, 0, 1])
>>> corrected = np.array([0, 1, 0, 1, 0, 1, 1, -1])
>>> models = {"a": [0, 1, 0, 1, 0, 1, 0, 1], "b": [0, 1, 0, 1, 1, 0, 1, 0]}
>>> case = make_case(original, corrected, models)
>>> report = assess(case, resamples=0)
>>> report.prevalence.right, report.prevalence.of
(1, 7)
>>> [(row.ahead, row.behind, row.prevalence) for row in report.crossings]
[('a', 'b', 0.25)]

Source: Northcutt, Athalye & Mueller, NeurIPS 2021, with the statistics that it leaves out.
"""

from ...stats import holm
from ...stats.crossing import tie_prevalence
from ...stats.pairs import difference_variance, discordant, mcnemar, tango
from ...stats.places import competition_ranks, rank_intervals, tie_groups
from ...stats.rank_correlation import Correlation, correlation, kendall
from ..checks import (
    AdjacentModels,
    Certificate,
    CheckingPlan,
    SequentialTest,
    certificate,
    confidence_sequence,
    evidence,
    flip_budget,
    planning_number,
)
from ._assess import assess
from ._bootstrap import percentile_interval, resample
from ._case import Case, make_case
from ._corrections import Correction, compare_corrections
from ._crossings import (
    Crossings,
    find_crossings,
    rankings,
    tau_steps,
)
from ._plan import checking_plan
from ._prevalence import (
    accuracy_at,
    accuracy_moments,
    kept_at,
    prevalence_at,
    x_mixture,
    x_removed,
)
from ._report import (
    Accuracies,
    Accuracy,
    Crossing,
    ModelPair,
    Neighbour,
    RankedModel,
    Report,
    read_report,
)
from .files import CaseRead, read_case

__all__ = [
    "Accuracies",
    "Accuracy",
    "AdjacentModels",
    "Case",
    "CaseRead",
    "Certificate",
    "CheckingPlan",
    "Correction",
    "Correlation",
    "Crossing",
    "Crossings",
    "ModelPair",
    "Neighbour",
    "RankedModel",
    "Report",
    "SequentialTest",
    "accuracy_at",
    "accuracy_moments",
    "assess",
    "certificate",
    "checking_plan",
    "compare_corrections",
    "competition_ranks",
    "confidence_sequence",
    "correlation",
    "difference_variance",
    "discordant",
    "evidence",
    "find_crossings",
    "flip_budget",
    "holm",
    "kendall",
    "kept_at",
    "make_case",
    "mcnemar",
    "percentile_interval",
    "planning_number",
    "prevalence_at",
    "rank_intervals",
    "rankings",
    "read_case",
    "read_report",
    "resample",
    "tango",
    "tau_steps",
    "tie_groups",
    "tie_prevalence",
    "x_mixture",
    "x_removed",
]
