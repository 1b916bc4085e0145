"""Views of pictures, beside padding and slicing each picture by itself."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly.ground.seeds import words
from candidly.learn.views import PICTURES, plain, view_of_pictures, weak

G = np.random.default_rng(0)


def batch(m, channels, high, wide):
    return torch.from_numpy(G.integers(1, 256, (m, channels, high, wide), dtype=np.uint8))


def drawing(rows, seed=3, when=7):
    return lambda block: words(seed, "x", when, np.asarray(rows), block)


def slow_weak(picture, numbers):
    """One picture (C, H, W) mirrored, padded and sliced, as its random words say."""
    _, high, wide = picture.shape
    down, right = high // 8, wide // 8
    top = int(numbers[0]) * (2 * down + 1) // 2**32
    left = int(numbers[1]) * (2 * right + 1) // 2**32
    if int(numbers[2]) >= 2**31:
        picture = picture[:, :, ::-1]
    padded = np.pad(picture, ((0, 0), (down, down), (right, right)))
    return padded[:, top : top + high, left : left + wide]


@pytest.mark.parametrize(
    "shape", [(3, 32, 32), (1, 28, 28), (3, 9, 33), (1, 8, 8), (3, 7, 5), (3, 1, 40)]
)
def test_weak_is_mirror_pad_and_slice_of_each_picture(shape):
    pixels = batch(200, *shape)
    numbers = drawing(np.arange(200))(0)
    found = weak(pixels, lambda block: numbers)
    assert found.dtype == torch.uint8
    assert found.is_contiguous()
    expected = [slow_weak(picture.numpy(), own) for picture, own in zip(pixels, numbers)]
    assert np.array_equal(found.numpy(), np.stack(expected))


def test_a_pictures_view_does_not_depend_on_the_rest_of_the_batch():
    pixels, rows = batch(40, 3, 16, 16), G.permutation(1000)[:40]
    found = weak(pixels, drawing(rows))
    some = G.permutation(40)[:7]
    assert torch.equal(weak(pixels[some], drawing(rows[some])), found[some])


def test_every_crop_is_as_likely_and_half_are_mirrored():
    high = wide = 16
    pixels = torch.arange(1, high * wide + 1).to(torch.uint8).view(1, 1, high, wide)
    n = 9000
    found = weak(pixels.expand(n, -1, -1, -1), drawing(np.arange(n))).numpy()[:, 0]
    kinds, counts = np.unique(found.reshape(n, -1), axis=0, return_counts=True)
    assert len(kinds) == 2 * 5 * 5  # two pixels of padding
    assert np.abs(counts - n / 50).max() < 5 * np.sqrt(n / 50)


def test_plain_is_the_picture_itself_and_draws_nothing():
    pixels = batch(2, 3, 4, 4)
    assert plain(pixels, lambda block: pytest.fail("drawn")) is pixels


def test_views_go_by_name():
    assert {name: view_of_pictures(name) for name in PICTURES} == PICTURES
    with pytest.raises(KeyError, match="weak"):
        view_of_pictures("weka")
