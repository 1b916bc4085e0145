"""Which rows are worth a look, and in which order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...ground.arrays import door
from ...ground.names import made_by
from ..confident import Evidence, Issues
from ._moves import EVENLY
from ._result import WrongLabels

WORTH = 0.2  # a chance of being wrong: a reader finds an error in every fifth row
SHORT = 20  # rows that are listed in any case, where so many are contradicted
LONG = 500  # rows at most, where nothing is known of their chances


@door
def worth_a_look(found: WrongLabels, evidence: Evidence) -> Issues:
    """Rows whose label may well be wrong, the likeliest first.

    Listed are rows with a chance of a fifth or more, and twenty in any case, as long as the
    prediction contradicts the label. Where nothing can be said of chances, contradicted rows are.

    They are sorted by self-confidence; by the chance where classes are struck differently, which
    ranks better then (docs/detectors.md).
    """
    made_by(found, WrongLabels, "found", "errors.estimate")
    made_by(evidence, Evidence, "evidence", "errors.examine")
    struck_alike = all(move.kind == EVENLY for move in found.moves)
    rank = "self-confidence" if struck_alike else "chance"
    chance = None if found.why else found.chance
    mask = np.zeros(evidence.n, bool)
    order = contradicted(Issues(mask, "chance", rank, evidence, (), chance)).indices
    count = LONG
    if chance is not None:
        count = max(int(np.count_nonzero(chance[order] >= WORTH)), SHORT)
    mask[order[:count]] = True
    return Issues(mask, "chance", rank, evidence, evidence.doubts, chance)


def contradicted(issues: Issues) -> Issues:
    """All rows whose prediction is another class than given, in the order of the issues."""
    evidence = issues.evidence
    assert isinstance(evidence, Evidence)
    return replace(issues, mask=evidence.labelled & (evidence.predicted != evidence.given))
