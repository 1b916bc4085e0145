"""What a file is by its content, whatever its name says: pictures and sounds within limits.

A name is a claim. A page that shows a stranger's ``0.png`` should neither hand out what is HTML in
truth, nor unpack a small file into gigabytes of pixels, nor read what a link points to elsewhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ._decode import format_of
from ._formats import ENDINGS, FORMATS, MOST_PIXELS, Format

MOST_BYTES = 256 * 2**20  # of a file
HEAD = 16  # bytes that tell sounds apart


def checked_file(path: Path, folder: Path | None = None) -> Format:
    """The format of a picture or sound.

    Args:
        folder: in which a link may lead to another file; by default the one the file is in.

    Raises:
        ValueError: an unknown ending, a link that leads out of the folder, nothing in it, no
            picture or sound, or a larger one than is let in. OSError: it cannot be read.
    """
    claimed = ENDINGS.get(path.suffix.lower())
    if claimed is None:
        raise ValueError(f"{path} is no image or sound; known endings are {', '.join(ENDINGS)}.")
    _check_place(path, path.parent if folder is None else folder)
    size = path.stat().st_size
    if size == 0:
        raise ValueError(f"{path} is empty (0 bytes). Put the file back, or take it away.")
    if size > MOST_BYTES:
        raise ValueError(
            f"{path} has {size:,} bytes; at most {MOST_BYTES:,} are let in. Make it smaller."
        )
    return _READERS[claimed.kind](path)


def checked_pixels(path: Path, array: np.ndarray) -> None:
    """Raises ValueError for an array that does not hold pictures."""
    channels = array.shape[3:] in ((), (1,), (3,), (4,))
    if array.dtype != np.uint8 or array.ndim not in (3, 4) or not channels:
        raise ValueError(
            f"{path} holds {array.dtype} {array.shape}; images are uint8 (examples, height, width) "
            "with 1, 3 or 4 channels last, if any."
        )
    high, wide = array.shape[1:3]
    if not 0 < high * wide <= MOST_PIXELS:
        raise ValueError(
            f"{path} holds images of {wide:,} x {high:,} pixels; 1 to {MOST_PIXELS:,} are let in."
        )


def _check_place(path: Path, folder: Path) -> None:
    """A plain file, or a link to one that is in the folder, too."""
    if path.is_symlink():
        target = Path(os.path.realpath(path))
        if not target.is_relative_to(os.path.realpath(folder)):
            raise ValueError(
                f"{path} is a link that leads out of {folder}; links are followed inside a folder"
                " alone. Put a copy of the file in its place (cp -L makes one)."
            )
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(f"{path} is no plain file. Take it away, or put a picture in its place.")


def _sound(path: Path) -> Format:
    with path.open("rb") as file:
        head = file.read(HEAD)
    for name, matches in _SOUNDS.items():
        if matches(head):
            return FORMATS[name]
    raise ValueError(
        f"{path} cannot be read as a sound: it is damaged, or another kind of file under this"
        f" name. Known are {', '.join(_SOUNDS)}. Convert it, or take it away."
    )


def _is_mp3(head: bytes) -> bool:
    """A tag, or the first frame: eleven bits set, then neither version 01 nor layer 00."""
    if head.startswith(b"ID3"):
        return True
    frame = len(head) > 2 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0
    return frame and head[1] & 0x18 != 0x08 and head[1] & 0x06 != 0 and head[2] & 0xF0 != 0xF0


_SOUNDS: dict[str, Callable[[bytes], bool]] = {
    "WAV": lambda head: head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE",
    "OGG": lambda head: head.startswith(b"OggS"),
    "FLAC": lambda head: head.startswith(b"fLaC"),
    "M4A": lambda head: head[4:8] == b"ftyp",
    "MP3": _is_mp3,
}
_READERS: dict[str, Callable[[Path], Format]] = {
    "image": lambda path: FORMATS[format_of(path)],
    "audio": _sound,
}
