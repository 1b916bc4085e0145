"""Articles that ``candidly build`` reads, and which of their categories it takes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...data.ingest.labels import read_classes
from ...ground.progress import OnProgress
from ...ground.spec import anything, pairs
from .. import _progress
from .._types import whole

if TYPE_CHECKING:
    from ...compare.corpora import Articles

CategoryAt = Annotated[
    str | None,
    typer.Option(
        "--category-at",
        metavar="CSS",
        help="Where pages have the names of the category's path. (default: as wikiHow's)",
    ),
]
EventAt = Annotated[
    str | None,
    typer.Option(
        "--event-at", metavar="CSS", help="Where pages have the steps. (default: as wikiHow's)"
    ),
]
TableColumns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="NAME=COLUMN,...",
        help="What a table calls its columns article, category and event, where it has other "
        "names: event=step,category=topic.",
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Categories that people want as classes, a path in each line. (default: all that are "
        "large enough)",
    ),
]
MoreThan = Annotated[int, whole("Keep categories with more events than this.")]


def read(
    articles: Path, category_at: str | None, event_at: str | None, columns: str | None = None
) -> Articles:
    """A folder of pages, or a table.

    Raises:
        ValueError: selectors for a table.
    """
    from ...compare.corpora import read_articles, read_pages
    from ...data.ingest.pages import CATEGORY, EVENT

    if articles.is_dir():
        if columns is not None:
            raise ValueError(f"--columns is about tables, and {articles} is a folder of pages.")
        with _progress.reading("reading pages", "done: reading pages") as watch:
            return read_pages(
                articles, category=category_at or CATEGORY, event=event_at or EVENT, watch=watch
            )
    for option, value in {"--category-at": category_at, "--event-at": event_at}.items():
        if value is not None:
            raise ValueError(f"{option} is about pages, and {articles} is no folder of pages.")
    return read_articles(articles, pairs(columns, "--columns", anything) if columns else None)


def wanted(asked: str | None, articles: Articles) -> Callable[[tuple[str, ...]], bool]:
    """Which categories are listed; all where there is no list.

    Raises:
        ValueError: one that no article has.
    """
    lines = read_classes(asked, "--keep")
    if lines is None:
        return lambda path: True
    known = {" > ".join(path) for path in articles.categories}
    listed = {" > ".join(part.strip() for part in line.split(">")) for line in lines}
    unknown = sorted(listed - known)
    if unknown:
        raise ValueError(
            f"{asked} lists {unknown[0]!r}, a category that no article has. Write paths as in the "
            "table, with > between."
        )
    return lambda path: " > ".join(path) in listed


def told(steps: ExitStack) -> Callable[[str, int, int], None]:
    """Progress of one step after the other."""
    now: dict[str, OnProgress] = {}

    def tell(what: str, done: int, total: int) -> None:
        if what not in now:
            steps.close()
            now.clear()
            now[what] = steps.enter_context(_progress.reading(what, f"done: {what}"))
        now[what](done, total)

    return tell
