"""Pages that mix rows, on pictures: their views and objectives against padding and slicing."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly import fit
from candidly.ground.seeds import words
from candidly.learn.algorithms import algorithm
from candidly.learn.algorithms._mixture import clean_probability
from candidly.learn.engine.examples import make_examples
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.start import start
from candidly.learn.engine.train import update
from candidly.learn.nets import mlp, network
from candidly.learn.views import view_of_pictures
from learn.algorithms.picture_battery import pictures
from learn.algorithms.slow_mix import check_gradient, leaves
from learn.algorithms.test_dividemix import slow_objective, softmax
from learn.algorithms.test_pes_semi import slow_objective as slow_pes_semi
from learn.algorithms.test_promix import check_update

from toys import advance, member

DATA = pictures()


def stack_of(name, trials=(0, 1), how="adam:views=weak", **hyper):
    """On a network without batch norm, in float64, so that a slow version is exact."""
    page = algorithm(name)
    examples = make_examples(DATA, page.reads, dtype=torch.float64)
    members = [member(DATA, k, page, examples, batch=16, **hyper) for k in trials]
    net = mlp(examples.shape, DATA.q, 8)
    return start(page, net, examples, members, 24, recipe(how))


def plain(stack, k, ids):
    """Standardised by channel over the trial's rows, and flat: float64 (m, C * H * W)."""
    return numbers(stack, k, [DATA.inputs[row] for row in stack.index[k][ids].tolist()])


def numbers(stack, k, pixels):
    own = DATA.inputs[stack.index[k].tolist()].astype(float)
    mean, deviation = own.mean((0, 1, 2)), own.std((0, 1, 2)) + 255e-6
    return np.stack([((one - mean) / deviation).transpose(2, 0, 1).ravel() for one in pixels])


def cropped(stack, k, ids, name):
    """Each row mirrored, padded by a pixel and sliced, as random words of its own say."""
    rows = stack.index[k][ids].tolist()
    found = []
    for row in rows:
        down, right, mirror, _ = words(stack.seeds[k], name, stack.t, np.array([row]))[0].tolist()
        picture = DATA.inputs[row]
        picture = picture[:, ::-1] if mirror >= 2**31 else picture
        padded = np.pad(picture, ((1, 1), (1, 1), (0, 0)))
        top, left = down * 3 // 2**32, right * 3 // 2**32
        found.append(padded[top : top + 8, left : left + 8])
    return numbers(stack, k, found)


def weak(stack, k, batch, m, which, view="weak"):
    """A view of a batch, or of a network's own batch."""
    ids = batch.ids[k] if m is None else batch.ids[k, m]
    return cropped(stack, k, ids.numpy(), f"view {view} {batch.name} {which}")


def logits(stack, k, m, x):
    at = stack.net.copies * k + m
    w = {name: leaf.detach().numpy()[at] for name, leaf in stack.net.parameters.items()}
    return np.maximum(x @ w["w1"] + w["b1"], 0) @ w["w2"].T + w["b2"]


# dividemix


def test_dividemix_warms_up_on_crops_and_divides_by_the_pictures_themselves():
    def nats(k, m, ids, x):
        given = stack.labels("given")[k].numpy()[ids]
        return -np.log(softmax(logits(stack, k, m, x))[np.arange(len(ids)), given])

    stack = stack_of("dividemix", warm_up=1)
    for _ in range(2):
        ids = stack.next_batches()[0].ids[0].numpy()
        x = cropped(stack, 0, ids, "x 0")
        expected = sum(nats(0, m, ids, x).mean() for m in (0, 1))
        stack.mean_loss()
        update(stack)
        assert stack.mean_loss()[0] == pytest.approx(expected, rel=1e-9)
    advance(stack, stack.E - 2)
    rows = np.arange(stack.n)
    losses = [nats(1, m, rows, plain(stack, 1, rows)) for m in (0, 1)]
    update(stack)
    for m in (0, 1):
        expected = clean_probability(torch.tensor(losses[1 - m]))
        torch.testing.assert_close(stack.rows["clean"][1, :, m], expected, atol=1e-7, rtol=0)


def test_dividemix_mixes_two_crops_of_each_row_as_numbers():
    stack = advance(stack_of("dividemix", warm_up=1, lambda_u=150), 7)
    sure = stack.next_batches()[0]
    first, second = (weak(stack, 0, sure, 0, which) for which in (0, 1))
    assert (first != second).any(1).mean() > 0.7  # of 18 crops there are
    expected = [slow_objective(stack, k, weak) for k in range(2)]
    stack.mean_loss()
    update(stack)
    np.testing.assert_allclose(stack.mean_loss(), expected, rtol=1e-9)


def test_dividemix_predicts_from_the_pictures_themselves():
    stack = advance(stack_of("dividemix", warm_up=1), 9)
    rows = stack.index[0][:20]
    x = plain(stack, 0, np.arange(20))
    expected = (logits(stack, 0, 0, x) + logits(stack, 0, 1, x)) / 2
    np.testing.assert_allclose(stack.logits(0, rows), expected, rtol=1e-9)


def test_cifar_ns_setting_of_dividemix_is_two_words_and_leaves_the_others_out():
    model = fit(
        DATA, "dividemix:asymmetric", steps=8, batch_size=16, net="mlp:8", warm_up=1, lambda_u=0
    )
    assert model.predict(DATA.inputs).shape == (DATA.n,)
    # without their loss the others still are partners, and count in the balance
    stacks = [stack_of("dividemix:asymmetric", (0,), warm_up=1, lambda_u=v) for v in (0, 150)]
    for stack in stacks:
        advance(stack, 7)
    assert not torch.equal(stacks[0].net.flat, stacks[1].net.flat)
    expected = slow_objective(stacks[0], 0, weak)
    stacks[0].mean_loss()
    update(stacks[0])
    np.testing.assert_allclose(stacks[0].mean_loss(), [expected], rtol=1e-9)


# pes-semi


def test_pes_semi_confirms_labels_on_crops_and_mixes_crops():
    stack = advance(stack_of("pes-semi", first=0.1, refine=0.25), 8)  # 2 updates and 6
    assert stack.enters()
    rows = np.arange(stack.n)
    x = [cropped(stack, 1, rows, f"whole weak {which}") for which in (0, 1)]
    probs = sum(softmax(logits(stack, 1, 0, one)) for one in x)
    confident = probs.argmax(1) == stack.labels("given")[1].numpy()
    update(stack)
    assert stack.rows["confident"][1].tolist() == confident.tolist()
    assert 0 < confident.sum() < stack.n
    advance(stack, 7)
    w = leaves(stack, 1)
    expected = slow_pes_semi(stack, 1, w, lambda *asked: torch.from_numpy(weak(*asked)), 8)
    stack.mean_loss()
    update(stack)
    assert stack.mean_loss()[1] == pytest.approx(float(expected.detach()), rel=1e-9)
    check_gradient(stack, 1, expected, w, rtol=1e-8)


# pes:deep


@pytest.mark.parametrize(
    ("text", "first"),
    [("resnet32:width=2", "stages.10."), ("preact-resnet18:width=2", "blocks.6.")],
)
def test_the_last_stage_of_a_residual_network_is_renewed_with_the_head(text, first):
    page = algorithm("pes:deep")
    examples = make_examples(DATA, page.reads)
    net = network(text, examples.shape, DATA.q)
    trial = member(DATA, 0, page, examples, batch=16, first=0.1, refine=0.1)
    stack = advance(start(page, net, examples, [trial], 24, recipe("adam")), 2)
    assert stack.stages.ends == [2, 5, 7, 24]
    for start_of, end in ((first, 5), ("head.", 7)):
        before = {name: leaf.detach().clone() for name, leaf in stack.net.parameters.items()}
        advance(stack, end - stack.t)
        names = list(before)
        behind = names.index(next(name for name in names if name.startswith(start_of)))
        for place, (name, leaf) in enumerate(stack.net.parameters.items()):
            assert torch.equal(leaf, before[name]) == (place < behind), name


# promix


@pytest.mark.parametrize("into", [7, 18])
def test_on_pictures_the_objective_and_its_gradient_are_the_text(into):
    """With crops for the strong view, too, under its own random words; and with masks."""
    hyper = {"warm_up": 1, "ramp": 3, "tau": 0.3, "lambda_u": 3.0, "lr": 0.02}
    usual = stack_of("promix", **hyper).feed.views.changes
    assert usual["strong"] is view_of_pictures("strong")
    stack = advance(stack_of("promix", how="adam:views=weak,strong=weak", **hyper), into)

    def view(stack, k, batch, name):
        return torch.from_numpy(weak(stack, k, batch, None, 0, name))

    guessed = check_update(stack, 0, view=view, sides=(2, 8, 8))
    assert (guessed > 0) == (into == 18)
