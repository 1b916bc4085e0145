"""The fields of ``Labelled`` as plain named arrays, for files and fingerprints."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.arrays import objects
from ...ground.checks import LABEL_ARRAYS, OFFICIAL
from ..inputs import InputKind, Table
from .storage import packed_strings, unpacked_strings
from .votes import Votes

ROW_ARRAYS = ("inputs", *LABEL_ARRAYS, "ids", *OFFICIAL)
VOTE_ARRAYS = ("item", "offsets", "labels")


def content(fields: Mapping[str, Any], kind: InputKind) -> dict[str, np.ndarray]:
    """What a fingerprint covers: not names, ids or places, but what inputs and labels are.

    Media count by the SHA-256 of their files, annotators by the order they first appear in.
    """
    arrays: dict[str, np.ndarray] = {}
    if kind.array:
        arrays["inputs"] = fields["inputs"]
    elif kind.texts:
        arrays |= packed_strings("inputs", fields["inputs"].tolist())
    elif kind == "columns":
        arrays |= _columns(fields["inputs"])
    else:
        arrays |= packed_strings("inputs", [_digest(path) for path in fields["inputs"]])
    covered = (*LABEL_ARRAYS, *OFFICIAL)
    arrays |= {name: fields[name] for name in covered if fields[name] is not None}
    votes = fields["votes"]
    if votes is not None:
        numbers: dict[str, int] = {}
        who = [numbers.setdefault(name, len(numbers)) for name in votes.annotator]
        arrays["votes.annotator"] = np.array(who, np.int64)
        arrays |= {f"votes.{name}": getattr(votes, name) for name in VOTE_ARRAYS}
    return arrays


def to_stored(fields: Mapping[str, Any], kind: InputKind, folder: Path) -> dict[str, np.ndarray]:
    """The arrays of a file in ``folder``; objects become bytes and offsets."""
    arrays: dict[str, np.ndarray] = {}
    for name in ROW_ARRAYS:
        array = fields[name]
        if name == "inputs" and kind.files:
            arrays |= packed_strings(name, [_below(folder, file) for file in array])
        elif name == "inputs" and kind == "columns":
            arrays |= _columns(array)
        elif array is not None and array.dtype == object:
            arrays |= packed_strings(name, array.tolist())
        elif array is not None:
            arrays[name] = array
    votes = fields["votes"]
    if votes is not None:
        arrays |= packed_strings("votes.annotator", votes.annotator.tolist())
        arrays |= {f"votes.{name}": getattr(votes, name) for name in VOTE_ARRAYS}
    return arrays


def to_fields(arrays: Mapping[str, np.ndarray], kind: str, folder: Path) -> dict[str, Any]:
    """The inverse of ``to_stored``. Raises KeyError or ValueError when something is missing."""
    fields: dict[str, Any] = {name: arrays[name] for name in ROW_ARRAYS if name in arrays}
    if kind == "columns":
        fields["inputs"] = _table(arrays)
    for name in ("inputs", "ids"):
        if name not in fields:
            fields[name] = objects(unpacked_strings(name, arrays))
    if kind == "media":
        fields["inputs"] = objects([folder / file for file in fields["inputs"]])
    if "votes.item" in arrays:
        fields["votes"] = Votes(
            annotator=objects(unpacked_strings("votes.annotator", arrays)),
            **{name: arrays[f"votes.{name}"] for name in VOTE_ARRAYS},
        )
    return fields


def _columns(table: Table) -> dict[str, np.ndarray]:
    """A table as plain arrays: names, kinds, and the cells of each column by its place.

    Numbers are float64 with NaN for missing; dates int64 microseconds since 1970 with the least one
    (NaT) for missing; strings are packed, with bool (n,) of the missing ones beside them.
    """
    arrays = packed_strings("inputs.names", table.names)
    arrays |= packed_strings("inputs.kinds", [table.kinds[name] for name in table.names])
    for place, name in enumerate(table.names):
        column, key = table.frame[name], f"inputs.{place}"
        if table.kinds[name] == "number":
            arrays[key] = column.to_numpy().astype(np.float64)
        elif table.kinds[name] == "date":
            arrays[key] = column.to_numpy().astype("datetime64[us]").view(np.int64)
        else:
            arrays |= packed_strings(key, column.fill_null("").to_list())
            arrays[f"{key}.missing"] = column.is_null().to_numpy()
    return arrays


def _table(arrays: Mapping[str, np.ndarray]) -> Table:
    """The inverse of ``_columns``."""
    import polars as pl

    names = unpacked_strings("inputs.names", arrays)
    kinds = dict(zip(names, unpacked_strings("inputs.kinds", arrays), strict=True))
    columns = []
    for place, name in enumerate(names):
        key = f"inputs.{place}"
        if kinds[name] == "number":
            column = pl.Series(name, arrays[key]).fill_nan(None)
        elif kinds[name] == "date":
            column = pl.Series(name, arrays[key].view("datetime64[us]"))
        else:
            missing = arrays[f"{key}.missing"].tolist()
            cells = unpacked_strings(key, arrays)
            known = [None if out else cell for cell, out in zip(cells, missing, strict=True)]
            column = pl.Series(name, known, pl.String)
        columns.append(column)
    return Table.of(pl.DataFrame(columns), kinds)


def _digest(path: Path) -> bytes:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _below(folder: Path, file: Path) -> str:
    """``file`` relative to ``folder`` where it is below it, else in full."""
    here, there = folder.absolute(), file.absolute()
    return (there.relative_to(here) if there.is_relative_to(here) else there).as_posix()
