"""The MATLAB files that partial-label data sets are shared as.

``data`` is n x d; ``target`` (one-hot) and ``partial_target`` (0/1) are q x n, one example a
column, sparse or dense, of any real type. MATLAB 7.2 and older; no object or cell arrays.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..inputs import as_inputs
from ..labels.labelled import Labelled

NEEDED = ("data", "partial_target")


def load_mat(path: Path | str, source: str = "") -> Labelled:
    """The table, candidate sets and (when ``target`` is there) truth of a ``.mat`` file.

    Args:
        path: the file.
        source: stored with the data; the file's name by default.

    Raises:
        FileNotFoundError: no such file.
        ValueError: not such a MATLAB file, arrays missing or of shapes that disagree, a column of
            ``target`` without exactly one 1, an example without candidates, NaN or infinity.
    """
    path = Path(path)
    with open(path, "rb") as file:
        start = file.read(128)
    try:
        return _labelled(_arrays(path, start), source or path.name)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _labelled(arrays: dict[str, np.ndarray], source: str) -> Labelled:
    missing = [name for name in NEEDED if name not in arrays]
    if missing:
        raise ValueError(
            f"no array `{missing[0]}`; it has {', '.join(sorted(arrays)) or 'none'}."
            " Needed: data (n x d), partial_target (q x n), and target (q x n) for the truth."
        )
    data, sets, target = arrays["data"], arrays["partial_target"], arrays.get("target")
    if data.ndim != 2 or sets.ndim != 2:
        raise ValueError("`data` and `partial_target` must have two dimensions.")
    if target is not None and target.shape != sets.shape:
        raise ValueError(
            f"`target` is {_size(target)} and `partial_target` {_size(sets)}; both must be q x n."
        )
    data, transposed = _oriented(data, sets)
    candidates = _bits("partial_target", sets.T if transposed else sets)
    _check_columns("partial_target", candidates.any(0), "has no candidate")
    truth = None
    if target is not None:
        ones = _bits("target", target.T if transposed else target)
        _check_columns("target", ones.sum(0) == 1, "does not hold exactly one 1")
        truth = ones.argmax(0).astype(np.int64)
    return Labelled(
        inputs=as_inputs(data),
        candidates=np.ascontiguousarray(candidates.T),
        truth=truth,
        classes=tuple(str(label) for label in range(len(candidates))),
        source=source,
    )


def _arrays(path: Path, start: bytes) -> dict[str, np.ndarray]:
    """The arrays of the file by name, dense and real."""
    from scipy.io import loadmat  # a fifth of a second to import

    if start.startswith((b"MATLAB 7.3", b"\x89HDF")):
        raise ValueError(
            "a MATLAB 7.3 (HDF5) file. In MATLAB, save it again with save(file, '-v7'), or convert"
            " it to .npz."
        )
    try:
        loaded = loadmat(path)
    except Exception as error:  # on damaged files scipy raises whatever its parser ran into
        raise ValueError(
            "not a readable MATLAB file: it is damaged, or of another kind."
        ) from error
    arrays = {}
    for name, value in loaded.items():
        if name.startswith("__"):
            continue
        array = _dense(value)
        if name in (*NEEDED, "target") and array.dtype.kind not in "biuf":
            raise ValueError(
                f"`{name}` is a MATLAB cell, struct, text or complex array, not real"
                " numbers. Save it as a plain matrix."
            )
        arrays[name] = array
    return arrays


def _dense(value: Any) -> np.ndarray:
    return np.asarray(value.toarray() if hasattr(value, "toarray") else value)


def _oriented(data: np.ndarray, sets: np.ndarray) -> tuple[np.ndarray, bool]:
    """``data`` as n x d, and whether the label matrices are n x q instead of q x n."""
    if data.shape[0] == sets.shape[1]:
        return data, False  # as documented; wins when several readings fit
    fits = [
        (turned, transposed)
        for turned in (data, data.T)
        for transposed in (False, True)
        if turned.shape[0] == sets.shape[0 if transposed else 1]
    ]
    if len(fits) != 1:
        raise ValueError(
            f"`data` is {_size(data)} and `partial_target` {_size(sets)}, which"
            f" {'can be read in several ways' if fits else 'share no number of examples'}."
            " Store data as n x d and partial_target as q x n."
        )
    return fits[0]


def _bits(name: str, sets: np.ndarray) -> np.ndarray:
    wrong = ~np.isin(sets, (0, 1))
    if wrong.any():
        label, example = (int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"`{name}` has {sets[label, example]} for label {label} of example {example};"
            " only 0 and 1 are allowed."
        )
    return sets.astype(bool)


def _check_columns(name: str, good: Any, complaint: str) -> None:
    if not good.all():
        raise ValueError(
            f"column {int((~good).argmax())} of `{name}` {complaint}"
            f" ({int((~good).sum())} such columns of {len(good)}). Correct or drop these examples."
        )


def _size(array: np.ndarray) -> str:
    return " x ".join(str(size) for size in array.shape)
