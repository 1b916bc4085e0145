"""Opening what examples look like: a folder of files, an array, a file of texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ground.files import lines_of, without_packing
from ....ground.problem import why
from .._header import FirstLine
from .._sheet import TABLE_ENDINGS, read_frame
from ._check import checked_file, checked_pixels
from ._formats import ENDINGS, Format
from ._rows import rows_of_files, rows_of_names

if TYPE_CHECKING:
    pass

ID, TEXT = "id", "text"  # columns of a table


@dataclass(frozen=True)
class File:
    """A picture or sound, checked: where it is, and what it is by its content."""

    path: Path
    format: Format


Look = File | np.ndarray | str  # a file, uint8 pixels (h, w[, channels]), a text
Media = Callable[[int], Look | None]  # by row; None: there is nothing of that row


def open_media(path: Path | str, n: int | None = None, ids: Sequence[Any] | None = None) -> Media:
    """A function from an example's row to what it looks like; files are read when asked for.

    Args:
        path: a folder of pictures and sounds, at any depth; an ``.npy`` file of uint8 images
            (n, h, w), (n, h, w, 1), (n, h, w, 3) or (n, h, w, 4), or of texts (n,); a ``.txt``
            file with a text a line, which ends at a line feed alone; or a table with one column
            of texts, and beside it one called ``id`` if you like.
        n: examples; None where not known.
        ids: of the examples, in order. What goes by id or row, and how, is said in ``_rows``.

    Raises:
        ValueError, FileNotFoundError: what does not fit, here; a file that is no picture or sound,
            or too large, when it is asked for. The message names the file.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if path.is_dir():
        return _folder(path, n, ids)
    plain = without_packing(path)
    reader = _READERS.get(path.suffix.lower(), _READERS.get(plain.suffix.lower()))
    if reader is None:
        raise ValueError(
            f"{path} is no folder of images or sounds, and no {', '.join(_READERS)} file of"
            " examples."
        )
    return reader(path, n, ids)


def _folder(path: Path, n: int | None, ids: Sequence[Any] | None) -> Media:
    files = []
    for place, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if os.path.splitext(name)[1].lower() in ENDINGS and not name.startswith("."):
                files.append(Path(place, name))
    files.sort()
    if not files:
        raise ValueError(f"{path} holds no image file and no sound ({', '.join(ENDINGS)}).")
    by_row = rows_of_files(path, files, n, ids)

    def look(row: int) -> File | None:
        file = by_row.get(row)
        return None if file is None else File(file, checked_file(file, path))

    return look


def _array(path: Path, n: int | None, ids: Sequence[Any] | None) -> Media:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{path} cannot be read as an array{why(error)}.") from None
    if array.dtype.kind == "U" and array.ndim == 1:
        return _listed(path, array.tolist(), n)
    checked_pixels(path, array)
    return _listed(path, array, n)


def _lines(path: Path, n: int | None, ids: Sequence[Any] | None) -> Media:
    return _listed(path, lines_of(path), n)


def _table(path: Path, n: int | None, ids: Sequence[Any] | None) -> Media:
    header = FirstLine(n=n, usual=(ID, TEXT), otherwise=None)
    table = read_frame(path, header=header).frame
    key = next((name for name in table.columns if name.lower() == ID), None)
    texts = table if key is None else table.drop(key)
    if texts.width != 1:
        raise ValueError(
            f"{path} has {table.width} columns; texts are one, beside one called {ID} if you like."
        )
    values = ["" if text is None else str(text) for text in texts.to_series(0).to_list()]
    if key is None:
        return _listed(path, values, n)
    by_row = rows_of_names(path, [str(name) for name in table[key].to_list()], n, ids)

    def look(row: int) -> str | None:
        return values[by_row[row]] if row in by_row else None

    return look


def _listed(path: Path, values: Sequence[Any] | np.ndarray, n: int | None) -> Media:
    """By row, as many as there are examples."""
    if n is not None and len(values) != n:
        raise ValueError(f"{path} holds {len(values)} examples; there are {n}.")
    return lambda row: values[row] if row < len(values) else None


_READERS: dict[str, Callable[[Path, int | None, Sequence[Any] | None], Media]] = {
    **dict.fromkeys(TABLE_ENDINGS, _table),
    ".npy": _array,
    ".txt": _lines,
}
