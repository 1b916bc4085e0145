"""Labels of a folder of pictures that are in a file: a table of names, or JSON in COCO's form.

* **A table** called labels, metadata, annotations or train (``.csv``, ``.tsv``, ``.jsonl``,
  ``.parquet``, ``.xlsx``) with a column of pictures' names and one of labels, as ``imagefolder`` of
  Hugging Face has ``metadata.csv`` or ``metadata.jsonl`` with ``file_name``. A name is a place from
  the table's folder, or the name of one picture alone, with or without its ending.
* **COCO**: ``images``, ``annotations`` and ``categories``, with one category an image; it may have
  several boxes of it.

Both may also lie in each part's folder (``train/metadata.csv``, ``valid/_annotations.coco.json``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.problem import Refusal, passed
from ..labels.labelled import Labelled
from ..labels.parts import PARTS, part_of
from ._folder_files import MISSING, UNASKED, Files
from ._header import FirstLine
from ._recognised import recognised
from ._roles import GIVEN, USUAL, Roles
from ._sheet import TABLE_ENDINGS, Sheet, read_frame
from .table_checks import about, listed
from .unused import EVERYTHING, RolesUsed, as_read, refuse_unused

if TYPE_CHECKING:
    import polars as pl

TABLES = ("labels", "label", "metadata", "annotations", "train")  # names without their endings
NAMES = ("file_name", "filename", "file", "image_id", *USUAL["image"])  # usual, of a column
MOST_JSON = 2**28  # bytes
PROBED = 100  # cells of a column that are looked at first


@dataclass(frozen=True, eq=False)
class Picked:
    """Pictures with their labels, before anybody looked into them.

    Attributes:
        files: the folder's, with what is left out so far.
        pictures, parts: n files, and the part that each is of: train, validation, test or "".
        classes, given: names, and numbers of them (n,), -1 for none; or
        data: the rows of a table, without their pictures. named: whether it names its rows.
    """

    files: Files
    pictures: Sequence[Path]
    parts: Sequence[str]
    classes: tuple[str, ...] = ()
    given: np.ndarray = None  # type: ignore[assignment]  # there where `data` is not
    data: Labelled | None = None
    named: bool = False


def of_coco(files: Files) -> Picked | None:
    """Pictures and categories of JSON in COCO's form; None where there is no such file.

    Raises:
        ValueError: an image of several categories, or none of the images are there.
    """
    found = {path: told for path in _beside(files, (".json",)) if (told := _coco(path))}
    if not found:
        return None
    classes = list(
        dict.fromkeys(str(one["name"]) for told in found.values() for one in told["categories"])
    )
    pictures: list[Path] = []
    parts: list[str] = []
    given: list[int] = []
    missing: list[str] = []
    for path, told in found.items():
        labels = _categories(path, told)
        lies = _Lies(files, path)
        for image in told["images"]:
            picture = lies.find(str(image.get("file_name", "")))
            if picture is None:
                missing.append(str(image.get("file_name", "")))
                continue
            pictures.append(picture)
            parts.append(_part(files, path))
            label = labels.get(image.get("id"))
            given.append(-1 if label is None else classes.index(label))
    files = files.used([files.place(path) for path in found]).without(MISSING, missing)
    _check_once(files, pictures, next(iter(found)))
    return Picked(
        _unnamed(files, pictures), pictures, parts, tuple(classes), np.array(given, np.int64)
    )


def of_table(
    files: Files, roles: Roles, of_sheet: Callable[[Sheet, Roles], Labelled]
) -> Picked | None:
    """Pictures and labels of tables beside them; None where no table names pictures and labels.

    Raises:
        ValueError: a column that was named is not there; see ``of_sheet``.
    """
    import polars as pl

    tables: dict[Path, Sheet] = {}
    frames: list[pl.DataFrame] = []
    pictures: list[Path | None] = []
    missing: list[str] = []
    parts: list[str] = []
    column = ""
    for path in _beside(files, TABLE_ENDINGS):
        if path.stem.lower() not in TABLES or path.suffix.lower() == ".txt":
            continue
        lies = _Lies(files, path)
        sheet = read_frame(path, roles.separator, FirstLine(roles.header), roles.sheet)
        if any(Path(name).suffix and lies.find(name) for name in sheet.frame.columns):
            # there is no line of names
            sheet = read_frame(path, roles.separator, FirstLine("no"), roles.sheet)
        named = _names_in(sheet.frame, lies, roles)
        if named is None or _label_in(sheet.frame, named, roles) is None:
            continue
        column = column or named
        frame = sheet.frame if named == column else sheet.frame.rename({named: column})
        cells = frame[column].cast(pl.String).fill_null("").to_list()
        found = [lies.find(cell) for cell in cells]
        missing += [cell or "an empty cell" for cell, there in zip(cells, found) if there is None]
        frames.append(frame.with_columns(pl.Series(column, cells)))
        pictures += found
        parts += [_part(files, path)] * len(found)
        tables[path] = sheet
    if not tables:
        return None
    path, sheet = next(iter(tables.items()))
    refuse_unused(
        roles, as_read(path, set(EVERYTHING) - {"text"}), RolesUsed(path.name, ["damaged"])
    )
    frame = frames[0] if len(frames) == 1 else pl.concat(frames, how="diagonal_relaxed")
    label = _label_in(frame, column, roles)
    # names of files are read as texts: whether each picture is there was just looked up
    asked = replace(roles, label=label, text=column, image=None)
    with about(path):
        data = of_sheet(Sheet(path, frame, sheet.form), asked)
    if data.n != len(frame):
        raise Refusal(
            f"{path} has an answer a row, and a folder's table has a picture a row.",
            f"give the table itself, with {passed('image', column)}",
        )
    there = [row for row, picture in enumerate(pictures) if picture is not None]
    kept = [picture for picture in pictures if picture is not None]
    files = files.used([files.place(path) for path in tables]).without(MISSING, missing)
    _check_once(files, kept, path)
    return Picked(
        _unnamed(files, kept),
        kept,
        [parts[row] for row in there],
        data=data[np.array(there, np.int64)],
        named=recognised(frame, asked).id is not None,
    )


class _Lies:
    """Where the pictures of a folder lie, by what a file may call them."""

    def __init__(self, files: Files, table: Path) -> None:
        part = _part(files, table)
        its = [
            path
            for path in files.pictures
            if part in ("", part_of(path.relative_to(files.folder).parts[0]) or part)
        ]
        beside = [path for path in its if path.is_relative_to(table.parent)]
        self.places = {files.place(path): path for path in its}
        # from the table's own folder, before the whole one
        self.places |= {path.relative_to(table.parent).as_posix(): path for path in beside}
        self.names: dict[str, Path | None] = {}
        for path in its:
            for name in {path.name, path.stem}:
                self.names[name] = None if name in self.names else path

    def find(self, said: str) -> Path | None:
        """The picture that is called so; None where none is, or several are."""
        place = said.strip().replace("\\", "/").removeprefix("./")
        if place in self.places:
            return self.places[place]
        return self.names.get(place.rpartition("/")[2])


def _beside(files: Files, endings: Sequence[str]) -> list[Path]:
    """Files of these endings in the folder, in one called annotations, and in those of parts."""
    found = []
    for folder in (files.folder, *sorted(files.folder.iterdir())):
        if folder.is_symlink() or not folder.is_dir():
            continue
        if folder == files.folder or folder.name.lower() == "annotations" or part_of(folder.name):
            found += [
                path
                for path in sorted(folder.iterdir())
                if path.suffix.lower() in endings
                and path.is_file()
                and not (path.is_symlink() or path.name.startswith((".", "~$")))
            ]
    return found


def _part(files: Files, path: Path) -> str:
    """The part that a file of labels is about: by its folder, else by a word of its name."""
    if path.parent != files.folder and (part := part_of(path.parent.name)):
        return part
    words = re.findall("[a-z]+", path.stem.lower())  # instances_val2017
    return next((PARTS[word] for word in words if word in PARTS), "")


def _names_in(frame: pl.DataFrame, lies: _Lies, roles: Roles) -> str | None:
    """The column that names pictures: the one that was named, a usual one, or any that does."""
    import polars as pl

    if roles.image is not None:
        return roles.image if roles.image in frame.columns else None
    usual = [name for name in NAMES if name in frame.columns]
    for name in (*usual, *(name for name in frame.columns if name not in usual)):
        if frame[name].dtype.is_nested() or frame[name].dtype == pl.Binary:
            continue
        cells = frame[name].cast(pl.String).drop_nulls().head(PROBED).to_list()
        if cells and 2 * sum(lies.find(cell) is not None for cell in cells) >= len(cells):
            return str(name)
    return None


def _label_in(frame: pl.DataFrame, names: str, roles: Roles) -> str | None:
    """The column of labels: the one that was named, a usual one, or the only other one."""
    if roles.label is not None:
        return roles.label if roles.label in frame.columns else None
    left = [name for name in frame.columns if name not in (names, roles.id, *roles.drop)]
    usual = [name for name in GIVEN if name in left]
    return usual[0] if usual else left[0] if len(left) == 1 else None


def _coco(path: Path) -> dict[str, Any] | None:
    """What a file in COCO's form holds; None of another."""
    if path.stat().st_size > MOST_JSON:
        return None
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return None
    lists = ("images", "annotations", "categories")
    if not isinstance(told, dict) or not all(isinstance(told.get(name), list) for name in lists):
        return None
    rows = (row for name in lists for row in told[name])
    named = all(isinstance(row, dict) for row in rows) and all(
        {"id", "name"} <= set(one) for one in told["categories"]
    )
    return told if named else None


def _categories(path: Path, told: Mapping[str, Any]) -> dict[Any, str]:
    """The category of each image, by their ids.

    Raises:
        ValueError: an image of several, or a category that is none.
    """
    names = {one["id"]: str(one["name"]) for one in told["categories"]}
    files = {image.get("id"): image.get("file_name") for image in told["images"]}
    found: dict[Any, str] = {}
    for one in told["annotations"]:
        image, category = one.get("image_id"), one.get("category_id")
        if category not in names:
            raise ValueError(
                f"{path} has an annotation of the category {category!r}, and its categories are"
                f" {listed([str(number) for number in names])}. Correct it."
            )
        label = found.setdefault(image, names[category])
        if label != names[category]:
            raise ValueError(
                f"{path} has {files.get(image)!r} in two categories, {label} and"
                f" {names[category]}; a picture has one here. Keep one of them."
            )
    return found


def _check_once(files: Files, pictures: Sequence[Path], path: Path) -> None:
    """Refuse a picture that two rows name."""
    seen: set[Path] = set()
    for picture in pictures:
        if picture in seen:
            raise ValueError(
                f"{path} names {files.place(picture)} twice; a picture has one row. Take one away."
            )
        seen.add(picture)


def _unnamed(files: Files, pictures: Sequence[Path]) -> Files:
    """With the pictures that no row names among what is left out."""
    known = set(pictures)
    return files.without(UNASKED, [files.place(p) for p in files.pictures if p not in known])
