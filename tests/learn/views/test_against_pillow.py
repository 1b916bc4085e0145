"""Whole views, beside the same ones made by Pillow picture by picture."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import _pillow_views as pillow
from candidly.data.labels.labelled import Labelled
from candidly.ground.seeds import words
from candidly.learn.engine.examples import make_examples
from candidly.learn.views import view_of_pictures
from pillow_pictures import SHAPES, by_pillow, pictures, real_pictures

from needs import real_files

VIEWS = {
    "plain": pillow.plain,
    "weak": pillow.weak,
    "strong": pillow.strong,
    "distill": pillow.distill,
    "strong-plench": pillow.strong_plench,
    "autoaugment": pillow.autoaugment,
}
M = 200


def drawing(rows):
    return lambda block: words(3, "x", 7, rows, block)


def pillows(view, pixels, draw, change=lambda image: image):
    """Of each picture the view, then ``change``, from its own words."""
    drawn = [draw(block).tolist() for block in range(pillow.BLOCKS)]
    return by_pillow(
        lambda image, row: change(VIEWS[view](image, lambda block: drawn[block][row])),
        pixels,
        np.arange(len(pixels)),
    )


def assert_same(view, pixels):
    draw = drawing(np.arange(len(pixels)))
    assert torch.equal(view_of_pictures(view)(pixels, draw), pillows(view, pixels, draw))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("view", VIEWS)
def test_views_of_random_pixels_are_pillows_to_the_last_bit(view, shape):
    assert_same(view, pictures(M, shape))


@real_files
@pytest.mark.parametrize("view", VIEWS)
def test_views_of_real_pictures_are_pillows_to_the_last_bit(view):
    assert_same(view, real_pictures(M))


@pytest.mark.parametrize("view", VIEWS)
def test_numbers_are_pillows_to_a_few_roundings(view):
    pixels = pictures(M, (3, 32, 32))
    data = Labelled(
        inputs=pixels.permute(0, 2, 3, 1).numpy(), classes=("a", "b"), truth=np.arange(M) % 2
    )
    rows = np.random.default_rng(0).permutation(M)
    draw, order = drawing(rows), torch.from_numpy(rows)
    found = make_examples(data, ("truth",), "plench").take(
        order, lambda planes: view_of_pictures(view)(planes, draw)
    )
    expected = pillows(
        view, pixels[order], draw, lambda image: pillow.numbers(image).transpose(1, 2, 0)
    )
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)
