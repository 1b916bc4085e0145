"""Evidence for every question: what was given already, or a reading of the probabilities."""

from __future__ import annotations

from typing import Any

from ...data.ingest.probabilities import Probs
from ...ground.arrays import door
from ._evidence import Evidence, examine
from ._sets import SetEvidence, examine_sets, holds_sets


@door
def gathered(given: Any, probs: Probs, options: dict[str, Any], pairs: bool = False) -> Evidence:
    """Evidence about one given label per example.

    Raises:
        ValueError: candidate sets; the message says what takes them.
    """
    if isinstance(given, SetEvidence) or (not isinstance(given, Evidence) and holds_sets(given)):
        raise ValueError(
            "`given` holds candidate sets, and they have no counts by pairs of classes; "
            "thresholds, scores and find (by margin, self-confidence, predicted or confident) "
            "take them."
        )
    if isinstance(given, Evidence):
        _refuse_beside(probs, options)
        return given
    return examine(given, probs, pairs=pairs, **options)


def gathered_either(
    given: Any, probs: Probs, options: dict[str, Any], pairs: bool = False
) -> Evidence | SetEvidence:
    """Evidence about given labels or candidate sets."""
    if isinstance(given, SetEvidence):
        _refuse_beside(probs, options)
        return given
    if not isinstance(given, Evidence) and holds_sets(given):
        return examine_sets(given, probs, **options)  # without pairs: they have none
    return gathered(given, probs, options, pairs)


def _refuse_beside(probs: Probs, options: dict[str, Any]) -> None:
    """Evidence has been gathered in one way; what would gather it otherwise is refused."""
    if beside := [*(["probs"] if probs is not None else []), *options]:
        raise ValueError(
            f"{', '.join(beside)} beside evidence that was gathered already would change nothing; "
            "give labels, probabilities and options to examine, and its evidence alone here."
        )
