"""Pictures: a folder with a subfolder for each class, or a column of the names of files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..labels.labelled import Labelled, from_arrays
from .media import checked_file

if TYPE_CHECKING:
    import polars as pl

ADDRESS = re.compile(r"(data:)|[a-z][a-z0-9+.-]+://", re.IGNORECASE)
LONGEST = 80  # characters of an address that are shown


def load_folder(folder: Path, classes: Any, watch: Callable[[int, int], None]) -> Labelled:
    """The pictures below each subfolder, at any depth; its name is their ``given`` label.

    They are sorted by class, then by name, and their ids are their places in the folder, such as
    ``cat/001.png``. Names that begin with a dot are left out, as the desktop's own files are.

    Args:
        classes: names in order, or how many; by default the subfolders' names, sorted.
        watch: called with pictures checked and pictures in all.

    Raises:
        ValueError: a file beside the subfolders, one that is no picture, a subfolder without one,
            fewer than two subfolders; the message names it.
    """
    files: list[Path] = []
    labels: list[str] = []
    entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    for entry in entries:
        if not entry.is_dir():
            raise ValueError(
                f"{entry} is in no subfolder. A folder of pictures has a subfolder for each class:"
                f" move it into one, or out of {folder}."
            )
        below = list(_below(entry))
        if not below:
            raise ValueError(f"{entry} holds no picture; fill the subfolder, or delete it.")
        files += below
        labels += [entry.name] * len(below)
    if len(entries) < 2:
        raise ValueError(
            f"{folder} is a folder with {len(entries) or 'no'} subfolder"
            f"{'s' * (len(entries) != 1)}; one of pictures has a subfolder for each class, and at"
            " least two."
        )
    _check_pictures(files, folder, watch)
    ids = [path.relative_to(folder).as_posix() for path in files]
    return from_arrays(files, given=labels, ids=ids, classes=classes, source=folder.name)


def files_named(column: pl.Series, folder: Path) -> list[Path]:
    """The pictures' files that a column names, relative to a folder or in full.

    Raises:
        ValueError: a column of pictures themselves, an address of the network, or a file that is
            not there; the message names the row.
    """
    if column.dtype.is_nested() or str(column.dtype) == "Binary":
        raise ValueError(
            f"column {column.name!r} holds {column.dtype.base_type()}, which may be pictures"
            " themselves and are no names of files. Write each to a file, and its name into the"
            " column."
        )
    names = column.cast(str).to_list()
    for row, name in enumerate(names):
        if found := ADDRESS.match(name):
            shown = name if len(name) <= LONGEST else f"{name[:LONGEST]}..."
            what = "a picture itself" if found[1] else "an address of the network"
            raise ValueError(
                f"column {column.name!r} has {shown!r} at row {row}, {what}; candidly reads files"
                " and asks no network. Save the pictures as files, and name these in the column."
            )
    files = [folder / name for name in names]
    missing = [row for row, path in enumerate(files) if not path.is_file()]
    if missing:
        others = len(missing) - 1
        more = f", nor are those of {others:,} other row{'s' * (others > 1)}" if others else ""
        raise ValueError(
            f"there is no file {files[missing[0]]}, which row {missing[0]} names{more}."
        )
    return files


def _check_pictures(files: Sequence[Path], folder: Path, watch: Callable[[int, int], None]) -> None:
    for done, path in enumerate(files):
        if checked_file(path, folder).kind != "image":
            raise ValueError(f"{path} is a sound, and no picture. Take it away.")
        if done % 500 == 0:
            watch(done, len(files))
    watch(len(files), len(files))


def _below(folder: Path) -> list[Path]:
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(place, name) for name in names if not name.startswith(".")]
    return sorted(found)
