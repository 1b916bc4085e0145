"""What people are asked: which answers there are, and when more of them change nothing.

A choice is kept as text in its normal form: ``given`` and never "the left one"; ``3 5`` for two
classes, ``none`` for none of those that could hold. Its codes are numbers: places in
``validation.ANSWERS``, classes, or 0 for no, 1 for yes.

Each question is one value, with all that differs between them; nobody else asks for its name.
"""

from __future__ import annotations

from ._counts import answer_counts as answer_counts
from ._counts import answers_by_kind as answers_by_kind
from ._counts import counts_of as counts_of
from ._counts import pattern_of as pattern_of
from ._labels import ALL_LABELS, ONE_LABEL, SEVERAL_LABELS
from ._labels import NO_LABEL as NO_LABEL
from ._question import SKIP as SKIP
from ._question import Question
from ._verdict import VERDICT
from ._verdict import choice_of as choice_of
from ._yes_or_no import YES_NO as YES_NO
from ._yes_or_no import YES_OR_NO

QUESTIONS: dict[str, Question] = {
    "verdict": VERDICT,
    "one label": ONE_LABEL,
    "several labels": SEVERAL_LABELS,
    "all labels": ALL_LABELS,
    "yes or no": YES_OR_NO,
}
