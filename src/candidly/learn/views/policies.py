"""Operations drawn at random for each picture of a batch: RandAugment, AutoAugment, own policies.

Pictures that draw the same operation are changed together, so that each operation runs once for a
whole batch; what a picture draws does not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor

from ..written.policy import OPERATIONS, Operation, Policy
from . import colour, geometry
from ._draws import Draw, below, heads, unit
from .crops import TRIES

FIRST = TRIES + 1  # block of the first operation: crop and mirror have those before
TIMES = 3  # operations of RandAugment on each picture
SQUARE = FIRST + TIMES  # block of what comes after them
UNCHANGED = "identity"


def unchanged(pixels: Tensor) -> Tensor:
    """The pictures as they are."""
    return pixels


# by the names of ``OPERATIONS``: of pixels, and of magnitudes (m,) where these have some
FUNCTIONS: Mapping[str, Callable[..., Tensor]] = {
    "auto-contrast": colour.auto_contrast,
    "brightness": colour.brightness,
    "color": colour.color,
    "contrast": colour.contrast,
    "equalize": colour.equalize,
    "identity": unchanged,
    "invert": colour.invert,
    "posterize": colour.posterize,
    "rotate": geometry.rotated,
    "sharpness": colour.sharpness,
    "shear-x": geometry.sheared_x,
    "shear-y": geometry.sheared_y,
    "solarize": colour.solarize,
    "translate-x": geometry.translated_x,
    "translate-y": geometry.translated_y,
}


NAMES = list(FUNCTIONS)
FIELDS = [
    ("kind", int),  # number in NAMES
    ("probability", float),
    ("low", float),
    ("high", float),
    ("either", bool),
    ("whole", bool),
]


def by_policy(policy: Policy, times: int = 1) -> Callable[[Tensor, Draw], Tensor]:
    """What a policy makes of pictures, uint8 (m, C, H, W), under random words of each.

    Each picture draws a sub-policy ``times`` times, and goes through its operations in their order.
    Operation after operation takes a block of words, from ``FIRST`` on: word 0 of a sub-policy's
    first block is which one, word 1 is whether the operation is done, word 2 is its magnitude.
    """
    longest, same = max(map(len, policy)), NAMES.index(UNCHANGED)
    table = np.zeros((len(policy), longest), FIELDS)  # never done behind a sub-policy's end
    for i, sub in enumerate(policy):
        for j, one in enumerate(sub):
            possible = OPERATIONS[one.name]
            whole = possible is not None and possible.whole
            kind = NAMES.index(one.name)
            table[i, j] = kind, one.probability, one.low, one.high, one.either, whole

    def change(pixels: Tensor, draw: Draw) -> Tensor:
        place = np.arange(len(pixels))  # of each picture: they are sorted by operation
        drawn = draw(FIRST + np.arange(times * longest)[:, None])
        for block, words in enumerate(drawn):
            if block % longest == 0:
                chosen = below(words[:, 0], len(policy))
            own = table[chosen, block % longest]
            kinds = np.where(unit(words[:, 1]) < own["probability"], own["kind"], same)
            order = np.argsort(kinds)
            pixels = _taken(pixels, place[order])
            pixels = _each(pixels, kinds[order], magnitudes(own, words[:, 2])[order])
            place[order] = np.arange(len(order))
        return _taken(pixels, place)

    return change


def magnitudes(own: np.ndarray, words: np.ndarray) -> np.ndarray:
    """A magnitude for each picture, float64 (m,): whole, one of two ends, or between them.

    Args:
        own: of ``FIELDS``, (m,).    words: uint32 (m,).
    """
    low, high = own["low"], own["high"]
    found = low + (high - low) * unit(words)
    found = np.where(own["whole"], low + below(words, (high - low).astype(np.int64) + 1), found)
    return np.where(own["either"], np.where(heads(words), high, low), found)


def _each(pixels: Tensor, kinds: np.ndarray, values: np.ndarray) -> Tensor:
    """Each picture by its operation, of which those of a kind lie together."""
    starts = np.flatnonzero(np.diff(kinds, prepend=-1))
    done = []
    for start, end in zip(starts, [*starts[1:], len(kinds)]):
        name = NAMES[kinds[start]]
        own = [] if OPERATIONS[name] is None else [values[start:end]]
        done.append(FUNCTIONS[name](pixels[start:end], *own))
    return torch.cat(done) if done else pixels


def _taken(pixels: Tensor, places: np.ndarray) -> Tensor:
    return pixels.index_select(0, torch.from_numpy(places).to(pixels.device, non_blocking=True))


# Wang et al., ICLR 2025, released program: the operations of its strong view, and their magnitudes
RANDAUGMENT: Mapping[str, tuple[float, float]] = {
    "auto-contrast": (0, 0),
    "brightness": (0.05, 0.95),
    "color": (0.05, 0.95),
    "contrast": (0.05, 0.95),
    "equalize": (0, 0),
    "identity": (0, 0),
    "posterize": (4, 8),
    "rotate": (-30, 30),
    "sharpness": (0.05, 0.95),
    "shear-x": (-0.3, 0.3),
    "shear-y": (-0.3, 0.3),
    "solarize": (0, 256),
    "translate-x": (-0.3, 0.3),
    "translate-y": (-0.3, 0.3),
}
# as that program draws them: the highest number of bits never comes
RANDAUGMENT_PLENCH = {**RANDAUGMENT, "posterize": (4, 7)}


def rand_augment(
    ranges: Mapping[str, tuple[float, float]] = RANDAUGMENT,
) -> Callable[[Tensor, Draw], Tensor]:
    """Three operations drawn uniformly with replacement, each of a magnitude in its range.

    Source: Cubuk et al., "RandAugment", NeurIPS 2020, with ranges in place of one magnitude.
    """
    one_each = tuple((Operation(name, 1.0, *ends),) for name, ends in ranges.items())
    return by_policy(one_each, TIMES)


LEVELS = 9  # the highest of AutoAugment's ten
# magnitude where nothing happens, and how far level 9 is from it; with a random sign, or without
SIGNED = {
    "brightness": (1, 0.9),
    "color": (1, 0.9),
    "contrast": (1, 0.9),
    "rotate": (0, 30),
    "sharpness": (1, 0.9),
    "shear-x": (0, 0.3),
    "shear-y": (0, 0.3),
    "translate-x": (0, 10 / 32),
    "translate-y": (0, 10 / 32),
}
UNSIGNED = {"posterize": (8, -4), "solarize": (256, -256)}


def at_level(name: str, probability: float, level: int) -> Operation:
    """An operation of AutoAugment's, whose levels are 0 to 9."""
    if name in SIGNED:
        middle, reach = SIGNED[name]
        far = reach * level / LEVELS
        return Operation(name, probability, middle - far, middle + far, either=True)
    if name in UNSIGNED:
        start, reach = UNSIGNED[name]
        value = start + reach * level / LEVELS
        whole = (possible := OPERATIONS[name]) is not None and possible.whole
        value = round(value) if whole else value
        return Operation(name, probability, value, value)
    return Operation(name, probability)


def _levels(*rows: tuple[str, float, int, str, float, int]) -> Policy:
    return tuple((at_level(*row[:3]), at_level(*row[3:])) for row in rows)


# The policy that was found for CIFAR-10: Cubuk et al., "AutoAugment", CVPR 2019, appendix. Its
# ranges are the paper's, but for translation, where it has 150 pixels for ImageNet, and the
# authors' program for CIFAR 10 of 32. The paper has no sign of its own for the four enhancers and
# counts from 0.1 to 1.9; here they go to both sides of 1, as is usual.
AUTOAUGMENT = _levels(
    ("invert", 0.1, 7, "contrast", 0.2, 6),
    ("rotate", 0.7, 2, "translate-x", 0.3, 9),
    ("sharpness", 0.8, 1, "sharpness", 0.9, 3),
    ("shear-y", 0.5, 8, "translate-y", 0.7, 9),
    ("auto-contrast", 0.5, 8, "equalize", 0.9, 2),
    ("shear-y", 0.2, 7, "posterize", 0.3, 7),
    ("color", 0.4, 3, "brightness", 0.6, 7),
    ("sharpness", 0.3, 9, "brightness", 0.7, 9),
    ("equalize", 0.6, 5, "equalize", 0.5, 1),
    ("contrast", 0.6, 7, "sharpness", 0.6, 5),
    ("color", 0.7, 7, "translate-x", 0.5, 8),
    ("equalize", 0.3, 7, "auto-contrast", 0.4, 8),
    ("translate-y", 0.4, 3, "sharpness", 0.2, 6),
    ("brightness", 0.9, 6, "color", 0.2, 8),
    ("solarize", 0.5, 2, "invert", 0.0, 3),
    ("equalize", 0.2, 0, "auto-contrast", 0.6, 0),
    ("equalize", 0.2, 8, "equalize", 0.6, 4),
    ("color", 0.9, 9, "equalize", 0.6, 6),
    ("auto-contrast", 0.8, 4, "solarize", 0.2, 8),
    ("brightness", 0.1, 3, "color", 0.7, 0),
    ("solarize", 0.4, 5, "auto-contrast", 0.9, 3),
    ("translate-y", 0.9, 9, "translate-y", 0.7, 9),
    ("auto-contrast", 0.9, 2, "solarize", 0.8, 3),
    ("equalize", 0.8, 8, "invert", 0.1, 3),
    ("translate-y", 0.7, 9, "auto-contrast", 0.9, 1),
)
