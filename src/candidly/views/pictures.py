"""Views of pictures: of a batch's pixels at once, before they become numbers of another kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from torch import Tensor

from .._names import lookup
from ._draws import Draw, below, heads
from .crops import TRIES, random_resized_crop
from .erasing import hole
from .geometry import cropped, mirrored

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
    _, _, high, wide = pixels.shape
    words = draw(0)
    down = below(words[:, 0], 2 * (high // PADDED) + 1) - high // PADDED
    right = below(words[:, 1], 2 * (wide // PADDED) + 1) - wide // PADDED
    return cropped(mirrored(pixels, heads(words[:, 2])), down, right)


def distill(pixels: Tensor, draw: Draw) -> Tensor:
    """A random part of the picture, mirrored half of the time, with a black square.

    Args:
        pixels: uint8 (m, C, H, W).
        draw: blocks 0 to 9 are the crop's; of block 10 the first word says whether to mirror, and
            the next two are the square's centre.

    Returns:
        uint8 (m, C, H, W), where ``pixels`` is.

    Source: the third view of Wang et al., ICLR 2025, released program.
    """
    words = draw(TRIES)
    found = mirrored(random_resized_crop(pixels, draw), heads(words[:, 0]))
    return hole(found, words[:, 1:])


# by the names that pages and recipes have for them; until pictures have a strong view of their
# own, it is the weak one under other random numbers
PICTURES: Mapping[str, Change] = {
    "plain": plain,
    "weak": weak,
    "strong": weak,
    "distill": distill,
}


def view_of_pictures(name: str) -> Change:
    """The view of a name.

    Raises:
        KeyError: pictures have no such view; the message suggests the nearest.
    """
    return lookup(PICTURES, name, "view of pictures")[1]
