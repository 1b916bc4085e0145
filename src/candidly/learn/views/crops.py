"""The random crop with which several views of pictures begin."""

from __future__ import annotations

import math

import numpy as np
from torch import Tensor

from ._draws import Draw, below, between
from .geometry import resized_crop

TRIES = 10  # of which try t has the random words of block t; a view's own begin at block 10
AREA = 0.2, 1.0
RATIO = 3 / 4, 4 / 3


def random_resized_crop(pixels: Tensor, draw: Draw, mirror: np.ndarray | None = None) -> Tensor:
    """A random part of each picture, enlarged to the picture's own size.

    Args:
        pixels: uint8 (m, C, H, W).
        draw: blocks 0 to 9, as :func:`random_parts` says.
        mirror: bool (m,), the pictures that are mirrored afterwards.

    Returns:
        uint8 (m, C, H, W), where ``pixels`` is.
    """
    _, _, high, wide = pixels.shape
    top, left, h, w = random_parts(high, wide, draw)
    return resized_crop(pixels, top, left, h, w, mirror)


def random_parts(high: int, wide: int, draw: Draw) -> tuple[np.ndarray, ...]:
    """Random parts of pictures of ``high`` x ``wide``: of a fifth to all of the area.

    The ratio of the sides is from 3/4 to 4/3, uniform in its logarithm. What does not fit in the
    picture is drawn again, ten times in all; then it is the largest part in the middle with a
    ratio of that range.

    Args:
        draw: of block t, try t: area, ratio, top and left, in this order.

    Returns:
        top, left, height and width, int64 (m,) each.

    Source: Szegedy et al., "Going deeper with convolutions", CVPR 2015, section 6; the rules are
    torchvision's RandomResizedCrop.
    """
    words = draw(np.arange(TRIES)[:, None])
    area = high * wide * between(words[..., 0], *AREA)
    ratio = np.exp(between(words[..., 1], math.log(RATIO[0]), math.log(RATIO[1])))
    w = np.rint(np.sqrt(area * ratio)).astype(np.int64)
    h = np.rint(np.sqrt(area / ratio)).astype(np.int64)
    fits = (w > 0) & (w <= wide) & (h > 0) & (h <= high)
    top, left = below(words[..., 2], high - h + 1), below(words[..., 3], wide - w + 1)
    first = fits.argmax(0), np.arange(words.shape[1])
    parts = np.stack([each[first] for each in (top, left, h, w)])
    parts[:, ~fits.any(0)] = np.array(middle(high, wide))[:, None]
    return tuple(parts)


def middle(high: int, wide: int) -> tuple[int, int, int, int]:
    """The largest part in the middle whose ratio is in the range: top, left, height, width."""
    w = min(wide, round(high * RATIO[1]))
    h = min(high, round(wide / RATIO[0]))
    return (high - h) // 2, (wide - w) // 2, h, w
