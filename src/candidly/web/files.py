"""What items look like: files of the project's media folder, and of nowhere else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from starlette.responses import FileResponse, Response

from .. import report
from ._visit import Refused, Visit

TYPES = {  # what browsers are told, whatever this machine knows about endings
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".bmp": "image/bmp",
    ".webp": "image/webp",
    ".wav": "audio/wav",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
}
A_DAY = "private, max-age=86400, immutable"


def style(visit: Visit) -> Response:
    """The style that this app shares with candidly's reports."""
    return FileResponse(Path(report.__file__).with_name("page.css"), media_type="text/css")


def media(visit: Visit) -> Response:
    """One file, by its plain name: no folders, no links, images and sounds alone."""
    path = media_file(visit.site.media, visit.path["name"])
    if path is None:
        raise Refused(404, "There is no such file.")
    kind = TYPES[path.suffix.lower()]
    return FileResponse(path, media_type=kind, headers={"cache-control": A_DAY})


def media_file(folder: Path, name: str) -> Path | None:
    """An image or sound in a folder that is no link, itself a plain file; None for all else."""
    ending = os.path.splitext(name)[1].lower()
    if name != os.path.basename(name) or name.startswith(".") or ending not in TYPES:
        return None
    try:
        plain = stat.S_ISREG(os.lstat(folder / name).st_mode) and not folder.is_symlink()
    except (OSError, ValueError):
        plain = False
    return folder / name if plain else None
