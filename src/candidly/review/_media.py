"""What items look like, copied into a project's folder: images, texts, files, rows of tables."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..labelled import Labelled

FOLDER = "media"
KINDS = {  # by ending of a file
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp"), "image"),
    **dict.fromkeys((".wav", ".mp3", ".ogg", ".flac", ".m4a"), "audio"),
}


@dataclass(frozen=True)
class Shown:
    """What an item looks like: a ``kind`` (image, audio, text, table, none) and what it holds.

    ``payload`` is the name of a file below the project's ``media`` folder, the text, or the row of
    a table as JSON.
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
        ValueError: a media file that is no image and no sound; OSError: one that is not there.
    """
    kind = data.kind
    return lambda row: _WRITERS[kind](data.inputs[row], folder, f"{prefix}{row}")


def looks_of_files(path: Path, folder: Path) -> Looks:
    """Images or texts of all rows, from outside.

    Args:
        path: a folder of images or sounds named by row (``0.png``, ``0012.jpg``) or in order of
            name; an ``.npy`` file of uint8 images, or of texts; a ``.txt`` file, a text a line.

    Raises:
        FileNotFoundError, ValueError: what does not fit.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if path.is_dir():
        return _of_folder(path, folder)
    if path.suffix == ".txt":
        return _of_texts(path, path.read_text(encoding="utf-8").splitlines())
    if path.suffix != ".npy":
        raise ValueError(f"{path} is no folder, .npy or .txt file of what items look like.")
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{path} cannot be read as an array ({error}).") from None
    if array.dtype.kind == "U" and array.ndim == 1:
        return _of_texts(path, array.tolist())
    if array.dtype != np.uint8 or array.ndim not in (3, 4):
        raise ValueError(f"{path} holds {array.dtype} {array.shape}; images are uint8 (n, h, w).")

    def look(row: int) -> Shown:
        _check_row(path, row, len(array))
        return _image(array[row], folder, str(row))

    return look


def _of_folder(path: Path, folder: Path) -> Looks:
    files = sorted(p for p in path.rglob("*") if p.suffix.lower() in KINDS and p.is_file())
    if not files:
        raise ValueError(f"{path} holds no image or sound ({', '.join(KINDS)}).")
    numbers = [int(p.stem) if p.stem.isascii() and p.stem.isdigit() else -1 for p in files]
    named = min(numbers) >= 0 and len(set(numbers)) == len(numbers)
    by_row = dict(zip(numbers, files)) if named else dict(enumerate(files))

    def look(row: int) -> Shown:
        if row not in by_row:
            raise ValueError(f"{path} has no file of row {row}.")
        return _copied(by_row[row], folder, str(row))

    return look


def _of_texts(path: Path, texts: Sequence[str]) -> Looks:
    def look(row: int) -> Shown:
        _check_row(path, row, len(texts))
        return Shown("text", texts[row])

    return look


def _check_row(path: Path, row: int, n: int) -> None:
    if row >= n:
        raise ValueError(f"{path} has {n} examples, but row {row} is asked about.")


def _image(pixels: np.ndarray, folder: Path, name: str) -> Shown:
    from PIL import Image

    array = np.ascontiguousarray(pixels)
    picture = Image.fromarray(array[..., 0] if array.shape[2:] == (1,) else array)
    folder.mkdir(parents=True, exist_ok=True)
    picture.save(folder / f"{name}.png")
    return Shown("image", f"{name}.png")


def _copied(file: Path, folder: Path, name: str) -> Shown:
    kind = KINDS.get(file.suffix.lower())
    if kind is None:
        raise ValueError(f"{file} is no image or sound; known endings are {', '.join(KINDS)}.")
    folder.mkdir(parents=True, exist_ok=True)
    target = f"{name}{file.suffix.lower()}"
    shutil.copyfile(file, folder / target)
    return Shown(kind, target)


def _row(values: np.ndarray, folder: Path, name: str) -> Shown:
    return Shown("table", json.dumps([float(v) for v in values]))


_WRITERS: dict[str, Callable[[Any, Path, str], Shown]] = {
    "images": _image,
    "media": lambda file, folder, name: _copied(Path(file), folder, name),
    "texts": lambda value, folder, name: Shown("text", str(value)),
    "table": _row,
}
