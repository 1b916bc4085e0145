"""Averages of weights against loops."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly import fit
from candidly.learn.engine.train import update

from toys import advance, make_stack, toy


def path_of(stack, updates):
    """The trained weights after every update, (updates, K, P)."""
    path = []
    for _ in range(updates):
        update(stack)
        path.append(stack.net.flat.clone().numpy())
    return path


def test_the_average_is_a_plain_mean_first_and_then_exponential():
    stack = make_stack(toy(), "sgd-ema", decay=0.9, lr=0.05)
    path = path_of(stack, 30)
    mean = np.mean(path[:10], axis=0)
    for weights in path[10:]:
        mean = 0.9 * mean + 0.1 * weights
    np.testing.assert_allclose(stack.average.flat, mean, rtol=1e-10, atol=1e-12)
    early = make_stack(toy(), "sgd-ema", decay=0.9, lr=0.05)
    np.testing.assert_allclose(
        np.mean(path_of(early, 7), axis=0), early.average.flat, rtol=1e-10, atol=1e-12
    )


def test_swa_is_the_plain_mean_of_what_comes_after_the_start():
    stack = make_stack(toy(), "sgd-ema:swa", start=0.5, lr=0.05, steps=40)
    path = path_of(stack, 20)
    assert torch.equal(stack.average.flat, stack.net.flat)
    path = path_of(stack, 15)
    np.testing.assert_allclose(stack.average.flat, np.mean(path, 0), rtol=1e-10, atol=1e-12)


def test_the_average_predicts_and_only_the_trained_one_is_moved_by_torchs_sgd():
    stack = make_stack(toy(), "sgd-ema", [0], decay=0.9, lr=0.05, weight_decay=1e-3)
    linear = {
        n: leaf.detach()[0].clone().requires_grad_() for n, leaf in stack.net.parameters.items()
    }
    optimiser = torch.optim.SGD(linear.values(), lr=0.05, momentum=0.9, weight_decay=1e-3)
    for _ in range(12):
        b = stack.next_batches()[0]
        hidden = torch.relu(b.x[0] @ linear["w1"] + linear["b1"])
        loss = torch.nn.functional.cross_entropy(hidden @ linear["w2"].T + linear["b2"], b.given[0])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        update(stack)
    for name, leaf in linear.items():
        torch.testing.assert_close(stack.net.parameters[name][0], leaf, rtol=1e-9, atol=1e-11)
    assert set(stack.movers.optimisers) == {"net"}
    of_average = stack.average.of_trial(0, b.x).logits[0]
    torch.testing.assert_close(stack.whole(0).logits[b.ids[0]], of_average)
    assert not torch.allclose(stack.net.of_trial(0, b.x).logits[0], of_average)


def test_a_trial_whose_weights_turn_nan_is_buried_with_its_average():
    stack = advance(make_stack(toy(), "sgd-ema", lr=0.05), 5)
    stack.net.flat[1] = torch.nan
    advance(stack, 5)
    assert stack.diverged_at == [None, 5, None]
    assert not stack.average.flat[1].any()


@pytest.mark.parametrize("decay", [1, -0.1])
def test_a_decay_outside_0_to_1_is_refused(decay):
    with pytest.raises(ValueError, match="sgd-ema's decay"):
        fit(toy(), "sgd-ema", steps=1, decay=decay)
