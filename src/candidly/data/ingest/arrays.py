"""Arrays in files: ``.npy``, ``.npz``, and tables of nothing but numbers."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from ..labels.storage import NOTE
from ._columns import check_kind, number_columns, read_columns
from .table_checks import check_file


def load_array(path: Path) -> np.ndarray:
    """A memory map of an ``.npy`` file.

    Raises:
        FileNotFoundError, ValueError: no such file, a folder, or no array.
    """
    check_file(path, (".npy",))
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError):
        raise ValueError(
            f"{path} cannot be read as an array of numbers or names: it is truncated, no .npy "
            "file, or holds Python objects; write it with numpy.save."
        ) from None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{path} is an archive of arrays; give one array as .npy.")
    return array


def load_member(path: Path, name: str) -> np.ndarray:
    """The array of that name in an ``.npz`` file, such as ``CrossValidated.save`` writes.

    Raises:
        FileNotFoundError, ValueError: no such file, a folder, or none with such an array.
    """
    check_file(path, (".npz",))
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return arrays[name]
    except (ValueError, OSError, EOFError, KeyError, TypeError, BadZipFile):
        raise ValueError(
            f"{path} has no array {name!r} that can be read; errors probs writes files that do."
        ) from None


def stored_classes(path: Path) -> tuple[str, ...] | None:
    """The classes that an ``.npz`` file of candidly's names, of which its labels are numbers.

    None where there are none, or they are called 0, 1, 2 and so on, as numbers are anyway.
    """
    with np.load(path, allow_pickle=False) as arrays:
        if NOTE not in arrays:
            return None
        named = json.loads(arrays[NOTE].tobytes().decode()).get("classes")
        if named is None and "classes" in arrays:
            named = arrays["classes"].tolist()
    classes = tuple(map(str, named or ()))
    return None if classes == tuple(map(str, range(len(classes)))) else classes


def read_matrix(path: Path) -> np.ndarray:
    """An ``.npy`` array, or the numbers of a table, whose first line may name the columns.

    Returns:
        float64 (n, columns) of a table; of ``.npy`` what it holds.

    Raises:
        FileNotFoundError, ValueError: no such file, or it holds something else; names row and
            column.
    """
    check_kind(path)
    if path.suffix.lower() == ".npy":
        return np.asarray(load_array(path))
    columns = read_columns(path, ids=())
    return number_columns(columns)
