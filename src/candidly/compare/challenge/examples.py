"""Submissions that come with candidly: examples of how to enter, and methods to be beaten."""

from __future__ import annotations

import shutil
from pathlib import Path

from ...ground.names import lookup
from ._manifest import Manifest, read_manifest

ENTRIES = Path(__file__).parent / "entries"


def examples_there() -> dict[str, Manifest]:
    """The manifests of all examples, by name."""
    return {
        path.parent.name: read_manifest(path.parent)
        for path in sorted(ENTRIES.glob("*/manifest.json"))
    }


def example(name: str) -> Path:
    """The folder of an example.

    Raises:
        UnknownName: there is none of that name; suggests the nearest.
    """
    known = {path.parent.name: path.parent for path in ENTRIES.glob("*/manifest.json")}
    return lookup(known, name, "example")[1]


def copy_example(name: str, to: Path | str) -> None:
    """Copy an example, as a beginning of one's own.

    Raises:
        UnknownName: no such example. FileExistsError: the folder is there.
    """
    to = Path(to)
    if to.exists():
        raise FileExistsError(f"{to} is there already; name a folder that is not.")
    shutil.copytree(example(name), to)
