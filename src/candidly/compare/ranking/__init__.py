"""Models ranked by scores on items, or by wins over each other: what of the order is chance?

A benchmark's items are a sample. So every pair of models is compared on the same items, items made
of one source count as one draw, and all tests are corrected together. For predicted classes and
labels that may be wrong see ``stability``.

>>> found = rank({"a": [1] * 40, "b": [1, 0] * 20, "c": [0, 1] * 20})
>>> found.verdict
'a is first of 3 models on 40 items, ahead of every other by more than chance.'
"""

from ..checks import CheckingPlan
from ._checked import CheckedScores, keys_to_check, make_checked
from ._judged import JudgedMean, JudgedScores, RoganGladen, make_judged, rogan_gladen
from ._keys import Suspect, suspects
from ._power import least_visible, units_needed
from ._rank import rank
from ._report import Against, ComparedPair, PlacedModel, Ranking
from ._scores import Scores, make_scores
from ._slices import Slice, SliceReport, Turned
from ._wins import Wins, make_wins
from ._wrong_keys import KeyCrossing, TurnedPair, WrongKeys

__all__ = [
    "Against",
    "CheckedScores",
    "CheckingPlan",
    "ComparedPair",
    "JudgedMean",
    "JudgedScores",
    "KeyCrossing",
    "PlacedModel",
    "Ranking",
    "RoganGladen",
    "Scores",
    "Slice",
    "SliceReport",
    "Suspect",
    "Turned",
    "TurnedPair",
    "Wins",
    "WrongKeys",
    "keys_to_check",
    "least_visible",
    "make_checked",
    "make_judged",
    "make_scores",
    "make_wins",
    "rank",
    "rogan_gladen",
    "suspects",
    "units_needed",
]
