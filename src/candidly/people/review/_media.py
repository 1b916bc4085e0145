"""What items look like, copied into a project's folder: images, texts, files, rows of tables."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.ingest.media import File, checked_file, header_of, open_media, pixels_of
from ...data.labels.labelled import Labelled
from ...ground.arrays import door
from ...ground.files import replacing
from ._folder import make_folder

if TYPE_CHECKING:
    import polars as pl

MEDIA_FOLDER = "media"
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


def looks_of(data: Labelled, folder: Path, prefix: str = "") -> Looks:
    """Writes what a row of the data looks like below ``folder`` and says where.

    Raises (when called):
        ValueError: a media file that is no image and no sound, or larger than is let in; OSError:
            one that is not there.
    """
    kind = data.kind
    return lambda row: _WRITERS[kind](data.inputs[row], folder, f"{prefix}{row}")


@door
def looks_of_files(
    path: Path,
    folder: Path,
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


def _image(pixels: np.ndarray, folder: Path, name: str) -> Shown:
    from PIL import Image

    array = np.ascontiguousarray(pixels)
    picture = Image.fromarray(array[..., 0] if array.shape[2:] == (1,) else array)
    make_folder(folder)
    with replacing(folder / f"{name}.png", private=True, again=True) as out:
        picture.save(out, "png")
    return Shown("image", f"{name}.png")


def _copied(file: File, folder: Path, name: str) -> Shown:
    """A copy under the ending of what it is; a PNG of what a browser would draw otherwise."""
    if file.format.kind == "image":
        plain = file.format.shown and header_of(file.path).plain
        pixels = pixels_of(file.path, ENOUGH if plain else None)  # refuses a damaged one
        if not plain:
            return _image(pixels, folder, name)
    make_folder(folder)
    target = f"{name}{file.format.ending}"
    with (
        file.path.open("rb") as source,
        replacing(folder / target, private=True, again=True) as out,
    ):
        shutil.copyfileobj(source, out)
    return Shown(file.format.kind, target)


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
