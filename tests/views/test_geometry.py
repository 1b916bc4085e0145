"""Pictures moved, cropped, sheared and turned, each beside Pillow's to the last bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from PIL import Image

from candidly.views.geometry import (
    cropped,
    mirrored,
    resized_crop,
    rotated,
    sheared_x,
    sheared_y,
    translated_x,
    translated_y,
)
from pillow_pictures import SHAPES, by_pillow, pictures, real_pictures

from needs import real_files

M = 240
Values = tuple[np.ndarray, ...]


def affine(*matrix: float) -> Callable[[Image.Image], Image.Image]:
    return lambda image: image.transform(image.size, Image.Transform.AFFINE, matrix)


def signed(random: np.random.Generator, high: int, wide: int) -> Values:
    """Of the views' range, its ends and its middle among them, and beyond."""
    ends = np.array([0, -0.0, 0.3, -0.3, 0.5, -0.5, 1, -1, 2.5, -3, 1 / wide, -0.5 / high])
    steps = random.integers(-2 * wide, 2 * wide + 1, M // 4) / 2 / wide  # halves of a pixel
    values = random.uniform(-0.3, 0.3, M - len(ends) - len(steps))
    return (np.concatenate([ends, steps, values]),)


def degrees(random: np.random.Generator, high: int, wide: int) -> Values:
    ends = np.array([0, -0.0, 30, -30, 1e-17, -1e-17, 1e-9, 359.9999, 720.5])
    turns = np.arange(-24, 25) * 15.0
    values = random.uniform(-30, 30, M - len(ends) - len(turns))
    return (np.concatenate([ends, turns, values]),)


def part(random: np.random.Generator, high: int, wide: int) -> Values:
    h = np.concatenate([[high, high, 1, 1], random.integers(1, high + 1, M - 4)])
    w = np.concatenate([[wide, 1, wide, 1], random.integers(1, wide + 1, M - 4)])
    return random.integers(0, high - h + 1), random.integers(0, wide - w + 1), h, w


def corner(random: np.random.Generator, high: int, wide: int) -> Values:
    return random.integers(-high - 2, high + 3, M), random.integers(-wide - 2, wide + 3, M)


def coins(random: np.random.Generator, high: int, wide: int) -> Values:
    return (random.integers(0, 2, M).astype(bool),)


def by_window(image: Image.Image, top: int, left: int) -> Image.Image:
    return image.crop((left, top, left + image.width, top + image.height))


def by_part(image: Image.Image, top: int, left: int, high: int, wide: int) -> Image.Image:
    found = image.crop((left, top, left + wide, top + high))
    return found.resize(image.size, Image.Resampling.BILINEAR)


def by_mirror(image: Image.Image, which: bool) -> Image.Image:
    return image.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if which else image


OPERATIONS = {  # ours, Pillow's, and amounts to try
    mirrored: (by_mirror, coins),
    cropped: (by_window, corner),
    resized_crop: (by_part, part),
    sheared_x: (lambda image, v: affine(1, v, 0, 0, 1, 0)(image), signed),
    sheared_y: (lambda image, v: affine(1, 0, 0, v, 1, 0)(image), signed),
    translated_x: (lambda image, v: affine(1, 0, v * image.width, 0, 1, 0)(image), signed),
    translated_y: (lambda image, v: affine(1, 0, 0, 0, 1, v * image.height)(image), signed),
    rotated: (lambda image, v: image.rotate(v), degrees),
}
each_operation = pytest.mark.parametrize("ours", OPERATIONS, ids=lambda ours: ours.__name__)


@pytest.mark.parametrize("shape", SHAPES)
@each_operation
def test_is_pillows_to_the_last_bit(ours, shape):
    theirs, amounts = OPERATIONS[ours]
    pixels = pictures(M, shape)
    before = pixels.clone()
    values = amounts(np.random.default_rng(1), *shape[1:])
    found = ours(pixels, *values)
    assert found.dtype == torch.uint8
    assert found.is_contiguous()
    assert torch.equal(found, by_pillow(theirs, pixels, *values))
    assert torch.equal(pixels, before)
    assert found.data_ptr() != pixels.data_ptr()


@real_files
@each_operation
def test_is_pillows_on_real_pictures(ours):
    theirs, amounts = OPERATIONS[ours]
    pixels = real_pictures(M)
    values = amounts(np.random.default_rng(2), 32, 32)
    assert torch.equal(ours(pixels, *values), by_pillow(theirs, pixels, *values))
