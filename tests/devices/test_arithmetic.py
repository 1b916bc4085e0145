"""Arithmetic on a device: what float32 is worth there, and the fused optimisers beside torch's."""

from __future__ import annotations

import pytest
import torch

from candidly.learn.engine.arithmetic import arithmetic
from candidly.learn.engine.optim import SGD, Adam, AdamW

from needs import DEVICES

on_devices = pytest.mark.parametrize("device", DEVICES)
LR, DECAY = [1e-3, 3e-3, 1e-2], [0.0, 1e-3, 0.1]
TORCHS = {Adam: torch.optim.Adam, AdamW: torch.optim.AdamW, SGD: torch.optim.SGD}


def errors(device):
    """Largest relative errors of a float32 product and a float32 convolution."""
    g = torch.Generator().manual_seed(0)
    a, b = torch.randn(2, 512, 512, generator=g).to(device)
    x, w = torch.randn(8, 64, 16, 16, generator=g), torch.randn(64, 64, 3, 3, generator=g)
    x, w = x.to(device), w.to(device)

    def conv(some, others):
        return torch.nn.functional.conv2d(some, others, padding=1)

    for call, one, other in ((torch.matmul, a, b), (conv, x, w)):
        exact = call(one.double(), other.double())
        yield float((call(one, other) - exact).abs().max() / exact.abs().max())


@on_devices
def test_float32_is_float32_whatever_torch_was_told(device):
    products = torch.backends.cuda.matmul
    before = products.fp32_precision
    products.fp32_precision = "tf32"
    try:
        with arithmetic(torch.device(device)):
            assert max(errors(device)) < 1e-5
    finally:
        products.fp32_precision = before


@pytest.mark.gpu
def test_tf32_rounds_products_and_convolutions():
    if torch.cuda.get_device_capability() < (8, 0):
        pytest.skip("a GPU before Ampere")
    with arithmetic(torch.device("cuda"), "tf32"):
        assert all(2e-5 < error < 3e-3 for error in errors("cuda"))


@on_devices
@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("ours", TORCHS)
@pytest.mark.parametrize("everyone", [True, False])
def test_every_trial_is_torchs(device, ours, fused, everyone):
    g = torch.Generator().manual_seed(0)
    start = torch.randn(3, 70, generator=g, dtype=torch.float64)
    plain = [slice(10, 20)]
    flat, grad = start.to(device), torch.zeros(3, 70, dtype=torch.float64, device=device)
    optimiser = ours(flat, grad, LR, DECAY, None, plain, fused=fused)
    assert optimiser.fused is fused
    assert optimiser.steps.device == flat.device
    options = {"momentum": 0.9} if ours is SGD else {}
    inside = torch.zeros(70, dtype=torch.bool)
    inside[plain[0]] = True
    theirs = [[nn(row[~inside]), nn(row[inside])] for row in start]
    others = [
        TORCHS[ours](
            [{"params": [a], "weight_decay": w}, {"params": [b], "weight_decay": 0.0}],
            lr=lr,
            **options,
        )
        for (a, b), lr, w in zip(theirs, LR, DECAY)
    ]
    alive = torch.tensor([True, everyone, True], device=device)
    for _ in range(20):
        new = torch.randn(3, 70, generator=g, dtype=torch.float64)
        grad.copy_(new)
        optimiser.update(alive, everyone)
        for (a, b), row, other in zip(theirs, new, others):
            a.grad, b.grad = row[~inside].clone(), row[inside].clone()
            other.step()
    for k, (a, b) in enumerate(theirs):
        expected = start[k].clone()
        if alive[k]:
            expected[~inside], expected[inside] = a.detach(), b.detach()
        torch.testing.assert_close(flat[k].cpu(), expected, rtol=1e-10, atol=1e-12)


def nn(row):
    return torch.nn.Parameter(row.clone())
