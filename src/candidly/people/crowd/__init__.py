"""What several annotators say: one label per item, and how good it and they are.

``Answers`` holds who said what; ``opinion_pool``, ``majority``, ``dawid_skene`` and ``crowdlab``
make a ``Consensus`` of it, from which ``annotators`` tells who answers well and ``next_items`` what
to ask about next. ``shared_errors`` tells whether annotators err together.
``set_curve`` and ``some_answers`` are about answers that are sets of labels.

>>> said = Answers.from_columns(
...     [0, 0, 0, 1, 1, 1], ["ann", "bob", "eve"] * 2, ["cat", "cat", "dog", "dog", "dog", "cat"]
... )
>>> [said.classes[k] for k in consensus(said).labels]
['cat', 'dog']
"""

from ...data.labels.votes import some_answers
from ._against_people import AgainstPeople, against_people
from ._alpha import Alpha, krippendorff
from ._annotators import annotators, next_items, priorities
from ._answers import Answers
from ._consensus import Consensus
from ._crowdlab import Crowdlab, best_temperature, crowdlab
from ._dawid_skene import DawidSkene, dawid_skene
from ._drift import drift
from ._majority import RULES, Majority, majority
from ._more_answers import MoreAnswers, check_reach, more_answers
from ._read import answers_of, known_in, read_answers
from ._ways import METHODS, WITHOUT_MODEL, consensus, pool_beside
from ._ways import By as By
from ._weighted_rows import WeightedRows, weighted_rows
from .aggregators import Ordinal, glad, ibcc, kos, mace, ordinal, wawa, zero_based_skill
from .answer_sets import SetConsensus, SetCurve, set_consensus, set_curve, union_spread
from .dependence import (
    AnnotatorPairs,
    Calibration,
    Chance,
    Claim,
    OpinionPool,
    SharedErrors,
    opinion_pool,
    shared_errors,
)
from .files import CrowdRead, put_into, read_crowd
from .settled import Settled, settle

__all__ = [
    "METHODS",
    "RULES",
    "WITHOUT_MODEL",
    "AgainstPeople",
    "Alpha",
    "AnnotatorPairs",
    "Answers",
    "Calibration",
    "Chance",
    "Claim",
    "Consensus",
    "CrowdRead",
    "Crowdlab",
    "DawidSkene",
    "Majority",
    "MoreAnswers",
    "OpinionPool",
    "Ordinal",
    "SetConsensus",
    "SetCurve",
    "Settled",
    "SharedErrors",
    "WeightedRows",
    "against_people",
    "annotators",
    "answers_of",
    "best_temperature",
    "check_reach",
    "consensus",
    "crowdlab",
    "dawid_skene",
    "drift",
    "glad",
    "ibcc",
    "known_in",
    "kos",
    "krippendorff",
    "mace",
    "majority",
    "more_answers",
    "next_items",
    "opinion_pool",
    "ordinal",
    "pool_beside",
    "priorities",
    "put_into",
    "read_answers",
    "read_crowd",
    "set_consensus",
    "set_curve",
    "settle",
    "shared_errors",
    "some_answers",
    "union_spread",
    "wawa",
    "weighted_rows",
    "zero_based_skill",
]
