"""VGGs and residual networks of the catalogue: published sizes, and their definitions."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from candidly.learn.nets import NETS, Module, network
from candidly.learn.nets._cost import Counted
from learn.nets.in_order import InOrder, check_forward, count, module_of

SMALLEST = {
    "vgg11": 16,
    "vgg13": 16,
    "vgg16": 16,
    "vgg19": 16,
    "resnet32": 4,
    "resnet18": 8,
    "resnet34": 8,
    "resnet50": 8,
    "preact-resnet18": 8,
    "preact-resnet18-dividemix": 8,
    "wide-resnet28-10": 4,
}
MILLION = 1e6


@pytest.fixture(scope="module")
def stated():
    """Rows of docs/networks.md by network: what it takes, parameters, multiply-adds."""
    page = Path(__file__).parents[3] / "docs" / "networks.md"
    rows = re.findall(
        r"^\| `([\w-]+)` \| (.*?) \| ([\d,]+) \| ([\d,.]+) M \|", page.read_text(), re.M
    )
    return {name: words for name, *words in rows}


@pytest.mark.parametrize(
    ("name", "whole", "trunk", "said", "macs"),
    [
        # said: as published, in millions; macs: multiply-adds as published, in millions, for
        # VGG-16 those of its convolutions
        ("vgg11", 28_149_514, 28_108_544, "28.150", None),
        ("vgg13", 28_334_410, 28_293_440, "28.334", None),
        ("vgg16", 33_646_666, 33_605_696, "33.647", 313 + (0.512 + 4.096 + 0.01) * 4.096),
        ("vgg19", 38_958_922, 38_917_952, "38.959", None),
        ("resnet32", 466_906, 466_256, "0.467", 69),
        ("resnet18", 11_173_962, 11_168_832, "11.174", 556),
        ("resnet34", 21_282_122, 21_276_992, "21.282", 1_160),
        ("resnet50", 23_520_842, 23_500_352, "23.521", 1_300),
        ("preact-resnet18", 11_171_146, 11_166_016, "11.171", 556),
        ("preact-resnet18-dividemix", 11_171_274, 11_166_144, "11.171", 556),
        ("wide-resnet28-10", 36_479_194, 36_472_784, "36.479", 5_240),
    ],
)
def test_parameters_are_as_many_as_published(monkeypatch, stated, name, whole, trunk, said, macs):
    module = module_of(monkeypatch, NETS[name], (3, 32, 32), 10, numbers=False)
    assert count(module) == (whole, trunk)
    assert f"{whole / MILLION:.3f}" == said
    assert f"{trunk:,} parameters without the head" in NETS[name].__doc__
    if macs is not None:
        assert float(stated[name][2].replace(",", "")) == pytest.approx(macs, rel=0.003)


LARGE = ("densenet1", "googlenet", "inception", "mobilenet", "resnet34", "resnet50", "wide")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name.startswith(LARGE) else name
        for name in sorted(NETS.keys() - {"mlp", "linear"})
    ],
)
def test_the_table_of_the_catalogue_is_true(monkeypatch, stated, name):
    takes, parameters, macs = stated[name]
    smallest = int(re.search(r"from (\d+) x \1 on", takes)[1])
    with pytest.raises(ValueError, match=f"at least {smallest} x {smallest}"):
        NETS[name]((3, smallest - 1, 99), 10)
    module_of(monkeypatch, NETS[name], (3, smallest, smallest), 10, numbers=False)
    module = module_of(monkeypatch, NETS[name], (3, 32, 32), 10, numbers=False)
    assert parameters == f"{count(module)[0]:,}"
    with Counted() as counted:
        module(torch.zeros(1, 3, 32, 32, device="meta"))
    assert macs == f"{counted.macs / MILLION:,.1f}"


# the definitions


def vgg(p: InOrder, x: Tensor, column: str, width: int) -> Tensor:
    """Simonyan & Zisserman, ICLR 2015, a column of Table 1, with batch norm."""
    for entry in column.split():
        if entry == "pool":
            side = [-n % 2 for n in x.shape[2:]]  # an odd side is pooled with nothing beside it
            x = F.pad(x, (0, side[1], 0, side[0]), value=-math.inf)
            x = x.unfold(2, 2, 2).unfold(3, 2, 2).amax((4, 5))
        else:
            channels = int(entry) * width // 64
            weight, bias = p.parameters.pop(0), p.parameters.pop(0)
            assert weight.shape == (channels, x.shape[1], 3, 3)
            x = p.norm(F.conv2d(x, weight, bias, padding=1)).relu()
    x = x.mean((2, 3))
    for _ in range(2):
        weight, bias = p.parameters.pop(0), p.parameters.pop(0)
        assert len(weight) == 4096 * width // 64
        x = F.dropout(F.linear(x, weight, bias).relu(), 0.5, p.training)
    return p.head(x[:, :, None, None])


A = "64 pool 128 pool 256 256 pool 512 512 pool 512 512 pool"
B = "64 64 pool 128 128 pool 256 256 pool 512 512 pool 512 512 pool"
D = "64 64 pool 128 128 pool 256 256 256 pool 512 512 512 pool 512 512 512 pool"
E = D.replace("256 pool", "256 256 pool").replace("512 pool", "512 512 pool")


def residual(p: InOrder, x: Tensor, stages) -> Tensor:
    """He et al., CVPR 2016, Table 1: stages of (blocks, channels of a block's convolutions).

    A block begins with the stride where it is 3 × 3, 3 × 3, and strides in the middle of three.
    """
    x = p.norm(p.conv(x, stages[0][1][0], padding=1)).relu()
    for number, (blocks, channels) in enumerate(stages):
        for place in range(blocks):
            stride = 2 if number > 0 and place == 0 else 1
            if len(channels) == 2:
                y = p.norm(p.conv(x, channels[0], stride, 1)).relu()
                y = p.norm(p.conv(y, channels[1], 1, 1))
            else:
                y = p.norm(p.conv(x, channels[0])).relu()
                y = p.norm(p.conv(y, channels[1], stride, 1)).relu()
                y = p.norm(p.conv(y, channels[2]))
            if y.shape != x.shape:
                x = p.norm(p.conv(x, channels[-1], stride))
            x = (x + y).relu()
    return p.head(x)


def preact(p: InOrder, x: Tensor, stem, stages, form="") -> Tensor:
    """He et al., ECCV 2016, Figure 4 (e): stages of (blocks, channels)."""
    x = p.conv(x, stem, padding=1)
    if form == "dividemix":
        x = p.norm(x).relu()
    for number, (blocks, channels) in enumerate(stages):
        for place in range(blocks):
            stride = 2 if number > 0 and place == 0 else 1
            before, x = x, p.norm(x).relu()
            y = p.norm(p.conv(x, channels, stride, 1)).relu()
            y = p.conv(y, channels, 1, 1)
            if before.shape != y.shape:
                x = y + p.conv(x, channels, stride)
            else:
                x = y + (x if form == "dividemix" else before)
    return p.head(p.norm(x).relu() if form == "wide" else x)


def basic(counts, widths):
    return partial(residual, stages=[(n, (w, w)) for n, w in zip(counts, widths, strict=True)])


FORWARDS = {
    "vgg11:width=3": ((3, 17, 16), partial(vgg, column=A, width=3)),
    "vgg13:width=2": ((1, 28, 20), partial(vgg, column=B, width=2)),
    "vgg16:width=2": ((3, 32, 19), partial(vgg, column=D, width=2)),
    "vgg19:width=2": ((1, 16, 16), partial(vgg, column=E, width=2)),
    "resnet32:width=3": ((3, 9, 8), basic((5, 5, 5), (3, 6, 12))),
    "resnet18:width=2": ((1, 8, 13), basic((2, 2, 2, 2), (2, 4, 8, 16))),
    "resnet34:width=2": ((3, 13, 9), basic((3, 4, 6, 3), (2, 4, 8, 16))),
    "resnet50:width=3": (
        (3, 13, 8),
        partial(
            residual,
            stages=[(3, (3, 3, 12)), (4, (6, 6, 24)), (6, (12, 12, 48)), (3, (24, 24, 96))],
        ),
    ),
    "preact-resnet18:width=3": (
        (3, 13, 8),
        partial(preact, stem=3, stages=[(2, 3), (2, 6), (2, 12), (2, 24)]),
    ),
    "preact-resnet18-dividemix:width=3": (
        (1, 8, 9),
        partial(preact, stem=3, stages=[(2, 3), (2, 6), (2, 12), (2, 24)], form="dividemix"),
    ),
    "wide-resnet28-10:width=1": (
        (3, 5, 8),
        partial(preact, stem=1, stages=[(4, 10), (4, 20), (4, 40)], form="wide"),
    ),
}


@pytest.mark.parametrize("text", FORWARDS)
def test_the_forward_is_that_of_the_definition(monkeypatch, text):
    name, _, width = text.partition(":width=")
    shape, define = FORWARDS[text]
    check_forward(module_of(monkeypatch, NETS[name], shape, 4, width=int(width)), define, shape)


@pytest.mark.parametrize("name", SMALLEST)
def test_from_the_smallest_picture_on(name):
    smallest = SMALLEST[name]
    for shape in ((108,), (3, smallest - 1, 32), (3, 32, smallest - 1), (3, 32)):
        with pytest.raises(ValueError, match=rf"{name} takes pictures .* choose another"):
            NETS[name](shape, 10)
    net = network(f"{name}:width=1", (1, smallest, smallest + 1), 7)
    module = Module(net, [0, 1])
    assert module(torch.randn(2, 3, *net.shape)).logits.shape == (2, 3, 7)
    assert net.random == name.startswith("vgg")


@pytest.mark.parametrize("name", SMALLEST)
@pytest.mark.parametrize("width", [0, 2.5, "16"])
def test_a_width_is_a_whole_number(name, width):
    with pytest.raises(ValueError, match=r"width is .* whole number from 1 on"):
        NETS[name]((3, 32, 32), 10, width=width)


def test_a_net_that_does_not_fit_is_refused_before_its_numbers_are_made(monkeypatch):
    made = []
    monkeypatch.setattr(
        "candidly.learn.nets._catalogue.from_torch", lambda *given: made.append(given)
    )
    monkeypatch.setattr(
        "candidly.learn.nets._catalogue.free_bytes", lambda device: 4 * 4 * 28_149_513
    )
    before = torch.random.get_rng_state()
    for text in ("vgg11", "vgg19:width=999999999"):
        with pytest.raises(ValueError, match=r"the vgg1.* needs .* GB are free\. Take a smaller"):
            network(text, (3, 32, 32), 10)
    assert not made
    NETS["vgg11"]((3, 32, 32), 9)
    assert len(made) == 1
    assert torch.equal(before, torch.random.get_rng_state())


# where they start


def he(w):
    return math.sqrt(2 / (w.shape[0] * w[0, 0].size))


@pytest.mark.parametrize(
    ("text", "spread", "head"),
    [
        ("vgg11:width=8", he, "normal"),
        ("resnet50:width=8", he, "usual"),
        ("preact-resnet18:width=8", he, "usual"),
        # uniform in ±1/sqrt(fan in)
        ("preact-resnet18-dividemix:width=8", lambda w: math.sqrt(1 / (3 * w[0].size)), "usual"),
        ("wide-resnet28-10:width=1", he, "unbiased"),
    ],
)
def test_how_the_networks_start(text, spread, head):
    values = network(text, (3, 32, 32), 100).init(np.random.default_rng(0))
    for name, value in values.items():
        expected = spread(value) if value.ndim == 4 else None
        if value.ndim == 2:
            usual = math.sqrt(1 / (3 * value.shape[1]))
            expected = 0.01 if head == "normal" else usual
        if expected is not None:
            assert value.std() == pytest.approx(expected, rel=6 / math.sqrt(2 * value.size)), name
            assert abs(value.mean()) < 6 * expected / math.sqrt(value.size), name
        elif name == "head.bias" and head == "usual":
            assert 0 < abs(value).max() <= 1 / math.sqrt(values["head.weight"].shape[1])
        else:
            ones = name.endswith(("weight", "var"))  # of norms
            np.testing.assert_array_equal(value, ones * 1.0, name)


NARROW_ONES = """
import torch
from candidly.learn.nets.preact import PreAct
from candidly.learn.nets.resnet import ResNet
for width in (2, 4):
    stages = ((1, 1), (1, 2), (1, 4))
    resnet = ResNet(3, 4, (1, 1, 1), (width, 2 * width, 4 * width))
    for net in (resnet, PreAct(3, 4, width, stages)):
        for _ in range(40):
            net(torch.rand(16, 3, 8, 8)).sum().backward()
"""


def test_narrow_networks_train_on_processors_without_avx512():
    """With 2 to 7 channels, PyTorch's AVX2 kernels write beyond their memory, see ``STRIDED``."""
    asked = {**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2", "MALLOC_CHECK_": "3"}
    done = subprocess.run([sys.executable, "-c", NARROW_ONES], env=asked, capture_output=True)
    assert (done.returncode, done.stderr.decode()) == (0, "")
