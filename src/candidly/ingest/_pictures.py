"""A folder of pictures, with a subfolder for each class."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .._convert import from_text, written_classes
from ..labelled import Labelled, from_arrays
from .media import checked_file


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
    given = from_text({"given": labels}, written_classes(classes))
    ids = [path.relative_to(folder).as_posix() for path in files]
    return from_arrays(files, ids=ids, classes=classes, source=folder.name, **given)


def check_there(files: Sequence[Path]) -> None:
    """Refuse the first file that is missing, by its row."""
    for row, path in enumerate(files):
        if not path.is_file():
            raise ValueError(f"there is no file {path}, which row {row} names.")


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
