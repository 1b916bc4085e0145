"""CRDPLL against its formulas written out, with views that differ."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import crdpll
from candidly.learn.algorithms._tensors import masked_softmax
from candidly.learn.nets import Output

B, Q = 6, 5


@pytest.fixture
def batch():
    g = np.random.default_rng(5)
    weak, strong = 2 * g.normal(size=(2, B, Q))
    sets = g.random((B, Q)) < 0.5
    sets[np.arange(B), g.integers(0, Q, B)] = True
    weights = g.random((B, Q)) * sets
    return weak, strong, sets, weights / weights.sum(1, keepdims=True)


@pytest.mark.parametrize(("t", "ramp"), [(0, 0), (20, 0.4), (50, 1), (80, 1)])
def test_loss_and_refresh_are_the_definition(batch, t, ramp):
    weak, strong, sets, weights = batch
    p, r = (np.exp(z) / np.exp(z).sum(1, keepdims=True) for z in (weak, strong))
    expected = []
    for i in range(B):
        inside = [j for j in range(Q) if weights[i, j] > 0]
        kl = sum(
            weights[i, j] * (2 * np.log(weights[i, j]) - np.log(p[i, j]) - np.log(r[i, j]))
            for j in inside
        )
        avoided = -sum(np.log(1 - p[i, j]) for j in range(Q) if not sets[i, j])
        expected.append(ramp * kl + avoided)
    views = {"weak": torch.tensor(weak)[None], "strong": torch.tensor(strong)[None]}
    stack = SimpleNamespace(net=lambda x: Output(x, None), t=t, T=100)
    b = SimpleNamespace(
        view=views.get, candidates=torch.tensor(sets)[None], weights=torch.tensor(weights)[None]
    )
    assert float(crdpll.step(stack, b)) == pytest.approx(np.mean(expected), rel=1e-10)
    refreshed = np.sqrt(p * r) * sets
    refreshed /= refreshed.sum(1, keepdims=True)
    np.testing.assert_allclose(crdpll.after(stack, b)["weights"][0].numpy(), refreshed)


def test_equal_views_refresh_to_the_softmax_over_the_candidates(batch):
    weak, _, sets, _ = (torch.tensor(v) for v in batch)
    torch.testing.assert_close(crdpll.agreed(weak, weak, sets), masked_softmax(weak, sets))
