"""Rows of a table of embeddings: torch's, with a gradient that is added where it belongs."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import embedding

from candidly.learn.nets._lookup import lookup

IDS = torch.tensor([[3, 0, 3, 5], [5, 5, 1, 3]])


def start(there):
    g = torch.Generator().manual_seed(0)
    table = torch.randn(7, 4, generator=g, dtype=torch.float64).requires_grad_()
    if there:
        table.grad = torch.ones_like(table)
    return table, torch.randn(2, 4, 4, generator=g, dtype=torch.float64)


@pytest.mark.parametrize("there", [True, False])
def test_rows_and_gradients_are_torchs(there):
    (ours, weights), (theirs, _) = start(there), start(there)
    held = ours.grad
    rows, expected = lookup(ours, IDS), embedding(IDS, theirs)
    assert torch.equal(rows, expected)
    (rows * weights).sum().backward()
    (expected * weights).sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad)
    assert held is None or ours.grad is held
    assert ours.grad[2].eq(there).all()  # in no text


def test_whoever_asks_for_a_gradient_gets_it_and_none_is_added():
    table, weights = start(True)
    (found,) = torch.autograd.grad((lookup(table, IDS) * weights).sum(), table)
    (expected,) = torch.autograd.grad((embedding(IDS, table) * weights).sum(), table)
    torch.testing.assert_close(found, expected)
    assert table.grad.eq(1).all()
    assert not lookup(table.detach(), IDS).requires_grad
    with torch.no_grad():
        assert not lookup(table, IDS).requires_grad
