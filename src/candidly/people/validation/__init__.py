"""From people's answers to verdicts, totals and corrected labels.

People see an example with two classes, the given one and a guess, and answer: given, guessed,
both, neither. ``judge`` makes a verdict of the answers; ``totals``, ``estimates`` and ``missed``
say how many labels are wrong, ``agreement`` how far people agree, and ``corrected`` puts right
labels in place of wrong ones.

>>> import numpy as np
>>> votes = from_counts([[1, 4, 0, 0], [5, 0, 0, 0]], item=[3, 0], given=[0, 1], guessed=[1, 0])
>>> verdicts = judge(votes)
>>> verdicts
Verdicts(1 non-error, 1 correctable)
>>> corrected(np.array([1, 1, 0, 0]), verdicts).labels
array([1, 1, 0, 1])
"""

from . import label_errors
from ._agreement import Agreement, Coefficient, agreement, fleiss, gwet
from ._answers import from_answers, read_answers
from ._corrected import PROVENANCE, Corrected, Undecided, corrected
from ._counted import checked_rows, counted, read_checked
from ._estimate import Estimate, Missed, estimate, missed
from ._posteriors import Posteriors, posteriors
from ._released import read_released
from ._totals import (
    READINGS,
    Reading,
    Sets,
    Share,
    ThresholdSetting,
    Totals,
    estimates,
    sets,
    thresholds,
    totals,
)
from ._verdicts import Verdicts, fragile, judge
from .files import LabelFile, Validation, read_validation
from .rule import CATEGORIES, DIFFERENT_SET, categories, fewest, majority, merged, needed, settled
from .tally import ANSWERS, SetTally, Tally, from_counts

__all__ = [
    "ANSWERS",
    "CATEGORIES",
    "DIFFERENT_SET",
    "PROVENANCE",
    "READINGS",
    "Agreement",
    "Coefficient",
    "Corrected",
    "Estimate",
    "LabelFile",
    "Missed",
    "Posteriors",
    "Reading",
    "SetTally",
    "Sets",
    "Share",
    "Tally",
    "ThresholdSetting",
    "Totals",
    "Undecided",
    "Validation",
    "Verdicts",
    "agreement",
    "categories",
    "checked_rows",
    "corrected",
    "counted",
    "estimate",
    "estimates",
    "fewest",
    "fleiss",
    "fragile",
    "from_answers",
    "from_counts",
    "gwet",
    "judge",
    "label_errors",
    "majority",
    "merged",
    "missed",
    "needed",
    "posteriors",
    "read_answers",
    "read_checked",
    "read_released",
    "read_validation",
    "sets",
    "settled",
    "thresholds",
    "totals",
]
