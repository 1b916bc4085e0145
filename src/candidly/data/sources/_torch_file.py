"""Integer arrays from a file that torch saved; nothing but NumPy's own arrays is let in."""

from __future__ import annotations

import re
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.problem import why

LARGEST = 1 << 28  # bytes unpacked; the label files have two million
INTEGERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")


def read_torch_arrays(path: Path) -> dict[str, np.ndarray]:
    """The integer arrays of a dict that ``torch.save`` wrote.

    Args:
        path: a file of torch 1.6 or newer: a dict of NumPy integer arrays, or lists of integers.

    Returns:
        int64 arrays by name.

    Raises:
        ValueError: another kind of file, a damaged one, or one that names anything else than
            NumPy's arrays; the message names it.
    """
    try:
        _check_size(path)
        found = _loaded(path)
        if not isinstance(found, dict) or not found:
            raise ValueError("it does not hold a dict of arrays")
        return {str(name): as_array(value) for name, value in found.items()}
    except (ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} cannot be read as label arrays{why(error, ': {}')}.") from error


def _check_size(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        if sum(name.endswith("data.pkl") for name in archive.namelist()) != 1:
            raise ValueError("it has no data.pkl inside, as files have that torch saved")
        if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
            raise ValueError(f"what is in it is larger than {LARGEST >> 20} MiB")


def _loaded(path: Path) -> Any:
    """What is in the file. Types of integers alone are let in: states of others could be forged."""
    import torch

    array = np.zeros(0)
    reconstruct = array.__reduce__()[0]  # NumPy's function, whose module differs by version
    allowed: list[Any] = [
        (reconstruct, "numpy.core.multiarray._reconstruct"),
        (reconstruct, "numpy._core.multiarray._reconstruct"),
        (_no_bytes, "builtins.bytes"),
        np.ndarray,
        np.dtype,
        *(getattr(np.dtypes, f"{name}DType") for name in INTEGERS),
    ]
    with torch.serialization.safe_globals(allowed), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of protocols that torch does not write
        try:
            return torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # on damaged files it raises whatever it ran into
            if named := re.search(r"GLOBAL ([\w.]+)", str(error)):
                raise ValueError(
                    f"it names {named[1]}, which is no part of an array; nothing of it was run"
                ) from error
            raise ValueError("it is damaged, or holds more than arrays of integers") from error


def _no_bytes() -> bytes:
    """How protocol 2 writes no bytes at all."""
    return b""


def as_array(value: Any) -> np.ndarray:
    """int64, from an array or a list of integers.

    Raises:
        ValueError: anything else; the message is the end of a sentence, without its full stop.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return value.astype(np.int64)
    if isinstance(value, list) and all(isinstance(label, int) for label in value):
        return np.array(value, np.int64)
    raise ValueError(f"it holds a {type(value).__name__}, which is no array of integers")
