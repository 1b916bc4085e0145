"""Views of pictures: of a batch's pixels at once, before they become numbers of another kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor

from .._names import lookup
from ._draws import Draw, below

PADDED = 8  # a side is cropped after as many black pixels on both ends as an eighth of it

Change = Callable[[Tensor, Draw], Tensor]


def plain(pixels: Tensor, draw: Draw) -> Tensor:
    """The pictures as they are."""
    return pixels


def weak(pixels: Tensor, draw: Draw) -> Tensor:
    """Mirrored half of the time, then moved by up to an eighth of a side, black coming in.

    For pictures of 32 x 32: a random crop of that size after padding by 4, as is usual for CIFAR.

    Args:
        pixels: uint8 (m, C, H, W).
        draw: of block 0 the first two words are the crop, and the third says whether to mirror.

    Returns:
        uint8 (m, C, H, W), where ``pixels`` is.

    Source: He et al., "Deep residual learning for image recognition", CVPR 2016, section 4.2.
    """
    m, channels, high, wide = pixels.shape
    words = draw(0)
    down = below(words[:, 0], 2 * (high // PADDED) + 1) - high // PADDED
    right = below(words[:, 1], 2 * (wide // PADDED) + 1) - wide // PADDED
    mirrored = words[:, 2, None] >> 31 == 1
    y = np.arange(high) + down[:, None]
    x = np.arange(wide) + right[:, None]
    inside = ((y >= 0) & (y < high))[:, :, None] & ((x >= 0) & (x < wide))[:, None, :]
    y, x = y.clip(0, high - 1), x.clip(0, wide - 1)
    x = np.where(mirrored, wide - 1 - x, x)
    places = (np.arange(m)[:, None] * high + y)[:, :, None] * wide + x[:, None, :]
    at = torch.from_numpy(places.ravel()).to(pixels.device)
    # plane by plane: a gather of single bytes is fast, and one of three bytes is not
    planes = pixels.transpose(0, 1).reshape(channels, -1)
    found = torch.stack([plane.index_select(0, at) for plane in planes])
    found *= torch.from_numpy(inside.ravel()).to(pixels.device)
    return found.view(channels, m, high, wide).transpose(0, 1).contiguous()


# by the names that pages and recipes have for them; until pictures have a strong view of their
# own, it is the weak one under other random numbers
PICTURES: Mapping[str, Change] = {"plain": plain, "weak": weak, "strong": weak}


def view_of_pictures(name: str) -> Change:
    """The view of a name.

    Raises:
        KeyError: pictures have no such view; the message suggests the nearest.
    """
    return lookup(PICTURES, name, "view of pictures")[1]
