"""``candidly errors``: labels that may be wrong, and how healthy each class is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ...data.ingest import Roles
from ...data.labels.kinds import ALL_OF
from ...ground.files import write_json, write_table
from ...ground.jsons import to_json
from .._column_options import ANY, CELLS, LABELS, reads
from .._issues import (
    check_place,
    print_classes,
    print_counts,
    print_issues,
    print_overlaps,
)
from .._print import AsJson, Html
from .._types import counted, whole
from .amount import amount
from .compare import compare
from .options import Collisions, Labels, Normalise, On, Probabilities, Unlabelled, Work, Workers
from .probs import probs
from .reading import examined, opened
from .tags import find_tags

if TYPE_CHECKING:
    from ...errors.confident import Evidence, SetEvidence

app = typer.Typer(
    no_args_is_help=True,
    help="Wrong labels, from given labels and probabilities: probs, amount, find, health, compare.",
)
app.command()(probs)
app.command()(amount)
app.command()(compare)


@app.command()
@reads(*LABELS, *CELLS, "id", "drop")
def find(
    given: Labels,
    probs: Probabilities,
    by: Annotated[
        str,
        typer.Option(
            help="noise rate, class, both, confident, predicted, margin or self-confidence."
        ),
    ] = "noise rate",
    count: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="With --by margin or self-confidence, how many: a number, off-diagonal, "
            "calibrated, or expected, the share of wrong labels times their number. (default: "
            "off-diagonal)",
        ),
    ] = None,
    rank: Annotated[str, typer.Option(help="Order: margin or self-confidence.")] = "margin",
    roles: Roles = ANY,
    normalise: Normalise = False,
    unlabelled: Unlabelled = False,
    collisions: Collisions = "global",
    top: Annotated[int, whole("Examples to print.")] = 50,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every flagged example: .parquet .csv .json."),
    ] = None,
    html: Html = None,
    media: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="What examples look like, for the page: a folder of images named by row (from 0), "
            "an .npy of uint8 images, or a file with one column of texts.",
        ),
    ] = None,
    gallery: Annotated[
        int | None,
        whole("Examples to picture on the page, with --media. (default: 100)", least=1),
    ] = None,
    workers: Workers = None,
    on: On = None,
    work: Work = None,
    as_json: AsJson = False,
) -> None:
    """Labels that a method of confident learning flags, the most suspicious first.

    Examples:

      candidly errors find --labels labels.npy --probs probs.npy --classes cat,dog --top 20

      candidly errors find --labels labels.csv --probs chunks --work work --out issues.parquet

      candidly errors find --labels labels.npy --probs probs.npy --media images --html page.html

      candidly errors find --labels dishes.csv --label tags --label-kind all-of --probs probs.npz

      candidly errors find --labels s3://b/labels --probs s3://b/probs --on ray:10.0.0.1:6379
    """
    from ...data.ingest.labels import check_said, holds_sets
    from ...errors import confident as errors
    from ...errors.confident import METHODS, OF_COLUMNS
    from ...ground.names import lookup

    by = lookup({**METHODS, **OF_COLUMNS}, by, "way to find label errors")[0]
    rank = lookup(OF_COLUMNS, rank, "rank")[0]
    number = _number(count, by)
    check_place(out, "--out", (".parquet", ".csv", ".json"))
    check_place(html, "--html", (".html", ".htm"))
    if media is not None and html is None:
        raise ValueError("--media is for the page; say where with --html.")
    if media is not None and not media.exists():
        raise FileNotFoundError(f"{media} does not exist.")
    if gallery is not None and media is None:
        raise ValueError("--gallery is for pictures of examples; say where they are with --media.")
    labels, source, names = opened(given, probs, normalise, roles)
    check_said(labels)
    if labels.kind == ALL_OF:
        ways: dict[str, Any] = {
            "--by": by in OF_COLUMNS,
            "--count": count,
            "--on": on,
            "--work": work,
        }
        ways |= {"--normalise": normalise, "--gallery": gallery}
        for option, value in ways.items():
            if value:
                raise ValueError(f"{option} is of one label a row, and with {ALL_OF} all hold.")
        find_tags(labels, source, names, by, top, out, html, media, as_json)
        return
    if html is not None and holds_sets(labels):
        raise ValueError("--html is about one given label per example; for candidate sets, --out.")
    evidence, notes = examined(
        labels, source, names, normalise, unlabelled, collisions, workers, on, work, pairs=True
    )
    issues = errors.find(evidence, by=by, count=number, rank=rank)  # type: ignore[arg-type]
    notes = list(dict.fromkeys([*notes, *issues.warnings]))
    table = issues.table(classes=names)
    about = _counted(evidence, len(table))
    if out is not None:  # first, as media that cannot be shown end the command
        write_table(table, out)
    if html is not None:
        _write_page(issues, html, names, media, gallery, given, probs, notes)
    written = {"out": out, "html": html}
    if as_json:
        about = {
            "read": _read(given, probs, evidence),
            "by": by,
            "rank": rank,
            **about,
            "issues": table.head(top).rows(named=True),
            "written": {name: str(path) for name, path in written.items() if path is not None},
            "warnings": notes,
        }
        print(to_json(about))
        return
    print_counts(about["counts"], by, evidence)
    print_issues(table.head(top), len(table))
    for path in written.values():
        if path is not None:
            print(f"wrote {path}", file=sys.stderr)


@app.command()
@reads(*LABELS, *CELLS, "id", "drop")
def health(
    given: Labels,
    probs: Probabilities,
    roles: Roles = ANY,
    normalise: Normalise = False,
    unlabelled: Unlabelled = False,
    collisions: Collisions = "global",
    top: Annotated[int, whole("Classes and pairs of them to print.")] = 20,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write all: .json, or of every class a row in a .parquet or .csv."
        ),
    ] = None,
    workers: Workers = None,
    on: On = None,
    work: Work = None,
    as_json: AsJson = False,
) -> None:
    """Classes by the quality of their labels, worst first, and classes that overlap.

    Example:  candidly errors health --labels labels.npy --probs probs.npy
    """
    from ...data.ingest.labels import holds_sets
    from ...errors.confident import health as health_of

    check_place(out, "--out", (".parquet", ".csv", ".json"))
    labels, source, names = opened(given, probs, normalise, roles)
    if holds_sets(labels) or labels.kind == ALL_OF:
        raise ValueError(
            "--labels holds several labels a row, which count no pairs of classes; find takes them."
        )
    evidence, notes = examined(
        labels,
        source,
        names,
        normalise,
        unlabelled,
        collisions,
        workers,
        on,
        work,
        pairs=bool(work),
    )
    found = health_of(evidence)
    of_classes = found.table(names).fill_nan(None)
    overlaps = found.overlap_table(names)
    about = {
        "read": _read(given, probs, evidence),
        "health": {"off-diagonal": found.off_diagonal, "calibrated": found.calibrated},
        "classes": of_classes.rows(named=True),
        "overlaps": overlaps.rows(named=True),
        "warnings": list(dict.fromkeys([*notes, *found.warnings])),
    }
    if out is not None and out.suffix == ".json":
        write_json(about, out)
    elif out is not None:
        write_table(of_classes, out)
    if as_json:
        print(to_json(about))
        return
    print(f"health by the off-diagonal count: {found.off_diagonal:.2%} of the labels")
    print(f"health by the calibrated joint:   {found.calibrated:.2%} of the labels")
    print_classes(of_classes, top)
    print_overlaps(overlaps, top)
    if out is not None:
        print(f"wrote {out}", file=sys.stderr)


def _number(
    count: str | None, by: str
) -> int | Literal["off-diagonal", "calibrated", "expected"] | None:
    from ...errors.confident import COUNTS

    if count is None:
        return None
    if by not in ("margin", "self-confidence"):
        raise ValueError(
            f"--by {by!r} decides itself how many; --count is for --by margin and self-confidence."
        )
    if count in COUNTS:
        return count  # type: ignore[return-value]
    try:
        return counted(count, "--count")
    except ValueError as error:
        *names, last = COUNTS
        raise ValueError(f"{error} Or write {', '.join(names)} or {last}.") from None


def _counted(evidence: Evidence | SetEvidence, flagged: int) -> dict[str, Any]:
    """Numbers of examples by name, and the expected number of wrong labels before rounding."""
    from ...errors.confident import SetEvidence, counts

    if isinstance(evidence, SetEvidence):  # without a calibrated joint
        off = int(evidence.guessed_outside.sum())
        return {"counts": {"off-diagonal": off, "flagged": flagged}, "expected": None}
    found = counts(evidence)
    numbers = {"off-diagonal": found.off_diagonal, "calibrated": found.calibrated}
    return {"counts": {**numbers, "flagged": flagged}, "expected": found.expected}


def _read(labels: str, probs: str, evidence: Evidence | SetEvidence) -> dict[str, Any]:
    return {
        "labels": str(labels),
        "probabilities": str(probs),
        "examples": evidence.n,
        "labelled": int(evidence.labelled.sum()),
        "classes": evidence.m,
        "normalised": evidence.normalised,
        "collisions that the other rule decides otherwise": evidence.disagreements,
    }


def _write_page(
    issues: Any,
    path: Path,
    names: Sequence[str] | None,
    media: Path | None,
    gallery: int | None,
    labels: str,
    probs: str,
    notes: Sequence[str],
) -> None:
    from ...errors.confident.issues_document import GALLERY, issues_document

    issues_document(
        issues,
        classes=names,
        media=media,
        gallery=GALLERY if gallery is None else gallery,
        read={"labels": str(labels), "probabilities": str(probs)},
        notes=notes,
    ).write(path)
