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
    parts: np.ndarray | None = None
    for block in range(TRIES):
        words = draw(block)
        if parts is None:
            parts = np.tile(middle(high, wide), (len(words), 1))
            left_over = np.arange(len(words))
        own = words[left_over]
        area = high * wide * between(own[:, 0], *AREA)
        ratio = np.exp(between(own[:, 1], math.log(RATIO[0]), math.log(RATIO[1])))
        w = np.rint(np.sqrt(area * ratio)).astype(np.int64)
        h = np.rint(np.sqrt(area / ratio)).astype(np.int64)
        fits = (w > 0) & (w <= wide) & (h > 0) & (h <= high)
        top = below(own[:, 2], high - h + 1)
        left = below(own[:, 3], wide - w + 1)
        parts[left_over[fits]] = np.stack([top, left, h, w], 1)[fits]
        left_over = left_over[~fits]
        if not len(left_over):
            break
    assert parts is not None
    return tuple(parts.T)


def middle(high: int, wide: int) -> tuple[int, int, int, int]:
    """The largest part in the middle whose ratio is in the range: top, left, height, width."""
    w = min(wide, round(high * RATIO[1]))
    h = min(high, round(wide / RATIO[0]))
    return (high - h) // 2, (wide - w) // 2, h, w
