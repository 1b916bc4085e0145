"""Rectangles of pictures in one colour, each of a batch at its own place."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ._draws import below, between, unit
from .colour import HALF, LUMA

GREY = 125, 123, 114  # the mean colour of ImageNet
LARGEST = 0.5  # side of the grey square, as a part of the width


def erased(
    pixels: Tensor,
    top: np.ndarray,
    bottom: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    colour: tuple[int, ...],
) -> Tensor:
    """Each picture with rows top to bottom and columns left to right, both without the end, filled.

    Args:
        pixels: uint8 (m, C, H, W).
        top, bottom, left, right: integers (m,), which may lie outside the picture.
        colour: C levels of 0..255, or one for all channels.

    Returns:
        uint8 (m, C, H, W), where ``pixels`` is.
    """
    _, _, high, wide = pixels.shape
    y, x = np.arange(high), np.arange(wide)
    rows = (y >= top[:, None]) & (y < bottom[:, None])
    columns = (x >= left[:, None]) & (x < right[:, None])
    masks = (
        torch.from_numpy(part * np.uint8(255)).to(pixels.device, non_blocking=True)
        for part in (rows, columns)
    )
    down, across = masks
    hole = (down[:, :, None] & across[:, None])[:, None]
    kept = pixels & ~hole
    if not any(colour):
        return kept
    levels = (
        torch.tensor(colour, dtype=torch.uint8).view(-1, 1, 1).to(pixels.device, non_blocking=True)
    )
    return kept.bitwise_or_(hole & levels)


def hole(pixels: Tensor, words: np.ndarray) -> Tensor:
    """A black square of half the shorter side, clipped, about a pixel that is drawn uniformly.

    Args:
        pixels: uint8 (m, C, H, W).
        words: uint32 (m, 4), of which the first two are the centre's row and column.

    Source: DeVries and Taylor, "Improved regularization of convolutional neural networks with
    cutout", 2017.
    """
    _, _, high, wide = pixels.shape
    half = min(high, wide) // 4
    y, x = below(words[:, 0], high), below(words[:, 1], wide)
    return erased(pixels, y - half, y + half, x - half, x + half, (0,))


def grey_square(pixels: Tensor, words: np.ndarray) -> Tensor:
    """A grey square of a side of up to half the width, about any point, clipped at the border.

    Args:
        pixels: uint8 (m, C, H, W).
        words: uint32 (m, 4): the side, the centre's x and its y; the fourth is not used.
    """
    _, channels, high, wide = pixels.shape
    half = between(words[:, 0], 0, LARGEST) * wide / 2
    x, y = unit(words[:, 1]) * wide, unit(words[:, 2]) * high
    # a pixel is grey whose centre is inside
    top, bottom, left, right = np.rint([y - half, y + half, x - half, x + half]).astype(np.int64)
    return erased(pixels, top, bottom, left, right, grey(channels))


def grey_square_plench(pixels: Tensor, words: np.ndarray) -> Tensor:
    """The grey square as the benchmark's program draws it, which is larger.

    It is moved inwards at the left and at the top instead of being clipped, its last row and
    column are included, and its centre is in (1, W] and (1, H].

    Args:
        pixels: uint8 (m, C, H, W).
        words: uint32 (m, 4): the side, the centre's x and its y; the fourth is not used.

    Source: Wang et al., ICLR 2025, released program.
    """
    _, channels, high, wide = pixels.shape
    side = between(words[:, 0], 0, LARGEST) * wide
    x = np.maximum(between(words[:, 1], wide, 1) - side / 2, 0).astype(np.int64)
    y = np.maximum(between(words[:, 2], high, 1) - side / 2, 0).astype(np.int64)
    bottom = np.minimum(y + side, high).astype(np.int64) + 1
    right = np.minimum(x + side, wide).astype(np.int64) + 1
    none = side <= 0
    bottom[none], right[none] = y[none], x[none]
    return erased(pixels, y, bottom, x, right, grey(channels))


def grey(channels: int) -> tuple[int, ...]:
    """The square's colour: of one channel its luma, of three itself, else its mean in each."""
    if channels == len(GREY):
        return GREY
    if channels == 1:
        return ((sum(part * level for part, level in zip(LUMA, GREY)) + HALF) >> 16,)
    return (round(sum(GREY) / len(GREY)),)
