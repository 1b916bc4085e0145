"""Rectangles in one colour, beside Pillow's and beside slow definitions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw

from candidly.ground.seeds import words
from candidly.learn.views.erasing import erased, grey, grey_square, grey_square_plench, hole
from pillow_pictures import SHAPES, by_pillow, pictures, real_pictures

from needs import real_files

M = 200
SQUARES = [hole, grey_square, grey_square_plench]
each_square = pytest.mark.parametrize("square", SQUARES, ids=lambda square: square.__name__)


def numbers(m, seed=3):
    return words(seed, "x", 7, np.arange(m))


def unit(word):
    return int(word) / 2**32


def pasted(image, top, bottom, left, right, colour):
    image = image.copy()
    if top < bottom and left < right:
        image.paste(colour, (left, top, right, bottom))
    return image


def slow_hole(image, row, own):
    wide, high = image.size
    half = min(wide, high) // 4
    y, x = int(own[row][0]) * high >> 32, int(own[row][1]) * wide >> 32
    return pasted(image, y - half, y + half, x - half, x + half, 0)


def slow_grey_square(picture, own):
    """A pixel is grey whose centre is inside."""
    _, high, wide = picture.shape
    half = unit(own[0]) / 2 * wide / 2
    x, y = unit(own[1]) * wide, unit(own[2]) * high
    found = picture.copy()
    for i in range(high):
        for j in range(wide):
            if abs(i + 0.5 - y) < half and abs(j + 0.5 - x) < half:
                found[:, i, j] = grey(len(picture))
    return found


def plench(image, row, own):
    """As the released program has it: floats to ImageDraw, which includes the far edge."""
    wide, high = image.size
    side = unit(own[row][0]) / 2 * wide
    if side <= 0:
        return image
    x, y = (n - (n - 1) * unit(own[row][k]) for n, k in ((wide, 1), (high, 2)))
    x, y = int(max(0, x - side / 2.0)), int(max(0, y - side / 2.0))
    image = image.copy()
    colour = (125, 123, 114) if image.mode == "RGB" else 123
    ImageDraw.Draw(image).rectangle((x, y, min(wide, x + side), min(high, y + side)), colour)
    return image


@pytest.mark.parametrize("shape", SHAPES)
def test_rectangles_are_pillows(shape):
    _, high, wide = shape
    random = np.random.default_rng(0)
    rows, columns = (random.integers(-5, n + 6, (2, M)) for n in (high, wide))
    pixels = pictures(M, shape)
    before = pixels.clone()
    colour = (9, 0, 255)[: shape[0]]
    found = erased(pixels, *rows, *columns, colour)
    own = by_pillow(lambda image, *box: pasted(image, *box, colour), pixels, *rows, *columns)
    assert found.is_contiguous()
    assert torch.equal(found, own)
    assert torch.equal(pixels, before)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_hole_is_half_a_side_and_clipped(shape):
    pixels, own = pictures(M, shape), numbers(M)
    expected = by_pillow(lambda image, row: slow_hole(image, row, own), pixels, np.arange(M))
    assert torch.equal(hole(pixels, own), expected)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_grey_square_covers_pixels_whose_centre_is_inside(shape):
    pixels, own = pictures(M, shape), numbers(M)
    expected = np.stack([slow_grey_square(*each) for each in zip(pixels.numpy(), own)])
    assert np.array_equal(grey_square(pixels, own).numpy(), expected)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_benchmarks_grey_square_is_pillows(shape):
    pixels, own = pictures(M, shape), numbers(M)
    own[:3] = [[0, 5, 5, 0], [2**32 - 1, 0, 0, 0], [2**32 - 1, 2**32 - 1, 2**32 - 1, 0]]
    expected = by_pillow(lambda image, row: plench(image, row, own), pixels, np.arange(M))
    assert torch.equal(grey_square_plench(pixels, own), expected)


@real_files
def test_the_benchmarks_grey_square_is_pillows_on_real_pictures():
    pixels, own = real_pictures(M), numbers(M, 4)
    expected = by_pillow(lambda image, row: plench(image, row, own), pixels, np.arange(M))
    assert torch.equal(grey_square_plench(pixels, own), expected)


def test_every_centre_of_the_hole_is_as_likely():
    grid = np.arange(32, dtype=np.uint32) << 27  # each centre once
    own = np.stack([*np.meshgrid(grid, grid), *np.zeros((2, 32, 32))], -1).astype(np.uint32)
    found = hole(torch.ones(1024, 1, 32, 32, dtype=torch.uint8), own.reshape(1024, 4))
    covered = [sum(c - 8 <= j < c + 8 for c in range(32)) for j in range(32)]
    assert np.array_equal((found == 0).sum((0, 1)).numpy(), np.outer(covered, covered))


@pytest.mark.parametrize(("square", "mean"), [(grey_square, 70.15), (grey_square_plench, 85.0)])
def test_the_grey_squares_have_their_mean_areas(square, mean):
    """Of a million squares. Others have found 70.4 and 86.6 by the same rules."""
    m = 15_000
    found = square(torch.zeros(m, 1, 32, 32, dtype=torch.uint8), numbers(m))
    areas = (found != 0).sum((1, 2, 3)).double()
    assert abs(areas.mean() - mean) < 4 * areas.std() / m**0.5


def test_grey_is_the_colours_luma_in_one_channel_and_its_mean_in_others():
    colour = Image.new("RGB", (1, 1), (125, 123, 114))
    assert grey(3) == (125, 123, 114)
    assert grey(1) == (colour.convert("L").getpixel((0, 0)),)
    assert grey(2) == grey(4) == (121,)
    whole = np.array([[2**32 - 1, 2**31, 2**31, 0]], np.uint32)
    found = grey_square(torch.zeros(1, 4, 8, 8, dtype=torch.uint8), whole)
    assert found[0, :, 4, 4].tolist() == [121] * 4


@each_square
def test_a_picture_does_not_depend_on_the_rest_of_the_batch(square):
    pixels, own = pictures(M, (3, 12, 15)), numbers(M)
    found = square(pixels, own)
    some = np.random.default_rng(3).permutation(M)[:50]
    assert torch.equal(square(pixels[some], own[some]), found[some])
    assert torch.equal(square(pixels[7:8], own[7:8]), found[7:8])
