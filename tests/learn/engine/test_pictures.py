"""Pictures in training: their numbers, their views, and nothing copied."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.data.inputs import Pictures
from candidly.data.labels.labelled import Labelled
from candidly.ground.seeds import words
from candidly.learn.algorithms import Stage, View, algorithm
from candidly.learn.engine.examples import make_examples, repeated, split_scaling, with_oracle_twins
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.scaling import CONSTANTS, sums_of
from candidly.learn.engine.start import start
from candidly.learn.engine.train import update
from candidly.learn.engine.viewing import MethodViews
from candidly.learn.nets import mlp

from toys import member

G = np.random.default_rng(0)


def pictures(n=90, q=4, shape=(16, 16, 3)) -> Labelled:
    """Classes that differ in brightness, with candidate sets, given labels and the truth."""
    truth = G.integers(0, q, n)
    pixels = np.clip(G.normal(60 + 40 * truth[:, None], 50, (n, np.prod(shape))), 0, 255)
    candidates = G.random((n, q)) < 0.2
    candidates[np.arange(n), truth] = True
    return Labelled(
        inputs=pixels.astype(np.uint8).reshape(n, *shape),
        classes=tuple("abcd"[:q]),
        candidates=candidates,
        given=np.where(G.random(n) < 0.2, 0, truth),
        truth=truth,
    )


def stack_on(data, page, trials=(0, 1), how="adam", dtype=torch.float64, **hyper):
    examples = make_examples(data, page.reads, dtype=dtype)
    members = [member(data, k, page, examples, batch=16, **hyper) for k in trials]
    return start(page, mlp(examples.shape, data.q, 8), examples, members, 40, recipe(how))


def slow_numbers(data, rows, mean, deviation):
    """Pixels from 0 to 1, standardised channel by channel: (m, C, H, W)."""
    found = []
    for row in rows:
        picture = data.inputs[row].reshape(*data.inputs.shape[1:3], -1)[:, :, :3] / 255
        found.append(((picture - mean) / deviation).transpose(2, 0, 1))
    return np.stack(found)


@pytest.mark.parametrize("shape", [(16, 16), (16, 12, 1), (9, 7, 3), (8, 8, 4)])
def test_batches_are_standardised_by_channel_over_the_training_rows(shape):
    data = pictures(shape=shape)
    rows = np.arange(60)
    own = data.inputs[rows].reshape(60, *shape[:2], -1)[..., :3] / 255
    mean, deviation = own.mean((0, 1, 2)), own.std((0, 1, 2)) + 1e-6
    some = np.array([70, 3, 3, 0])
    examples = make_examples(data, ("given",), dtype=torch.float64)
    shift, factor = split_scaling(data, examples, rows, "train")
    found = (examples.take(torch.tensor(some)).numpy() - shift) * factor
    assert examples.shape == found.shape[1:]
    np.testing.assert_allclose(found, slow_numbers(data, some, mean, deviation), atol=1e-9)


@pytest.mark.parametrize("scaling", ["none", *CONSTANTS])
def test_other_scalings_are_the_same_for_every_split(scaling):
    data = pictures()
    mean, deviation = (np.array(each) for each in CONSTANTS.get(scaling, ([0, 0, 0], [1, 1, 1])))
    examples = make_examples(data, ("given",), scaling)
    assert split_scaling(data, examples, np.arange(9), scaling) is None
    some = np.array([5, 1])
    found = examples.take(torch.tensor(some))
    assert found.dtype == torch.float32
    np.testing.assert_allclose(found, slow_numbers(data, some, mean, deviation), atol=1e-5)


def test_a_channel_that_is_constant_on_the_training_rows_is_zero_everywhere():
    data = pictures()
    pixels = np.array(data.inputs)
    pixels[:60, :, :, 1] = 7
    data = replace(data, inputs=pixels)
    examples = make_examples(data, ("given",))
    shift, factor = split_scaling(data, examples, np.arange(60), "train")
    found = (examples.take(torch.arange(90)).numpy() - shift) * factor
    assert not found[:, 1].any()
    assert found[:, 0].std() > 0.5


def test_sums_are_exact_for_small_and_large_pictures():
    for shape in ((5, 6, 7, 3), (2, 300, 3), (2, 300, 4, 4)):
        pixels = G.integers(200, 256, shape, dtype=np.uint8)
        sums = sums_of(Pictures(pixels))
        wide = pixels.reshape(*shape[:3], -1)[..., :3].astype(int)
        assert np.array_equal(sums.plain, wide.sum((1, 2)))
        assert np.array_equal(sums.squares, (wide**2).sum((1, 2)))


def test_pixels_are_shared_even_read_only_ones_of_a_mapped_file(tmp_path):
    np.save(tmp_path / "pixels.npy", pictures().inputs)
    mapped = np.load(tmp_path / "pixels.npy", mmap_mode="r")
    data = replace(pictures(), inputs=mapped)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        examples = make_examples(data, ("given",))
    assert examples.inputs.data_ptr() == mapped.ctypes.data
    twins = with_oracle_twins(examples, data, np.array([4, 2]))
    again = repeated(examples, np.array([4, 2]), examples.labels | {"given": torch.tensor([1, 1])})
    for more in (twins, again):
        assert more.inputs.data_ptr() == mapped.ctypes.data
        assert more.n == 92
        assert torch.equal(more.take(torch.tensor([90, 91])), examples.take(torch.tensor([4, 2])))
    assert twins.labels["given"][90:].tolist() == data.truth[[4, 2]].tolist()


@pytest.mark.parametrize(
    ("inputs", "scaling", "message"),
    [
        (np.zeros((4, 5, 5), np.uint8), "plench", "3 channels, and these pictures have 1"),
        (np.zeros((4, 5)), "cifar10", "is for pictures"),
        (np.zeros((4, 5)), "zscore", "use one of train, none"),
    ],
)
def test_a_scaling_that_inputs_cannot_have_is_refused(inputs, scaling, message):
    data = Labelled(inputs=inputs, classes=("a", "b"), given=np.array([0, 1, 0, 1]))
    with pytest.raises(ValueError, match=message):
        make_examples(data, ("given",), scaling)


# views


NOISY = replace(
    algorithm("ce"),
    views={"weak": View(noise=0.5), "strong": View(pictures="weak")},
)


def seen(data, row, seed, name, when):
    """The pixels of one row, mirrored, padded and sliced by themselves: (C, H, W)."""
    down, right, mirror, _ = (int(word) for word in words(seed, name, when, row))
    picture = data.inputs[row].transpose(2, 0, 1)
    picture = picture[:, :, ::-1] if mirror >= 2**31 else picture
    padded = np.pad(picture, ((0, 0), (2, 2), (2, 2)))
    return padded[:, down * 5 >> 32 :, right * 5 >> 32 :][:, :16, :16]


def expected(stack, data, batch, name, when):
    """Scaled inputs of a batch in a view, row by row."""
    found = np.empty((*batch.ids.shape, 3, 16, 16))
    centre, spread = stack.examples.centre, stack.examples.spread
    for k in range(stack.K):
        shift, factor = (each[k, 0].numpy() for each in stack.scaling)
        for j, place in enumerate(batch.ids[k].tolist()):
            row = int(stack.index[k, place])
            pixels = seen(data, row, stack.seeds[k], name, when)
            found[k, j] = ((pixels - centre) / spread - shift) * factor
    return found


def test_the_kind_of_input_decides_what_a_pages_view_is():
    data = pictures()
    stack = stack_on(data, NOISY)
    update(stack)
    batch = stack.feed.batches(stack)[0]
    for view, which in (("weak", 0), ("weak", 1), ("strong", 0)):
        name = f"view {view} {batch.name} {which}"
        wanted = expected(stack, data, batch, name, 1)
        np.testing.assert_allclose(batch.view(view, which).numpy(), wanted, atol=1e-9)
    rows = batch.data_rows.view(2, -1)
    for k in range(2):
        x = (stack.examples.take(rows[k]) - stack.scaling[0][k]) * stack.scaling[1][k]
        torch.testing.assert_close(batch.view("plain")[k], x)


def test_a_view_that_inputs_do_not_have_is_refused_before_training():
    page = replace(NOISY, views={"blurred": View()})
    with pytest.raises(KeyError, match="no view of pictures named 'blurred'"):
        stack_on(pictures(), page)
    with pytest.raises(KeyError, match="no view of a table named 'blurred'"):
        stack_on(replace(pictures(), inputs=G.normal(size=(90, 5))), page)


def test_a_recipe_replaces_a_pages_view():
    data = pictures()
    usual, other = (stack_on(data, NOISY, how=how) for how in ("adam", "adam:weak=plain"))
    one, two = (stack.feed.batches(stack)[0] for stack in (usual, other))
    assert torch.equal(one.view("strong"), two.view("strong"))
    assert not torch.equal(one.view("weak"), two.view("weak"))
    assert torch.equal(two.view("weak"), two.x)


def test_only_the_views_that_a_page_asks_for_are_made():
    stack, made = stack_on(pictures(), NOISY, how="adam:views=weak"), []
    assert set(stack.views.changes) == {"plain", "weak", "strong"}
    for name, change in list(stack.views.changes.items()):
        stack.views.changes[name] = lambda *how, name=name, change=change: (
            made.append(name) or change(*how)
        )
    update(stack)
    assert made == ["weak"]  # what is trained on
    batch = stack.feed.batches(stack)[0]
    batch.view("strong")
    assert batch.view("strong") is batch.view("strong")
    assert made == ["weak", "strong"]


def test_watchers_cost_no_forward_pass_where_the_page_has_seen_the_inputs():
    def step(s, b):
        seen, other = s.net(b.x).logits, s.net(b.view("weak")).logits
        return (seen - other).square().sum((1, 2))

    stack, calls, shown = stack_on(pictures(), replace(NOISY, stages=(Stage(step),))), [], []
    trunk = stack.net.trunk
    stack.net.trunk = lambda x: calls.append(x) or trunk(x)
    update(stack, [lambda s, batch: shown.append(batch)])
    assert len(calls) == 2
    assert calls[0] is shown[0].x
    assert not shown[0].logits.requires_grad
    kept = stack_on(pictures(), NOISY)
    torch.testing.assert_close(shown[0].logits, kept.net(shown[0].x).logits.detach())


def test_what_is_trained_on_is_plain_or_the_recipes_view():
    data = pictures()
    plain, weak = stack_on(data, NOISY), stack_on(data, NOISY, how="adam:views=weak")
    one, other = plain.feed.batches(plain)[0], weak.feed.batches(weak)[0]
    assert torch.equal(one.ids, other.ids)
    assert not torch.equal(one.x, other.x)
    wanted = expected(weak, data, other, f"x {other.name}", 0)
    np.testing.assert_allclose(other.x.numpy(), wanted, atol=1e-9)
    for k in range(2):
        rows = plain.index[k][one.ids[k]]
        x = (plain.examples.take(rows) - plain.scaling[0][k]) * plain.scaling[1][k]
        torch.testing.assert_close(one.x[k], x)
        # evaluation is plain whatever is trained on
        assert torch.equal(plain.logits(k, rows), weak.logits(k, rows))


def test_a_whole_trial_is_seen_as_its_batches_are():
    data = pictures()
    stack = stack_on(data, NOISY)
    logits = stack.whole(1, view="weak", which=3).logits
    rows = stack.index[1].tolist()
    shift, factor = (each[1, 0].numpy() for each in stack.scaling)
    pixels = np.stack([seen(data, row, stack.seeds[1], "whole weak 3", 0) for row in rows])
    x = ((pixels - stack.examples.centre) / stack.examples.spread - shift) * factor
    wanted = stack.net.of_trial(1, torch.tensor(x)[None]).logits[0]
    torch.testing.assert_close(logits, wanted)
    assert not torch.allclose(logits, stack.whole(1).logits)


def test_a_stack_of_pictures_equals_its_trials_alone_and_learns():
    data = pictures()
    page = algorithm("PRODEN")
    together = stack_on(data, page, trials=(0, 1), how="adam:views=weak", lr=0.01)
    for _ in range(40):
        update(together)
    for k in (0, 1):
        alone = stack_on(data, page, trials=(k,), how="adam:views=weak", lr=0.01)
        for _ in range(40):
            update(alone)
        torch.testing.assert_close(alone.net.flat[0], together.net.flat[k])
    truth = torch.tensor(data.truth)[together.index[0]]
    assert (
        together.whole(0).logits.argmax(-1) == truth
    ).double().mean() > 1.5 / 4  # chance is 1 / 4


def test_tables_have_no_view_of_a_recipe():
    data = replace(pictures(), inputs=G.normal(size=(90, 5)))
    stack = stack_on(data, algorithm("ce"))
    assert MethodViews(stack.algorithm, stack.examples, recipe("adam:views=weak")).x == "plain"
