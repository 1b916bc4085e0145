"""RECORDS against what it computes written out, and where classes are of unequal size."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import crdpll
from candidly.learn.engine.train import update

from toys import advance, make_stack, toy


def softmax(scores):
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    return exps / exps.sum(-1, keepdims=True)


def over(probs, sets):
    kept = probs * sets
    return kept / kept.sum(-1, keepdims=True)


def plain(stack, x):
    """Logits before the lean is taken out."""
    with torch.no_grad():
        return (stack.net(x).logits + stack.net.parameters["lean"]).detach().numpy()


@pytest.mark.parametrize("name", ["RECORDS", "RECORDS:corr"])
def test_an_update_is_the_text(name):
    stack = make_stack(toy(), name, [0, 1], 60)
    advance(stack, 20)
    assert stack.epoch > 0
    batch = stack.next_batches()[0]
    old, logits = stack.memory["mean"].numpy(), plain(stack, batch.x)
    ids, sets, weights = batch.ids, batch.candidates.numpy(), batch.weights.numpy()
    probs = softmax(logits)
    kept = np.array([[hyper["momentum"]] for hyper in stack.hyper])
    mean = kept * old + (1 - kept) * logits.mean(1)
    lean = np.log(softmax(mean) + 1e-9)[:, None]
    loss = -(weights * np.log(probs)).sum(-1)
    if name.endswith("corr"):  # on a table both views are the row
        loss = 2 * (
            np.where(weights > 0, weights * np.log(np.maximum(weights, 1e-300)), 0).sum(-1) + loss
        )
        loss += 2 * -(np.log1p(-probs) * ~sets).sum(-1)
    objective, _ = stack.stage.step(stack, batch)
    np.testing.assert_allclose(objective.detach(), loss.mean(-1))
    update(stack)
    np.testing.assert_allclose(stack.memory["mean"], mean)
    found = np.stack([table[rows] for table, rows in zip(stack.rows["weights"], ids)])
    np.testing.assert_allclose(found, over(softmax(logits - lean), sets), atol=1e-12)
    np.testing.assert_allclose(stack.net.parameters["lean"].detach(), lean)


def test_in_the_first_epoch_weights_stay_and_the_mean_begins_with_a_batch():
    stack = make_stack(toy(), "RECORDS", [0], 60)
    before, batch = stack.rows["weights"].clone(), stack.next_batches()[0]
    logits = plain(stack, batch.x)
    advance(stack, 1)
    np.testing.assert_allclose(stack.memory["mean"], logits.mean(1))
    advance(stack, stack.E - 1)
    assert torch.equal(stack.rows["weights"], before)
    advance(stack, 1)
    assert not torch.equal(stack.rows["weights"], before)


def test_predictions_are_without_the_lean_and_no_gradient_moves_it():
    stack = make_stack(toy(), "RECORDS", [0], 60, weight_decay=0.1)
    advance(stack, 25)
    shares = (stack.memory["mean"].softmax(-1) + 1e-9).log()
    torch.testing.assert_close(stack.net.parameters["lean"][0].detach(), shares)
    rows = stack.index[0][:50]
    x = stack.feed.batch(stack, torch.arange(50)[None], "some").x
    torch.testing.assert_close(stack.logits(0, rows)[None], torch.tensor(plain(stack, x)) - shares)


def long_tailed(seed):
    """Seven classes, the largest with twenty times the rows of the smallest."""
    data = toy(n=6000, q=7, spread=0.7, rate=0.3, seed=seed)
    share = 20.0 ** -(np.arange(7) / 6)
    return data[np.random.default_rng(seed).random(data.n) < share[data.truth]]


def balanced(predicted, truth):
    return np.mean([(predicted[truth == k] == k).mean() for k in range(7)])


def test_where_classes_are_of_unequal_size_small_ones_are_found_more_often():
    gains = []
    for seed in range(3):
        data = long_tailed(seed)
        found = {}
        for name in ("RECORDS", "PRODEN"):
            stack = make_stack(data, name, [0], 400, torch.float32, batch=64, lr=3e-3)
            advance(stack, 400)
            unseen = np.setdiff1d(np.arange(data.n), stack.index[0].numpy())
            predicted = stack.logits(0, torch.from_numpy(unseen)).argmax(1).numpy()
            found[name] = balanced(predicted, data.truth[unseen])
        gains.append(found["RECORDS"] - found["PRODEN"])
    assert np.mean(gains) > 0.02, gains


def test_two_views_are_those_of_consistency_regularisation():
    weak, strong = torch.randn(2, 1, 6, 5, dtype=torch.float64)
    sets = torch.ones(1, 6, 5, dtype=torch.bool)
    lean = torch.randn(1, 1, 5, dtype=torch.float64)
    both = crdpll.agreed(weak - lean, strong - lean, sets)
    slow = ((weak.log_softmax(-1) + strong.log_softmax(-1)) / 2 - lean).softmax(-1)
    torch.testing.assert_close(both, slow)
