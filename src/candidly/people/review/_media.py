"""What items look like, copied into a project's folder: images, texts, files, rows of tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.ingest.media import ENDINGS, File, bare, checked_file, open_media, pixels_of, written
from ...data.labels.labelled import Labelled
from ...ground.arrays import door
from ...ground.files import replacing
from ._folder import make_folder

if TYPE_CHECKING:
    import polars as pl

MEDIA_FOLDER = "media"
BARE_FOLDER = "bare"  # beside it: copies of those files that hold more than may leave
ENOUGH = 32  # pixels, to see that a picture is whole


@dataclass(frozen=True)
class Shown:
    """What an item looks like: a ``kind`` (image, audio, text, table, none) and what it holds.

    ``payload`` is the name of a file below the project's ``media`` folder, the text, or as JSON the
    cells of a row by the names of their columns (or numbers alone, of a table without names).
    """

    kind: str
    payload: str


NOTHING = Shown("none", "")
Looks = Callable[[int], Shown]


def no_looks(row: int) -> Shown:
    """Nothing to be seen."""
    return NOTHING


def looks_of(data: Labelled, folder: Path | str, prefix: str = "") -> Looks:
    """Writes what a row of the data looks like below ``folder`` and says where.

    Raises (when called):
        ValueError: a media file that is no image and no sound, or larger than is let in; OSError:
            one that is not there.
    """
    kind, place = data.kind, Path(folder)
    return lambda row: _WRITERS[kind](data.inputs[row], place, f"{prefix}{row}")


@door
def looks_of_files(
    path: Path | str,
    folder: Path | str,
    n: int | None = None,
    ids: Sequence[Any] | None = None,
    gaps: bool = False,
) -> Looks:
    """Images, sounds or texts of all rows, from outside.

    Args:
        path, n, ids: see ``candidly.data.ingest.media.open_media``.
        gaps: there may be rows of which there is nothing; then nothing is to be seen.

    Raises:
        FileNotFoundError, ValueError: what does not fit; when called, a row of which there is
            nothing, or a file that is no image and no sound, or larger than is let in.
    """
    path, folder = Path(path), Path(folder)
    look = open_media(path, n, ids)

    def shown(row: int) -> Shown:
        seen = look(row)
        if seen is None and gaps:
            return NOTHING
        if seen is None:
            raise ValueError(
                f"{path} has nothing of row {row}, which is asked about. Add it, or ask about"
                " other rows."
            )
        return _SEEN[type(seen)](seen, folder, str(row))

    return shown


def looks_of_rows(frame: pl.DataFrame) -> Looks:
    """The cells of a row, by the names of their columns; all of the frame's are shown."""
    return lambda row: _cells(frame.row(row, named=True))


def _cells(cells: Mapping[str, Any]) -> Shown:
    texts = {name: None if cell is None else str(cell) for name, cell in cells.items()}
    return Shown("table", json.dumps(texts, ensure_ascii=False))


def bare_copy(path: Path, folder: Path, name: str) -> str:
    """The name, with its ending, of a copy that holds what may leave, and nothing else."""
    content, format = bare(path)
    make_folder(folder)
    with replacing(folder / f"{name}{format.ending}", private=True, again=True) as out:
        out.write(content)
    return f"{name}{format.ending}"


def leaving(project: Path | str, name: str) -> Path:
    """A file of a project's media as it may leave: itself where there is nothing else in it, else a
    copy. Projects of an earlier candidly, and media that were put there, hold what was in them.

    Raises:
        ValueError: no picture or sound that can be read to its end. OSError: none at all.
    """
    project = Path(project)
    place = project / MEDIA_FOLDER / name
    about = place.stat()
    return _leaving(place, project / BARE_FOLDER, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=200_000)
def _leaving(place: Path, folder: Path, when: int, size: int) -> Path:
    content, format = bare(place)
    if ENDINGS[place.suffix.lower()] == format and content == place.read_bytes():
        return place
    made = folder / f"{place.name}-{when:x}-{size:x}{format.ending}"
    if not made.is_file():
        make_folder(folder)
        with replacing(made, private=True, again=True) as out:
            out.write(content)
    return made


def _image(pixels: np.ndarray, folder: Path, name: str) -> Shown:
    make_folder(folder)
    with replacing(folder / f"{name}.png", private=True, again=True) as out:
        out.write(written(pixels))
    return Shown("image", f"{name}.png")


def _copied(file: File, folder: Path, name: str) -> Shown:
    """A copy without what was written beside the picture or sound."""
    if file.format.kind == "image":
        pixels_of(file.path, ENOUGH)  # refuses a damaged one
    return Shown(file.format.kind, bare_copy(file.path, folder, name))


def _text(value: Any, folder: Path, name: str) -> Shown:
    return Shown("text", str(value))


def _row(values: np.ndarray, folder: Path, name: str) -> Shown:
    return Shown("table", json.dumps([float(v) for v in values]))


def _listed(file: Any, folder: Path, name: str) -> Shown:
    path = Path(file)
    return _copied(File(path, checked_file(path)), folder, name)


_WRITERS: dict[str, Callable[[Any, Path, str], Shown]] = {  # by kind of data
    "images": _image,
    "media": _listed,
    "texts": _text,
    "table": _row,
    "columns": lambda row, folder, name: _cells(row.frame.row(0, named=True)),
}
_SEEN: dict[type, Callable[[Any, Path, str], Shown]] = {
    File: _copied,
    np.ndarray: _image,
    np.memmap: _image,
    str: _text,
}
