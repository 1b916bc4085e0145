"""The distill view and the random part that it shares with the strong one."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.stats import kstest

import _pillow_views as pillow
from candidly.ground.seeds import words
from candidly.learn.views import PICTURES, distill
from candidly.learn.views._draws import heads
from candidly.learn.views.crops import TRIES, random_parts, random_resized_crop
from pillow_pictures import pictures

SIZES = [(32, 32), (28, 28), (20, 33), (4, 100), (90, 3), (5, 7), (2, 3), (1, 1)]
M = 300


def drawing(rows, seed=3, when=7):
    return lambda block: words(seed, "x", when, np.asarray(rows), block)


@pytest.mark.parametrize("size", SIZES)
def test_parts_are_those_of_one_picture_at_a_time(size):
    draw = drawing(range(M))
    drawn = [draw(block).tolist() for block in range(TRIES)]
    found = np.stack(random_parts(*size, draw), 1)
    high, wide = size
    for part, *own in zip(found.tolist(), *drawn):
        assert tuple(part) == pillow.random_part(wide, high, own.__getitem__)
    top, left, h, w = found.T
    assert ((top >= 0) & (left >= 0) & (h > 0) & (w > 0)).all()
    assert ((top + h <= high) & (left + w <= wide)).all()


@pytest.mark.parametrize(
    ("size", "expected"),
    [((4, 100), (0, 47, 4, 5)), ((90, 3), (43, 0, 4, 3)), ((30, 32), (0, 0, 30, 32))],
)
def test_what_never_fits_is_the_middle_with_a_ratio_of_the_range(size, expected):
    largest = np.array([[2**32 - 1, 2**31, 0, 0]] * 3, np.uint32)
    largest[:, 1] = 2**32 - 1 if size != (30, 32) else 0
    asked = []

    def draw(blocks):
        asked.extend(blocks.ravel())
        return np.stack([largest] * len(blocks))

    found = random_parts(*size, draw)
    assert asked == list(range(TRIES))
    assert np.stack(found, 1).tolist() == [list(expected)] * 3


def test_areas_ratios_and_places_are_uniform():
    side, n = 4096, 20_000
    top, left, high, wide = (
        value.astype(float) for value in random_parts(side, side, drawing(range(n)))
    )
    area, ratio = high * wide / side**2, np.log(wide / high)
    assert area.min() > 0.199
    assert area.max() > 0.99
    assert np.abs(ratio).max() < math.log(4 / 3) + 0.001
    # up to three quarters of the area, every ratio fits at once
    small = area < 0.74
    assert kstest((area[small] - 0.2) / 0.54, "uniform").pvalue > 0.01
    assert kstest(ratio[small] / math.log(16 / 9) + 0.5, "uniform").pvalue > 0.01
    assert abs(np.corrcoef(area[small], ratio[small])[0, 1]) < 4 / small.sum() ** 0.5
    places = (top + 0.5) / (side - high + 1), (left + 0.5) / (side - wide + 1)
    assert min(kstest(place, "uniform").pvalue for place in places) > 0.01
    assert abs(np.corrcoef(*places)[0, 1]) < 4 / n**0.5


def test_half_are_mirrored():
    n = 20_000
    assert abs(heads(drawing(range(n))(TRIES)[:, 0]).mean() - 0.5) < 4 * 0.5 / n**0.5


def test_it_mirrors_the_part_and_then_makes_the_hole():
    pixels, draw = pictures(M, (3, 16, 16)), drawing(range(M))
    part = random_resized_crop(pixels, draw)
    coin, y, x, _ = draw(TRIES).astype(np.int64).T
    found = distill(pixels, draw)
    for row in range(M):
        expected = part[row].flip(-1) if coin[row] >= 2**31 else part[row].clone()
        down, across = int(y[row]) * 16 >> 32, int(x[row]) * 16 >> 32
        rows, columns = slice(max(down - 4, 0), down + 4), slice(max(across - 4, 0), across + 4)
        expected[:, rows, columns] = 0
        assert torch.equal(found[row], expected)


def test_a_pictures_view_does_not_depend_on_the_rest_of_the_batch():
    random = np.random.default_rng(0)
    pixels, rows = pictures(40, (3, 9, 30)), random.permutation(1000)[:40]
    before = pixels.clone()
    found = distill(pixels, drawing(rows))
    some = random.permutation(40)[:7]
    assert torch.equal(distill(pixels[some], drawing(rows[some])), found[some])
    assert torch.equal(distill(pixels[3:4], drawing(rows[3:4])), found[3:4])
    assert torch.equal(pixels, before)


def test_views_are_made_where_the_pictures_are_and_nothing_is_read_back():
    nowhere = pictures(M, (3, 16, 16)).to("meta")  # has no numbers that could be read
    for view in PICTURES.values():
        found = view(nowhere, drawing(range(M)))
        assert (found.device, found.shape, found.dtype) == (
            nowhere.device,
            nowhere.shape,
            torch.uint8,
        )
