"""``candidly new``: files to begin with."""

from __future__ import annotations

import typer

from . import algorithms

app = typer.Typer(no_args_is_help=True, help="Files to begin with: algorithm.")


@app.callback()
def _group() -> None:
    pass


app.command("algorithm")(algorithms.new)
