"""Networks for pictures, against definitions written out, and sizes that are published."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from candidly.learn.nets import Module, cnn, resnet18, resnet32, resnet34
from candidly.learn.nets.cnn import Cnn
from candidly.learn.nets.resnet import ResNet


def size(net, part):
    return sum(math.prod(net.shapes[name]) for name in net.parts[part])


@pytest.mark.parametrize(
    ("make", "parameters", "width"),
    [
        (resnet32, 466_256, 64),
        pytest.param(resnet18, 11_168_832, 512, marks=pytest.mark.slow),
        pytest.param(resnet34, 21_276_992, 512, marks=pytest.mark.slow),
        # weights of the convolutions; scale and shift of the norms
        (cnn, 3 * 16 * 16 + 9 * (16 * 32 + 32 * 64 + 64 * 128) + 2 * (16 + 32 + 64 + 128), 128),
    ],
)
def test_the_trunks_have_their_published_sizes(make, parameters, width):
    net = make((3, 32, 32), 10)
    assert size(net, "trunk") == parameters
    assert net.width == width
    assert size(net, "head") == width * 10 + 10
    assert not net.random


def normed(x, p, name):
    """Batch norm by the batch itself, in the order of its definition."""
    mean = x.mean((0, 2, 3), keepdim=True)
    variance = (x - mean).square().mean((0, 2, 3), keepdim=True)
    x = (x - mean) / (variance + 1e-5).sqrt()
    return x * p[f"{name}.weight"].view(-1, 1, 1) + p[f"{name}.bias"].view(-1, 1, 1)


def convolved(x, weight, stride, padding):
    """A convolution as a sum over the kernel's places."""
    x = F.pad(x, (padding,) * 4)
    k = weight.shape[-1]
    high, wide = ((n - k) // stride + 1 for n in x.shape[2:])
    return sum(
        torch.einsum(
            "bchw,oc->bohw",
            x[:, :, i : i + stride * high : stride, j : j + stride * wide : stride],
            weight[:, :, i, j],
        )
        for i in range(k)
        for j in range(k)
    )


def residual(p, x, blocks, widths):
    """He et al., CVPR 2016, in training, from its definition."""
    x = normed(convolved(x, p["stem.weight"], 1, 1), p, "norm").relu()
    number, before = 0, widths[0]
    for stage, (count, width) in enumerate(zip(blocks, widths)):
        for place in range(count):
            name = f"stages.{number}"
            stride = 2 if stage > 0 and place == 0 else 1
            y = convolved(x, p[f"{name}.conv1.weight"], stride, 1)
            y = normed(y, p, f"{name}.norm1").relu()
            y = normed(convolved(y, p[f"{name}.conv2.weight"], 1, 1), p, f"{name}.norm2")
            if before != width:
                x = convolved(x, p[f"{name}.shortcut.0.weight"], stride, 0)
                x = normed(x, p, f"{name}.shortcut.1")
            x, before, number = (x + y).relu(), width, number + 1
    assert sum(name.endswith("conv1.weight") for name in p) == number
    return F.linear(x.mean((2, 3)), p["head.weight"], p["head.bias"])


def small(p, x):
    """The small network in training, from its definition."""

    def pooled(x):
        high, wide = (n // 2 * 2 for n in x.shape[2:])
        return x[:, :, :high, :wide].unfold(2, 2, 2).unfold(3, 2, 2).amax((4, 5))

    x = normed(convolved(x, p["conv1.weight"], 2, 1), p, "norm1").relu()
    x = normed(pooled(convolved(x, p["conv2.weight"], 1, 1)), p, "norm2").relu()
    x = normed(pooled(convolved(x, p["conv3.weight"], 1, 1)), p, "norm3").relu()
    x = normed(convolved(x, p["conv4.weight"], 1, 1), p, "norm4").relu()
    return F.linear(x.mean((2, 3)), p["head.weight"], p["head.bias"])


SMALL = (1, 2, 1), (3, 5, 6)  # blocks and widths


@pytest.mark.parametrize(
    ("module", "definition", "shape"),
    [
        (lambda: ResNet(3, 4, *SMALL), lambda p, x: residual(p, x, *SMALL), (3, 13, 8)),
        (lambda: ResNet(1, 4, (5, 5, 5), (4, 8, 16)), None, (1, 8, 8)),
        (lambda: Cnn(3, 4, 4), small, (3, 32, 32)),
        (lambda: Cnn(1, 4, 3), small, (1, 13, 9)),
    ],
)
def test_the_forward_is_that_of_the_definition(module, definition, shape):
    definition = definition or (lambda p, x: residual(p, x, (5, 5, 5), (4, 8, 16)))
    torch.manual_seed(0)
    net = module().double()
    for p in net.parameters():  # norms that do something
        p.data += 0.1 * torch.randn_like(p)
    x = torch.randn(3, *shape, dtype=torch.float64)
    torch.testing.assert_close(net(x), definition(dict(net.named_parameters()), x))


def test_the_residual_networks_start_as_the_benchmark_says():
    values = resnet32((3, 32, 32), 10).init(np.random.default_rng(0))
    for name, value in values.items():
        if value.ndim == 4:
            width, _, k, _ = value.shape
            spread = math.sqrt(2 / (k**2 * width))
            assert value.std() == pytest.approx(spread, rel=5 / math.sqrt(2 * value.size))
            assert abs(value.mean()) < 5 * spread / math.sqrt(value.size)
        elif not name.startswith("head") and name.endswith(("weight", "running_var")):
            np.testing.assert_array_equal(value, 1)
        elif not name.startswith("head"):
            np.testing.assert_array_equal(value, 0)
    for name in ("head.weight", "head.bias"):
        assert 0.7 / 8 < abs(values[name]).max() <= 1 / 8


@pytest.mark.parametrize(
    ("shape", "make"),
    [((3, 32, 32), cnn), ((1, 28, 28), cnn), ((4, 8, 9), cnn), ((1, 28, 28), resnet32)],
)
def test_pictures_of_any_size_and_number_of_channels(shape, make):
    net = make(shape, 7)
    assert net.shape == shape
    module = Module(net, [0, 1])
    assert module(torch.randn(2, 3, *shape)).logits.shape == (2, 3, 7)
    assert module.of_trial(1, torch.randn(1, 1, *shape)).logits.shape == (1, 1, 7)


@pytest.mark.parametrize("make", [cnn, resnet32, resnet18, resnet34])
@pytest.mark.parametrize("shape", [(108,), (3, 2, 32), (3, 32)])
def test_what_is_no_picture_or_too_small_is_refused(make, shape):
    with pytest.raises(ValueError, match=rf"{make.__name__} takes pictures .* choose another"):
        make(shape, 10)


@pytest.mark.parametrize("width", [0, 2.5, "16"])
def test_a_width_is_a_whole_number(width):
    with pytest.raises(ValueError, match=r"width is .* whole number from 1 on"):
        cnn((3, 32, 32), 10, width=width)


def test_the_width_of_the_small_network_is_an_option():
    net = cnn((3, 32, 32), 10, width=8)
    assert net.width == 64
    assert net.macs < cnn((3, 32, 32), 10).macs / 3
