"""dividemix: its mixture against scikit-learn's, its objective against a slow version."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.mixture import GaussianMixture

from candidly.ground.seeds import draw
from candidly.learn.algorithms import dividemix
from candidly.learn.algorithms._mixture import clean_probability, two_means
from candidly.learn.engine.train import update

from toys import advance, make_stack, toy


def softmax(z):
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# the mixture


@pytest.mark.parametrize("apart", [0.3, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6])
def test_the_mixture_is_scikit_learns(apart, share):
    g = np.random.default_rng(0)
    wrong = g.random(800) < share
    losses = np.where(wrong, apart + g.gamma(3, 0.4, 800), g.exponential(0.4, 800))
    scaled = ((losses - losses.min()) / (losses.max() - losses.min()))[:, None]
    # scikit-learn begins with a k-means of its own luck: it is told the best one
    shares = two_means(torch.tensor(scaled[:, 0])).numpy()
    groups = [scaled[own > 0, 0] for own in shares]
    theirs = GaussianMixture(
        2,
        max_iter=10,
        tol=1e-2,
        reg_covar=5e-4,
        weights_init=shares.mean(1),
        means_init=[[group.mean()] for group in groups],
        precisions_init=[[[1 / (group.var() + 5e-4)]] for group in groups],
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ten steps need not be enough
        theirs.fit(scaled)
    expected = theirs.predict_proba(scaled)[:, theirs.means_.argmin()]
    np.testing.assert_allclose(clean_probability(torch.tensor(losses)), expected, atol=1e-6)


def test_equal_losses_tell_nothing_apart():
    for value in (0.0, 3.7):
        assert clean_probability(torch.full((20,), value)).eq(1).all()
    assert clean_probability(torch.tensor([1.0])).tolist() == [1]


@pytest.mark.parametrize(
    "losses", [[0.0, 1.0], [0.0] * 9 + [5.0], [1e-30, 2e-30, 9e-30], [0, 1e30]]
)
def test_the_mixture_is_finite_for_few_and_for_far_losses(losses):
    p = clean_probability(torch.tensor(losses))
    assert p.isfinite().all()
    assert p[0] > 0.5
    assert p[-1] < 0.5 or losses[0] == 1e-30


def test_two_means_is_the_best_of_all_cuts():
    g = np.random.default_rng(0)
    for size in (2, 3, 10, 40):
        x = np.round(g.exponential(size=size), 1) + (np.arange(size) == 0)
        best = min(
            (sum(((part - part.mean()) ** 2).sum() for part in (x[x <= c], x[x > c])), c)
            for c in np.unique(x)[:-1]
        )
        own = two_means(torch.tensor(x)).numpy()
        assert np.array_equal(own.sum(0), np.ones(size))
        found = sum(((x[o > 0] - x[o > 0].mean()) ** 2).sum() for o in own)
        assert found == pytest.approx(best[0])
        assert x[own[0] > 0].max() < x[own[1] > 0].min()


# the stages


def late(trials=(0, 1, 2), data=None, name="dividemix", **how):
    stack = make_stack(data or toy(), name, trials, warm_up=1, **how)
    return advance(stack, stack.E)


def losses_of(stack, k, m):
    p = softmax(stack.whole(k, m).logits.numpy())
    return -np.log(p[np.arange(stack.n), stack.labels("given")[k].numpy()])


def test_each_network_gets_the_others_split_on_entering_and_after_every_epoch():
    stack = late()
    expected = None
    for _ in range(2):
        expected = [
            torch.stack(
                [clean_probability(torch.tensor(losses_of(stack, k, 1 - m))) for m in (0, 1)], -1
            )
            for k in range(3)
        ]
        update(stack)
        for k in range(3):
            torch.testing.assert_close(stack.rows["clean"][k], expected[k])
        advance(stack, stack.E - 2)
        for k in range(3):
            torch.testing.assert_close(stack.rows["clean"][k], expected[k])
        update(stack)  # the last of the epoch
    assert not torch.equal(stack.rows["clean"][0], expected[0])


def test_batches_are_of_the_networks_own_sets():
    stack = late()
    update(stack)
    sure, rest = stack.next_batches()
    for k in range(3):
        for m in (0, 1):
            clean = stack.rows["clean"][k, :, m] > 0.5
            assert clean[sure.ids[k, m]].all()
            assert not clean[rest.ids[k, m]].any()


def test_the_warm_up_is_cross_entropy_and_asymmetric_has_a_penalty():
    for name in ("dividemix", "dividemix:asymmetric"):
        stack = make_stack(toy(), name)
        batch = stack.next_batches()[0]
        p = softmax(stack.net(batch.x).logits.detach().numpy())
        update(stack)
        for k in range(3):
            own = p[k][:, np.arange(stack.B), batch.given[k].numpy()]
            expected = -np.log(own).mean(-1).sum()
            if name.endswith("asymmetric"):
                expected += (p[k] * np.log(p[k])).sum(-1).mean(-1).sum()
            assert float(stack.loss_sum[k]) == pytest.approx(expected)


def noisy(stack, k, batch, m, which):
    """Rows of a batch as a view of tables has them, (B, d)."""
    scale, shift = stack.scaling[1][k].numpy(), stack.scaling[0][k].numpy()
    raw = stack.examples.inputs.numpy()[stack.index[k].numpy()]
    g = draw(stack.seeds[k], f"view weak {batch.name} {which}", stack.t)
    noise = g.standard_normal((2, stack.B, raw.shape[1]))[m]
    return ((raw - shift) * scale)[batch.ids[k, m].numpy()] + stack.hyper[k]["view_noise"] * noise


def slow_objective(stack, k, seen=noisy):
    """The objective of trial ``k`` at the next update, network by network, by the text."""
    sure, rest = stack.next_batches()
    q, size = stack.q, stack.B

    def net(m, x):
        w = {name: leaf.detach().numpy()[2 * k + m] for name, leaf in stack.net.parameters.items()}
        return np.maximum(x @ w["w1"] + w["b1"], 0) @ w["w2"].T + w["b2"]

    def view(batch, number, which):
        assert batch.name == str(number)
        return np.stack([seen(stack, k, batch, m, which) for m in (0, 1)])

    views = [[view(b, i, which) for which in (0, 1)] for i, b in enumerate((sure, rest))]
    g = draw(stack.seeds[k], "mix", stack.t)
    shares = g.beta(4, 4, 2)
    orders = [g.permutation(4 * size) for _ in (0, 1)]
    total = 0.0
    for m in (0, 1):
        given = stack.labels("given")[k].numpy()[sure.ids[k, m].numpy()]
        w = stack.rows["clean"][k, :, m].numpy()[sure.ids[k, m].numpy()][:, None]
        p = np.mean([softmax(net(m, views[0][v][m])) for v in (0, 1)], 0)
        known = w * np.eye(q)[given] + (1 - w) * p
        known = known**2 / (known**2).sum(-1, keepdims=True)
        guess = np.mean([softmax(net(o, views[1][v][m])) for v in (0, 1) for o in (0, 1)], 0)
        guess = guess**2 / (guess**2).sum(-1, keepdims=True)
        x = np.concatenate([views[0][0][m], views[0][1][m], views[1][0][m], views[1][1][m]])
        t = np.concatenate([known, known, guess, guess])
        share = max(shares[m], 1 - shares[m])
        x = share * x + (1 - share) * x[orders[m]]
        t = share * t + (1 - share) * t[orders[m]]
        p = softmax(net(m, x))
        ramp = min(1, max(0, (stack.t / stack.E - 1) / 16))
        labelled = -(t[: 2 * size] * np.log(p[: 2 * size])).sum(-1).mean()
        unlabelled = ((p[2 * size :] - t[2 * size :]) ** 2).mean()
        even = sum(math.log(1 / q / p.mean(0)[j]) / q for j in range(q))
        total += labelled + stack.hyper[k]["lambda_u"] * ramp * unlabelled + even
    return total


@pytest.mark.parametrize("into", [3, 11])
def test_the_objective_is_the_formulas(into):
    stack = advance(late(lambda_u=150, view_noise=0.2), into)
    expected = [slow_objective(stack, k) for k in range(3)]
    before = stack.loss_sum.clone()
    update(stack)
    np.testing.assert_allclose((stack.loss_sum - before).numpy(), expected, rtol=1e-9)


def test_targets_are_constants_and_mixing_keeps_rows_together():
    order = torch.tensor([[[2, 0, 1], [0, 2, 1]]])
    values = torch.arange(12.0).view(1, 2, 3, 2)
    out = dividemix.mixed(values, order, torch.tensor([[0.75, 0.5]]))
    assert out[0, 0].tolist() == [[1, 2], [1.5, 2.5], [3.5, 4.5]]
    assert out[0, 1].tolist() == [[6, 7], [9, 10], [9, 10]]


@pytest.mark.parametrize("kind", ["no clean row", "no other row", "a class without a clean row"])
def test_empty_selections_and_lost_classes_are_no_end(kind, monkeypatch):
    def divide(s):
        given = s.labels("given")[..., None]
        clean = {
            "no clean row": torch.zeros_like(s.rows["clean"]),
            "no other row": torch.ones_like(s.rows["clean"]),
            "a class without a clean row": (given != 2).to(s.dtype).expand(-1, -1, 2),
        }[kind]
        return {"clean": clean}

    stack = make_stack(toy(), "dividemix")
    warm, mix = stack.algorithm.stages
    stack.algorithm = replace(
        stack.algorithm, stages=(warm, replace(mix, begin=divide, whole=None))
    )
    advance(stack, 2 * stack.E)
    assert stack.diverged_at == [None] * 3
    assert all(tensor.isfinite().all() for tensor in stack.changing().values())
