"""Opening a project for ``candidly review``, where what that needs is installed."""

from __future__ import annotations

import getpass
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...ground.extras import install

if TYPE_CHECKING:
    from ...people.review import Project

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The project's folder.")]


def check_installed(names: Sequence[str] = ("sqlalchemy", "psycopg")) -> None:
    """Raises RuntimeError that says how to install what is missing."""
    from importlib.util import find_spec

    for name in names:
        if find_spec(name) is None:
            raise RuntimeError(f"candidly review needs {name}; {install('review')} brings it.")


def user() -> str:
    """Who gives the command, as the machine knows them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return os.environ.get("USER", "me")


def by() -> str:
    """The same, as events of a project say it."""
    return f"command line ({user()})"


def opened(folder: Path) -> Project:
    """The project in a folder; see ``review.open_project``."""
    check_installed()
    from ...people.review import open_project

    return open_project(folder)
