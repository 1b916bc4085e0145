"""Labels in one file, or in parts of the same names as those of the probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ._roles import Roles
from ._saved import is_saved
from ._sheet import PART_ENDINGS
from .labels import LabelColumn, read_labels
from .prob_rows import ProbRows
from .shards import fetched, is_address, parts_in, same_parts

ENDINGS = (".npy", *PART_ENDINGS)


def labels_beside(
    place: str | Path,
    source: ProbRows,
    roles: Roles | None = None,
    classes: Sequence[str] | None = None,
) -> LabelColumn:
    """The labels of rows of probabilities.

    Args:
        place: a file, see ``read_labels``, or a folder; also an address of one, for fsspec. A
            folder has a part for each part of the probabilities, of the same name but for the
            ending, and with as many rows.
        source: the probabilities.
        classes: names of the classes, where labels are names.

    Raises:
        FileNotFoundError, ValueError: no such place, a part that one of both lacks, other rows in
            a part, or what ``read_labels`` refuses.
    """
    if not _in_parts(place):
        with fetched(place) as path:
            found = read_labels(path, roles, classes, source.n)
            if not is_address(place):
                return found
            what = found.what.replace(str(path), str(place))
            return replace(found, path=Path(place), what=what, values=np.array(found.values))
    if not source.parts or source.parts[0].name == source.name:
        raise ValueError(
            f"{place} is a folder; give a file of labels, as {source.name} is no folder of parts."
        )
    places = parts_in(place, ENDINGS)
    names = [part.name for part in source.parts]
    order = same_parts([str(each) for each in places], str(place), names, source.name)
    columns = []
    for each, part in zip([places[k] for k in order], source.parts):
        with fetched(each) as path:
            column = read_labels(path, roles, classes, part.n)
            # read now: what is mapped would be gone with a copy of an address
            column = replace(column, path=Path(str(each)), values=np.array(column.values))
        if len(column.values) != part.n:
            raise ValueError(f"{each} has {len(column.values)} labels, {part.name} {part.n} rows.")
        columns.append(column)
    return _behind_each_other(columns, str(place))


def first_labels(place: str | Path) -> LabelColumn:
    """The labels of a file, or of the first part of a folder or an address."""
    with fetched(parts_in(place, ENDINGS)[0] if _in_parts(place) else place) as path:
        found = read_labels(path)
        return replace(found, values=np.array(found.values)) if is_address(place) else found


def _in_parts(place: str | Path) -> bool:
    if is_address(place):
        return not str(place).rstrip("/").endswith(ENDINGS)
    return Path(place).is_dir() and not is_saved(Path(place))


def _behind_each_other(columns: Sequence[LabelColumn], name: str) -> LabelColumn:
    first = columns[0]
    for column in columns:
        if (column.values.dtype == object) != (first.values.dtype == object):
            kinds = ["names" if c.values.dtype == object else "numbers" for c in (first, column)]
            raise ValueError(f"{first.path} has {kinds[0]}, and {column.path} has {kinds[1]}.")
        if column.values.shape[1:] != first.values.shape[1:]:
            raise ValueError(f"{column.path} holds other sets than {first.path}: other classes.")
        if (column.ids is None) != (first.ids is None):
            bare = column if column.ids is None else first
            raise ValueError(f"{bare.path} does not name its rows, and other parts of {name} do.")
    ids = None if first.ids is None else np.concatenate([column.ids for column in columns])
    values = np.concatenate([column.values for column in columns])
    return LabelColumn(Path(name), name, values, ids, first.separator, kind=first.kind)
