"""Views of pictures: of a batch's pixels at once, before they become numbers of another kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from torch import Tensor

from ...ground.names import lookup
from ..written.policy import Policy
from ..written.views import digest_of_view, policy_of_view
from ._draws import Draw, below, heads
from .crops import TRIES, random_resized_crop
from .erasing import grey_square, grey_square_plench, hole
from .geometry import cropped
from .policies import (
    AUTOAUGMENT,
    RANDAUGMENT,
    RANDAUGMENT_PLENCH,
    SQUARE,
    by_policy,
    rand_augment,
)

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
    return cropped(pixels, down, right, mirror=heads(words[:, 2]))


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
    return hole(_part(pixels, draw), draw(TRIES)[:, 1:])


def strong(pixels: Tensor, draw: Draw) -> Tensor:
    """A random part of the picture, mirrored half of the time, RandAugment, and a grey square.

    Args:
        pixels: uint8 (m, C, H, W).
        draw: blocks 0 to 9 are the crop's, the first word of block 10 says whether to mirror,
            blocks 11 to 13 are the operations', as ``policies.by_policy`` says, block 14 is the
            square's.

    Returns:
        uint8 (m, C, H, W), where ``pixels`` is.

    Source: the second view of Wang et al., ICLR 2025.
    """
    return grey_square(_three(_part(pixels, draw), draw), draw(SQUARE))


def strong_plench(pixels: Tensor, draw: Draw) -> Tensor:
    """``strong`` as the benchmark's program has it: posterize and the square differ."""
    return grey_square_plench(_three_plench(_part(pixels, draw), draw), draw(SQUARE))


_three, _three_plench = rand_augment(RANDAUGMENT), rand_augment(RANDAUGMENT_PLENCH)


def _part(pixels: Tensor, draw: Draw) -> Tensor:
    return random_resized_crop(pixels, draw, heads(draw(TRIES)[:, 0]))


def policy_view(policy: Policy) -> Change:
    """The view that a policy makes: the weak one, then a sub-policy's operations."""
    change = by_policy(policy)
    return lambda pixels, draw: change(weak(pixels, draw), draw)


# by the names that methods and recipes have for them
PICTURES: Mapping[str, Change] = {
    "plain": plain,
    "weak": weak,
    "strong": strong,
    "distill": distill,
    "strong-plench": strong_plench,
    "autoaugment": policy_view(AUTOAUGMENT),
}


def view_of_pictures(name: str) -> Change:
    """The view of a name, or of a policy's file that was read.

    Raises:
        KeyError: pictures have no such view; the message suggests the nearest.
        ValueError: the policy's file was not read here.
    """
    if digest_of_view(name):
        return policy_view(policy_of_view(name))
    return lookup(PICTURES, name, "view of pictures")[1]
