"""What a run wrote, read without trust: plain arrays of the right kind and length, or a reason."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ._data import Truth

WANTED: Mapping[str, tuple[str, ...]] = {
    "learning": ("predictions.npy",),
    "detection": ("detection.npy", "ids.npy", "scores.npy"),
}
HEADER = 4096  # characters of an array's header


class Rejected(ValueError):
    """An answer that cannot be scored; the message says why."""


@dataclass(frozen=True)
class Flags:
    """A detection, in the order of the challenge's rows.

    Attributes:
        flagged: bool (n,), True where the label is said to be wrong.
        scores: float64 (n,), higher is likelier wrong; None where none were given.
    """

    flagged: np.ndarray
    scores: np.ndarray | None


def predictions(files: Mapping[str, bytes], tested: int, classes: int) -> np.ndarray:
    """Predicted classes of the test rows: int64 (tested,).

    Raises:
        Rejected: no such file, no integers, another length, or classes that there are not.
    """
    name = "predictions.npy"
    found = _array(files, name, tested)
    if found.dtype.kind not in "iu":
        raise Rejected(f"{name} holds {found.dtype}; give whole numbers (int64), one class a row")
    wrong = (found < 0) | (found >= classes)
    if wrong.any():
        row = int(wrong.argmax())
        raise Rejected(f"{name} has {found[row]} at row {row}; classes are 0 to {classes - 1}")
    return found.astype(np.int64)


def detection(files: Mapping[str, bytes], truth: Truth) -> Flags:
    """Which labels are said to be wrong, put into the challenge's order by ids.

    Raises:
        Rejected: a file is missing or of another kind or length, ids are not those of the rows, or
            scores are not finite.
    """
    n = len(truth.ids)
    flagged = _array(files, "detection.npy", n)
    if flagged.dtype != bool:
        raise Rejected(f"detection.npy holds {flagged.dtype}; give bool, True for a wrong label")
    order = _places(_array(files, "ids.npy", n), truth.ids)
    scores = None
    if "scores.npy" in files:
        scores = _array(files, "scores.npy", n)
        if scores.dtype.kind not in "fiu":
            raise Rejected(f"scores.npy holds {scores.dtype}; give numbers, higher for suspicious")
        scores = scores.astype(np.float64)
        if not np.isfinite(scores).all():
            row = int((~np.isfinite(scores)).argmax())
            raise Rejected(f"scores.npy has {scores[row]} at row {row}; give finite numbers")
        scores = scores[order]
    return Flags(flagged[order], scores)


def _places(ids: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each of the challenge's rows is in the answer."""
    if ids.dtype.kind != wanted.dtype.kind and not {ids.dtype.kind, wanted.dtype.kind} <= {*"iu"}:
        raise Rejected(f"ids.npy holds {ids.dtype}; the ids of the rows are {wanted.dtype}")
    at = {name: place for place, name in enumerate(ids.tolist())}
    if len(at) < len(ids):
        raise Rejected("ids.npy names a row twice; give each row's id once, in any order")
    missing = [name for name in wanted.tolist() if name not in at]
    if missing:
        raise Rejected(f"ids.npy lacks the row {missing[0]!r}, which the data has")
    return np.array([at[name] for name in wanted.tolist()], np.int64)


def _array(files: Mapping[str, bytes], name: str, length: int) -> np.ndarray:
    """An array (length,) of an .npy file; nothing is unpickled, and nothing large is made."""
    if name not in files:
        raise Rejected(f"there is no {name}")
    content = files[name]
    if not content:
        raise Rejected(f"{name} is empty")
    file = io.BytesIO(content)
    try:
        version = npy.read_magic(file)
        shape, _, dtype = _header(version)(file, max_header_size=HEADER)
    except Exception as error:  # on a damaged header the reader raises whatever it ran into
        raise Rejected(f"{name} is no .npy file ({_short(error)})") from None
    if dtype.hasobject or dtype.kind not in "biufU" or dtype.itemsize > 1024:
        raise Rejected(f"{name} holds {dtype}; give plain numbers")
    if shape != (length,):
        raise Rejected(f"{name} has the shape {shape}; it must be ({length},)")
    body = content[file.tell() :]
    if len(body) != math.prod(shape) * dtype.itemsize:
        raise Rejected(f"{name} is cut off or has something behind its numbers")
    return np.frombuffer(body, dtype)


def _header(version: tuple[int, int]) -> Any:
    return {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
