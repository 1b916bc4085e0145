"""What is claimed of a consensus, and what annotators share, in sentences and a table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....ground.numbers import count_of
from ....show.grid import Column, Grid
from .._compared import ALONE
from .._consensus import Consensus
from ..aggregators import Ordinal
from ._pool import ENOUGH, OpinionPool
from ._shared_errors import SharedErrors

NAMED = 5  # voices of several annotators that a sentence names
CHECKED = (50, 200, 700)  # items that could be checked
Z = 1.96
CANNOT_BE_TOLD = f"how many labels are right cannot be told: {ALONE}, and no label is known"
UNTOLD = (
    "there are too many annotators, items and classes to tell here what errors that annotators"
    " share make of this"
)

UNTOLD_OF_STEPS = (
    "{:.1f} % of its labels are said to be right, if annotators err independently; what errors that"
    " they share make of steps of a scale is not told"
)


def untold(consensus: Consensus) -> str:
    """Why no claim that allows for shared errors stands beside a consensus."""
    if (consensus.answers.per_item < 2).all():
        return CANNOT_BE_TOLD
    if not isinstance(consensus, Ordinal):
        return UNTOLD
    return UNTOLD_OF_STEPS.format(100 * float(np.nanmean(consensus.quality)))


def claim_lines(pool: OpinionPool, by: str, quality: float) -> Iterator[str]:
    """How many labels are said to be right, and what stands behind it, a sentence each.

    Args:
        pool: the opinion pool of the answers.
        by: the name of the way to the consensus. quality: the mean quality of its labels.
    """
    right, low, high = (f"{100 * value:.1f} %" for value in pool.claim)
    between = f"between {low}, by single answers, and {high}, if annotators err independently"
    if not pool.compared:
        yield CANNOT_BE_TOLD
    elif by == "opinion-pool":
        yield f"{right} of the labels are said to be right; {between}"
    else:
        yield (
            f"{by} gives its labels a mean quality of {100 * quality:.1f} %; with what annotators"
            f" share allowed for, {right} are said to be right, {between}"
        )
    answered = int((pool.labels >= 0).sum())
    if 0 < 2 * pool.compared < answered:
        yield (
            f"annotators are known by {pool.compared:,} of {answered:,} items; the others have a"
            " single answer"
        )
    yield sharing(pool)
    if pool.shared.voices:
        yield repeating(pool.shared)
    yield what_would_tell(pool)


def sharing(pool: OpinionPool) -> str:
    """Whether annotators share errors, and what that makes of the number of answers."""
    shared = pool.shared
    if shared.dependent is None:
        return "there are too few answers to tell whether annotators share errors"
    chance, pairs = shared.chance, shared.pairs
    worth = ""
    if shared.effective < 0.95 * shared.per_item:
        worth = (
            f"; {shared.per_item:.1f} answers an item are worth {shared.effective:.1f} independent"
            " ones"
        )
    if chance is None:
        beyond = int((pairs.dependent | pairs.copies).sum())
        which = f"{beyond:,} of {len(pairs.first):,} pairs"
        return f"annotators share errors: {which} have more in common than chance makes{worth}"
    ratio = f"{chance.ratio:.2f} times the wrong answers in common that are expected"
    simulated = f"simulated independent answers have {chance.largest:.2f} at most"
    if shared.dependent:
        return f"annotators share errors: {ratio}; {simulated}{worth}"
    cautious = ""
    if not pool.independent:
        cautious = (
            f"; as some items have fewer than {ENOUGH} answers, the claim allows for shared errors"
            " all the same"
        )
    return f"no sign that annotators share errors ({ratio}; {simulated}){cautious}"


def repeating(shared: SharedErrors) -> str:
    """Which annotators count as one voice."""
    listed = [" = ".join(voice) for voice in shared.voices[:NAMED]]
    if len(shared.voices) > NAMED:
        listed.append(f"and {len(shared.voices) - NAMED:,} more")
    return f"counted as one voice, as the one seems to repeat the other: {'; '.join(listed)}"


def what_would_tell(pool: OpinionPool) -> str:
    """What known items did for the claim, or would do."""
    known = pool.calibration
    if known is not None:
        return (
            f"the claim is set right by {count_of(known.items, 'item')} whose label is known, of"
            f" which the opinion pool has {known.right:,} right; alone they tell the share of right"
            f" labels to within {_within(known.right / known.items, known.items)} points, if they"
            " were drawn at random"
        )
    share = pool.claim.right if pool.compared else 0.5  # where least can be told
    near = {k: _within(share, k) for k in CHECKED if k < (pool.labels >= 0).sum()}
    each = ", ".join(f"{k} to within {points}" for k, points in near.items())
    unit = f" point{'s' * (near[max(near)] != '1')}" if near else ""
    return (
        "answers alone cannot tell an error that nearly all share from the truth; items drawn at"
        f" random whose label an expert checks can{':' * bool(near)} {each}{unit}".rstrip()
    )


def _within(share: float, number: int) -> str:
    """Half of a 95 % interval of a share, in points; with two of each kind added, as few may be
    wrong (Agresti and Coull)."""
    near = (share * number + 2) / (number + 4)
    return f"{100 * Z * np.sqrt(near * (1 - near) / (number + 4)):.0f}"


def pairs_grid(shared: SharedErrors, most: int) -> Grid:
    """Pairs of annotators, the most excessive beside what is common to all first."""
    columns = (
        Column("annotator", "name"),
        Column("other", "name"),
        Column("items", form=","),
        Column("both wrong", form=",.1f"),
        Column("by chance", form=",.1f"),
        Column("times", form=".1f"),
        Column("p", form=".3f"),
        Column("common to all", form=",.1f"),
        Column("", "word"),
    )
    rows = [
        (
            *(row["annotator"], row["other"], row["items"], row["shared wrong"], row["expected"]),
            row["shared wrong"] / max(row["expected"], 1e-12),
            *(row["p"], row["common"], "repeats" if row["repeats"] else ""),
        )
        for row in shared.table().head(most).iter_rows(named=True)
    ]
    return Grid("Wrong answers in common, by pair of annotators", columns, rows)
