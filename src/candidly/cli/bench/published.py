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
        _list(format)
        return
    table = lookup(TABLES, name, "published table")[1]
    frame = read(table.name)
    about = {"name": f"{PREFIX}:{table.name}", "of": table.title}
    about |= {"place": table.place, "paper": table.paper}
    about |= {"chosen by": table.chosen, "spread": table.spread}
    if format == "json":
        print(to_json({**about, "rows": frame.to_dicts()}))
        return
    notes = [f"{table.paper}, {table.place}."]
    notes += [f"Models were chosen by {table.chosen}."] * bool(table.chosen)
    notes += [f"spread: {table.spread}."] * bool(table.spread)
    columns = tuple(Column(column, "name") for column in frame.columns)
    rows = [tuple("" if cell is None else cell for cell in row) for row in frame.iter_rows()]
    title = f"{table.title}, in percent" if table.means else table.title
    show(Grid(title, columns, rows, tuple(notes)), form=format)


def _list(format: str) -> None:
    from ...compare.published import TABLES

    tables = list(TABLES.values())
    if format == "json":
        about = ("name", "title", "place", "paper")
        print(to_json([{each: getattr(table, each) for each in about} for table in tables]))
        return
    papers = list(dict.fromkeys(table.paper for table in tables))
    columns = (*(Column(head, "name") for head in ("name", "of", "place")), Column("paper"))
    lines = [(t.name, t.title, t.place, papers.index(t.paper) + 1) for t in tables]
    notes = tuple(f"{number}: {paper}." for number, paper in enumerate(papers, 1))
    show(Grid("Published tables", columns, lines, notes), form=format)
