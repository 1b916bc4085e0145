"""Pictures: a folder with a subfolder for each class, or a column of the names of files.

A folder of pictures is read by what is in it:

* **Splits above classes**: ``train/cat/1.png``, with ``test`` and ``val`` beside it under any of
  their usual names. The test part is the official test set; where there is none, the validation
  part is; otherwise that is learned from as the training part is.
* **Labels in files**: ``labels.csv``, ``metadata.csv``, ``metadata.jsonl`` or JSON in COCO's form;
  see ``_annotations``.
* **Classes alone**: ``cat/1.png``.

Names of folders are names of classes, whatever they are: ``1`` is the class called 1.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.arrays import objects
from ...ground.progress import OnProgress
from ..labels.coded import Coded
from ..labels.labelled import Labelled
from ..labels.parts import TEST, TRAIN, VALIDATION, part_of
from ..labels.reading import LabelRule, read_labels
from ._annotations import Picked, of_coco, of_table
from ._folder_files import LOOSE, UNASKED, Files, files_in, tell_left_out, usable
from ._roles import Roles
from ._sheet import Sheet
from .table_checks import listed
from .unused import RolesUsed, refuse_unused

if TYPE_CHECKING:
    import polars as pl

ADDRESS = re.compile(r"(data:)|[a-z][a-z0-9+.-]+://", re.IGNORECASE)
LONGEST = 80  # characters of an address that are shown


def load_folder(
    folder: Path, roles: Roles, watch: OnProgress, of_sheet: Callable[[Sheet, Roles], Labelled]
) -> Labelled:
    """The pictures of a folder, with their labels; their ids are their places in it.

    Args:
        roles: ``classes`` (names in order, or how many; by default those that there are), and
            ``damaged``; where labels are in a table, what its columns are.
        watch: called with pictures looked at and pictures in all.
        of_sheet: what makes ``Labelled`` of a table.

    Raises:
        ValueError: fewer than two classes; more that would be left out than is let go (see
            ``_folder_files``); the message names it.

    Warns:
        UserWarning: what was left out; which part is the official test set.
    """
    files = files_in(folder)
    if not files.pictures:
        there = [place for those in files.left.values() for place in those]
        raise ValueError(
            f"{folder} is a folder without pictures that can be read, with"
            f" {listed(there) if there else 'nothing'} in it. One of pictures has a subfolder for"
            " each class, and at least two, and PNG, JPEG, GIF, BMP, WebP or TIFF in them."
        )
    picked = of_coco(files)
    picked = of_table(files, roles, of_sheet) if picked is None else picked
    if picked is None or picked.data is None:
        used = ("classes", "merge_labels", "damaged")
        table = "a table that names pictures and labels (labels.csv or metadata.csv)"
        refuse_unused(
            roles, RolesUsed(f"{folder}, a folder without {table}", used, "put one there")
        )
    picked = picked or _of_subfolders(files)
    kept, files = usable(picked.files, picked.pictures, roles.damaged, watch)
    tell_left_out(files, roles.damaged)
    rows = np.array(kept)
    flags = _official(folder, [picked.parts[row] for row in kept])
    if picked.data is not None:
        data = picked.data[rows]
    else:
        classes, given = _numbered(folder, picked.classes, picked.given[rows], roles)
        data = Labelled(
            inputs=objects([""] * len(kept)), classes=classes, given=given, ids=np.arange(len(kept))
        )
    paths = [picked.pictures[row] for row in kept]
    ids = data.ids if picked.named else objects([files.place(path) for path in paths])
    source = folder.resolve().name
    return replace(data, inputs=objects(paths), ids=ids, source=source, **flags)


def pictures_in(folder: Path, damaged: str) -> list[Path]:
    """The pictures of a folder without subfolders of pictures, by name; none of another.

    Raises, Warns: see ``load_folder``.
    """
    files = files_in(folder)
    if not files.pictures or any(path.parent != folder for path in files.pictures):
        return []
    kept, files = usable(files, files.pictures, damaged, lambda done, total: None)
    tell_left_out(files, damaged)
    return [files.pictures[row] for row in kept]


def _of_subfolders(files: Files) -> Picked:
    """Pictures by the names of the folders that they are in."""
    root = _root(files)
    tops = _tops(root, files.pictures)
    parts = {name: part_of(name) for name in tops}
    if not _are_parts(root, tops):
        if tops and all(parts.values()):
            raise ValueError(
                f"{root} holds pictures in {listed(sorted(tops))}, and no classes below. Put a"
                " subfolder for each class into them, or labels.csv beside them, with a column of"
                " file names and one of labels."
            )
        parts = dict.fromkeys(tops, "")
    pictures, labels, found = [], [], []
    loose: list[Path] = [path for path in files.pictures if path.parent == root]
    unasked: list[Path] = []
    split = any(parts.values())
    for name, those in tops.items():
        for path in those:
            inner = path.relative_to(root).parts[1 if split else 0 :]
            if (split and not parts[name]) or len(inner) < 2:
                (unasked if parts[name] not in ("", TRAIN) else loose).append(path)
                continue
            pictures.append(path)
            labels.append(inner[0])
            found.append(parts[name])
    files = files.without(LOOSE, [files.place(path) for path in loose])
    files = files.without(UNASKED, [files.place(path) for path in unasked])
    names = sorted(set(labels), key=_by_number if all(map(_whole, labels)) else None)
    if len(names) < 2:
        kinds = ", ".join(files.place(path) for path in loose[:3])
        raise ValueError(
            f"{files.folder} is a folder with {len(names) or 'no'} subfolder"
            f"{'s' * (len(names) != 1)} of pictures; one of pictures has a subfolder for each"
            " class, and at least two"
            + (f" ({kinds} is in no subfolder)." if loose else ".")
            + " Or put labels.csv beside them, with a column of file names and one of labels."
        )
    number = {name: k for k, name in enumerate(names)}
    given = np.array([number[label] for label in labels], np.int64)
    return Picked(files, pictures, found, tuple(names), given)


def _root(files: Files) -> Path:
    """The folder that holds classes or parts: a folder alone in a folder is gone into."""
    root = files.folder
    while True:
        tops = _tops(root, files.pictures)
        alone = len(tops) == 1 and len(next(iter(tops.values()))) == len(files.pictures)
        if not alone or part_of(next(iter(tops))):
            return root
        inner = root / next(iter(tops))
        if any(path.parent == inner for path in files.pictures):
            return root  # a class
        root = inner


def _tops(root: Path, pictures: Sequence[Path]) -> dict[str, list[Path]]:
    """The pictures in each subfolder, at any depth."""
    found: dict[str, list[Path]] = {}
    for path in pictures:
        if path.parent != root:
            found.setdefault(path.relative_to(root).parts[0], []).append(path)
    return found


def _are_parts(root: Path, tops: Mapping[str, Sequence[Path]]) -> bool:
    """Whether subfolders are parts with classes below, and no classes that are called so."""
    classes = {name: len(_tops(root / name, those)) for name, those in tops.items()}
    named = [name for name in tops if part_of(name)]
    if not named or not any(classes[name] for name in named):
        return False
    if len(named) == len(tops):
        return True
    trained = any(part_of(name) == TRAIN and classes[name] > 1 for name in named)
    return trained and len(named) > 1


def _official(folder: Path, parts: Sequence[str]) -> dict[str, Any]:
    """Which rows are the official test set, and the validation set, bool (n,), by field.

    A validation set without a test set is the test set.
    """
    there = {part: parts.count(part) for part in dict.fromkeys(parts)}
    test = next((part for part in (TEST, VALIDATION) if part in there), None)
    if test is None or len(there) == 1:
        return {}
    sets = {"official_test": test}
    told = f"{test} ({there[test]:,} rows) is the official test set"
    if test == TEST and VALIDATION in there and len(there) > 2:
        sets["official_validation"] = VALIDATION
        told += f" and {VALIDATION} ({there[VALIDATION]:,}) the validation set"
    rest = [part for part in sorted(there) if part not in sets.values()]
    learned = " and ".join(f"{part} ({there[part]:,})" for part in rest)
    warnings.warn(f"of the parts of {folder}, {told}; rows to learn from: {learned}.", stacklevel=2)
    return {name: np.array(parts) == part for name, part in sets.items()}


def _numbered(
    folder: Path, names: Sequence[str], given: np.ndarray, roles: Roles
) -> tuple[tuple[str, ...], np.ndarray]:
    """The classes and the labels as their numbers, from places among names; -1 is none."""
    column = Coded([*names, None], np.where(given < 0, len(names), given), tuple(names))
    rule = LabelRule(roles.classes, whole=True, merge=roles.merge_labels)
    read = read_labels({"given": column}, rule, {"given": str(folder)})
    return read.classes, read.labels["given"]


def _whole(name: str) -> bool:
    return name.isascii() and name.isdigit()


def _by_number(name: str) -> tuple[int, str]:
    return int(name), name


def files_named(column: pl.Series, folder: Path) -> list[Path]:
    """The pictures' files that a column names, relative to a folder or in full.

    What is not in the folder is looked for in its subfolders, such as ``images``.

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
    below = sorted(path for path in folder.iterdir() if path.is_dir()) if missing else []
    lost = []
    for row in missing:
        there = [place / names[row] for place in below if (place / names[row]).is_file()]
        files[row] = there[0] if len(there) == 1 else files[row]
        lost += [row] * (len(there) != 1)
    if lost:
        others = len(lost) - 1
        more = f", nor are those of {others:,} other row{'s' * (others > 1)}" if others else ""
        raise ValueError(f"there is no file {files[lost[0]]}, which row {lost[0]} names{more}.")
    return files
