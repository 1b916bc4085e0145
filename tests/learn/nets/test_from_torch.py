"""What a torch module becomes: names, sizes and costs, and the same numbers from the same seed."""

from __future__ import annotations

import subprocess
import sys
from collections import OrderedDict

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from candidly.learn.nets import Module, from_torch, with_head
from learn.nets.torch_modules import CLASSES, SHAPE, Counting, Dropped, Frozen, Tied, Tiny


def net_of(make, head=None, shape=SHAPE):
    return from_torch(make, shape, CLASSES, head)


def wide_head():
    tiny = Tiny()
    tiny.fc = nn.Sequential(nn.Linear(5, 7), nn.BatchNorm1d(7), nn.ReLU(), nn.Linear(7, CLASSES))
    return tiny


def row_of_layers():
    return nn.Sequential(nn.Flatten(), nn.Linear(36, 4), nn.ReLU(), nn.Linear(4, CLASSES))


def test_a_net_says_what_its_module_is_made_of():
    net = net_of(Tiny)
    assert net.shape == SHAPE
    assert net.width == 5
    assert dict(net.shapes) == {
        "conv.weight": (5, 1, 3, 3),
        "conv.bias": (5,),
        "norm.weight": (5,),
        "norm.bias": (5,),
        "fc.weight": (3, 5),
        "fc.bias": (3,),
    }
    assert net.parts["head"] == ("fc.weight", "fc.bias")
    assert net.parts["trunk"] == ("conv.weight", "conv.bias", "norm.weight", "norm.bias")
    assert net.plain == ("conv.bias", "norm.weight", "norm.bias", "fc.bias")
    assert {name: tuple(buffer) for name, buffer in net.buffers.items()} == {
        "norm.running_mean": ((5,), torch.float32),
        "norm.running_var": ((5,), torch.float32),
        "norm.num_batches_tracked": ((), torch.int64),
    }
    assert not net.random
    assert not net.together


def test_dropout_draws_and_frozen_parameters_are_kept_and_never_trained():
    assert net_of(Dropped).random
    net = net_of(Frozen)
    assert "conv.weight" not in net.shapes
    assert net.buffers["conv.weight"] == ((5, 1, 3, 3), torch.float32)
    assert net.init(np.random.default_rng(0))["conv.weight"].any()


def test_a_tensor_of_several_names_is_one():
    net = net_of(Tied)
    assert "first.weight" in net.shapes
    assert "second.weight" not in net.shapes
    assert "again.running_mean" not in net.buffers
    assert net.buffers["again.running_var"].shape == (36,)


@pytest.mark.parametrize(
    ("make", "head", "width", "found"),
    [
        (row_of_layers, None, 4, ["3.weight", "3.bias"]),
        (row_of_layers, "3", 4, ["3.weight", "3.bias"]),
        (lambda: nn.Sequential(Tiny()), None, 5, ["0.fc.weight", "0.fc.bias"]),
        (wide_head, None, 7, ["fc.3.weight", "fc.3.bias"]),
        (wide_head, "fc", 5, [f"fc.{n}" for n in ("0.weight", "0.bias", "1.weight", "1.bias")]),
    ],
)
def test_the_head_is_the_last_linear_layer_or_as_named(make, head, width, found):
    net = net_of(make, head)
    assert net.width == width
    assert list(net.parts["head"])[:4] == found
    assert list(net.shapes)[-len(net.parts["head"]) :] == list(net.parts["head"])
    assert set(net.parts["trunk"]) | set(net.parts["head"]) == set(net.shapes)


def test_a_linear_layer_alone_is_a_head_without_a_trunk():
    net = from_torch(lambda: nn.Linear(4, CLASSES), (4,), CLASSES)
    assert net.width == 4
    assert dict(net.parts) == {"head": ("weight", "bias")}
    module, x = Module(net, [1, 2]), torch.randn(2, 6, 4)
    assert torch.equal(module(x).features, x)
    expected = F.linear(x[1], module.parameters["weight"][1], module.parameters["bias"][1])
    assert torch.equal(module(x).logits[1], expected)


def attentive():
    layer = nn.TransformerEncoderLayer(6, 2, 8, dropout=0, batch_first=True)
    return nn.Sequential(
        OrderedDict(
            up=nn.Unflatten(3, (1, 6)),
            row=nn.Flatten(1, 3),
            layer=nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
            flat=nn.Flatten(),
            fc=nn.Linear(36, CLASSES),
        )
    )


def spectral():
    tiny = Tiny()
    nn.utils.parametrizations.spectral_norm(tiny.conv)
    nn.utils.parametrizations.weight_norm(tiny.fc)
    return tiny


@pytest.mark.parametrize("make", [Tiny, Tied, Counting, wide_head, attentive, spectral])
def test_training_and_evaluation_are_the_modules_own(make):
    net, alone = net_of(make, "fc"), make()
    x = torch.randn(2, 8, *SHAPE)
    for k in range(2):
        module = Module(net, [1, 2])
        values = {name: t[k] for name, t in {**module.parameters, **module.buffers}.items()}
        alone.load_state_dict(values, strict=make is not Tied)
        alone.train()
        expected = alone(x[k])
        with torch.no_grad():
            assert torch.equal(module(x).logits[k], expected)
        assert torch.equal(module(x).logits[k], expected)  # and the statistics move
        alone.eval()
        with torch.no_grad():
            expected = alone(x[k])
        assert torch.equal(module.of_trial(k, x[k : k + 1]).logits[0], expected)


def test_it_starts_from_torchs_numbers_under_a_seed_from_the_generator():
    net = net_of(Tiny)
    first, again, other = (net.init(np.random.default_rng(seed)) for seed in (1, 1, 2))
    torch.manual_seed(int(np.random.default_rng(1).integers(2**63)))
    expected = dict(Tiny().named_parameters())
    for name, tensor in expected.items():
        np.testing.assert_array_equal(first[name], tensor.detach().numpy())
        np.testing.assert_array_equal(first[name], again[name])
    assert not np.array_equal(first["conv.weight"], other["conv.weight"])
    assert set(first) == set(net.shapes) | set(net.buffers)
    assert first["norm.num_batches_tracked"].dtype == np.int64


@pytest.mark.parametrize("gradient", [True, False])
def test_generator_and_gradient_mode_are_left_as_they_were(gradient):
    with torch.set_grad_enabled(gradient):
        before = torch.get_rng_state()
        net_of(Dropped).init(np.random.default_rng(0))
        assert torch.is_grad_enabled() is gradient
        assert torch.equal(before, torch.get_rng_state())


def test_gradients_lie_in_the_flat_buffer_and_nowhere_else():
    module = Module(net_of(Tied), [1, 2])
    module(torch.randn(2, 4, *SHAPE)).logits.square().sum().backward()
    own = module.grad.untyped_storage().data_ptr()
    for number in range(2):
        for leaf in module._own[number].values():
            assert leaf.grad.untyped_storage().data_ptr() == own
    assert module.parameters["first.weight"].grad.ne(0).any()


class Attends(nn.Module):
    """Products of most kinds."""

    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(1, 4, 2, stride=2)
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
        self.weight = nn.Parameter(torch.randn(4, 4))
        self.fc = nn.Linear(4, CLASSES)

    def forward(self, x):
        x = self.up(x).flatten(2).transpose(1, 2)
        x = self.attention(x, x, x)[0] @ self.weight
        x = F.scaled_dot_product_attention(x, x, x)
        x = torch.baddbmm(x, torch.bmm(x, x.mT), x)
        return self.fc(torch.addmm(x[:, 0], x[:, 1], self.weight).mm(self.weight))


@pytest.mark.slow  # torch loads its compiler
@pytest.mark.parametrize("make", [Tiny, Tied, wide_head, Attends])
def test_multiply_adds_are_those_that_torch_counts(make):
    with FlopCounterMode(display=False) as counter:
        make().train()(torch.randn(2, *SHAPE))
    assert net_of(make).macs == counter.get_total_flops() // 2 // 2


def test_costs_of_a_network_worked_out_by_hand():
    net = net_of(row_of_layers)
    assert net.macs == 36 * 4 + 4 * CLASSES
    # the inputs of both layers; ReLU keeps its outputs, which are the second's inputs
    assert net.bytes == 4 * (36 + 4)
    tiny = net_of(Tiny)
    assert tiny.macs == 16 * 9 * 5 + 5 * CLASSES
    # inputs, the convolution's outputs, ReLU's outputs, features; and the batch's own statistics
    assert tiny.bytes == pytest.approx(4 * (36 + 2 * 80 + 5), abs=4 * 10)


@pytest.mark.slow  # another process
def test_torchs_compiler_is_not_loaded():
    code = (
        "import sys; from torch import nn; from candidly.learn.nets import from_torch\n"
        "make = lambda: nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.Linear(5, 3))\n"
        "from_torch(make, (4,), 3)\n"
        "print('torch._dynamo' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_a_module_names_where_its_late_part_begins():
    def make(late):
        module = Tiny()
        module.late = late
        return module

    net = from_torch(lambda: make("norm"), SHAPE, CLASSES)
    assert net.parts["late"] == ("norm.weight", "norm.bias", "fc.weight", "fc.bias")
    assert "late" not in from_torch(lambda: make(None), SHAPE, CLASSES).parts
    with pytest.raises(ValueError, match="late='layer4' is no part of it"):
        from_torch(lambda: make("layer4"), SHAPE, CLASSES)
    other = with_head(
        net,
        {"w": (5, CLASSES), "b": (1, CLASSES)},
        lambda rng: {"w": np.zeros((5, CLASSES)), "b": np.zeros((1, CLASSES))},
        lambda p, x: x @ p["w"] + p["b"],
        {},
    )
    assert other.parts["late"] == ("norm.weight", "norm.bias", "w", "b")
    assert other.parts["head"] == ("w", "b")


def test_the_products_of_einsum_are_counted():
    class Pairs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight, self.fc = nn.Parameter(torch.ones(5, 3)), nn.Linear(3, 2)

        def forward(self, x):
            return self.fc(torch.einsum("bd,dc->bc", x, self.weight))

    assert from_torch(Pairs, (5,), 2).macs == 5 * 3 + 3 * 2
