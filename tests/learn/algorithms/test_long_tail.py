"""Margins, weights, branches and samplers for unequal classes, against slow versions."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from candidly import fit
from candidly.data.labels.labelled import Labelled
from candidly.learn.algorithms import bbn, ldam
from candidly.learn.algorithms._classes import class_aware, class_counts, class_means
from candidly.learn.engine.train import update
from learn.algorithms.slow import double, softmax

from toys import advance, make_stack

LOGITS = torch.tensor([[2.0, 0.5, -1.0, 0.0]], dtype=double)
LABEL = torch.tensor([1])
COUNTS = torch.tensor([100.0, 50.0, 20.0, 10.0], dtype=double)


def long_tailed(n=400, q=7, seed=0, empty=(), spread=2.0):
    """Classes that shrink by half, but for those that nobody is given."""
    g = np.random.default_rng(seed)
    shares = np.array([0.0 if j in empty else 0.5**j for j in range(q)])
    truth = g.choice(q, n, p=shares / shares.sum())
    truth[: q - len(empty)] = [j for j in range(q) if j not in empty]
    return Labelled(
        inputs=g.normal(size=(n, 12)) + spread * g.normal(size=(q, 12))[truth],
        classes=tuple(f"class {j}" for j in range(q)),
        given=truth,
        truth=truth,
    )


LONG_TAIL = ("ldam", "ldam:drw", "bbn", "decoupling-ncm", "decoupling-crt", "decoupling-lws")
LONG_TAIL += ("decoupling-ncm:euclidean", "decoupling-ncm:normalised")


@pytest.mark.parametrize("name", LONG_TAIL)
def test_classes_without_a_row_do_no_harm(name):
    data = long_tailed(empty=(2, 5))
    stack = advance(make_stack(data, name, steps=40, lr=3e-3), 40)
    assert stack.diverged_at == [None] * 3
    for k in range(3):
        logits = stack.logits(k, torch.arange(data.n))
        assert logits.isfinite().all()
        if name.startswith("decoupling-ncm"):  # they have no centre
            assert not np.isin(logits.argmax(1).numpy(), (2, 5)).any()


@pytest.mark.parametrize("name", LONG_TAIL)
def test_a_trial_with_one_class_alone_leaves_its_neighbours_alone(name):
    data = long_tailed()
    given = data.given.copy()
    mine = make_stack(data, name).index[1].numpy()
    given[mine] = 3
    one = Labelled(inputs=data.inputs, classes=data.classes, given=given, truth=data.truth)
    stack = advance(make_stack(one, name), 30)
    assert (stack.labels("given")[1] == 3).all()
    assert stack.diverged_at == [None] * 3
    for tensor in stack.changing().values():
        assert tensor.isfinite().all()
    alone = advance(make_stack(one, name, [2]), 30)
    torch.testing.assert_close(stack.net.flat[2], alone.net.flat[0], rtol=1e-9, atol=1e-11)


# classes


def test_counts_and_means_are_those_of_loops():
    g = np.random.default_rng(0)
    given, features = g.integers(0, 4, 30), g.normal(size=(30, 5))
    given[given == 2] = 3  # nobody has class 2
    counts = class_counts(torch.tensor(given), 5, double)
    assert counts.tolist() == [sum(given == j) for j in range(5)]
    means = class_means(torch.tensor(features), torch.tensor(given), 5)
    for j in (0, 1, 3):
        np.testing.assert_allclose(means[j], features[given == j].mean(0))
    assert not means[[2, 4]].any()


def test_each_visit_takes_rows_of_one_class_and_all_come_before_one_comes_again():
    given = np.repeat([0, 1, 3], [3, 50, 9])  # nobody has class 2
    order = class_aware(given, 4, 600, np.random.default_rng(0))
    visits = given[order].reshape(-1, 4)
    assert (visits == visits[:, :1]).all()
    turns = visits[:, 0].reshape(-1, 3)
    assert all(sorted(turn) == [0, 1, 3] for turn in turns.tolist())
    assert len({tuple(turn) for turn in turns.tolist()}) == 6
    for j, size in ((0, 3), (1, 50), (3, 9)):
        own = order[given[order] == j]
        assert len(own) == 200
        for start in range(0, 200 - size, size):  # each of its rows before one comes again
            assert len(set(own[start : start + size])) == size
    assert len(class_aware(given, 4, 10, np.random.default_rng(0))) == 10
    alone = class_aware(np.zeros(5, int), 4, 13, np.random.default_rng(0))
    assert np.bincount(alone).tolist() == [3, 3, 2, 3, 2] or np.bincount(alone).max() <= 3


# LDAM and DRW


def test_published_values():
    margin = 10 * ldam.margins(COUNTS, 0.5)
    assert ldam.loss(10 * LOGITS, LABEL, margin).item() == pytest.approx(18.343701537744, abs=1e-10)
    weight = ldam.class_weights(COUNTS, 0.9999)[1].item()
    assert weight == pytest.approx(0.445061628564, abs=1e-10)


def slow_margins(counts, largest):
    raw = [n**-0.25 if n else 0 for n in counts]
    return [largest * m / max(raw) for m in raw]


def slow_loss(z, y, scale, margins):
    top = math.exp(scale * (z[y] - margins[y]))
    return -math.log(top / (top + sum(math.exp(scale * v) for j, v in enumerate(z) if j != y)))


def slow_weights(counts, beta):
    raw = [(1 - beta) / (1 - beta**n) if n else 0 for n in counts]
    return [w * len(counts) / sum(raw) for w in raw]


@pytest.mark.parametrize("counts", [[100, 50, 20, 10], [7, 0, 1, 3], [0, 0, 5, 0]])
def test_margins_and_weights_are_their_text(counts):
    ours = torch.tensor(counts, dtype=double)
    np.testing.assert_allclose(ldam.margins(ours, 0.7), slow_margins(counts, 0.7))
    for beta in (0.0, 0.9, 0.9999):
        weights = ldam.class_weights(ours, beta)
        np.testing.assert_allclose(weights, slow_weights(counts, beta), rtol=1e-9)
    float32 = ldam.class_weights(ours.float(), 0.9999)  # without the cancellation of 1 - beta^n
    np.testing.assert_allclose(float32, slow_weights(counts, 0.9999), rtol=1e-5)


@pytest.mark.parametrize("name", ["ldam", "ldam:drw"])
def test_an_update_of_ldam_is_its_text(name):
    data = long_tailed()
    stack = make_stack(data, name, margin=0.4, scale=7, steps=60)
    for t in range(16):
        b = stack.next_batches()[0]
        update(stack) if not t else None  # the scale is there from the first update on
        if not t:
            stack.mean_loss()
            continue
        expected = []
        for k in range(3):
            counts = [int((stack.labels("given")[k] == j).sum()) for j in range(stack.q)]
            p = {n: leaf.detach()[k].numpy() for n, leaf in stack.net.parameters.items()}
            hidden = np.maximum(b.x[k].numpy() @ p["w1"] + p["b1"], 0)
            losses, weights = [], []
            for f, y in zip(hidden, b.given[k].tolist()):
                z = [f @ w / np.linalg.norm(f) / np.linalg.norm(w) for w in p["w"].T]
                losses.append(slow_loss(z, y, 7, slow_margins(counts, 0.4)))
                late = name == "ldam:drw" and t >= 12
                weights.append(slow_weights(counts, stack.hyper[k]["beta"])[y] if late else 1)
            expected.append(np.dot(weights, losses) / sum(weights))
        update(stack)
        np.testing.assert_allclose(stack.mean_loss(), expected, rtol=1e-8)


def test_predictions_are_scaled_cosines_and_the_scale_does_not_move():
    stack = advance(make_stack(long_tailed(), "ldam", scale=7), 20)
    for k in range(3):
        logits = stack.whole(k).logits
        assert 1 < logits.abs().max() <= 7 + 1e-9
        assert stack.net.parameters["scale"][k].item() == 7
    assert stack.stages.ends == [60]
    drw = advance(make_stack(long_tailed(), "ldam:drw"), 20)
    assert drw.stages.ends[0] == 12
    assert int(drw.movers.optimisers["net.weights"].count) == 20  # deferring does not restart it


@pytest.mark.parametrize(("what", "value"), [("margin", -0.1), ("scale", 0), ("beta", 1)])
def test_values_of_ldam_that_mean_nothing_are_refused(what, value):
    with pytest.raises(ValueError, match=f"{what} is {value}"):
        fit(long_tailed(), "ldam:drw", steps=1, **{what: value})


# BBN


def test_the_weight_moves_over():
    assert [bbn.share_at(t, 10) for t in (0, 5, 9)] == pytest.approx([1, 0.75, 0.19])


def test_the_reversed_sampler_draws_classes_by_their_rarity():
    stack = make_stack(long_tailed(n=2000), "bbn", [0])
    given, weights = stack.labels("given")[0].numpy(), stack.constants["reversed"][0].numpy()
    counts = np.bincount(given, minlength=7)
    by_class = np.array([weights[given == j].sum() for j in range(7)]) / weights.sum()
    np.testing.assert_allclose(by_class, counts.max() / counts / (counts.max() / counts).sum())
    drawn = []
    for _ in range(2 * stack.E):
        common, rare = stack.next_batches()
        drawn.append(rare.given[0].numpy())
        update(stack)
    share = np.bincount(np.concatenate(drawn), minlength=7) / np.size(drawn)
    # a standard error is at most sqrt(1/4 / 3200) = 0.009
    np.testing.assert_allclose(share, by_class, atol=0.04)
    assert np.bincount(common.given[0].numpy(), minlength=7)[0] > 10


def test_an_update_of_bbn_is_its_text():
    stack = make_stack(long_tailed(), "bbn", steps=20)
    for t in range(12):
        common, rare = stack.next_batches()
        a, expected = 1 - (t / 20) ** 2, []
        for k in range(3):
            p = {n: leaf.detach()[k].numpy() for n, leaf in stack.net.parameters.items()}

            def branch(x, which, p=p):
                shared = np.maximum(x @ p["w1"] + p["b1"][0], 0)
                return np.maximum(shared @ p[f"w_{which}"] + p[f"b_{which}"][0], 0)

            h = p["w_common"].shape[1]
            losses = []
            for i in range(stack.B):
                f_c = branch(common.x[k, i].numpy(), "common")
                f_r = branch(rare.x[k, i].numpy(), "rare")
                z = a * f_c @ p["w"][:h] + (1 - a) * f_r @ p["w"][h:] + p["b"][0]
                nats = [-math.log(v) for v in softmax(z.tolist())]
                y_c, y_r = int(common.given[k, i]), int(rare.given[k, i])
                losses.append(a * nats[y_c] + (1 - a) * nats[y_r])
            expected.append(np.mean(losses))
        update(stack)
        np.testing.assert_allclose(stack.mean_loss(), expected, rtol=1e-9)


def test_predictions_of_bbn_take_both_branches_alike():
    stack = advance(make_stack(long_tailed(), "bbn"), 5)
    x = stack.next_batches()[0].x
    p = {name: leaf.detach() for name, leaf in stack.net.parameters.items()}
    shared = torch.relu(x @ p["w1"] + p["b1"])
    both = [torch.relu(shared @ p[f"w_{w}"] + p[f"b_{w}"]) for w in ("common", "rare")]
    expected = (torch.cat(both, -1) / 2) @ p["w"] + p["b"]
    torch.testing.assert_close(stack.net(x).logits, expected)


def mean_recall(stack, data):
    """Mean over classes of how many of a class's unseen rows are found."""
    unseen = np.setdiff1d(np.arange(data.n), stack.index[0].numpy())
    right = stack.logits(0, torch.tensor(unseen)).argmax(1).numpy() == data.truth[unseen]
    return np.mean([right[data.truth[unseen] == j].mean() for j in range(data.q)])


def small_stack(data, name, **how):
    return make_stack(data, name, [0], 150, rows=0.2, lr=3e-3, dtype=torch.float32, **how)


@pytest.mark.parametrize("name", ["ldam:drw", "bbn", "decoupling-crt", "decoupling-ncm"])
def test_rare_classes_gain(name):
    data = long_tailed(n=3000, spread=0.9)
    plain, ours = (mean_recall(advance(small_stack(data, n), 150), data) for n in ("ce", name))
    assert ours > plain + 0.05  # of the classes' mean; by chance 0.14, with cross-entropy 0.6


def test_scales_gain_on_the_first_stage():
    data = long_tailed(n=3000, spread=0.9)
    stack = small_stack(data, "decoupling-lws", first=2 / 3)
    before = mean_recall(advance(stack, stack.stages.ends[0]), data)
    assert mean_recall(advance(stack, 50), data) > before
