"""Pictures moved, cropped, sheared and turned, each beside Pillow's to the last bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from PIL import Image

from candidly.learn.views.geometry import (
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


@each_operation
def test_a_picture_does_not_depend_on_the_rest_of_the_batch(ours):
    _, amounts = OPERATIONS[ours]
    random = np.random.default_rng(3)
    pixels, values = pictures(M, (3, 12, 15)), amounts(random, 12, 15)
    found = ours(pixels, *values)
    some = random.permutation(M)[:50]
    assert torch.equal(ours(pixels[some], *(value[some] for value in values)), found[some])
    for row in range(0, M, 20):
        alone = [value[row : row + 1] for value in values]
        assert torch.equal(ours(pixels[row : row + 1], *alone), found[row : row + 1])
    none = [value[:0] for value in values]
    assert ours(pixels[:0], *none).shape == (0, 3, 12, 15)


@each_operation
def test_each_channel_is_as_it_would_be_alone(ours):
    _, amounts = OPERATIONS[ours]
    pixels, values = pictures(M, (5, 8, 11)), amounts(np.random.default_rng(4), 8, 11)
    alone = [ours(pixels[:, channel, None], *values) for channel in range(5)]
    assert torch.equal(ours(pixels, *values), torch.cat(alone, 1))


@pytest.mark.parametrize("size", [1, 2, 3, 8, 16, 27, 28, 31, 32, 33, 64, 65, 96, 128])
def test_parts_of_any_length_are_enlarged_as_pillow_does(size):
    """In 16 bits and in Pillow's own 22 after the point, where levels are far apart."""
    length = np.arange(1, size + 1)
    random = np.random.default_rng(size)
    start, whole = random.integers(0, size - length + 1), np.full(size, 3)
    pixels = pictures(size, (1, 3, size), size)
    pixels[:, :, 0] = pixels[:, :, 0] // 128 * 255
    across = whole * 0, start, whole, length
    assert torch.equal(resized_crop(pixels, *across), by_pillow(by_part, pixels, *across))
    pixels, down = pixels.transpose(2, 3).contiguous(), (start, whole * 0, length, whole)
    assert torch.equal(resized_crop(pixels, *down), by_pillow(by_part, pixels, *down))


def test_cropped_and_mirrored_at_once_is_one_after_the_other():
    random = np.random.default_rng(6)
    pixels, (which,), corners = pictures(M, (3, 9, 7)), coins(random, 9, 7), corner(random, 9, 7)
    found = cropped(pixels, *corners, mirror=which)
    assert torch.equal(found, cropped(mirrored(pixels, which), *corners))


def test_enlarged_and_mirrored_at_once_is_one_after_the_other():
    random = np.random.default_rng(7)
    pixels, (which,), own = pictures(M, (3, 9, 8)), coins(random, 9, 8), part(random, 9, 8)
    found = resized_crop(pixels, *own, mirror=which)
    assert torch.equal(found, mirrored(resized_crop(pixels, *own), which))


def test_positive_amounts_move_left_and_up_and_turn_counter_clockwise():
    picture = torch.tensor([[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]], dtype=torch.uint8)
    for found, expected in (
        (translated_x(picture, np.array([1 / 3])), [[2, 3, 0], [5, 6, 0], [8, 9, 0]]),
        (translated_y(picture, np.array([1 / 3])), [[4, 5, 6], [7, 8, 9], [0, 0, 0]]),
        (sheared_x(picture, np.array([0.4])), [[1, 2, 3], [5, 6, 0], [8, 9, 0]]),
        (sheared_y(picture, np.array([0.4])), [[1, 5, 6], [4, 8, 9], [7, 0, 0]]),
        (rotated(picture, np.array([90])), [[3, 6, 9], [2, 5, 8], [1, 4, 7]]),
    ):
        assert found.tolist() == [[expected]]


def test_translations_differ_a_rounding_below_half_a_pixel():
    """Pillow adds 1 for each column, and the sum is rounded up to the next column's."""
    pixels = pictures(1, (1, 1, 32))
    below = np.nextafter([-0.5 / 32], -1)
    theirs = by_pillow(OPERATIONS[translated_x][0], pixels, below)
    assert torch.equal(theirs[..., 2:], pixels[..., 2:])
    assert torch.equal(translated_x(pixels, below)[..., 1:], pixels[..., :-1])
    near = below - 1e-14
    theirs = by_pillow(OPERATIONS[translated_x][0], pixels, near)
    assert torch.equal(translated_x(pixels, near), theirs)
