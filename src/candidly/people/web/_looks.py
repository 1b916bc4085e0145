"""How an item is shown: the tag, the address, the size."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...data.ingest.media import header_of
from ..review import MEDIA_FOLDER, Project, Shown

CRISP = 96  # pixels: an image up to this is enlarged without smoothing
LARGE = 384  # to which a small one is enlarged


@dataclass(frozen=True)
class Look:
    """What a page shows of an item.

    Attributes:
        kind: image, audio, text, table or none.
        src: address of a file. text: of a text.
        cells: for a row of a table, the name of a column and what it holds, "" where it is empty.
        width, height: at which an image is shown; 0: unknown. crisp: not to be smoothed.
    """

    kind: str
    src: str = ""
    text: str = ""
    cells: Sequence[tuple[str, str]] = ()
    width: int = 0
    height: int = 0
    crisp: bool = False


def look_of(project: Project, shown: Shown, base: str = "/media/", name: str | None = None) -> Look:
    """What a page shows of an item or an example.

    Args:
        base: address below which its file is. name: of the file there; None: its own.
    """
    place = project.folder / MEDIA_FOLDER
    return look_in(place, shown, base, name, project.rules.shown_px)


def look_in(
    folder: Path, shown: Shown, base: str, name: str | None = None, px: int | None = None
) -> Look:
    """What a page shows of something whose file, if it has one, is in ``folder``.

    Args:
        base, name: see ``look_of``. px: its longer side; None: by its size.
    """
    src = base + (quote(shown.payload) if name is None else name)
    if shown.kind == "image":
        width, height = _size(folder / shown.payload)
        factor = _factor(max(width, height), px)
        return Look(
            "image",
            src=src,
            width=round(width * factor),
            height=round(height * factor),
            crisp=0 < max(width, height) <= CRISP,
        )
    if shown.kind == "table":
        return Look("table", cells=_cells(json.loads(shown.payload)))
    if shown.kind == "audio":
        return Look("audio", src=src)
    return Look(shown.kind, text=shown.payload)


def _cells(row: Any) -> Sequence[tuple[str, str]]:
    if isinstance(row, dict):
        return [(name, cell or "") for name, cell in row.items()]
    return [(str(k), f"{value:.4g}") for k, value in enumerate(row)]


def _factor(longest: int, wanted: int | None) -> float:
    """Small ones grow by a whole number, so that their pixels stay square."""
    if not longest:
        return 1.0
    if wanted is not None:
        return wanted / longest
    return max(1, LARGE // longest) if longest <= CRISP else 1.0


@lru_cache(maxsize=200_000)
def _size(path: Path) -> tuple[int, int]:
    """Pixels of an image, upright; (0, 0) where it cannot be read."""
    try:
        head = header_of(path)
    except (OSError, ValueError):
        return 0, 0
    return head.wide, head.high
