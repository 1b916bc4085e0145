"""What the commands on data sets share: their options, reading and writing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ...data.ingest import Roles
from ...data.labels.labelled import Labelled
from ...data.sources import load
from ...ground.jsons import to_json
from .._progress import reading
from .._words import held

What = Annotated[
    str,
    typer.Argument(metavar="NAME_OR_PATH", help="A known name, a file, or a folder of pictures."),
]
Data = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="Folder to look for files in, first.")
]


def loaded_from(what: str, root: Path | None, roles: Roles, *, as_given: bool = False) -> Labelled:
    """A data set by name or path; what is warned of goes to stderr."""
    with held(), reading("reading images", "of the images read") as watch:
        return load(what, root, watch=watch, roles=roles, as_given=as_given)


def save(data: Labelled, out: Path, as_json: bool) -> None:
    """Write a data set, and say so."""
    data.save(out)
    if as_json:
        print_json({"path": str(out), "source": data.source, "fingerprint": data.fingerprint()})
    else:
        tell(f"wrote {out}: {data!r}")


def tell(message: str) -> None:
    """A line on stderr."""
    typer.echo(message, err=True)


def print_json(value: Any) -> None:
    """A value on stdout, for scripts."""
    typer.echo(to_json(value, 2))
