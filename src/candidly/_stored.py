"""The fields of ``Labelled`` as plain named arrays, for files and fingerprints."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._checks import LABEL_ARRAYS
from ._inputs import objects
from .storage import packed_strings, unpacked_strings
from .votes import Votes

ROW_ARRAYS = ("inputs", *LABEL_ARRAYS, "ids")
VOTE_ARRAYS = ("item", "offsets", "labels")


def content(fields: Mapping[str, Any], kind: str) -> dict[str, np.ndarray]:
    """What a fingerprint covers: not names, ids or places, but what inputs and labels are.

    Media count by the SHA-256 of their files, annotators by the order they first appear in.
    """
    arrays: dict[str, np.ndarray] = {}
    if kind in ("table", "images"):
        arrays["inputs"] = fields["inputs"]
    elif kind == "texts":
        arrays |= packed_strings("inputs", fields["inputs"].tolist())
    else:
        arrays |= packed_strings("inputs", [_digest(path) for path in fields["inputs"]])
    arrays |= {name: fields[name] for name in LABEL_ARRAYS if fields[name] is not None}
    votes = fields["votes"]
    if votes is not None:
        numbers: dict[str, int] = {}
        who = [numbers.setdefault(name, len(numbers)) for name in votes.annotator]
        arrays["votes.annotator"] = np.array(who, np.int64)
        arrays |= {f"votes.{name}": getattr(votes, name) for name in VOTE_ARRAYS}
    return arrays


def to_stored(fields: Mapping[str, Any], kind: str, folder: Path) -> dict[str, np.ndarray]:
    """The arrays of a file in ``folder``; objects become bytes and offsets."""
    arrays: dict[str, np.ndarray] = {}
    for name in ROW_ARRAYS:
        array = fields[name]
        if name == "inputs" and kind == "media":
            arrays |= packed_strings(name, [_below(folder, file) for file in array])
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
    for name in ("inputs", "ids"):
        if name not in arrays:
            fields[name] = objects(unpacked_strings(name, arrays))
    if kind == "media":
        fields["inputs"] = objects([folder / file for file in fields["inputs"]])
    if "votes.item" in arrays:
        fields["votes"] = Votes(
            annotator=objects(unpacked_strings("votes.annotator", arrays)),
            **{name: arrays[f"votes.{name}"] for name in VOTE_ARRAYS},
        )
    return fields


def _digest(path: Path) -> bytes:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _below(folder: Path, file: Path) -> str:
    """``file`` relative to ``folder`` where it is below it, else in full."""
    here, there = folder.absolute(), file.absolute()
    return (there.relative_to(here) if there.is_relative_to(here) else there).as_posix()
