"""The file of a model: named arrays, and JSON that says what they are. Never pickle.

Written as safetensors, whose header holds the JSON under ``candidly`` and the SHA-256 of the whole
file under ``sha256``, as it is with zeros in the place of these digits.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...ground.files import replacing
from ...ground.problem import Refusal

SCHEMA = 3
ENDING = ".safetensors"
NOTE = "candidly"  # what of the header's texts is ours
CHECKSUM = "sha256"
BEFORE = 2  # the schema of files without a checksum
LARGEST_BYTES = 2**34  # of a file that is read
LARGEST_HEADER = 2**27
PIECE = 2**22


class NoModel(Refusal):
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
    zeros = "0" * hashlib.sha256().digest_size * 2
    content = save(tensors, {NOTE: note, CHECKSUM: zeros})
    digits = hashlib.sha256(content).hexdigest().encode()
    with replacing(path) as file:
        file.write(content.replace(_entry(zeros.encode()), _entry(digits), 1))


def read_model(path: Path | str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """What ``write_model`` wrote: arrays by name, and what they are.

    Raises:
        FileNotFoundError: no such file.
        NoModel: something else, a damaged file, or one of another version.
    """
    path = Path(path)
    with path.open("rb") as file:
        size = file.seek(0, 2)
        if size > LARGEST_BYTES:
            raise NoModel(f"{path} has {size:,} bytes; no model is that large.")
        whole = _is_whole(file)
    try:
        arrays, note = _safetensors(path)
        about = json.loads(note)
        schema = about.pop("schema")
    except Exception as error:  # on other files the reader raises whatever it ran into
        raise NoModel(
            f"{path} is no model that Model.save (candidly train) wrote, or it is damaged."
        ) from error
    if schema == BEFORE and whole is None:
        raise NoModel(
            f"{path} was written before models had a checksum, so that nobody can tell whether it "
            "is damaged.",
            "train it again",
        )
    if not whole:
        raise NoModel(
            f"{path} is damaged: its checksum is not that of what it holds.",
            "copy it anew",
            "train it again",
        )
    if schema != SCHEMA:
        raise NoModel(
            f"{path} was written by another version of candidly (schema {schema!r}, and this one"
            f" reads {SCHEMA}); train it again, or update candidly."
        )
    if not isinstance(about.get("inputs"), dict):
        raise NoModel(
            f"{path} is a damaged model: it does not say what its inputs are.", "train it again"
        )
    return arrays, about


def _is_whole(file: BinaryIO) -> bool | None:
    """Whether a file is what its checksum says; None where it has none."""
    file.seek(0)
    size = file.read(8)
    head = file.read(min(int.from_bytes(size, "little"), LARGEST_HEADER))
    before, mark, rest = head.partition(_entry(b""))
    if not mark:
        return None
    length = 2 * hashlib.sha256().digest_size
    found = hashlib.sha256(size + before + mark + b"0" * length + rest[length:])
    while piece := file.read(PIECE):
        found.update(piece)
    return rest[:length] == found.hexdigest().encode()


def _entry(digits: bytes) -> bytes:
    """How the checksum stands in the header; of no digits, what stands before them."""
    return b'"%s":"' % CHECKSUM.encode() + digits


def _safetensors(path: Path) -> tuple[dict[str, np.ndarray], str]:
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        note = file.metadata()[NOTE]
        return {name: file.get_tensor(name) for name in file.keys()}, note  # noqa: SIM118
