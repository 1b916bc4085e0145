"""An encoder of somebody's own: ``FILE.py:make``, a file of Python that a person names."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.bounds import PICTURE_SIDES
from ...ground.problem import Refusal, said_of
from ...ground.progress import OnProgress
from ...ground.spec import of_file
from ..written.nets import NetText, digest_of, read_net
from ._pictures import SMALL, PictureEncoder, squared

if TYPE_CHECKING:
    from torch import nn

SIDE = 224  # pixels, of pictures that are larger than 96 where a network says nothing
BATCH = 256  # texts that an encoder reads at once


def is_own(name: str) -> bool:
    """Whether a name is that of a file of Python.

    >>> is_own("mine/encoder.py:make"), is_own("efficientnet-lite0")
    (True, False)
    """
    return of_file(name, ".py") is not None


def own_pictures(name: str, small: bool, side: int | None) -> PictureEncoder:
    """The encoder of pictures that a file's function makes.

    Args:
        name: ``FILE.py:make``. ``make()`` gives a ``torch.nn.Module``, uint8 (B, side, side, 3) to
            float (B, d), that may say its ``side``.
        small: whether no picture is larger than 96 pixels.
        side: as somebody asked; by default what the module says, else 96 or 224.

    Raises:
        FileNotFoundError: no such file.
        ValueError: it fails, or what it makes is no such module.
    """
    import torch

    net = _made(name)
    if not isinstance(net, torch.nn.Module):
        raise Refusal(
            f"{name} gives {type(net).__name__}, and an encoder of pictures is a torch.nn.Module.",
            "let it give a module of uint8 (B, side, side, 3) to float (B, d)",
        )
    if side is None:
        side = getattr(net, "side", SMALL if small else SIDE)
    if isinstance(side, bool) or not isinstance(side, int) or not 1 <= side <= PICTURE_SIDES[1]:
        raise ValueError(
            f"the `side` of what {name} gives is {side!r}; it is a number of pixels, 1 to "
            f"{PICTURE_SIDES[1]:,}."
        )
    net.eval()
    pictures = torch.zeros((2, side, side, 3), dtype=torch.uint8)
    try:
        with torch.no_grad():
            found = net(pictures)
    except Exception as error:
        raise ValueError(
            f"what {name} gives does not see pictures of uint8 {tuple(pictures.shape)}: "
            f"{said_of(error)}."
        ) from error
    vectors = _checked(found.cpu().numpy() if hasattr(found, "cpu") else found, 2, name)
    digest = f"own-{side}-{_digest(read_net(name), net)}"
    return PictureEncoder(name, digest, vectors.shape[1], side, squared(side), net)


def own_texts(name: str, texts: Sequence[str], watch: OnProgress | None = None) -> np.ndarray:
    """What a file's encoder makes of texts: float32 (n, d).

    Args:
        name: ``FILE.py:make``. ``make()`` gives a function of a list of texts, whose numbers are
            (n, d).

    Raises:
        FileNotFoundError, ValueError: see ``own_pictures``.
    """
    encode = _made(name)
    if not callable(encode):
        raise Refusal(
            f"{name} gives {type(encode).__name__}, and an encoder of texts is a function.",
            "let it give a function of a list of texts, whose numbers are (n, d)",
        )
    parts = []
    for start in range(0, max(len(texts), 1), BATCH):
        some = list(texts[start : start + BATCH])
        try:
            found = encode(some)
        except Exception as error:
            raise ValueError(f"what {name} gives reads no texts: {said_of(error)}.") from error
        parts.append(_checked(found, len(some), name))
        if watch is not None:
            watch(start + len(some), len(texts))
    widths = {part.shape[1] for part in parts}
    if len(widths) > 1:
        raise ValueError(f"what {name} gives has {sorted(widths)} numbers of a text; all have one.")
    return np.concatenate(parts)


def _made(name: str) -> Any:
    from ..nets import function_of

    try:
        return function_of(read_net(name, "encoder"))()
    except (FileNotFoundError, ValueError):
        raise
    except Exception as error:
        raise ValueError(f"{name} fails: {said_of(error)}.") from error


def _checked(found: Any, n: int, name: str) -> np.ndarray:
    vectors = np.asarray(found, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != n or not vectors.shape[1]:
        raise ValueError(f"what {name} gives is {vectors.shape} of {n}; it is ({n}, numbers).")
    if not np.isfinite(vectors).all():
        raise ValueError(f"what {name} gives is not finite.")
    return vectors


def _digest(asked: NetText, net: nn.Module) -> str:
    """Of the file, what it imports of its own, and all numbers of the network."""
    assert asked.file is not None
    hashed = hashlib.sha256(f"{digest_of(asked.file)} {asked.function}".encode())
    for key, value in net.state_dict().items():
        hashed.update(key.encode())
        hashed.update(value.detach().cpu().contiguous().view(-1).numpy().tobytes())
    return hashed.hexdigest()[:16]
