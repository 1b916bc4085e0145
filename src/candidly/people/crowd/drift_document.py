"""What is told of annotators who change over time: a sentence and a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...show.grid import Column, Datum, Grid
from ...show.pieces import Folded, Paragraph, Section
from ...show.words import listed

if TYPE_CHECKING:
    import polars as pl

NAMED = 4  # annotators that a sentence names
OPEN = 20  # rows up to which a table is not folded


def drift_line(changes: pl.DataFrame) -> str:
    """Who changes over time beyond chance, in a sentence or two.

    Args:
        changes: from ``crowd.drift``.
    """
    tested = changes["p"].is_not_null().sum()
    unsteady = int((changes["others"].is_not_null() & changes["p"].is_null()).sum())
    changed, everyone = changes.filter("changed"), tested + unsteady
    if not tested and not unsteady:
        return "Over time: too few answers about items with three, so nothing is said of changes."
    rest = (
        f" Of {unsteady:,} nothing can be said: the agreement of the others changes as well, so "
        "items may have become harder." * bool(unsteady)
    )
    if not len(changed):
        return f"Over time: none of {everyone:,} annotators is shown to change.{rest}"
    who = [
        f"{row['annotator']} since {row['since']} "
        f"({100 * row['early']:.0f} % agreement early, {100 * row['late']:.0f} % late)"
        for row in changed.head(NAMED).iter_rows(named=True)
    ]
    more = len(changed) - len(who)
    names = listed([*who, f"{more:,} more"] if more else who)
    verb = "changes" if len(changed) == 1 else "change"
    count = f"{len(changed):,} of {everyone:,} annotators"
    return f"Over time: {count} {verb} beyond chance: {names}.{rest}"


def drift_grid(changes: pl.DataFrame, most: int) -> Grid:
    """Annotators, the surest change first."""
    columns = (
        *(Column("annotator", "name"), Column("answers", form=",")),
        *(Column("% early", form=".1f"), Column("% late", form=".1f")),
        *(Column("change", form="+.1f"), Column("95 %", "word")),
        *(Column("p"), Column("since", "word")),
    )
    rows = [
        (
            row["annotator"],
            row["answers"],
            *(
                None if row[name] is None else 100 * row[name]
                for name in ("early", "late", "change")
            ),
            _ends(row["change from"], row["change to"]),
            _p(row["adjusted"], row["changed"]),
            row["since"],
        )
        for row in changes.head(most).iter_rows(named=True)
    ]
    note = (
        "Agreement with others about the same items, in the first and the last third of each "
        "annotator's answers. The change is that of its difference to how far those others agree "
        "with one another. p is Holm's, over all annotators with 20 answers; none where the others "
        "are not steady."
    )
    return Grid("Annotators over time, the surest change first", columns, rows, (note,))


def drift_section(changes: pl.DataFrame, most: int) -> Section:
    """The sentence and the table, for a page."""
    grid = drift_grid(changes, most)
    table = grid if len(grid.rows) <= OPEN else Folded(grid.title, (grid,))
    return Section("Annotators over time", (Paragraph(drift_line(changes)), table))


def _ends(low: float | None, high: float | None) -> str | None:
    if low is None or high is None:
        return None
    return f"{100 * low:+.1f} to {100 * high:+.1f}"


def _p(value: float | None, changed: bool | None) -> Datum:
    if value is None:
        return Datum(None)
    return Datum(value, text=f"{value:.3f}" if value >= 0.001 else "< 0.001", best=bool(changed))
