"""``candidly errors amount``: how many labels are wrong, as far as probabilities tell."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...data.ingest import Roles
from ...ground.files import write_table
from ...ground.jsons import to_json
from .._column_options import ANY, CELLS, LABELS, reads
from .._issues import check_place, print_issues
from .._print import AsJson
from .._types import random_seed, whole
from .options import Labels, Normalise, On, Probabilities, Unlabelled, Workers
from .reading import examined, opened

if TYPE_CHECKING:
    pass


@reads(*LABELS, *CELLS, "id", "drop")
def amount(
    given: Labels,
    probs: Probabilities,
    roles: Roles = ANY,
    normalise: Normalise = False,
    unlabelled: Unlabelled = False,
    top: Annotated[int, whole("Rows to print.")] = 20,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write every row with the chance that its label is wrong: .parquet .csv .json.",
        ),
    ] = None,
    draw: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write rows drawn for people to check, so that they count the wrong labels, for "
            "candidly review new: .csv .parquet .json.",
        ),
    ] = None,
    workers: Workers = None,
    on: On = None,
    seed: Annotated[int, random_seed("Of the rows that are drawn.")] = 0,
    as_json: AsJson = False,
) -> None:
    """How many labels are wrong, if errors strike clear and unclear rows alike.

    Examples:

      candidly errors amount --labels labels.csv --probs probs.npz

      candidly errors amount --labels labels.npy --probs probs.npy --out chances.parquet

      candidly errors amount --labels labels.csv --probs probs.npz --draw sample.csv
    """
    from ...data.ingest.labels import holds_sets
    from ...data.labels.kinds import ALL_OF
    from ...errors.amount import MOST, estimate, rows_to_check, table_to_check, worth_a_look
    from ...errors.amount.shown import depths_grid
    from ...errors.confident import Evidence
    from .._print import show

    check_place(out, "--out", (".parquet", ".csv", ".json"))
    check_place(draw, "--draw", (".parquet", ".csv", ".json"))
    labels, source, names = opened(given, probs, normalise, roles)
    if holds_sets(labels) or labels.kind == ALL_OF:
        raise ValueError(
            "--labels holds several labels a row, and amount is of one label each; find takes them."
        )
    evidence, notes = examined(
        labels, source, names, normalise, unlabelled, "global", workers, on, None, pairs=False
    )
    assert isinstance(evidence, Evidence)
    found = estimate(evidence, seed=seed)
    issues = worth_a_look(found, evidence)
    table = issues.table(classes=names)
    if out is not None:
        write_table(issues.table(everything=True, classes=names), out)
    if draw is not None:
        drawn = rows_to_check(found, MOST, seed)
        write_table(table_to_check(drawn, found, evidence, names), draw)
    written = {name: path for name, path in (("out", out), ("draw", draw)) if path is not None}
    if as_json:
        about = {
            "labels": str(given),
            "probabilities": str(probs),
            "headline": found.headline(),
            **found.as_dict(),
            "issues": table.head(top).rows(named=True),
            "written": {name: str(path) for name, path in written.items()},
            "warnings": notes,
        }
        print(to_json(about))
        return
    show(found.headline(), *found.findings())
    if not found.why:
        show(depths_grid(found, issues))
    print_issues(table.head(top), len(table))
    for path in written.values():
        print(f"wrote {path}", file=sys.stderr)
