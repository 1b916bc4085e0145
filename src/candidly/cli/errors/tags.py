"""``candidly errors find`` of rows that have several labels, all of which should hold."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...ground.files import joined, write_table
from .._words import held

if TYPE_CHECKING:
    from ...data.ingest.labels import LabelColumn
    from ...data.ingest.prob_rows import ProbRows
    from ...errors.confident import TagIssues


def find_tags(
    labels: LabelColumn,
    source: ProbRows,
    classes: Sequence[str] | None,
    by: str,
    top: int,
    out: Path | None,
    html: Path | None,
    media: Path | None,
    as_json: bool,
) -> None:
    """Rows whose tags may be wrong: printed, and written."""
    from ...data.ingest.previews import open_media
    from ...errors.confident import find_multilabel
    from ...errors.confident.tags_document import tags_document

    with held() as told:
        issues = find_multilabel(labels, source, by, classes=classes)
    names = [*map(str, classes or range(source.m))]
    table = issues.table(names, labels.separator)
    if out is not None:
        write_table(table, out)
    if html is not None:
        tags_document(
            issues,
            classes=names,
            media=None if media is None else open_media(media, source.n),
            separator=labels.separator,
            read={"labels": str(labels.path), "probabilities": source.name},
            notes=told,
            ids=None if issues.ids is None else issues.ids.tolist(),
        ).write(html)
    written = {"out": out, "html": html}
    paths = {name: str(path) for name, path in written.items() if path is not None}
    if as_json:
        about = _about(issues, names, table.head(top).rows(named=True))
        read = {"labels": str(labels.path), "probabilities": source.name}
        about = {"read": read, **about, "written": paths, "warnings": told}
        print(json.dumps(about, indent=1, allow_nan=False))
        return
    _print(issues, names, table, top)
    for path in paths.values():
        print(f"wrote {path}", file=sys.stderr)


def _about(issues: TagIssues, names: Sequence[str], rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "examples": len(issues.tags),
        "tags": len(names),
        "by": issues.by,
        "counts": {"flagged": int(issues.mask.sum()), "tags flagged": int(issues.by_tag.sum())},
        "by tag": issues.by_tag_table(names).rows(named=True),
        "issues": rows,
    }


def _print(issues: TagIssues, names: Sequence[str], table: Any, top: int) -> None:
    from ...errors.confident.tags_document import tags_grid
    from ...show.grid import Column, Grid
    from .._print import show

    there = [name for name in table.columns if name != "proposed"]
    form = tuple(
        Column(name, form=".4f") if name == "self-confidence" else Column(name, "name")
        for name in there
    )
    shown = joined(table.head(top).select(there))
    rows = [[v if isinstance(v, float) else str(v) for v in row] for row in shown.iter_rows()]
    rest = f"the first {top:,} of {len(table):,} rows; --top and --out give more"
    show(
        f"The tags of {len(table):,} of {len(issues.tags):,} rows to look at, by {issues.by}.",
        tags_grid(issues, names),
        Grid("", form, rows) if rows else "",
        rest if top < len(table) else "",
    )
