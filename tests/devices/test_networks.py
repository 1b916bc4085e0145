"""Every network of the catalogue on a device: narrow ones, trained for an update."""

from __future__ import annotations

import math

import pytest
import torch

from candidly.learn.nets import NETS, Module, network
from candidly.learn.written.nets import KNOWN

from needs import DEVICES

NARROW = {"width": 8, "growth": 4, "hidden": 8}
WIDER = {"googlenet": 32, "inception-v3": 32}


def text_of(name):
    options = [f"{key}={WIDER.get(name, NARROW[key])}" for key in KNOWN[name] if key in NARROW]
    return ":".join([name, *options])


@pytest.mark.parametrize("name", NETS)
def test_a_narrow_network_is_smaller(name):
    """Without a GPU, too: the test below is of these."""
    narrow, usual = (
        sum(map(math.prod, network(text, (3, 32, 32), 4).shapes.values()))
        for text in (text_of(name), name)
    )
    assert narrow < usual or name == "linear"


@pytest.mark.parametrize("device", [each for each in DEVICES if each != "cpu"])
@pytest.mark.parametrize("name", NETS)
def test_a_network_trains_and_predicts_as_on_the_processor(device, name):
    net = network(text_of(name), (3, 32, 32), 4)
    x = torch.randn(2, 6, 3, 32, 32, generator=torch.Generator().manual_seed(0)).double()
    found = {}
    for where in ("cpu", device):
        module = Module(net, [0, 1], torch.float64, where)
        module.begin(0)
        loss = module(x.to(where)).logits.square().sum()
        loss.backward()
        found[where] = module.grad.cpu(), module.of_trial(1, x[1:].to(where)).logits.cpu()
        assert module.flat.device.type == torch.device(where).type
    if not net.random:
        torch.testing.assert_close(*(grad for grad, _ in found.values()), rtol=1e-6, atol=1e-9)
    torch.testing.assert_close(*(logits for _, logits in found.values()), rtol=1e-6, atol=1e-9)
