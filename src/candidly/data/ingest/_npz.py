"""Arrays in files of NumPy: ``.npz``, and the ``.npy`` that holds records.

``.npz``: candidly's own (``Labelled.save``), or plain arrays under these names:

=============  ===========================================================================
inputs         also X, data: a table (n, d) or uint8 images
candidates     also partial_target: 0/1, (n, q) or (q, n)
given          also y: integers or strings (n,)
truth          also target: integers or strings (n,), or one-hot (n, q) or (q, n)
classes, ids   (optional) class names (q,), ids (n,)
=============  ===========================================================================

An array of another name is refused: it may be labels under a name that is misspelt.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.names import nearest, shortened
from ..labels.building import from_arrays
from ..labels.labelled import Labelled, from_stored
from ..labels.reading import written_classes
from ..labels.storage import read_arrays

if TYPE_CHECKING:
    import polars as pl

NAMES = {
    "inputs": ("inputs", "X", "data"),
    "candidates": ("candidates", "partial_target"),
    "tags": ("tags",),
    "given": ("given", "y"),
    "truth": ("truth", "target"),
    "classes": ("classes",),
    "ids": ("ids",),
}


def with_classes(data: Labelled, classes: Any) -> Labelled:
    """With these names, where there are any: one for each class."""
    names = written_classes(classes)
    number = len(names) or classes
    if classes is not None and number != data.q:
        raise ValueError(f"`classes` says {number} classes, and it has {data.q}.")
    return replace(data, classes=names) if names else data


def load_npz(path: Path, classes: Any) -> Labelled:
    """The inputs and labels of an ``.npz`` file.

    Raises:
        ValueError: another file, a damaged one, or one without inputs and labels.
    """
    arrays, note = read_arrays(path)
    if note is not None:
        return with_classes(from_stored(path, arrays, note), classes)
    found: dict[str, Any] = {}
    for name, spellings in NAMES.items():
        present = [spelling for spelling in spellings if spelling in arrays]
        if len(present) > 1:
            raise ValueError(f"has both `{present[0]}` and `{present[1]}`; keep one.")
        if present:
            found[name] = arrays[present[0]]
    if "inputs" not in found or not {"candidates", "given", "tags", "truth"} & set(found):
        raise ValueError(
            f"has the arrays {', '.join(arrays) or '(none)'}. Needed: inputs (or X, data), and one"
            " of candidates (partial_target), given (y), tags and truth (target)."
        )
    known = [spelling for spellings in NAMES.values() for spelling in spellings]
    if unknown := [name for name in arrays if name not in known]:
        raise ValueError(
            f"has the array `{shortened(unknown[0])[1:-1]}`, which means nothing here"
            f"{nearest(unknown[0], known)} Rename it, or save the file without it. Known are"
            f" {', '.join(known)}."
        )
    if classes is not None:
        found["classes"] = classes
    if not all(array.ndim for array in found.values() if isinstance(array, np.ndarray)):
        raise ValueError("holds single numbers where arrays with one entry a row are needed.")
    n = len(found["inputs"])
    for name in ("candidates", "tags", "truth"):
        if name in found and found[name].ndim == 2:
            found[name] = _rows_first(name, found[name], n)
    if "truth" in found and found["truth"].ndim == 2:
        found["truth"] = _one_hot_to_labels(found["truth"])
    return from_arrays(found.pop("inputs"), source=path.name, **found)


def records(path: Path) -> pl.DataFrame:
    """The records of an ``.npy`` file, a column for each of their fields.

    Raises:
        ValueError: another file, or a plain array, which says no labels.
    """
    import polars as pl

    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError):
        raise ValueError("it is no .npy file of numbers or text, or a damaged one.") from None
    if array.dtype.names is None or array.ndim != 1:
        raise ValueError(
            f"it holds an array {array.dtype} of shape {array.shape}, without labels. Save inputs"
            " and labels together: numpy.savez('data.npz', X=..., y=...)."
        )
    return pl.DataFrame({name: array[name] for name in array.dtype.names})


def _rows_first(name: str, sets: np.ndarray, n: int) -> np.ndarray:
    if sets.shape[0] == n:
        return sets
    if sets.shape[1] == n:
        return sets.T
    raise ValueError(f"`{name}` has shape {sets.shape}, but there are {n} examples.")


def _one_hot_to_labels(target: np.ndarray) -> np.ndarray:
    wrong = ~np.isin(target, (0, 1)).all(1) | ((target != 0).sum(1) != 1)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"`truth` does not hold exactly one 1 for example {row}.")
    return target.argmax(1)
