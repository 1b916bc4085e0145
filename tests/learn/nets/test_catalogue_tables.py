"""DenseNets, MobileNet-V2, GoogLeNet and Inception-v3: published sizes, and their definitions."""

from __future__ import annotations

import math
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from candidly.learn.nets import (
    Module,
    densenet22,
    densenet121,
    densenet161,
    densenet169,
    googlenet,
    inception_v3,
    mobilenet_v2,
)
from candidly.learn.nets._cost import Counted
from learn.nets.in_order import InOrder, check_forward, count, module_of

EVERY = [densenet22, densenet121, densenet161, densenet169, mobilenet_v2, googlenet, inception_v3]
NARROW = {
    densenet22: {"growth": 2},
    densenet121: {"growth": 1},
    densenet161: {"growth": 1},
    densenet169: {"growth": 1},
    mobilenet_v2: {"width": 2},
    googlenet: {"width": 8},
    inception_v3: {"width": 8},
}
MILLION = 1e6


@pytest.mark.parametrize(
    ("make", "whole", "trunk", "said"),
    [
        (densenet22, 71_686, 70_986, 0.072),
        (densenet121, 6_956_426, 6_946_176, 6.956),
        (densenet161, 26_482_570, 26_460_480, 26.483),
        (densenet169, 12_493_450, 12_476_800, 12.493),
        (mobilenet_v2, 2_236_682, 2_223_872, 2.237),
        (googlenet, 5_490_986, 5_480_736, 5.491),
        (inception_v3, 21_638_954, 21_618_464, 21.639),  # published: 21.640
    ],
)
def test_parameters_are_as_many_as_published(monkeypatch, make, whole, trunk, said):
    """Those of the table of CIFAR forms, in millions with 10 classes; and of the docstring."""
    module = module_of(monkeypatch, make, (3, 32, 32), 10, numbers=False)
    assert count(module) == (whole, trunk)
    assert round(whole / MILLION, 3) == said
    assert f"{trunk:,} parameters without the head" in make.__doc__


def of_conv(side, before, width, k):
    """Multiply-adds of a convolution, in millions."""
    return side * side * before * width * k * k / MILLION


def macs_of(monkeypatch, make, side, classes):
    module = module_of(monkeypatch, make, (3, side, side), classes, numbers=False)
    with Counted() as counted:
        module(torch.zeros(2, 3, side, side, device="meta"))
    return counted.macs / 2 / MILLION


def of_dense(make, published, stem):
    return make, published, 112, of_conv(112, 3, stem, 7), of_conv(112, 3, stem, 3)


@pytest.mark.parametrize(
    ("make", "published", "side", "stem", "own"),
    [
        # published: millions for ImageNet's 224 pixels (299: Inception), as torchvision lists them
        # side: of pictures whose maps have the sizes of ImageNet's after ``stem``, here ``own``
        of_dense(densenet121, 2834, 64),
        pytest.param(*of_dense(densenet161, 7728, 96), marks=pytest.mark.slow),
        pytest.param(*of_dense(densenet169, 3360, 64), marks=pytest.mark.slow),
        (
            mobilenet_v2,
            *(300.8, 56),
            # the stem, the first block, and the widening of the second
            of_conv(112, 3, 32, 3) + of_conv(112, 1, 32, 3) + of_conv(112, 1, 32 * 16 + 16 * 96, 1),
            of_conv(56, 3, 32, 3) + of_conv(56, 1, 32, 3) + of_conv(56, 1, 32 * 16 + 16 * 96, 1),
        ),
        (
            googlenet,
            *(1498, 28),
            of_conv(112, 3, 64, 7) + of_conv(56, 64, 64, 1) + of_conv(56, 64, 192, 3),
            of_conv(28, 3, 192, 3),
        ),
        (
            inception_v3,
            *(5713, 35),
            of_conv(149, 3, 32, 3)
            + of_conv(147, 32, 32, 3)
            + of_conv(147, 32, 64, 3)
            + of_conv(73, 64, 80, 1)
            + of_conv(71, 80, 192, 3),
            of_conv(35, 3, 192, 3),
        ),
    ],
)
def test_multiply_adds_are_the_published_ones_but_for_the_stem(
    monkeypatch, make, published, side, stem, own
):
    found = macs_of(monkeypatch, make, side, 1000)
    assert found == pytest.approx(published - stem + own, rel=0.005)


def test_densenet22_costs_what_its_table_says(monkeypatch):
    blocks = [((24, 36, 48), 60, 30), ((30, 42, 54), 66, 33), ((33, 45, 57), 69, 0)]
    expected = of_conv(32, 3, 24, 3) + 69 * 10 / MILLION
    for number, (before, after, halved) in enumerate(blocks):
        side = 32 // 2**number
        expected += sum(of_conv(side, b, 48, 1) + of_conv(side, 48, 12, 3) for b in before)
        expected += of_conv(side, after, halved, 1)
    assert macs_of(monkeypatch, densenet22, 32, 10) == pytest.approx(expected)


# the definitions


def dense(p: InOrder, x: Tensor, layers, growth, pooled) -> Tensor:
    x = p.conv(x, 2 * growth, padding=1)
    if pooled:
        x = F.max_pool2d(p.norm(x).relu(), 3, stride=2, padding=1)
    for number, many in enumerate(layers):
        if number:
            x = F.avg_pool2d(p.conv(p.norm(x).relu(), x.shape[1] // 2), 2)
        for _ in range(many):
            y = p.conv(p.norm(x).relu(), 4 * growth)
            x = torch.cat([x, p.conv(p.norm(y).relu(), growth, padding=1)], 1)
    return p.head(p.norm(x).relu())


def portion(published, width, usual):
    return max(1, math.floor(published * width / usual + 0.5))


def inverted(p: InOrder, x: Tensor, width) -> Tensor:
    """Sandler et al., CVPR 2018, Table 2; the strides of the form for CIFAR-10."""
    inner = "1" + "6" * 16
    channels = [16, 24, 24, 32, 32, 32, 64, 64, 64, 64, 96, 96, 96, 160, 160, 160, 320]
    strides = [1, 1, 1, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1]
    x, before = F.relu6(p.norm(p.conv(x, width, padding=1))), 32
    for times, published, stride in zip(map(int, inner), channels, strides, strict=True):
        y, many = x, times * x.shape[1]
        if times > 1:
            y = F.relu6(p.norm(p.conv(y, many)))
        y = F.relu6(p.norm(p.conv(y, many, stride, 1, groups=many)))
        y = p.norm(p.conv(y, portion(published, width, 32)))
        x = x + y if stride == 1 and before == published else y
        before = published
    x = F.relu6(p.norm(p.conv(x, portion(1280, width, 32))))
    return _dropped_head(p, x, 0.2)


def _dropped_head(p: InOrder, x: Tensor, rate: float) -> Tensor:
    x = F.dropout(x.mean((2, 3)), rate, p.training)
    return p.head(x[:, :, None, None])


def along(p: InOrder, x: Tensor, of, *steps) -> Tensor:
    """Convolutions (channels, kernel, stride) with norm and ReLU; strided ones are not padded."""
    for channels, (high, wide), stride in steps:
        padding = (high // 2, wide // 2) if stride == 1 else 0
        x = p.norm(p.conv(x, of(channels), stride, padding), eps=1e-3).relu()
    return x


def one(channels):
    return channels, (1, 1), 1


def three(channels, stride=1):
    return channels, (3, 3), stride


def google(p: InOrder, x: Tensor, width) -> Tensor:
    """Szegedy et al., CVPR 2015, Table 1, from 3a on."""
    table = """
        64 96 128 16 32 32; 128 128 192 32 96 64;
        pool; 192 96 208 16 48 64; 160 112 224 24 64 64; 128 128 256 24 64 64;
        112 144 288 32 64 64; 256 160 320 32 128 128;
        pool; 256 160 320 32 128 128; 384 192 384 48 128 128
    """
    of = partial(portion, width=width, usual=192)
    x = along(p, x, of, three(192))
    for row in table.split(";"):
        if "pool" in row:
            x = F.max_pool2d(x, 3, 2, 1)
            continue
        a, b, bb, c, cc, d = map(int, row.split())
        x = torch.cat(
            [
                along(p, x, of, one(a)),
                along(p, x, of, one(b), three(bb)),
                along(p, x, of, one(c), three(cc)),
                along(p, F.max_pool2d(x, 3, 1, 1), of, one(d)),
            ],
            1,
        )
    return _dropped_head(p, x, 0.2)


def third(p: InOrder, x: Tensor, width) -> Tensor:
    """Szegedy et al., CVPR 2016, as torchvision builds it, from the first mixed module on."""
    of = partial(portion, width=width, usual=192)
    mean = partial(F.avg_pool2d, kernel_size=3, stride=1, padding=1)
    x = along(p, x, of, three(192))

    def joined(*parts):
        return torch.cat(parts, 1)

    for behind in (32, 64, 64):
        x = joined(
            along(p, x, of, one(64)),
            along(p, x, of, one(48), (64, (5, 5), 1)),
            along(p, x, of, one(64), three(96), three(96)),
            along(p, mean(x), of, one(behind)),
        )
    x = joined(
        along(p, x, of, three(384, 2)),
        along(p, x, of, one(64), three(96), three(96, 2)),
        F.max_pool2d(x, 3, 2),
    )
    for inner in (128, 160, 160, 192):
        flat, tall = (inner, (1, 7), 1), (inner, (7, 1), 1)
        x = joined(
            along(p, x, of, one(192)),
            along(p, x, of, one(inner), flat, (192, (7, 1), 1)),
            along(p, x, of, one(inner), tall, flat, tall, (192, (1, 7), 1)),
            along(p, mean(x), of, one(192)),
        )
    x = joined(
        along(p, x, of, one(192), three(320, 2)),
        along(p, x, of, one(192), (192, (1, 7), 1), (192, (7, 1), 1), three(192, 2)),
        F.max_pool2d(x, 3, 2),
    )
    for _ in range(2):
        parts = [along(p, x, of, one(320))]
        for before in ([one(384)], [one(448), three(384)]):
            y = along(p, x, of, *before)
            parts += [along(p, y, of, (384, (1, 3), 1)), along(p, y, of, (384, (3, 1), 1))]
        x = joined(*parts, along(p, mean(x), of, one(192)))
    return _dropped_head(p, x, 0.5)


@pytest.mark.parametrize(
    ("make", "define", "shape", "options"),
    [
        (
            densenet22,
            partial(dense, layers=(3, 3, 3), growth=12, pooled=False),
            (3, 13, 8),
            {},
        ),
        (
            densenet22,
            partial(dense, layers=(3, 3, 3), growth=1, pooled=False),
            (1, 4, 5),
            {"growth": 1},
        ),
        (
            densenet121,
            partial(dense, layers=(6, 12, 24, 16), growth=2, pooled=True),
            (3, 19, 16),
            {"growth": 2},
        ),
        (
            densenet161,
            partial(dense, layers=(6, 12, 36, 24), growth=1, pooled=True),
            (1, 16, 17),
            {"growth": 1},
        ),
        (
            densenet169,
            partial(dense, layers=(6, 12, 32, 32), growth=1, pooled=True),
            (3, 16, 16),
            {"growth": 1},
        ),
        (mobilenet_v2, partial(inverted, width=5), (3, 21, 14), {"width": 5}),
        (mobilenet_v2, partial(inverted, width=1), (1, 8, 9), {"width": 1}),
        (googlenet, partial(google, width=14), (3, 13, 8), {"width": 14}),
        (googlenet, partial(google, width=3), (1, 4, 5), {"width": 3}),
        (inception_v3, partial(third, width=14), (3, 13, 10), {"width": 14}),
        (inception_v3, partial(third, width=3), (1, 7, 8), {"width": 3}),
    ],
)
def test_the_forward_is_that_of_the_definition(monkeypatch, make, define, shape, options):
    module = module_of(monkeypatch, make, shape, 4, **options)
    check_forward(module, define, shape)


@pytest.mark.parametrize("make", [densenet22, densenet121, mobilenet_v2, googlenet, inception_v3])
def test_one_channel_and_any_size(make):
    net = make((1, 20, 17), 7, **NARROW[make])
    module = Module(net, [0, 1])
    assert net.shape == (1, 20, 17)
    assert module(torch.randn(2, 3, 1, 20, 17)).logits.shape == (2, 3, 7)
    assert net.random == (make in (mobilenet_v2, googlenet, inception_v3))


@pytest.mark.parametrize("make", EVERY)
def test_what_is_no_picture_or_too_small_is_refused(make):
    smallest = {densenet22: 4, mobilenet_v2: 8, googlenet: 4, inception_v3: 7}.get(make, 16)
    name = make.__name__.replace("_", "-")
    for shape in ((108,), (3, smallest - 1, 32), (3, 32, smallest - 1), (3, 32)):
        with pytest.raises(ValueError, match=rf"{name} takes pictures .* choose another"):
            make(shape, 10)


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("value", [0, 2.5, "16", True])
def test_how_wide_it_is_is_a_whole_number(make, value):
    (option,) = NARROW[make]
    with pytest.raises(ValueError, match=rf"{option} is .* whole number from 1 on"):
        make((3, 32, 32), 10, **{option: value})


@pytest.mark.parametrize(
    ("make", "spread"),
    [
        (densenet22, lambda w: math.sqrt(2 / (w.shape[0] * w[0, 0].size))),
        (densenet121, lambda w: math.sqrt(2 / w[0].size)),
        (mobilenet_v2, lambda w: math.sqrt(2 / (w.shape[0] * w[0, 0].size))),
        (googlenet, lambda w: math.sqrt(1 / (3 * w[0].size))),  # uniform in ±1/sqrt(fan in)
        (inception_v3, lambda w: 0.1 * 0.87962566),  # of a normal cut at two deviations
    ],
)
def test_how_the_networks_start(make, spread):
    options = {"growth": 5} if "growth" in NARROW[make] else {"width": 16}
    values = make((3, 16, 16), 10, **options).init(np.random.default_rng(0))
    checked = 0
    for name, value in values.items():
        if value.ndim == 4:
            expected = spread(value)
            assert value.std() == pytest.approx(expected, rel=6 / math.sqrt(2 * value.size)), name
            assert abs(value.mean()) < 6 * expected / math.sqrt(value.size), name
            checked += value.size
        elif not name.startswith("head"):
            np.testing.assert_array_equal(value, name.endswith(("weight", "var")) * 1.0)
    assert checked > 10_000
    weight, bias = values["head.weight"], values["head.bias"]
    usual = math.sqrt(1 / (3 * weight.shape[1]))
    assert weight.std() == pytest.approx(
        {mobilenet_v2: 0.01, inception_v3: 0.088}.get(make, usual), rel=0.15
    )
    assert bias.any() == (make not in (densenet121, mobilenet_v2))
    if make is inception_v3:
        assert max(abs(v).max() for n, v in values.items() if v.ndim == 4) <= 0.2


COUNTED = """
import sys
from candidly.learn.nets import NETS, _catalogue
_catalogue.from_torch = lambda make, *_: None
for name in set(NETS) - {"mlp"}:
    NETS[name]((3, 32, 32), 10)
print("torch._dynamo" in sys.modules)
"""


@pytest.mark.slow
def test_counting_parameters_does_not_load_the_compiler_of_torch():
    done = subprocess.run(
        [sys.executable, "-c", COUNTED], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
