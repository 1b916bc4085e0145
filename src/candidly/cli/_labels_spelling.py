"""Which classes look like spellings of one: ``candidly labels spelling``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ..ground.files import write_table
from . import _print
from ._column_options import Annotator, Drop, Id, Image, Item, Label, Separator, Text, roles_of
from ._data_common import AsJson, Data, What, loaded_from, print_json, tell
from ._issues import check_place


def spelling(
    what: What,
    data: Data = None,
    label: Label = None,
    separator: Separator = None,
    id: Id = None,
    text: Text = None,
    image: Image = None,
    annotator: Annotator = None,
    item: Item = None,
    drop: Drop = None,
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

    from ..data.labels.spelling import alike
    from ..show.grid import Column, Grid

    check_place(out, "--out", (".csv",))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = loaded_from(
            what, data, roles_of(label, separator, id, text, image, annotator, item, drop)
        )
    counts = np.zeros(loaded.q, np.int64)
    if loaded.given is not None:
        counts += np.bincount(loaded.given[loaded.given >= 0], minlength=loaded.q)
    for sets in (loaded.candidates, loaded.tags):
        counts += 0 if sets is None else sets.sum(0)
    groups = alike(dict(zip(loaded.classes, counts.tolist())))
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
