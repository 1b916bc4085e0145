import math
import warnings

import numpy as np
import pytest
import torch

from candidly.learn.nets import Flat, Module, leaf, mlp, network
from candidly.learn.nets._flat import ALIGN


@pytest.fixture
def module():
    return Module(mlp(5, 3, hidden=7), seeds=[1, 2, 3], dtype=torch.float64)


def plain(module, x):
    p = {name: own.detach().clone().requires_grad_() for name, own in module.parameters.items()}
    logits = torch.relu(x @ p["w1"] + p["b1"]) @ p["w2"].transpose(1, 2) + p["b2"]
    return logits, p


def test_forward_and_backward_equal_plain_autograd(module):
    x = torch.randn(3, 11, 5, dtype=torch.float64)
    weights = torch.randn(3, 11, 3, dtype=torch.float64)
    ours = module(x).logits
    theirs, p = plain(module, x)
    torch.testing.assert_close(ours, theirs)
    (weights * ours.log_softmax(-1)).sum().backward()
    (weights * theirs.log_softmax(-1)).sum().backward()
    for name, own in p.items():
        torch.testing.assert_close(module.parameters[name].grad, own.grad)


def test_gradients_add_up_over_several_passes_and_reach_inputs(module):
    x = torch.randn(3, 4, 5, dtype=torch.float64, requires_grad=True)
    (module(x).logits.sum() + module(2 * x).logits.square().sum()).backward()
    z = x.detach().clone().requires_grad_()
    first, p = plain(module, z)
    second = torch.relu(2 * z @ p["w1"] + p["b1"]) @ p["w2"].transpose(1, 2) + p["b2"]
    (first.sum() + second.square().sum()).backward()
    for name, own in p.items():
        torch.testing.assert_close(module.parameters[name].grad, own.grad)
    torch.testing.assert_close(x.grad, z.grad)


def test_gradients_are_views_of_one_buffer(module):
    module(torch.ones(3, 2, 5, dtype=torch.float64)).logits.sum().backward()
    assert module.grad.abs().sum() > 0
    module.grad.zero_()
    assert all(leaf.grad.abs().sum() == 0 for leaf in module.parameters.values())


def test_initialisation_is_uniform_within_the_fan_in():
    module = Module(mlp(100, 20, hidden=400), seeds=[0])
    for name, fan_in in (("w1", 100), ("b1", 100), ("w2", 400), ("b2", 400)):
        values, bound = module.parameters[name].detach(), 1 / math.sqrt(fan_in)
        assert 0.8 * bound < values.abs().max() <= bound
        if values.numel() > 1000:  # the standard deviation of U(-b, b) is b / sqrt(3)
            assert values.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.02)
            assert values.mean().abs() < 4 * bound / math.sqrt(3 * values.numel())


def test_a_trials_start_depends_on_its_seed_alone():
    net = mlp(5, 3)
    together = Module(net, seeds=[4, 5, 6])
    assert torch.equal(together.flat[1], Module(net, seeds=[5]).flat[0])
    assert not torch.equal(together.flat[1], together.flat[0])


def test_parameters_start_on_aligned_places(module):
    for own in module.parameters.values():
        assert own.storage_offset() % ALIGN == 0
    assert module.flat.shape[1] % ALIGN == 0


def test_of_trial_is_that_trials_forward(module):
    x = torch.randn(1, 6, 5, dtype=torch.float64)
    all_of_them = module(x.expand(3, -1, -1)).logits
    torch.testing.assert_close(module.of_trial(2, x).logits[0], all_of_them[2])
    assert not module.of_trial(2, x).logits.requires_grad


def test_a_parameter_beside_networks_takes_its_gradient_in_the_flat_buffer():
    beside = Flat(
        {"t": (3, 5)}, {}, lambda rng: {"t": np.full((3, 5), -2.0)}, [0, 1], torch.float64
    )
    assert beside.flat.shape == (2, 16)
    values = leaf(beside.parameters["t"])
    assert torch.equal(values, torch.full((2, 3, 5), -2.0, dtype=torch.float64))
    weights = torch.arange(30.0, dtype=torch.float64).view(2, 3, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a gradient laid out otherwise is copied, and warned of
        (values * weights).sum().backward()
    torch.testing.assert_close(beside.grad[:, :15], weights.view(2, 15))
    assert not beside.grad[:, 15:].any()


def test_gradients_that_are_asked_for_by_name_are_those_that_are_accumulated(module):
    x = torch.randn(3, 4, 5, dtype=torch.float64, requires_grad=True)
    wanted = [x, *module.parameters.values()]
    asked = torch.autograd.grad(module(x).logits.square().sum(), wanted)
    assert not module.grad.any()  # what is asked for goes to the caller alone
    module.forget()
    module(x).logits.square().sum().backward()
    for tensor, grad in zip(wanted, asked):
        torch.testing.assert_close(grad, tensor.grad)
    shift = leaf(module.parameters["b2"])
    (again,) = torch.autograd.grad((2 * shift).sum(), [module.parameters["b2"]])
    assert (again == 2).all()


def test_a_network_by_name_and_width():
    assert network("mlp", (7,), 3).shapes == mlp(7, 3).shapes == mlp(7, 3, hidden=500).shapes
    assert network("mlp:12", (7,), 3).shapes == mlp(7, 3, hidden=12).shapes
    with pytest.raises(KeyError, match="did you mean 'mlp'"):
        network("mpl:12", (7,), 3)
    for wrong in ("mlp:0", "mlp:-3", "mlp:wide", "mlp:1.5"):
        with pytest.raises(ValueError, match="such as mlp:128"):
            network(wrong, (7,), 3)
