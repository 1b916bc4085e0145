"""``candidly example``: made-up data to try candidly with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..ground.jsons import to_json
from ..show.grid import Column, Grid
from . import _print
from ._print import AsJson


def example(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which. Without it they are listed.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to write. (default: this folder)")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files that are there.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write files of made-up data to try candidly with.

    The tutorials use them. They are the same each time.

    Examples:

      candidly example

      candidly example pets
    """
    from ..data.examples import EXAMPLES, write

    if name is None:
        about = {known: one.about for known, one in EXAMPLES.items()}
        if as_json:
            print(to_json(about))
            return
        columns = (Column("name", "word"), Column("what it is", "text"))
        _print.show(Grid("Examples", columns, list(about.items())))
        return
    paths = [str(path) for path in write(name, into or Path(), overwrite)]
    if as_json:
        print(to_json({"files": paths}))
    elif len(paths) > 3:
        print(f"wrote {len(paths)} files, {paths[0]} to {paths[-1]}")
    else:
        print(f"wrote {', '.join(paths)}")
