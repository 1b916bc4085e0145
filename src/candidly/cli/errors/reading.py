"""Labels and probabilities for ``candidly errors``: read, and errors said in the options' words."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ...ground.arrays import check_distinct
from .. import _progress
from .._words import held

if TYPE_CHECKING:
    from ...data.ingest import Roles
    from ...data.ingest.labels import LabelColumn
    from ...data.ingest.prob_rows import ProbRows
    from ...errors.confident import Evidence, SetEvidence


def opened(
    labels: str, probs: str, normalise: bool, roles: Roles
) -> tuple[LabelColumn, ProbRows, list[str] | None]:
    """The labels, the probabilities, and the names of the classes, said or by the columns."""
    from ...data.ingest.label_parts import labels_beside
    from ...data.ingest.labels import class_names
    from ...data.ingest.probabilities import open_source
    from ...data.ingest.unused import BESIDE, LABELS, parts_read, refuse_unused

    names = roles.declared
    check_distinct(names)
    refuse_unused(roles, *parts_read(labels, LABELS), *parts_read(probs, BESIDE))
    source = open_source(probs, normalise, names, roles)
    given = labels_beside(labels, source, roles, names)
    return given, source, names or class_names(given, source.columns)


def examined(
    labels: LabelColumn,
    probs: ProbRows,
    classes: Sequence[str] | None,
    normalise: bool,
    unlabelled: bool,
    collisions: str,
    workers: int | None,
    on: str | None,
    work: Path | None,
    pairs: bool,
) -> tuple[Evidence | SetEvidence, list[str]]:
    """What was read, and what is to be said of it."""
    from ...data.ingest.labels import holds_sets
    from ...errors.confident import examine, examine_sets

    sets = holds_sets(labels)
    if sets and work is not None:
        raise ValueError("--work is for given labels; candidate sets are read in one go.")
    if sets and on is not None:
        raise ValueError("--on is for given labels; candidate sets are read by threads.")
    kept: dict[str, Any] = {} if sets else {"pairs": pairs, "work": work, "on": on}
    try:
        with (
            held() as told,
            _progress.reading() as watch,
        ):
            evidence = (examine_sets if sets else examine)(
                labels,
                probs,
                classes=classes,
                normalise=normalise,
                unlabelled=unlabelled,
                collisions=collisions,  # type: ignore[arg-type]
                workers=len(os.sched_getaffinity(0)) if workers is None and not on else workers,
                watch=watch,
                **kept,
            )
    except KeyboardInterrupt:
        how = (
            f"the same command goes on from what is in {work}"
            if work
            else "with --work DIR the same command could go on from here"
        )
        print(f"\nstopped; {how}.", file=sys.stderr)
        raise typer.Exit(130) from None
    return evidence, told
