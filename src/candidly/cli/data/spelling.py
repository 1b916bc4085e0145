"""Which classes look like spellings of one: ``candidly labels spelling``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from ...data.ingest import Roles
from ...ground.files import write_table
from .. import _print
from .._column_options import ANY, OF_DATA
from .._issues import check_place
from .._print import AsJson
from .common import Data, What, loaded_from, print_json, tell


@OF_DATA
def spelling(
    what: What,
    data: Data = None,
    roles: Roles = ANY,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write old and new names: .csv. Edit it before use."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Which classes look like one: by case, spaces, the form of letters, or a slip in few rows.

    Example:

      candidly labels spelling tickets.csv --label category --out merge.csv

      candidly check tickets.csv --label category --merge-labels merge.csv
    """
    import polars as pl

    from ...data.labels.merging import rows_of
    from ...data.labels.spelling import alike
    from ...show.grid import Column, Grid

    check_place(out, "--out", (".csv",))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = loaded_from(what, data, roles)
    groups = alike(rows_of(loaded))
    rows = [
        (old, one.name, rows, "spelling" if one.same else "one letter")
        for one in groups
        for old, rows in zip(one.others, one.rows[1:])
    ]
    if out is not None:
        frame = pl.DataFrame({"old": [row[0] for row in rows], "new": [row[1] for row in rows]})
        write_table(frame.cast(pl.String), out)
        tell(f"wrote {out}: {len(rows)} names to replace. Take out what are classes of their own.")
    names = ("old", "new", "rows", "differs by")
    if as_json:
        print_json([dict(zip(names, row)) for row in rows])
        return
    columns = (
        Column("old", "name"),
        Column("new", "name"),
        Column("rows", form=","),
        Column("differs by", "word"),
    )
    title = "Classes that look like one" if rows else "No two classes look like one"
    _print.show(Grid(title, columns, rows))
