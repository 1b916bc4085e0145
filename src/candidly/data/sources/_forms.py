"""How collections of pictures are distributed: which files make one, and where they lie."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ._parts import DEPTH, files_below, folded

ALL, TRAIN, TEST = "all", "train", "test"  # what a file is of

Files = Mapping[str, tuple[Path, ...]]  # by the part they are of


@dataclass(frozen=True)
class FormFile:
    """A file of a form.

    Args:
        name: as it is published. pattern: what names count as that, in lower case.
        labels: whether it holds labels alone.
        several: whether all files of such names belong to it, in order.
    """

    name: str
    pattern: str
    labels: bool = False
    several: bool = False


@dataclass(frozen=True)
class PictureForm:
    """One way in which a collection is distributed.

    Args:
        reader: who reads it, a key of ``official.READERS``.
        parts: the files of each part; or of ``all``, a file that has both.
        endings: for a file that holds everything; it may have any name where it is named itself.
        generic: whether other data goes by these names, so that the folder must say whose it is.
    """

    reader: str
    parts: Mapping[str, tuple[FormFile, ...]]
    endings: tuple[str, ...] = ()
    generic: bool = False


@dataclass(frozen=True)
class FoundForm:
    """Files of a collection, in one folder.

    Attributes:
        files: the files of each part that is whole.
        lacking: names of files that are not there, of each part that is not.
        broken: whether pictures of a part are there, but not all of its files.
    """

    form: PictureForm
    folder: Path
    files: Files
    lacking: Mapping[str, tuple[str, ...]]
    broken: bool = False

    @property
    def usable(self) -> bool:
        return bool(self.files) and not self.broken

    @property
    def paths(self) -> list[Path]:
        """All files, in order."""
        return [path for paths in self.files.values() for path in paths]


def find_forms(
    forms: Sequence[PictureForm], place: Path, ours: str, others: str, named: bool
) -> Iterator[FoundForm]:
    """Everything that is of one of the forms, in a place or below it, the first form first.

    Args:
        place: a folder, or a file of a form.
        ours, others: patterns of what a folder is called if it is this collection's, or another's.
        named: whether the place was named for this collection.
    """
    if place.is_file():
        for form in forms:
            if place.name.lower().endswith(form.endings):
                yield FoundForm(form, place.parent, {ALL: (place,)}, {})
                return
    top, depth = (place.parent, 0) if place.is_file() else (place, DEPTH)
    folders: dict[Path, list[Path]] = {}
    for path in files_below(top, depth):
        folders.setdefault(path.parent, []).append(path)
    for form in forms:
        for folder, paths in folders.items():
            parts = (top.resolve().name, *folder.relative_to(top).parts)
            called = "/".join(folded(part) for part in parts)
            anothers = re.search(others, called)
            unsaid = form.generic and not re.search(ours, called)
            if (anothers or unsaid) and not (named and folder == top):
                continue
            if found := _matched(form, folder, paths):
                yield found


def _matched(form: PictureForm, folder: Path, paths: Sequence[Path]) -> FoundForm | None:
    """The files in one folder that are of a form; None where there are none."""
    files: dict[str, tuple[Path, ...]] = {}
    lacking: dict[str, tuple[str, ...]] = {}
    broken = any_there = False
    for part, wanted in form.parts.items():
        there = {one.name: _of(one, paths) for one in wanted}
        any_there |= any(there.values())
        if all(there.values()):
            files[part] = tuple(path for some in there.values() for path in some)
        else:
            lacking[part] = tuple(name for name, some in there.items() if not some)
            broken |= any(there[one.name] for one in wanted if not one.labels)
    return FoundForm(form, folder, files, lacking, broken) if any_there else None


def _of(wanted: FormFile, paths: Sequence[Path]) -> list[Path]:
    found = [path for path in paths if re.fullmatch(wanted.pattern, path.name.lower())]
    return found if wanted.several else found[:1]
