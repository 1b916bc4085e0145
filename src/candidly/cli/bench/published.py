"""``candidly bench published``: the tables of papers that come along, and their numbers."""

from __future__ import annotations

from typing import Annotated

import typer

from ...ground.jsons import to_json
from ...show.grid import Column, Grid
from .._print import check_form, show


def published(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One table. (default: which there are)")
    ] = None,
    format: Annotated[str, typer.Option(help="text, markdown, csv, latex, html or json.")] = "text",
) -> None:
    """Tables of papers, as typed from them: which there are, or the numbers of one.

    `bench compare` takes each as published:NAME.

    Examples:

      candidly bench published

      candidly bench published plench-7 --format csv

      candidly bench compare runs/lost published:plench-7
    """
    from ...compare.published import PREFIX, TABLES, read
    from ...ground.names import lookup

    check_form(format, json=True)
    if name is None:
        rows = [(table.name, table.title, table.source) for table in TABLES.values()]
        if format == "json":
            print(to_json([dict(zip(("name", "title", "source"), row)) for row in rows]))
            return
        columns = (Column("name", "word"), Column("of", "name"), Column("source", "text"))
        show(Grid("Published tables", columns, rows), form=format)
        return
    table = lookup(TABLES, name, "published table")[1]
    frame = read(table.name)
    about = {"name": f"{PREFIX}:{table.name}", "of": table.title, "source": table.source}
    about |= {"chosen by": table.chosen, "spread": table.spread}
    if format == "json":
        print(to_json({**about, "rows": frame.to_dicts()}))
        return
    notes = [table.source + "."]
    notes += [f"Models were chosen by {table.chosen}."] * bool(table.chosen)
    notes += [f"spread: {table.spread}."] * bool(table.spread)
    columns = tuple(Column(column, "name") for column in frame.columns)
    rows = [tuple("" if cell is None else cell for cell in row) for row in frame.iter_rows()]
    title = f"{table.title}, in percent" if table.means else table.title
    show(Grid(title, columns, rows, tuple(notes)), form=format)
