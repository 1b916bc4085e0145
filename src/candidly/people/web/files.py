"""What items look like: files of the project's media folder, and of nowhere else, without what was
written beside the picture or sound in them.

Those who look at everything ask for files by name. People who answer have addresses that their
cards say, each of one person and item, and nothing that comes from there says which file it is.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.responses import FileResponse, Response

from ... import show
from ...data.ingest.media import ENDINGS
from ..review import MEDIA_FOLDER, Shown, leaving, shown_item
from ._seal import EXAMPLE, ITEM, opened
from ._site import Site
from ._visit import Refused, Visit

TYPES = {  # what browsers are told, whatever this machine knows about endings
    ending: one.mime for ending, one in ENDINGS.items() if one.shown
}
A_DAY = "private, max-age=86400, immutable"
NO_FILE = "There is no such file."
NO_TIME = "Thu, 01 Jan 1970 00:00:00 GMT"  # when a file was copied tells where it stood among them
SHOWN: dict[str, Callable[[Site, int], Shown]] = {  # by what was sealed
    ITEM: lambda site, number: shown_item(site.project, number),
    EXAMPLE: lambda site, number: site.examples[number],
}


def style(visit: Visit) -> Response:
    """The style that this app shares with candidly's reports."""
    return FileResponse(Path(show.__file__).with_name("page.css"), media_type="text/css")


def media(visit: Visit) -> Response:
    """One file, by its plain name: no folders, no links, images and sounds alone."""
    return _file(visit.site, visit.path["name"], {})


def shown(visit: Visit) -> Response:
    """What an item or an example looks like, at the address that a card of this person says."""
    what, seal = visit.path["what"], visit.path["seal"]
    try:
        number, _ = opened(visit.site, what, visit.who.id, seal)
        found = SHOWN[what](visit.site, number)
    except (ValueError, KeyError):
        raise Refused(404, NO_FILE) from None
    return _file(visit.site, found.payload, {"etag": f'"{seal}"', "last-modified": NO_TIME})


def _file(site: Site, name: str, headers: Mapping[str, str]) -> Response:
    path = media_file(site.project.folder, name)
    if path is None:
        raise Refused(404, NO_FILE)
    kind = TYPES[path.suffix.lower()]
    return FileResponse(path, media_type=kind, headers={"cache-control": A_DAY, **headers})


def media_file(project: Path, name: str) -> Path | None:
    """An image or sound of a project's media as it may leave; None for all else.

    It is in a folder that is no link, itself a plain file, and can be read to its end.
    """
    folder = project / MEDIA_FOLDER
    ending = os.path.splitext(name)[1].lower()
    if name != os.path.basename(name) or name.startswith(".") or ending not in TYPES:
        return None
    try:
        plain = stat.S_ISREG(os.lstat(folder / name).st_mode) and not folder.is_symlink()
    except (OSError, ValueError):
        plain = False
    if not plain:
        return None
    try:
        return leaving(project, name)
    except ValueError:
        return None
