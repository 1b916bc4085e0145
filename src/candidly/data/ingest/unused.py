"""Roles that say nothing of what is read are refused, so that no option is passed over in silence.

What can be said depends on the kind of file, and on what it is read for: a workbook has sheets and
text has separators; of a file of probabilities nobody needs to know which column is the label.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...ground.problem import Refusal
from ._packed import inner_ending
from ._roles import Roles
from ._saved import is_saved
from ._sheet import PART_ENDINGS, SEPARATED, TABLE_ENDINGS, WORKBOOK
from .shards import is_address

OF_CLASSES = ("classes", "merge_labels", "label_kind")
OF_CELLS = ("separator", "header", "sheet")
OF_COLUMNS = (*OF_CLASSES, "label", "truth", "id", "text", "image", "annotator", "item", "drop",
              "label_separator", "kinds", "part")  # fmt: skip
OF_PARTS = ("test_file", "validation_file")
EVERYTHING = (*OF_COLUMNS, *OF_CELLS, "damaged", *OF_PARTS)
SHOWN = 3  # names of files in a message

# what a file is read for -> what is looked at
LABELS = ("label", "label_separator", "id", *OF_CLASSES, *OF_CELLS)
ANSWERS = ("item", "annotator", "label", "drop", *OF_CLASSES, *OF_CELLS)
BESIDE = ("id", "drop", "classes", *OF_CELLS)  # numbers of each row, such as probabilities


@dataclass(frozen=True)
class RolesUsed:
    """A source, and the roles that say something of it.

    Attributes:
        name: the name of the source, with what it is, for messages.
        roles: names of fields of ``Roles``.
        otherwise: another way than to leave a role out.
    """

    name: str
    roles: Collection[str]
    otherwise: str = ""


def as_read(source: Any, used: Collection[str] = EVERYTHING) -> RolesUsed:
    """A path, an address or a data frame, as far as its name shows what it is.

    Args:
        used: what is looked at, of what can be said.
    """
    what, roles = _kind(source)
    name = f"{source}, {what}" if isinstance(source, str | os.PathLike) else what
    return RolesUsed(name, [role for role in roles if role in used])


def parts_read(place: str | Path, used: Collection[str]) -> list[RolesUsed]:
    """The same of each file in a folder of parts; else of the file."""
    path = Path(place).expanduser()
    if is_address(place) or not path.is_dir() or is_saved(path):
        return [as_read(place, used)]
    files = (each for each in sorted(path.iterdir()) if each.name.endswith((".npy", *PART_ENDINGS)))
    return [as_read(each, used) for each in files] or [as_read(place, used)]


def of_ending(ending: str) -> tuple[str, Collection[str]]:
    """What a file is called by its ending, without that of its compression; and what can be said.

    >>> of_ending(".xlsx")[0], "separator" in of_ending(".xlsx")[1]
    ('a workbook', False)
    """
    if ending in SEPARATED:
        return "a table of text", (*OF_COLUMNS, "separator", "header")
    if ending == WORKBOOK:
        return "a workbook", (*OF_COLUMNS, "sheet", "header")
    return "a table whose columns have names", OF_COLUMNS


def refuse_unused(roles: Roles | None, *files: RolesUsed) -> None:
    """Refuse what was said and says nothing of any of the files.

    Raises:
        Refusal: names the role, and the files.
    """
    known = {role for file in files for role in file.roles}
    for role in (roles or Roles()).given:
        if role not in known:
            names = list(dict.fromkeys(file.name for file in files))
            told = " and ".join(names[:SHOWN])
            told += f" and {len(names) - SHOWN} more" * (len(names) > SHOWN)
            ways = [file.otherwise for file in files if file.otherwise]
            raise Refusal(f"`{role}` says nothing of {told}.", "leave it out", *ways)


def _kind(source: Any) -> tuple[str, Collection[str]]:
    """What a source is, and what can be said of it."""
    if not isinstance(source, str | os.PathLike):
        return "a data frame", OF_COLUMNS
    path = Path(source).expanduser()
    if path.is_dir() and not is_saved(path):  # of pictures or of parts; its reader knows more
        return "a folder", EVERYTHING
    ending = inner_ending(path, TABLE_ENDINGS)
    if is_address(source) and not ending:
        return "an address of parts", EVERYTHING
    if ending in (".npz", ".mat"):
        return "a file of arrays", OF_CLASSES
    if ending == ".npy":
        return "an array", OF_CLASSES
    return of_ending(ending)
