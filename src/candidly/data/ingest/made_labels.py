"""Labels that were made, beside the table that they were made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...ground.problem import Refusal
from ..labels.labelled import Labelled
from ..labels.text import BAR
from ._examples import label_columns
from ._recognised import recognised
from ._roles import Roles
from ._sheet import Sheet, read_frame
from .back import write_back
from .table_checks import listed

MADE = ("candidates", "given")  # labels that processes make


def write_made(path: Path, roles: Roles, data: Labelled, made: Labelled, out: Path) -> str:
    """The table with a column of the labels that were made of it, behind that of the true ones.

    A set is written as ``cat|dog``. Everything else stays as it stands.

    Args:
        path: the table. roles: of its columns, as ``data`` was read by. data: what is in it.
        made: the same rows, with the labels that ``imperfect.apply`` made.
        out: a table; of the ending of ``path``.

    Returns:
        The name of the column: candidates or given.

    Raises:
        ValueError: made labels of other rows; a column of that name is there; a class with a bar
            in its name; see ``write_back``.
    """
    sheet = read_frame(path, roles.separator, roles.table(), roles.sheet)
    same_rows = made.n == len(sheet.frame) and np.array_equal(made.ids, data.ids)
    if not same_rows or not np.all(made.inputs == data.inputs):
        raise Refusal(
            f"this process changes rows of {path}, adds or leaves out some, which a column beside"
            " its own cannot show.",
            "write a file that ends in .npz",
        )
    there = [one for one in MADE if getattr(made, one) is not None]
    new = [one for one in there if not _same(getattr(made, one), getattr(data, one))]
    name = [*new, *there][0]  # a process that changes nothing made the first of those there
    if name in sheet.frame.columns:
        raise Refusal(
            f"{path} has a column {name!r} already, and the labels that were made are called so.",
            "take it out of the file",
            "write a file that ends in .npz",
        )
    write_back(sheet, {name: _cells(made, name)}, out, _beside(sheet, roles))
    return name


def _same(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def _cells(made: Labelled, name: str) -> list[str | None]:
    """The label of each row, or its labels with bars between."""
    if name == "given" and made.given is not None:
        return [made.classes[k] if k >= 0 else None for k in made.given.tolist()]
    sets: Any = made.candidates
    if odd := [one for one in made.classes if BAR in one]:
        raise ValueError(
            f"class {odd[0]!r} has a {BAR} in its name, which stands between the labels of a set;"
            f" rename it. Classes are {listed(made.classes)}."
        )
    names = np.array(made.classes, object)
    return [BAR.join(names[row]) for row in sets]


def _beside(sheet: Sheet, roles: Roles) -> str:
    """The column of true labels, or else of labels."""
    found = recognised(sheet.frame, roles)
    columns = label_columns(sheet.frame, found)
    return columns.get("truth") or next(iter(columns.values()))
