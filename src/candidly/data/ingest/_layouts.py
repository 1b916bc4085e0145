"""Tables of answers that are laid out otherwise: a column a person, or no line of names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ...ground.names import nearest
from .table_checks import check_filled, listed

if TYPE_CHECKING:
    import polars as pl

ITEM = ("item", "name", "id")  # usual names of the column that says what an answer is about
BARE = ("annotator", "item", "label")  # columns of Get-Another-Label, which have no names there
MOST_CLASSES, MOST_PEOPLE = 50, 500  # of a table that nobody said to be of this layout


def item_of(frame: pl.DataFrame) -> str | None:
    """The column that names the items, by its usual name; None where there is none."""
    return next((name for name in ITEM if name in frame.columns), None)


def long_of_wide(frame: pl.DataFrame, people: Sequence[str], item: str | None) -> pl.DataFrame:
    """A row per answer, of a table with an item a row and a column for each person's answers.

    An item that nobody answered has a row without annotator and label. Without a column ``item``
    the items are rows 0, 1 and so on. Columns that are no answers stay beside each answer.

    Raises:
        ValueError: no such column, or an item without a name.
    """
    import polars as pl

    for name in ("annotator", "label"):
        if name in frame.columns and name not in (*people, item):
            raise ValueError(
                f"beside a column for each person it has one called {name!r}; rename it, or leave"
                " it out with `drop`."
            )
    for name in people:
        if name not in frame.columns:
            raise ValueError(
                f"there is no column {name!r}{nearest(name, frame.columns)} The"
                f" columns are {listed(frame.columns)}."
            )
    if item is None:
        frame = frame.with_row_index("item").with_columns(pl.col("item").cast(pl.Int64))
        item = "item"
    check_filled(frame[item], "Each answer is about something; fill it in.")
    rest = [name for name in frame.columns if name not in people]
    texts = frame.with_columns(pl.col(people).cast(pl.String).replace("", None))
    rows = texts.with_row_index("place of the item").unpivot(
        people, index=["place of the item", *rest], variable_name="annotator", value_name="label"
    )
    said = rows.filter(pl.col("label").is_not_null())
    nobody = texts.with_row_index("place of the item").filter(
        pl.all_horizontal(pl.col(people).is_null())
    )
    whole = pl.concat([said, nobody.drop(people)], how="diagonal_relaxed")
    whole = whole.sort("place of the item", maintain_order=True).drop("place of the item")
    others = [name for name in rest if name != item]
    return whole.rename({item: "item"}).select("item", "annotator", "label", *others)


def people_in(frame: pl.DataFrame, others: Collection[str]) -> list[str]:
    """Columns that look like one person's answers each: the same few labels in all; else none.

    Args:
        others: usual names of other columns, such as of items and texts.
    """
    import polars as pl

    names = [name for name in frame.columns if name.lower() not in others and name.strip()]
    if not 2 <= len(names) <= MOST_PEOPLE:
        return []
    shown = [
        set(frame[name].cast(pl.String, strict=False).replace("", None).drop_nulls().unique())
        for name in names
    ]
    every = set().union(*shown)
    alike = all(len(one & other) for one in shown for other in shown)
    few = 2 <= len(every) <= min(MOST_CLASSES, max(2, len(frame)))
    return names if alike and few else []
