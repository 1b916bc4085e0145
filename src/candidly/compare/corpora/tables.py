"""Articles from a table of events, and a table of events from articles."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...ground.files import replacing, write_csv
from ...ground.names import nearest
from ...ground.problem import Refusal
from .articles import Articles, make_articles

COLUMNS = ("article", "category", "event")
ABOVE = " > "  # between the names of a category's path


def read_articles(path: Path | str, columns: Mapping[str, str] | None = None) -> Articles:
    """A CSV, Parquet or JSONL file with a row for each event, or for each article.

    Its columns are ``article``, an id; ``category``, the path of that article's category from the
    most general name on, with `` > `` between; and ``event``. Other columns are left out; rows of
    an article need not stand together. With a row for each article, ``event`` holds a list, and
    ``category`` may hold one, too.

    Args:
        columns: what the table calls those that have other names: ``{"event": "step"}``.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a column is not there or has an empty cell, an article is in two categories, or
            what ``make_articles`` refuses; names the row.
    """
    import polars as pl

    from ...data.ingest import read_frame

    called = {name: name for name in COLUMNS} | dict(columns or {})
    if unknown := sorted(set(called) - set(COLUMNS)):
        raise Refusal(
            f"`columns` has {unknown[0]!r}{nearest(unknown[0], COLUMNS)} A table of events has "
            f"{', '.join(COLUMNS)}."
        )
    frame = read_frame(Path(path), read=set(called.values()).__contains__).frame
    missing = [name for name in called.values() if name not in frame.columns]
    if missing:
        raise Refusal(
            f"{path} has no column {missing[0]!r}; a table of events has {', '.join(COLUMNS)}. It "
            f"has {', '.join(frame.columns[:20])}.",
            "say what it calls them with `columns`",
        )
    frame = frame.select(pl.col(theirs).alias(name) for name, theirs in called.items())
    if isinstance(frame.schema["category"], pl.List):
        frame = frame.with_columns(pl.col("category").list.join(ABOVE, ignore_nulls=False))
    event = pl.col("event")
    if isinstance(frame.schema["event"], pl.List):
        event = event.filter(event.list.len() > 0).explode()
    frame = frame.with_columns(pl.col("article", "category").cast(pl.String))
    for name in COLUMNS[:2]:
        if frame[name].null_count():
            row = int(frame[name].is_null().arg_max() or 0)
            raise ValueError(f"{path}, row {row}: {name} is empty. Fill it in, or leave it out.")
    grouped = frame.group_by("article", maintain_order=True).agg(
        pl.col("category").first(),
        pl.col("category").n_unique().alias("paths"),
        event.cast(pl.String).fill_null(""),
    )
    torn = grouped.filter(pl.col("paths") > 1)
    if len(torn):
        raise ValueError(
            f"{path}: article {torn['article'][0]!r} is in {torn['paths'][0]} categories; an "
            "article is in one. Give it the finest."
        )
    paths = [category.split(ABOVE.strip()) for category in grouped["category"].to_list()]
    return make_articles(grouped["article"].to_list(), paths, grouped["event"].to_list())


def write_articles(articles: Articles, path: Path | str) -> None:
    """The same as a CSV file that ``read_articles`` reads."""
    import polars as pl

    names = [ABOVE.join(one) for one in articles.categories]
    frame = pl.DataFrame(
        {
            "article": articles.ids[articles.article].tolist(),
            "category": [names[one] for one in articles.event_category],
            "event": articles.texts.tolist(),
        },
        schema_overrides=dict.fromkeys(COLUMNS, pl.String),
    )
    with replacing(Path(path)) as file:
        write_csv(frame, file)
