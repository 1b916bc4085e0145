"""One self-contained page: rows whose tags may be wrong, and which tags these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...data.ingest.previews import Media
from ...data.labels.text import BAR
from ...show.document import Document
from ...show.grid import Column, Grid
from ...show.pieces import Section, Tiles
from ._gallery import gallery as gallery_of
from ._multilabel import TagIssues
from .issues_document import GALLERY, LISTED, next_commands, suspicious

NO_TAG = "none"
MEANT = {
    "rows": "of which the classifier would change a tag",
    "missing": "tags that the classifier would add",
    "too much": "tags that the classifier would take away",
}


def tags_grid(issues: TagIssues, classes: Sequence[str]) -> Grid:
    """A row per tag, those with most doubts first."""
    table = issues.by_tag_table(classes)
    columns = (
        Column("tag", "name"),
        *(Column(name, form=",") for name in ("given", "missing", "too much")),
    )
    note = (
        "Given: rows that have the tag. Missing: rows to which the classifier would add it. Too"
        " much: rows from which it would take it away. Where a row hardly shows a tag, most of"
        " these may be right as they are."
    )
    return Grid("Tags, those with most doubts first", columns, table.rows(), (note,))


def tags_document(
    issues: TagIssues,
    *,
    classes: Sequence[str],
    media: Media | None = None,
    separator: str = BAR,
    read: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    ids: Sequence[Any] | None = None,
    of: str = "",
    findings: Sequence[str] = (),
    following: Sequence[str] = (),
) -> Document:
    """Rows whose tags may be wrong, and which tags these are.

    Args:
        issues: what ``errors.find_multilabel`` returns.
        classes: names of the tags.
        media: what an example looks like, by its number.
        separator: what stands between two tags.
        read, notes, ids, of, findings, following: see ``issues_document``.
    """
    n, m = issues.tags.shape
    table = issues.table(classes, separator)
    flagged = len(table)
    missing = int((issues.by_tag & ~issues.tags).sum())
    counts = {"rows": flagged, "missing": missing, "too much": int(issues.by_tag.sum()) - missing}
    cards = [] if media is None else _cards(table.head(GALLERY), media, ids)
    named = [] if ids is None else [Column("id", "name")]
    parts = ("given", "missing", "too much")
    columns = (
        *(Column("rank"), Column("row"), *named, *(Column(name, "name") for name in parts)),
        Column("self-confidence", form=".4f"),
    )
    rows = [
        (
            *(rank, row["index"], *([] if ids is None else [str(ids[row["index"]])])),
            *(row[name] for name in parts),
            row["self-confidence"],
        )
        for rank, row in enumerate(table.head(LISTED).iter_rows(named=True), 1)
    ]
    shown = f" {len(cards)} of {flagged:,}" if len(cards) < flagged else ""
    where = f" in {of}" if of else ""
    seen = [Section(f"The most suspicious{shown}", (gallery_of(cards),))] if cards else []
    ranked = Grid("Rows", columns, rows)
    tiles = Tiles([(what, f"{k:,}", MEANT[what]) for what, k in counts.items()])
    return Document(
        f"The tags of {flagged:,} of {n:,} rows{where} to look at"
        if flagged
        else f"No tags of {n:,} rows{where} stand out",
        (
            *seen,
            Section("How many", (tiles,)),
            Section("Tags", (tags_grid(issues, classes),)),
            *next_commands(following),
            *([Section("Ranked list", (ranked,))] if flagged else []),
        ),
        lead=suspicious("", findings, notes),
        facts={**(read or {}), "examples": f"{n:,}", "tags": f"{m:,}"},
        made_of="tags and probabilities",
        table=ranked,
    )


def _cards(table: Any, media: Media, ids: Sequence[Any] | None) -> list[dict[str, Any]]:
    """The first examples that look like something."""
    cards = []
    for rank, row in enumerate(table.iter_rows(named=True), 1):
        if (item := media(row["index"])) is not None:
            known = {"rank": rank, "item": item, "own": None, "chance": None}
            texts = {name: row[name] or NO_TAG for name in ("given", "proposed")}
            called = None if ids is None else ids[row["index"]]
            cards.append({**known, **texts, "index": row["index"], "called": called})
    return cards
