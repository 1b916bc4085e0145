"""The file of a model: named arrays, and JSON that says what they are. Never pickle.

Written as safetensors, whose header holds the JSON under ``candidly``. What was written before,
``.npz``, is still read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.files import replacing

SCHEMA = 2
ENDING = ".safetensors"
NOTE = "candidly"  # what of the header's texts is ours
NPZ_SCHEMA = 1  # of files before safetensors
AGAIN = "Train it again."
ZIP = b"PK\x03\x04"  # how an .npz begins
LARGEST_BYTES = 2**34  # of a file that is read


class NoModel(ValueError):
    """The file holds no model."""


def write_model(path: Path | str, arrays: Mapping[str, np.ndarray], about: dict) -> None:
    """Write the arrays and what they are, beside ``path`` and then renamed.

    Raises:
        ValueError: another ending than ``.safetensors``.
        OSError: it cannot be written; the message names ``path``.
    """
    from safetensors.numpy import save

    if Path(path).suffix.lower() != ENDING:
        raise ValueError(f"{path}: the name of a model's file must end in {ENDING}.")
    note = json.dumps({"schema": SCHEMA, **about}, allow_nan=False)
    tensors = {name: np.array(array, order="C") for name, array in arrays.items()}
    with replacing(path) as file:
        file.write(save(tensors, {NOTE: note}))


def read_model(path: Path | str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """What ``write_model`` wrote: arrays by name, and what they are.

    Raises:
        FileNotFoundError: no such file.
        NoModel: something else, a damaged file, or one of another version.
    """
    path = Path(path)
    with path.open("rb") as file:
        first = file.read(len(ZIP))
        size = file.seek(0, 2)
    if size > LARGEST_BYTES:
        raise NoModel(f"{path} has {size:,} bytes; no model is that large.")
    try:
        arrays, note = _npz(path) if first == ZIP else _safetensors(path)
        about = json.loads(note)
        schema = about.pop("schema")
    except Exception as error:  # on other files the readers raise whatever they ran into
        raise NoModel(
            f"{path} is no model that Model.save (candidly train) wrote, or it is damaged."
        ) from error
    if schema != (NPZ_SCHEMA if first == ZIP else SCHEMA):
        raise NoModel(
            f"{path} was written by another version of candidly (schema {schema!r}, and this one"
            f" reads {SCHEMA}); train it again, or update candidly."
        )
    if first != ZIP and not isinstance(about.get("inputs"), dict):
        raise NoModel(f"{path} is a damaged model: it does not say what its inputs are. {AGAIN}")
    return arrays, about


def _safetensors(path: Path) -> tuple[dict[str, np.ndarray], str]:
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        note = file.metadata()[NOTE]
        return {name: file.get_tensor(name) for name in file.keys()}, note  # noqa: SIM118


def _npz(path: Path) -> tuple[dict[str, np.ndarray], str]:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return arrays, arrays.pop("about").tobytes().decode()
