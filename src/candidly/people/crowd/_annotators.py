"""Who answers well, and where they fail; what to ask about next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...ground.arrays import door
from ...ground.names import made_by
from ...ground.numbers import whole
from ...stats import share_interval
from ._answers import checked_known
from ._consensus import Consensus, agreement_with
from ._sums import sums_by

if TYPE_CHECKING:
    import polars as pl


@door
def annotators(consensus: Consensus, known: np.ndarray | None = None) -> pl.DataFrame:
    """A row per annotator, the worst first.

    Columns: annotator; answers; shared, those about items that others answered too; agreement,
    the share of these that are the consensus, and the ends of its interval (95 %; null without
    any); quality, see the way to the consensus; worst class, as they said it, with its own
    agreement over all ``worst answers``. The worst class is the one with the lowest agreement; of
    equal ones that with more answers, then that with the lower mean quality of the consensus, then
    the first. With ``known``: known answers, those about items whose label is known; known right,
    how many of them are that label, and the ends of the interval of that share.

    Args:
        consensus: what ``crowd.consensus`` gives.
        known: int (n,), the class of each item; -1 where it is not known. By default nothing is.

    Raises:
        ValueError: ``known`` has another shape, or a class that is none.
    """
    import polars as pl

    made_by(consensus, Consensus, "consensus", "crowd.consensus")
    answers = consensus.answers
    worst, agreement, number = _worst_classes(consensus)
    counted = np.bincount(answers.annotator[answers.shared], minlength=len(answers.annotators))
    agreed = agreement_with(answers, consensus.labels)
    low, high = _ends(np.rint(np.nan_to_num(agreed) * counted), counted)
    frame = pl.DataFrame(
        {
            "annotator": answers.annotators,
            "answers": answers.per_annotator,
            "shared": counted,
            "agreement": agreed,
            "agreement from": low,
            "agreement to": high,
            "quality": consensus.annotator_quality,
            "worst class": [answers.classes[k] for k in worst.tolist()],
            "worst agreement": agreement,
            "worst answers": number,
            **({} if known is None else _on_known(consensus, known)),
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    return frame.sort("quality", "annotator", nulls_last=True)


def _on_known(consensus: Consensus, known: np.ndarray) -> dict[str, np.ndarray]:
    """Columns on each annotator's answers about items whose label is known."""
    answers = consensus.answers
    known = checked_known(known, answers)
    about = known[answers.item] >= 0
    who, everyone = answers.annotator[about], len(answers.annotators)
    right = answers.label[about] == known[answers.item[about]]
    of, rights = (np.bincount(one, minlength=everyone) for one in (who, who[right]))
    low, high = _ends(rights, of)
    return {"known answers": of, "known right": rights, "known from": low, "known to": high}


def _ends(right: np.ndarray, of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the 95 % intervals of shares; NaN where nothing was counted."""
    ends = share_interval(right, np.maximum(of, 1)).T
    low, high = np.where(of > 0, ends, np.nan)
    return low, high


def _worst_classes(consensus: Consensus) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each annotator the worst class, its agreement and its number of answers: (J,) each."""
    answers = consensus.answers
    cell = answers.annotator.astype(np.int64) * answers.m + answers.label
    said, place = np.unique(cell, return_inverse=True)
    number = np.bincount(place)
    agrees = answers.label == consensus.labels[answers.item]
    agreement = np.bincount(place, agrees) / number
    quality = sums_by(place, np.nan_to_num(consensus.quality[answers.item]), len(said)) / number
    who = said // answers.m
    order = np.lexsort((said, quality, -number, agreement, who))
    first = order[np.searchsorted(who[order], np.arange(len(answers.annotators)))]
    return said[first] % answers.m, agreement[first], number[first]


def priorities(consensus: Consensus) -> np.ndarray:
    """How little another answer would tell: float64 (n,), in [0, 1]; ask about the lowest first.

    The quality of the consensus and a uniform guess, weighed by what stands behind the first
    (its answers and the model) and by one more answer of average weight. For CROWDLAB these are
    its weights (Goh & Mueller, "ActiveLab", 2023); otherwise every answer, and the model in
    Dawid-Skene, weighs 1. Items nobody answered take part with the largest posterior.
    """
    made_by(consensus, Consensus, "consensus", "crowd.consensus")
    answers, weights = consensus.answers, consensus.weights
    people = np.bincount(answers.item, weights[answers.annotator], answers.n)
    behind = people + consensus.model_weight
    one_more = weights.mean()
    known = np.where(
        (consensus.labels >= 0) & (answers.per_item > 0),
        np.nan_to_num(consensus.quality),
        consensus.posterior.max(1),
    )
    return (known * behind + one_more / answers.m) / (behind + one_more)


def next_items(consensus: Consensus, count: int | None = None) -> pl.DataFrame:
    """What to ask about next: the ``count`` items of lowest ``priorities``, or all.

    Of equal ones the item with fewer answers comes first, then by row.

    Columns: item, priority, consensus (null where nothing is known), answers, row.

    Raises:
        ValueError: a negative count.
    """
    import polars as pl

    made_by(consensus, Consensus, "consensus", "crowd.consensus")
    if count is not None:
        count = whole(count, "count", low=0)
    answers, priority = consensus.answers, priorities(consensus)
    # rounded, so that equal ones are equal
    rows = np.lexsort((answers.per_item, priority.round(12)))[:count]
    names = [answers.classes[k] if k >= 0 else None for k in consensus.labels[rows].tolist()]
    return pl.DataFrame(
        {
            "item": pl.Series(answers.items[rows].tolist()),
            "priority": priority[rows],
            "consensus": pl.Series(names, dtype=pl.String),
            "answers": answers.per_item[rows],
            "row": rows,
        }
    )
