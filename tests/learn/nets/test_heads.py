"""Networks with other heads than their own."""

from __future__ import annotations

import warnings

import numpy as np
import torch

from candidly.learn.nets import Module, mlp, with_head, with_more, with_projection
from candidly.learn.nets._net import affine, leaf
from candidly.learn.nets.heads import linear


def halved(net):
    shapes = {"v": (7, 3), "c": (1, 3)}
    return with_head(
        net,
        shapes,
        lambda rng: {name: linear(rng, shape, 7) for name, shape in shapes.items()},
        lambda p, x: affine(x / 2, p["v"], p["c"]),
        {"bias": ("c",)},
    )


def test_another_head_takes_the_place_of_the_first_and_the_trunk_starts_alike():
    net = mlp(5, 3, hidden=7)
    module, plain = (Module(each, [1, 2], torch.float64) for each in (halved(net), net))
    assert list(module.parameters) == ["w1", "b1", "v", "c"]
    assert {name: len(names) for name, names in module.net.parts.items()} == {
        "trunk": 2,
        "head": 2,
        "bias": 1,
    }
    for name in ("w1", "b1"):
        assert torch.equal(module.parameters[name], plain.parameters[name])
    x = torch.randn(2, 4, 5, dtype=torch.float64)
    features = plain(x).features
    p = module.parameters
    torch.testing.assert_close(module(x).logits, features / 2 @ p["v"] + p["c"])
    again = module.anew("again", "head").view(2, -1)
    assert not torch.equal(again, module.flat)
    assert torch.equal(
        again[:, module.slices("trunk")[0]], module.flat[:, module.slices("trunk")[0]]
    )


def test_further_parameters_stand_behind_the_networks_own():
    net = mlp(5, 3, hidden=7)
    more = with_more(
        net,
        {"shift": (1, 3)},
        lambda rng: {"shift": np.full((1, 3), 2.0)},
        lambda p, x: net.head(p, x) + leaf(p["shift"]),
        {"shift": ("shift",)},
    )
    module, plain = (Module(each, [1, 2], torch.float64) for each in (more, net))
    x = torch.randn(2, 4, 5, dtype=torch.float64)
    torch.testing.assert_close(module(x).logits, plain(x).logits + 2)
    assert torch.equal(module.flat[:, : plain.size], plain.flat)


def test_a_leafs_gradient_goes_into_the_flat_buffer_without_a_warning():
    module = Module(halved(mlp(5, 3, hidden=7)), [1, 2], torch.float64)
    weights = torch.randn(2, 7, 3, dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (leaf(module.parameters["v"]).square() * weights).sum().backward()
    expected = 2 * module.parameters["v"].detach() * weights
    torch.testing.assert_close(module.parameters["v"].grad, expected)
    assert module.grad.ne(0).sum() == 2 * 7 * 3
    with torch.no_grad():
        assert leaf(module.parameters["v"]) is module.parameters["v"]


def test_some_parameters_may_be_replaced_and_the_others_stay():
    module = Module(mlp(5, 3, hidden=7), [1, 2], torch.float64, copies=2)
    new = torch.randn(4, 3, 7)
    before = module.flat.clone()
    flat = module.replaced({"w2": new})
    assert torch.equal(module.flat, before)
    module.flat.copy_(flat)
    assert torch.equal(module.parameters["w2"], new.double())
    places = module.slices("head")
    moved = torch.zeros_like(before, dtype=torch.bool)
    for place in places:
        moved[:, place.start : place.start + 21] = True
    assert torch.equal(module.flat[~moved], before[~moved])


def test_a_projection_stands_beside_the_logits():
    net = with_projection(mlp(5, 3, hidden=7), size=4)
    module = Module(net, [1, 2], torch.float64)
    x = torch.randn(2, 6, 5, dtype=torch.float64)
    features = module.trunk(x)
    p = module.parameters
    hidden = torch.relu(features @ p["w_p1"] + p["b_p1"]) @ p["w_p2"] + p["b_p2"]
    projected = module.head(features, "projection")
    torch.testing.assert_close(projected, hidden / hidden.norm(dim=-1, keepdim=True))
    assert torch.equal(
        module(x).logits, Module(mlp(5, 3, hidden=7), [1, 2], torch.float64)(x).logits
    )
    assert module.slices("projection")[0].start - module.slices("head")[0].stop == 16 - 3
