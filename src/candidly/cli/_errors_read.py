"""Labels and probabilities for ``candidly errors``: read, and errors said in the options' words."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..ground.arrays import check_distinct
from . import _progress

if TYPE_CHECKING:
    from ..data.ingest import Roles
    from ..data.ingest.labels import LabelColumn
    from ..data.ingest.prob_rows import ProbRows
    from ..errors.confident import Evidence, SetEvidence


def opened(
    labels: str, probs: str, classes: str | None, normalise: bool, roles: Roles
) -> tuple[LabelColumn, ProbRows, list[str] | None]:
    """The labels, the probabilities, and the names of the classes, said or by the columns."""
    from ..data.ingest.label_parts import labels_beside
    from ..data.ingest.labels import class_names, read_classes
    from ..data.ingest.probabilities import open_source

    names = read_classes(classes)
    with plain_words():
        check_distinct(names)
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
    from ..data.ingest.labels import holds_sets
    from ..errors.confident import examine, examine_sets

    sets = holds_sets(labels)
    if sets and work is not None:
        raise ValueError("--work is for given labels; candidate sets are read in one go.")
    if sets and on is not None:
        raise ValueError("--on is for given labels; candidate sets are read by threads.")
    kept: dict[str, Any] = {} if sets else {"pairs": pairs, "work": work, "on": on}
    try:
        with (
            warnings.catch_warnings(record=True) as caught,
            plain_words(),
            _progress.reading() as watch,
        ):
            warnings.simplefilter("always", UserWarning)
            evidence = (examine_sets if sets else examine)(
                labels,
                probs,
                classes=classes,
                normalise=normalise,
                unlabelled=unlabelled,
                collisions=collisions,  # type: ignore[arg-type]
                workers=workers or (None if on else len(os.sched_getaffinity(0))),
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
    for warning in caught:
        warnings.warn(warning.message, stacklevel=2)
    return evidence, [str(warning.message) for warning in caught]


@contextmanager
def plain_words() -> Iterator[None]:
    """Errors about arguments, said of the command line's options."""
    try:
        yield
    except (TypeError, ValueError) as error:
        text = str(error).replace("`given`", "--labels").replace("`probs`", "--probs")
        text = text.replace("`classes` (--classes)", "--classes")
        raise ValueError(text.replace("`classes`", "--classes")) from error
