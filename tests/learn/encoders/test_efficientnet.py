"""EfficientNet-Lite against the published sizes and a slow version on the released names."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from candidly.learn.encoders import LITES
from candidly.learn.encoders._efficientnet import EfficientNetLite, read_into
from learn.encoders.packages import use_random, use_real

rng = np.random.default_rng(2)


@pytest.mark.parametrize(
    ("name", "millions"),  # of parameters, as Google's page of EfficientNet-Lite has them
    [("efficientnet-lite0", 4.7), ("efficientnet-lite1", 5.4), ("efficientnet-lite2", 6.1)],
)
def test_it_has_as_many_parameters_as_published(name, millions):
    with torch.device("meta"):
        net = EfficientNetLite(LITES[name].width, LITES[name].depth)
    assert round(sum(p.numel() for p in net.parameters()) / 1e6, 1) == millions


# kernel, stride of the sixteen blocks, by hand from the paper's table 1
SLOW = [
    *((3, 1), (3, 2), (3, 1), (5, 2), (5, 1), (3, 2), (3, 1), (3, 1)),
    *((5, 1), (5, 1), (5, 1), (5, 2), (5, 1), (5, 1), (5, 1), (3, 1)),
]


def slow_features(numbers, pixels):
    """float64 (B, 1280) by the released names.

    TensorFlow's padding is written otherwise than in the module: a convolution of stride 2 is one
    of stride 1, padded alike on all sides, of which every other place is kept; of an even number
    of places the second, fourth, ...; of an odd number the first, third, ....
    """
    w = {name: value.double() for name, value in numbers.items()}

    def conv(x, name, stride=1, groups=1):
        kernel = w[f"{name}.weight"].shape[-1]
        y = F.conv2d(x, w[f"{name}.weight"], padding=kernel // 2, groups=groups)
        if stride == 2:
            high, wide = x.shape[2:]
            y = y[:, :, 1 - high % 2 :: 2, 1 - wide % 2 :: 2]
        return y

    def norm(x, name):
        mean, var = w[f"{name}.running_mean"], w[f"{name}.running_var"]
        scaled = (x - mean[:, None, None]) / (var + 1e-3).sqrt()[:, None, None]
        return w[f"{name}.weight"][:, None, None] * scaled + w[f"{name}.bias"][:, None, None]

    x = (torch.from_numpy(pixels).double().permute(0, 3, 1, 2) - 127) / 128
    x = norm(conv(x, "_conv_stem", 2), "_bn0").clamp(0, 6)
    for number, (_, stride) in enumerate(SLOW):
        at, y = f"_blocks.{number}", x
        if f"{at}._expand_conv.weight" in w:
            y = norm(conv(y, f"{at}._expand_conv"), f"{at}._bn0").clamp(0, 6)
        y = norm(conv(y, f"{at}._depthwise_conv", stride, y.shape[1]), f"{at}._bn1").clamp(0, 6)
        y = norm(conv(y, f"{at}._project_conv"), f"{at}._bn2")
        x = x + y if x.shape == y.shape else y
    return norm(conv(x, "_conv_head"), "_bn1").clamp(0, 6).mean((2, 3))


@pytest.mark.parametrize("shape", [(64, 64), (61, 40)])
@pytest.mark.parametrize("use", [use_real, use_random])
def test_it_equals_a_slow_version_from_the_paper(use, shape, monkeypatch, tmp_path):
    path = use(monkeypatch)
    numbers = torch.load(path, weights_only=True)
    kernels = [numbers[f"_blocks.{i}._depthwise_conv.weight"].shape[-1] for i in range(len(SLOW))]
    assert kernels == [kernel for kernel, _ in SLOW]
    pixels = rng.integers(0, 256, (2, *shape, 3), dtype=np.uint8)
    with torch.no_grad():
        found = read_into(EfficientNetLite(), path)(torch.from_numpy(pixels))
    np.testing.assert_allclose(found.numpy(), slow_features(numbers, pixels), atol=1e-4)


def test_the_real_one_knows_a_daisy_and_a_palace(monkeypatch):
    from PIL import Image

    sklearn = pytest.importorskip("sklearn.datasets")
    path = use_real(monkeypatch)
    net = read_into(EfficientNetLite(), path)
    seen = []
    for name in ("flower.jpg", "china.jpg"):
        picture = sklearn.load_sample_image(name)
        side = min(picture.shape[:2])
        top, left = (picture.shape[0] - side) // 2, (picture.shape[1] - side) // 2
        middle = picture[top : top + side, left : left + side]
        small = np.asarray(Image.fromarray(middle).resize((224, 224), Image.Resampling.BICUBIC))
        with torch.no_grad():
            seen.append(int(net.head(net(torch.from_numpy(small.copy())[None])).argmax()))
    assert seen == [985, 698]  # of ImageNet's classes


class Runs:
    def __reduce__(self):
        return (print, ("run",))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"_fc.weight": torch.zeros(3)}, "numbers of another network"),
        ([1, 2], "cannot be read"),
        ({"_fc.weight": Runs()}, "cannot be read .*holds more than tensors"),
        (b"\x80", "cannot be read"),
    ],
)
def test_other_files_are_refused_and_no_code_is_run(content, message, tmp_path, capsys):
    path = tmp_path / "numbers.pth"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        torch.save(content, path)
    with pytest.raises(ValueError, match=message):
        read_into(EfficientNetLite(), path)
    assert capsys.readouterr().out == ""
