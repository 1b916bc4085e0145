"""What is in a folder of pictures, and what of it is left out: within bounds, and said once.

Left out are what is hidden or the desktop's own, files of other kinds, folders without a picture,
pictures without a label, and pictures that are lost: damaged, too large, in a format that is not
read, a link out of the folder, in no class's folder, or named by a row and not there. Of lost ones
there may be 10, or one in ten of the pictures where that is more; and of files of other kinds as
many as there are pictures, or 10.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...ground.problem import Refusal, passed
from ...ground.progress import OnProgress
from ..inputs.pictures import SIDE
from ._roles import REFUSE
from .media import ENDINGS, square

DESKTOPS = (  # files and folders that desktops and archives make, in small letters
    "thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "__macosx", "@eadir", "$recycle.bin",
    "system volume information",
)  # fmt: skip
UNREAD = (  # endings of pictures that nothing here decodes
    ".heic", ".heif", ".avif", ".jxl", ".jp2", ".svg", ".psd", ".dng", ".cr2", ".cr3", ".nef",
    ".arw", ".orf", ".ppm", ".pgm", ".tga", ".ico",
)  # fmt: skip
FEW, ONE_IN = 10, 10  # lost pictures: so many, or one in so many
SHOWN = 3  # names that are listed of each kind
TOLD_EVERY = 200  # pictures

# why something is left out, of one and of several
HIDDEN = ("file that is hidden or the desktop's own", "files that are hidden or the desktop's own")
OTHER = ("file that is no picture", "files that are no pictures")
FOREIGN = (
    "picture in a format that is not read; save it as JPEG or PNG",
    "pictures in formats that are not read; save them as JPEG or PNG",
)
EMPTY = ("folder without a picture", "folders without a picture")
LINKED = ("link to a folder", "links to folders")
DAMAGED = ("picture that cannot be used", "pictures that cannot be used")
LOOSE = ("picture in no class's folder", "pictures in no class's folder")
UNASKED = ("picture without a label", "pictures without a label")
MISSING = ("row whose picture is not there", "rows whose pictures are not there")
LOST = (DAMAGED, FOREIGN, LOOSE, MISSING)  # kinds that are bounded

Kind = tuple[str, str]


@dataclass(frozen=True)
class Files:
    """What lies in a folder, at any depth.

    Attributes:
        folder: which.
        pictures: files that have the ending of a picture, in order of their places.
        left: what is left out, by why: the places in the folder.
    """

    folder: Path
    pictures: tuple[Path, ...]
    left: Mapping[Kind, tuple[str, ...]] = field(default_factory=dict)

    def place(self, path: Path) -> str:
        """Where a file is in the folder, such as ``cat/001.png``."""
        return path.relative_to(self.folder).as_posix()

    def without(self, kind: Kind, places: Sequence[str]) -> Files:
        """The same with more that is left out."""
        if not places:
            return self
        left = {**self.left, kind: (*self.left.get(kind, ()), *places)}
        return Files(self.folder, self.pictures, left)

    def used(self, places: Sequence[str]) -> Files:
        """The same without these files, and their folders, among what is left out."""
        parents = {parent.as_posix() for place in places for parent in Path(place).parents}
        gone = {*places, *(f"{parent}/" for parent in parents)}
        left = {
            why: rest
            for why, those in self.left.items()
            if (rest := tuple(place for place in those if place not in gone))
        }
        return Files(self.folder, self.pictures, left)


def files_in(folder: Path) -> Files:
    """Everything below a folder; links to other folders are not followed."""
    pictures: list[Path] = []
    left: dict[Kind, list[str]] = {}
    visited: list[Path] = []

    def leave(kind: Kind, path: Path, end: str = "") -> None:
        left.setdefault(kind, []).append(path.relative_to(folder).as_posix() + end)

    for here, folders, names in os.walk(folder):
        visited.append(Path(here))
        for name in sorted(folders):
            below = Path(here, name)
            if _desktops(name):
                leave(HIDDEN, below, "/")
            elif below.is_symlink():
                leave(LINKED, below, "/")
        folders[:] = sorted(
            name for name in folders if not _desktops(name) and not Path(here, name).is_symlink()
        )
        for name in sorted(names):
            path = Path(here, name)
            known = ENDINGS.get(path.suffix.lower())
            if _desktops(name):
                leave(HIDDEN, path)
            elif known is not None and known.kind == "image":
                pictures.append(path)
            elif path.suffix.lower() in UNREAD:
                leave(FOREIGN, path)
            else:
                leave(OTHER, path)
    foreign = [folder / place for place in left.get(FOREIGN, ())]
    full = {folder, *(parent for path in (*pictures, *foreign) for parent in path.parents)}
    for place in sorted(set(visited) - full):
        if place.parent in full:
            leave(EMPTY, place, "/")
    empty = tuple(left.get(EMPTY, ()))
    if empty:  # its files are not listed beside it
        left[OTHER] = [place for place in left.get(OTHER, ()) if not place.startswith(empty)]
    listed = {why: tuple(places) for why, places in left.items() if places}
    return Files(folder, tuple(sorted(pictures)), listed)


def usable(
    files: Files, pictures: Sequence[Path], damaged: str, watch: OnProgress
) -> tuple[list[int], Files]:
    """Which of these pictures can be decoded, and the files without the others.

    Args:
        damaged: what becomes of those that cannot: ``skip`` or ``refuse``.
        watch: called with pictures looked at and in all.

    Raises:
        ValueError: one that cannot be decoded, where it is to be refused; none that can. OSError:
            one that cannot be read.
    """
    kept: list[int] = []
    lost: list[str] = []
    first: Exception | None = None
    for row, path in enumerate(pictures):
        try:
            square(path, SIDE, files.folder)
            kept.append(row)
        except (ValueError, FileNotFoundError) as error:
            if damaged == REFUSE:
                raise
            first = first or error
            lost.append(f"{files.place(path)} {_why(path, error)}")
        if row % TOLD_EVERY == 0:
            watch(row, len(pictures))
    watch(len(pictures), len(pictures))
    if not kept and first is not None:
        raise ValueError(f"none of the pictures in {files.folder} can be used: {first}")
    return kept, files.without(DAMAGED, lost)


def tell_left_out(files: Files, damaged: str) -> None:
    """Says once what is left out.

    Raises:
        ValueError: pictures that are lost are more than are let go, or are to be refused; files of
            other kinds are more than the pictures.

    Warns:
        UserWarning: what is left out, by why.
    """
    for kind in LOST:
        if damaged == REFUSE and kind in files.left:
            raise Refusal(
                f"{files.folder} has {_listed(kind, files.left[kind])}, and"
                f" {passed('damaged', REFUSE)} leaves none out.",
                "put it right",
                "take it away",
            )
    lost = sum(len(files.left.get(kind, ())) for kind in LOST)
    most = max(FEW, len(files.pictures) // ONE_IN)
    listed = "; ".join(_listed(kind, places) for kind, places in files.left.items())
    if lost > most:
        raise ValueError(
            f"{files.folder} has {len(files.pictures):,} pictures, of which {lost:,} would be left"
            f" out, and at most {most:,} are ({FEW}, or one in {ONE_IN}): {listed}. Put them right,"
            " or take them away."
        )
    others = len(files.left.get(OTHER, ()))
    if others > max(FEW, len(files.pictures)):
        raise ValueError(
            f"{files.folder} has {len(files.pictures):,} pictures, and more files of other kinds:"
            f" {listed}. Name the folder that holds the pictures."
        )
    if files.left:
        warnings.warn(f"left out of {files.folder}: {listed}.", stacklevel=2)


def _desktops(name: str) -> bool:
    return name.startswith((".", "~$")) or name.lower() in DESKTOPS


def _why(path: Path, error: Exception) -> str:
    """What is wrong with a picture, without its name and without advice."""
    told = str(error).removeprefix(f"{path} ")
    return told.split(": ")[0].split(". ")[0].split("; ")[0].rstrip(".")


def _listed(kind: Kind, places: Sequence[str]) -> str:
    shown = FEW if kind in LOST else SHOWN
    more = f" and {len(places) - shown:,} more" if len(places) > shown else ""
    return f"{len(places):,} {kind[len(places) != 1]} ({', '.join(places[:shown])}{more})"
