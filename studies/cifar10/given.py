"""Predictions that somebody has: a folder with a file per model, checked at the door."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from candidly.data.ingest.predictions import model_of, read_predictions
from candidly.data.labels.storage import read_arrays

ARRAY = "predicted"  # in an .npz of several arrays, as this study's own files have it


def given_predictions(folder: Path, n: int, classes: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Predicted classes uint8 (n,) by model, the name of its file.

    Args:
        folder: of ``.npy``, ``.npz`` or tables such as ``.csv``: classes as numbers or names, or
            probabilities in a column per class.
        n: test pictures.

    Raises:
        ValueError: no folder, fewer than two models, two files of one, or one that does not fit;
            names the file.
    """
    if not folder.is_dir():
        raise ValueError(f"--predictions is {folder}, which is no folder; give one file per model.")
    found: dict[str, np.ndarray] = {}
    for path in sorted(folder.iterdir()):
        packed = path.suffix.lower() == ".npz" and path.name[0] != "."
        model = path.stem if packed else model_of(path)
        if model is None:
            continue
        if model in found:
            raise ValueError(f"--predictions has more than one file for {model!r}; leave one.")
        array = _of_packed(path) if packed else read_predictions(path, classes=classes)
        found[model] = _classes(path, array, n, len(classes))
    if len(found) < 2:
        raise ValueError(
            f"--predictions is {folder}, with {len(found)} files of predictions; a ranking needs "
            "at least two models, a file each (.npy, .npz, .csv)."
        )
    return found


def _of_packed(path: Path) -> np.ndarray:
    arrays, _ = read_arrays(path)
    if ARRAY in arrays:
        return arrays[ARRAY]
    if len(arrays) != 1:
        raise ValueError(
            f"{path} holds {len(arrays)} arrays; save one, or call the predictions {ARRAY!r}."
        )
    return next(iter(arrays.values()))


def _classes(path: Path, array: np.ndarray, n: int, q: int) -> np.ndarray:
    if array.shape not in ((n,), (n, q)):
        raise ValueError(
            f"{path} has shape {array.shape}; give ({n},) classes or ({n}, {q}) probabilities, in "
            "the order of the test pictures."
        )
    if array.dtype.kind not in "iufb" or not np.isfinite(array).all():
        raise ValueError(f"{path} holds values that are no finite numbers; save numbers.")
    if array.ndim == 2:
        return array.argmax(1).astype(np.uint8)
    wrong = np.flatnonzero((array < 0) | (array >= q) | (array != np.floor(array)))
    if len(wrong):
        raise ValueError(
            f"{path} is {array[wrong[0]]} at row {wrong[0]}; classes are numbered 0 to {q - 1}."
        )
    return array.astype(np.uint8)
