"""The second stages of decoupled training against what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from candidly import fit
from candidly.learn.algorithms import decoupling_ncm
from candidly.learn.engine.train import update
from learn.algorithms.slow import softmax
from learn.algorithms.test_long_tail import long_tailed

from toys import advance, make_stack

TRUNK = ("w1", "b1")
HEAD = ("w2", "b2")


def parameters(stack):
    return {name: leaf.detach().clone() for name, leaf in stack.net.parameters.items()}


# cRT and LWS: stages


@pytest.mark.parametrize(
    ("name", "frozen", "moved"),
    [
        ("decoupling-crt", TRUNK, HEAD),
        ("decoupling-lws", (*TRUNK, *HEAD), ("log_scale",)),
    ],
)
def test_the_second_stage_leaves_bit_for_bit_what_it_freezes(name, frozen, moved):
    stack = make_stack(long_tailed(), name, dtype=torch.float32)
    assert stack.stages.ends == [12, 60]
    advance(stack, 12)
    first = parameters(stack)
    advance(stack, 20)
    for parameter, leaf in parameters(stack).items():
        same = torch.equal(leaf, first[parameter])
        assert same == (parameter in frozen), parameter
        assert same != (parameter in moved), parameter


@pytest.mark.parametrize("name", ["decoupling-crt", "decoupling-lws"])
def test_the_first_stage_is_cross_entropy(name):
    data = long_tailed()
    ours, plain = (advance(make_stack(data, n), 12) for n in (name, "ce"))
    for parameter in (*TRUNK, *HEAD):
        there = plain.net.parameters[parameter]
        torch.testing.assert_close(ours.net.parameters[parameter], there, rtol=1e-10, atol=1e-12)
    for k in range(3):
        torch.testing.assert_close(ours.whole(k).logits, plain.whole(k).logits)


@pytest.mark.parametrize("name", ["decoupling-crt", "decoupling-lws"])
def test_batches_of_the_second_stage_visit_classes_in_turn(name):
    stack = make_stack(long_tailed(), name)
    sizes = np.bincount(stack.next_batches()[0].given[0].numpy(), minlength=7)
    assert sizes[0] > 10  # the largest class has half of all rows
    advance(stack, 12)
    for _ in range(stack.E):
        given = stack.next_batches()[0].given
        visits = given.view(3, -1, 4)
        assert (visits == visits[..., :1]).all()
        for k in range(3):
            assert np.bincount(visits[k, :7, 0].numpy(), minlength=7).max() <= 2
        update(stack)


def test_crts_head_starts_anew():
    stack = advance(make_stack(long_tailed(), "decoupling-crt"), 12)
    before = parameters(stack)
    update(stack)
    far = (stack.net.parameters["w2"].detach() - before["w2"]).abs().flatten(1).mean(1)
    # the mean distance of two draws of U(-1, 1) / sqrt(40) is 2/3 / sqrt(40) = 0.105
    np.testing.assert_allclose(far, 0.105, atol=0.03)
    assert int(stack.movers.optimisers["net.head"].count) == 1


def test_an_update_of_crt_is_torchs_adam_on_the_head():
    stack = advance(make_stack(long_tailed(), "decoupling-crt", [0]), 13)
    p = {name: leaf[0] for name, leaf in parameters(stack).items()}
    mine = [p[name].requires_grad_() for name in HEAD]
    hyper = stack.hyper[0]
    adam = torch.optim.Adam(mine, lr=hyper["lr"], weight_decay=hyper["weight_decay"])
    ours = stack.movers.optimisers["net.head"].tensors
    for name, start in zip(HEAD, (0, 288)):  # 7 x 40 and the padding behind it
        size = p[name].numel()
        adam.state[p[name]] = {
            "step": torch.tensor(1.0),
            "exp_avg": ours["mean"][0, start : start + size].clone().view_as(p[name]),
            "exp_avg_sq": ours["square"][0, start : start + size].clone().view_as(p[name]),
        }
    for _ in range(3):
        b = stack.next_batches()[0]
        hidden = torch.relu(b.x[0] @ p["w1"] + p["b1"])
        loss = torch.nn.functional.cross_entropy(hidden @ p["w2"].T + p["b2"], b.given[0])
        adam.zero_grad()
        loss.backward()
        adam.step()
        update(stack)
    for name in HEAD:
        torch.testing.assert_close(stack.net.parameters[name][0], p[name], rtol=1e-8, atol=1e-10)


def test_the_scales_of_lws_descend_along_their_slow_gradient():
    stack = advance(make_stack(long_tailed(), "decoupling-lws", [0]), 15)
    b = stack.next_batches()[0]
    logits = stack.net(b.x).logits[0].detach().numpy()
    scale = np.exp(parameters(stack)["log_scale"][0, 0].numpy())

    def mean_loss(factors):
        rows = (logits / scale * factors).tolist()
        return np.mean([-math.log(softmax(z)[y]) for z, y in zip(rows, b.given[0].tolist())])

    slope = []
    for j in range(stack.q):  # of the logarithm of a scale
        step = np.exp(1e-5 * (np.arange(stack.q) == j))
        slope.append((mean_loss(scale * step) - mean_loss(scale / step)) / 2e-5)
    stack.mean_loss()
    update(stack)
    np.testing.assert_allclose(stack.net.parameters["log_scale"].grad[0, 0], slope, atol=1e-8)
    assert stack.mean_loss()[0] == pytest.approx(mean_loss(scale))
    torch.testing.assert_close(
        stack.whole(0).logits,
        (stack.whole(0).features @ stack.net.parameters["w2"][0].T + stack.net.parameters["b2"][0])
        * stack.net.parameters["log_scale"][0].exp(),
    )


@pytest.mark.parametrize(("what", "value"), [("first", 0), ("first", 1), ("visit", 0)])
def test_stages_that_there_cannot_be_are_refused(what, value):
    with pytest.raises(ValueError, match=f"decoupling-crt's {what} is {value}"):
        fit(long_tailed(), "decoupling-crt", steps=1, **{what: value})


# NCM


def nearest(train, given, rows, variant, q):
    """The class of the nearest centre, by loops."""
    unit = lambda f: f / np.linalg.norm(f)  # noqa: E731
    shown = [unit(f) for f in train] if variant == "normalised" else list(train)
    centres = {}
    for j in range(q):
        own = [f for f, y in zip(shown, given) if y == j]
        if own:
            centres[j] = sum(own) / len(own)
    found = []
    for f in rows:
        if variant == "fixed":
            scores = {j: unit(f) @ unit(c) for j, c in centres.items()}
        else:
            f = unit(f) if variant == "normalised" else f
            scores = {j: -((f - c) ** 2).sum() for j, c in centres.items()}
        found.append(max(scores, key=scores.get))
    return np.array(found)


@pytest.mark.parametrize("variant", ["fixed", "euclidean", "normalised"])
def test_the_class_of_the_nearest_centre_is_predicted(variant):
    data = long_tailed(empty=(3,))
    name = "decoupling-ncm" if variant == "fixed" else f"decoupling-ncm:{variant}"
    stack = make_stack(data, name, steps=21)
    for updates in (stack.E, 21 - stack.E):  # an epoch, and the end
        advance(stack, updates)
        for k in range(3):
            x = (stack.examples.inputs - stack.scaling[0][k]) * stack.scaling[1][k]
            p = {n: leaf.detach()[k] for n, leaf in stack.net.parameters.items()}
            features = torch.relu(x @ p["w1"] + p["b1"]).numpy()
            train = features[stack.index[k].numpy()]
            slow = nearest(train, stack.labels("given")[k].tolist(), features, variant, 7)
            logits = stack.logits(k, torch.arange(data.n))
            np.testing.assert_array_equal(logits.argmax(1), slow)
            assert not (slow == 3).any()
            assert (logits[:, 3] == decoupling_ncm.NEVER).all()
    if variant == "fixed":
        there = logits[:, [0, 1, 2, 4, 5, 6]]
        assert there.abs().max() <= 1 + 1e-12


def test_ncm_trains_as_cross_entropy_does_and_its_centres_by_no_gradient():
    stack = make_stack(long_tailed(), "decoupling-ncm")
    p = {n: leaf.detach()[0].clone().requires_grad_() for n, leaf in stack.net.parameters.items()}
    mine = [p[name] for name in ("w1", "b1", "w", "b")]
    hyper = stack.hyper[0]
    adam = torch.optim.Adam(mine, lr=hyper["lr"], weight_decay=hyper["weight_decay"])
    for _ in range(10):
        b = stack.next_batches()[0]
        hidden = torch.relu(b.x[0] @ p["w1"] + p["b1"])
        loss = torch.nn.functional.cross_entropy(hidden @ p["w"] + p["b"], b.given[0])
        adam.zero_grad()
        loss.backward()
        adam.step()
        update(stack)
    for name in ("w1", "b1", "w", "b"):
        torch.testing.assert_close(stack.net.parameters[name][0], p[name], rtol=1e-8, atol=1e-10)
    assert not stack.net.parameters["centres"].grad.any()


def test_centres_are_taken_after_every_epoch_and_at_the_end():
    stack, taken = make_stack(long_tailed(), "decoupling-ncm", steps=21), []
    before = parameters(stack)["centres"]
    for t in range(21):
        update(stack)
        now = parameters(stack)["centres"]
        if not torch.equal(now, before):
            taken.append(t + 1)
        before = now
    epochs = [1, *range(stack.E, 21, stack.E), 21]  # and before the first update
    assert taken == epochs


def test_features_of_zeros_have_no_direction_and_do_no_harm():
    features, given = torch.zeros(4, 3), torch.tensor([0, 0, 1, 1])
    for kind in (decoupling_ncm.cosines, decoupling_ncm.distances, decoupling_ncm.unit_distances):
        centres, offsets = kind(features, given, 3)
        assert not centres.any()
        assert not offsets.any()
