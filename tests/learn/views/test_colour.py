"""Operations on colours, beside Pillow's on one picture after the other."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import _pillow_views as pillow
from candidly.learn.views import colour
from pillow_pictures import by_pillow, real_pictures

from needs import real_files

G = np.random.default_rng(5)


FACTORS = (0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.95, 1.0, 1.0000001, 1.1, 1.5, 1.9, 3.0, 10.0)
TRIED = {  # operation -> values that it is tried with beside random ones
    "brightness": FACTORS,
    "color": FACTORS,
    "contrast": FACTORS,
    "sharpness": FACTORS,
    "auto_contrast": (),
    "equalize": (),
    "posterize": range(1, 9),
    "solarize": (0.0, 0.2, 1.0, 127.5, 128.0, 254.9, 255.0, 255.5, 256.0),
    "invert": (),
}
WITHOUT_VALUES = {"auto_contrast", "equalize", "invert"}
SHAPES = [(3, 32, 32), (1, 28, 28), (3, 5, 9), (1, 40, 3), (3, 2, 7), (3, 1, 1), (1, 2, 2)]


def values_for(name, m):
    """The values to be tried, then random ones between the ends."""
    fixed = np.array(TRIED[name][:m], float)
    if name == "posterize":
        drawn = G.integers(1, 9, m)
    elif name == "solarize":
        drawn = G.uniform(0, 256, m)
    else:
        drawn = G.uniform(0, 2, m)
    drawn[: len(fixed)] = fixed
    return drawn


def ours(name, pixels, values):
    operation = getattr(colour, name)
    return operation(pixels) if name in WITHOUT_VALUES else operation(pixels, values)


def pillows(name, pixels, values):
    return by_pillow(pillow.OPERATIONS[name.replace("_", "-")], pixels, values)


def kinds_of_pictures(shape, m):
    """Noise over all values and over few, slopes, flat ones, black, white, one odd pixel."""
    pixels = G.integers(0, 256, (m, *shape), dtype=np.uint8)
    for number in range(m):
        low, high = sorted(G.integers(0, 256, 2))
        slope = np.linspace(low, high, int(np.prod(shape))).reshape(shape)
        match number % 8:
            case 0:
                pixels[number] = G.integers(low, high + 1, shape)
            case 1:
                pixels[number] = slope
            case 2:
                pixels[number] = G.choice([low, high], shape)
            case 3:
                pixels[number] = G.choice([0, low, high, 255], shape, p=[0.5, 0.1, 0.1, 0.3])
            case 4 if number < 64:
                pixels[number] = (0, 255, low)[number // 8 % 3]
            case 5 if number < 64:
                pixels[number] = low
                pixels[number, :, -1, -1] = high
    return torch.from_numpy(pixels)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", TRIED)
def test_equals_pillow_to_the_last_bit(name, shape):
    m = 150
    pixels = kinds_of_pictures(shape, m)
    before = pixels.clone()
    values = values_for(name, m)
    found = ours(name, pixels, values)
    assert found.dtype == torch.uint8
    assert found.is_contiguous()
    assert torch.equal(found, pillows(name, pixels, values))
    assert torch.equal(pixels, before)
    assert found.data_ptr() != pixels.data_ptr()


@real_files
@pytest.mark.parametrize("name", TRIED)
def test_equals_pillow_on_real_pictures(name):
    pixels = real_pictures(200)
    values = values_for(name, len(pixels))
    assert torch.equal(ours(name, pixels, values), pillows(name, pixels, values))


@pytest.mark.parametrize("name", ["brightness", "contrast", "color", "sharpness"])
def test_every_value_under_many_factors_is_cut_as_pillow_cuts_it(name):
    """All 256 values of a channel beside each other, where a rounding shows."""
    m = 400
    ramp = np.arange(256, dtype=np.uint8).reshape(16, 16)
    pixels = torch.from_numpy(np.stack([ramp, ramp.T, ramp[::-1]])).expand(m, -1, -1, -1)
    values = np.concatenate([np.linspace(0, 1, m // 2), G.uniform(1, 4, m // 2)])
    assert torch.equal(ours(name, pixels, values), pillows(name, pixels, values))


@pytest.mark.parametrize("name", TRIED)
@pytest.mark.parametrize("shape", [(3, 32, 32), (1, 9, 4), (5, 6, 6)], ids=str)
def test_a_picture_does_not_depend_on_its_neighbours(name, shape):
    m = 24
    pixels, values = kinds_of_pictures(shape, m), values_for(name, m)
    found = ours(name, pixels, values)
    order = G.permutation(m)
    assert torch.equal(ours(name, pixels[order], values[order]), found[order])
    alone = [ours(name, pixels[i : i + 1], values[i : i + 1]) for i in range(m)]
    assert torch.equal(torch.cat(alone), found)


@pytest.mark.parametrize("name", sorted(TRIED.keys() - {"color", "contrast"}))
def test_channels_of_five_are_changed_each_alone(name):
    pixels, values = kinds_of_pictures((5, 8, 8), 20), values_for(name, 20)
    found = ours(name, pixels, values)
    for channel in range(5):
        own = pixels[:, channel : channel + 1].contiguous()
        assert torch.equal(ours(name, own, values), found[:, channel : channel + 1])


@pytest.mark.parametrize("channels", [1, 2, 4])
def test_color_leaves_what_has_not_three_channels(channels):
    pixels = kinds_of_pictures((channels, 6, 6), 10)
    found = colour.color(pixels, np.full(10, 0.3))
    assert torch.equal(found, pixels)
    assert found.data_ptr() != pixels.data_ptr()


def test_contrast_of_two_channels_is_towards_the_mean_of_both():
    pixels = torch.tensor([[[[0, 10]], [[20, 31]]]], dtype=torch.uint8)  # mean 15.25
    assert colour.contrast(pixels, np.zeros(1)).unique().tolist() == [15]


@pytest.mark.parametrize("name", TRIED)
def test_no_pictures_stay_none(name):
    pixels = torch.zeros(0, 3, 8, 8, dtype=torch.uint8)
    assert ours(name, pixels, np.zeros(0)).shape == pixels.shape


@pytest.mark.parametrize("name", TRIED)
def test_pictures_that_do_not_lie_together_are_taken_too(name):
    pixels = kinds_of_pictures((6, 8, 8), 12)[::2, ::2]
    values = values_for(name, 6)
    assert torch.equal(ours(name, pixels, values), ours(name, pixels.contiguous(), values))
