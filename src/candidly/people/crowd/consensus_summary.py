"""A consensus in a few lines and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...ground.numbers import count_of
from ...show.grid import Grid
from .consensus_document import annotators_grid, doubts_grid, next_grid
from .dependence.summary import claim_lines, pairs_grid, untold

if TYPE_CHECKING:
    import polars as pl

    from ._answers import Answers
    from ._consensus import Consensus
    from .dependence import OpinionPool


def consensus_lines(found: Consensus, by: str, pool: OpinionPool | None) -> Iterator[str]:
    """Lines on what was read, what came out, and how far to trust it."""
    from ._crowdlab import Crowdlab
    from ._dawid_skene import DawidSkene
    from ._majority import Majority

    answers = found.answers
    unasked = int((answers.per_item == 0).sum())
    without = f", {unasked:,} of them unanswered" if unasked else ""
    yield (
        f"{count_of(len(answers), 'answer')} about {count_of(answers.n, 'item')}{without} by"
        f" {count_of(len(answers.annotators), 'annotator')}, {answers.m:,} classes"
    )
    yield from agreement_line(answers)
    known = found.quality[~np.isnan(found.quality)]
    compared = (answers.per_item > 1).any() or (pool is not None and pool.compared)
    yield f"consensus by {by}" + (f": mean quality {known.mean():.3f}" if compared else "")
    if pool is not None:
        yield from claim_lines(pool, by, float(known.mean()))
    else:
        yield untold(found)
    if isinstance(found, Majority) and any(found.ties.values()):
        told = ", ".join(f"{count:,} {name}" for name, count in found.ties.items() if count)
        yield f"ties decided by: {told}"
    if isinstance(found, DawidSkene):
        ended = "converged" if found.converged else "not converged"
        rounds = len(found.log_likelihood)
        yield f"{rounds} rounds, {ended}, log-likelihood {found.log_likelihood[-1]:.1f}"
    if isinstance(found, Crowdlab):
        changed = int((found.labels != found.majority).sum())
        differ = "label differs" if changed == 1 else "labels differ"
        yield (
            f"{changed:,} {differ} from the majority; the model"
            f" weighs {found.model_weight:.2f}, an annotator {found.weights.mean():.2f} on average"
        )


def agreement_line(answers: Answers) -> Iterator[str]:
    """How far annotators agree beyond chance; none where nothing can be said of it."""
    from ._alpha import krippendorff

    alpha = krippendorff(answers)
    if np.isfinite(alpha.value):
        ends = "" if np.isnan(alpha.low) else f" ({alpha.low:.2f} to {alpha.high:.2f})"
        yield f"annotators agree beyond chance with Krippendorff's alpha {alpha.value:.2f}{ends}"


def consensus_grids(
    found: Consensus, pool: OpinionPool | None, people: pl.DataFrame, top: int, more: str
) -> Iterator[Grid | str]:
    """Doubtful items, annotators and what to ask about next: ``top`` of each; ``more``: where the
    rest is."""
    pairs = []
    if pool is not None and (pool.shared.pairs.dependent | pool.shared.pairs.copies).any():
        grid = pairs_grid(pool.shared, top)
        pairs = [(grid, len(pool.shared.pairs.first), "pairs of annotators")]
    for grid, there, what in (
        (doubts_grid(found, top), found.answers.n, "items"),
        (annotators_grid(people, top), len(people), "annotators"),
        *pairs,
        (next_grid(found, top), found.answers.n, "items"),
    ):
        yield grid
        if top < there:
            yield f"the first {top:,} of {there:,} {what}; {more}"
