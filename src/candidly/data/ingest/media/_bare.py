"""What of a file may leave: what is drawn or played, and nothing that was written beside it.

EXIF, places, remarks, XMP, previews, names of programs and tags of songs tell reviewers of people
and of labels, and no classifier is shown them. ``bare`` is the one way out for files of strangers:
to reviewers, to organisers, into galleries.

* A picture that browsers draw as ``pixels_of`` does keeps its data bit by bit: of a PNG, a JPEG and
  a WebP only those parts are left that make pixels. Profiles of colours go, which nobody applies.
* All others are decoded and written anew: a JPEG that is turned as a JPEG of quality 95, upright;
  everything else, such as GIF, BMP and TIFF, as PNG, without loss.
* Sounds: see ``_bare_sounds``. Their data stay as they are.

What is hidden in the pixels or the sound itself, or in data that decoders pass over, is not looked
for.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from . import _bare_sounds
from ._decode import header_of, pixels_of
from ._formats import ENDINGS, FORMATS, Format

QUALITY = 95  # of a JPEG that is written anew
SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)  # what ends the data of a JPEG's scan
ALONE = b"\xff\xd8"
END = b"\xff\xd9"
JFIF = b"JFIF\0\1\1\0\0\1\0\1\0\0"  # without a preview
ADOBE = 12  # bytes of its segment, which says how colours are stored
DRAWN = {*range(0xC0, 0xD0), 0xDA, 0xDB, 0xDC, 0xDD} - {0xC8}  # tables, frames, scans
CHUNKS = (b"IHDR", b"PLTE", b"IDAT")
STILL = (b"VP8 ", b"VP8L")
PART = 1 << 20  # bytes that are unpacked at once


def bare(path: Path) -> tuple[bytes, Format]:
    """The content of a picture's or sound's file as it may leave, and its format.

    Raises:
        ValueError: it cannot be read as what its ending says, to its end. OSError: not at all.
    """
    claimed = ENDINGS.get(path.suffix.lower())
    if claimed is None:
        raise ValueError(f"{path} is no image or sound.")
    if claimed.kind != "image":
        return _bare_sounds.bare_sound(path)
    head = header_of(path)
    strip = _STRIPPED.get(head.format)
    if head.plain and strip is not None and not head.turned:
        found = strip(path.read_bytes())
        if found is not None:
            return found, FORMATS[head.format]
    if head.plain and head.format == "JPEG":
        return written(pixels_of(path), "JPEG"), FORMATS["JPEG"]
    return written(pixels_of(path)), FORMATS["PNG"]


def written(pixels: np.ndarray, format: str = "PNG") -> bytes:
    """Pixels as a new file: uint8, of one channel, three, or four with transparency."""
    from PIL import Image

    array = np.ascontiguousarray(pixels[..., 0] if pixels.shape[2:] == (1,) else pixels)
    file = io.BytesIO()
    more = {"quality": QUALITY, "subsampling": 0} if format == "JPEG" else {}
    Image.fromarray(array).save(file, format, **more)
    return file.getvalue()


def _jpeg(content: bytes) -> bytes | None:
    """Its tables, frames and scans; None for one in which anything else stands between them."""
    kept, at = [ALONE], 2
    while content[at : at + 1] == b"\xff":
        marker = content[at + 1] if at + 1 < len(content) else 0xD9
        if marker == 0xFF:  # filling
            at += 1
            continue
        if marker == END[1]:
            return b"".join([*kept, END]) if content[at : at + 2] == END else None
        after = at + 2 + int.from_bytes(content[at + 2 : at + 4], "big")
        body = content[at + 4 : after]
        if marker == 0xE0 and body.startswith(b"JFIF\0"):
            kept.append(_segment(marker, JFIF))
        elif marker == 0xEE and body.startswith(b"Adobe"):
            kept.append(_segment(marker, body[:ADOBE]))
        elif marker in DRAWN:
            kept.append(_segment(marker, body))
        if marker == 0xDA:
            found = SCAN.search(content, after)
            if found is None:
                return None
            kept.append(content[after : found.start()])
            after = found.start()
        at = after
    return None


def _segment(marker: int, body: bytes) -> bytes:
    return bytes((0xFF, marker)) + (len(body) + 2).to_bytes(2, "big") + body


def _png(content: bytes) -> bytes | None:
    """Head, palette and data; None for one that has something behind its data."""
    kept = [(name, body) for name, body in _chunks(content) if name in CHUNKS]
    if not _is_whole([body for name, body in kept if name == b"IDAT"]):
        return None
    made = [
        len(body).to_bytes(4, "big") + name + body + zlib.crc32(name + body).to_bytes(4, "big")
        for name, body in [*kept, (b"IEND", b"")]
    ]
    return b"".join([content[:8], *made])


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at + 8 <= len(content):
        size = int.from_bytes(content[at : at + 4], "big")
        name = content[at + 4 : at + 8]
        if name == b"IEND":
            return
        yield name, content[at + 8 : at + 8 + size]
        at += 12 + size


def _is_whole(parts: list[bytes]) -> bool:
    """Whether these are packed data to their end, and nothing else."""
    unpacked = zlib.decompressobj()
    for part in parts:
        if unpacked.eof and part:
            return False
        while part and not unpacked.eof:
            unpacked.decompress(part, PART)
            part = unpacked.unconsumed_tail
    return unpacked.eof and not unpacked.unused_data


def _webp(content: bytes) -> bytes | None:
    """Its one picture."""
    at = 12
    while at + 8 <= len(content):
        name, size = content[at : at + 4], int.from_bytes(content[at + 4 : at + 8], "little")
        if name in STILL:
            body = content[at : at + 8 + size] + b"\0" * (size % 2)
            return b"RIFF" + (len(body) + 4).to_bytes(4, "little") + b"WEBP" + body
        at += 8 + size + size % 2
    return None


_STRIPPED: dict[str, Callable[[bytes], bytes | None]] = {"JPEG": _jpeg, "PNG": _png, "WEBP": _webp}
