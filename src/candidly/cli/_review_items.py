"""What ``candidly review new`` asks about: rows of a table or a data set, or issues alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.ingest.texts import read_text
from ..data.labels.kinds import ALL_OF
from . import _progress
from ._types import counted

if TYPE_CHECKING:
    from ..data.ingest import Origin, Roles
    from ..data.labels.labelled import Labelled
    from ..people.review import Item, Looks, Rules


@dataclass(frozen=True, eq=False)
class RowsRead:
    """What is asked about: its labels, and of a table the columns that people see."""

    data: Labelled
    shown: Any = None  # a polars frame
    origin: Origin | None = None

    def looks(self, folder: Path, prefix: str = "") -> Looks:
        """What a row looks like; see ``review.looks_of``."""
        from ..people.review import MEDIA_FOLDER, looks_of, looks_of_rows

        if self.shown is not None:
            return looks_of_rows(self.shown)
        return looks_of(self.data, folder / MEDIA_FOLDER, prefix)


def read_rows(
    where: str, roles: Roles, rules: Rules | None = None, issues: Path | None = None
) -> RowsRead:
    """A table, a folder of pictures or a known data set.

    Raises:
        ValueError: it cannot be read, or the question needs a guess that nothing makes.
    """
    if rules is not None and rules.decides and issues is None:
        raise ValueError(
            f"verdicts need guesses: find them with candidly check {where}, and give what it writes"
            " with --issues; or ask for labels with --preset single or candidates."
        )
    from ..data import ingest
    from ..data.ingest.unused import as_read, refuse_unused
    from ..data.sources import load

    with _progress.reading() as watch:
        path = Path(where)
        if not ingest.is_table(path):
            if path.exists():
                return RowsRead(load(path, None, watch=watch, roles=roles))
            found = load(where, None, watch=watch, roles=replace(roles, classes=None))
            return RowsRead(_renamed(found, roles.classes))
        refuse_unused(roles, as_read(path))
        sheet = ingest.read_frame(path, roles.separator, roles.table(), roles.sheet, roles.reads)
        data = ingest.read(sheet, replace(roles, ask_kind=True), watch)
        label = roles.label or ingest.label_column(sheet, roles)
        origin = ingest.origin_of(sheet, label, roles.label_separator, roles.merge_labels)
        sheet = replace(sheet, frame=ingest.one_column(sheet.frame, roles))
    shown = None
    if data.kind in ("table", "columns"):
        shown = sheet.frame.select(ingest.shown_columns(sheet, roles))
    return RowsRead(data, shown, origin)


def _renamed(data: Labelled, classes: Sequence[str] | None) -> Labelled:
    """A known data set under other names of its classes, where there are any."""
    if classes is None or tuple(classes) == data.classes:
        return data
    if len(classes) != data.q:
        raise ValueError(f"--classes has {len(classes)} names; {data.source} has {data.q} classes.")
    return replace(data, classes=tuple(classes))


def items_of_rows(
    folder: Path,
    read: RowsRead,
    rules: Rules,
    issues: Path | None,
    rows: str | None,
    media: Path | None,
    sample: int | None,
    separator: str,
) -> Sequence[Item]:
    from ..people.review import (
        MEDIA_FOLDER,
        items_of_data,
        items_of_issues,
        items_of_tags,
        looks_of_files,
        of_data,
        sampled,
        seed_of,
    )

    data = read.data
    if media is None:
        looks = read.looks(folder)
    else:
        looks = looks_of_files(media, folder / MEDIA_FOLDER, data.n, list(data.ids))
    if issues is not None and data.label_kind == ALL_OF:
        seed = seed_of(rules)
        with _watched(looks, sample or _length(issues)) as looks:
            return items_of_tags(
                issues, data, separator=separator, sample=sample, seed=seed, looks=looks
            )
    if issues is not None:
        items, _ = items_of_issues(issues, data.classes, sample=sample, seed=seed_of(rules))
        items = of_data(items, data)
        with _watched(looks, len(items)) as looks:
            return [replace(item, shown=looks(item.row)) for item in items]
    chosen = sampled(data.n, sample, seed_of(rules)) if rows is None else _row_numbers(rows)
    with _watched(looks, len(chosen)) as looks:
        return items_of_data(data, chosen, looks=looks)


def items_of_file(
    folder: Path,
    issues: Path,
    rules: Rules,
    classes: Sequence[str] | None,
    media: Path | None,
    sample: int | None,
) -> tuple[Sequence[Item], Rules]:
    from ..people.review import MEDIA_FOLDER, items_of_issues, looks_of_files, no_looks, seed_of

    looks: Looks = no_looks if media is None else looks_of_files(media, folder / MEDIA_FOLDER)
    with _watched(looks, sample or _length(issues)) as looks:
        items, known = items_of_issues(
            issues, classes, sample=sample, seed=seed_of(rules), looks=looks
        )
    return items, replace(rules, classes=known)


def _length(issues: Path) -> int:
    from ..data.ingest import read_frame

    return len(read_frame(issues).frame)


def _row_numbers(rows: str) -> list[int]:
    """Rows from a list with commas, or from a text file with one a line."""
    path = Path(rows)
    words = read_text(path).split("\n") if path.is_file() else rows.split(",")
    found = [word.strip() for word in words if word.strip()]
    if not found:
        raise ValueError(f"--rows is {rows!r}, in which there is no row.")
    return [counted(word, "a row of --rows") for word in found]


@contextmanager
def _watched(looks: Looks, total: int) -> Iterator[Looks]:
    """The same function, telling how many items have been copied."""
    done = 0
    with _progress.reading("copying", "copied") as watch:

        def look(row: int) -> Any:
            nonlocal done
            done += 1
            watch(done, total)
            return looks(row)

        yield look
