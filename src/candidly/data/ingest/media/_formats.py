"""The formats of pictures and sounds that are let in, and how much of them."""

from __future__ import annotations

from dataclasses import dataclass

MOST_PIXELS = 64_000_000  # of a picture; unpacked it takes four bytes each


@dataclass(frozen=True)
class Format:
    """A kind of file that is let in.

    Attributes:
        kind: image or audio. ending: of a file of this format. mime: what browsers are told.
        shown: whether browsers show it.
    """

    kind: str
    ending: str
    mime: str
    shown: bool = True


FORMATS = {  # by the name that Pillow has for pictures
    "PNG": Format("image", ".png", "image/png"),
    "JPEG": Format("image", ".jpg", "image/jpeg"),
    "GIF": Format("image", ".gif", "image/gif"),
    "BMP": Format("image", ".bmp", "image/bmp"),
    "WEBP": Format("image", ".webp", "image/webp"),
    "TIFF": Format("image", ".tif", "image/tiff", shown=False),
    "WAV": Format("audio", ".wav", "audio/wav"),
    "MP3": Format("audio", ".mp3", "audio/mpeg"),
    "OGG": Format("audio", ".ogg", "audio/ogg"),
    "FLAC": Format("audio", ".flac", "audio/flac"),
    "M4A": Format("audio", ".m4a", "audio/mp4"),
}
ENDINGS = {one.ending: one for one in FORMATS.values()} | {
    ".jpeg": FORMATS["JPEG"],
    ".jfif": FORMATS["JPEG"],
    ".tiff": FORMATS["TIFF"],
}
PICTURES = tuple(name for name, one in FORMATS.items() if one.kind == "image")
