"""Networks: folds of one stack are folds alone, and are what ``fit`` trains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from candidly import from_arrays
from candidly.errors.crossval import Network, _networks, cross_validate
from candidly.errors.crossval._job import Job
from candidly.learn.engine.examples import make_examples
from candidly.learn.engine.stack import Member
from candidly.learn.model import fit
from own_net import small_pictures, write_net

from toys import toy

SMALL = {"batch_size": 32}


@pytest.fixture(scope="module")
def data():
    return toy(n=203)


def alone(members):
    return [[k] for k in range(len(members))]


@pytest.mark.parametrize("name", ["ce", "PRODEN", "POP"])
def test_folds_in_one_stack_are_folds_alone(data, monkeypatch, name):
    network = Network(name, 25, SMALL)
    together = cross_validate(network, data, seed=4)
    # 203 rows in 5 folds leave 162 or 163: the same rows must come twice, whoever is there
    filled = _networks.filled
    monkeypatch.setattr(_networks, "together", alone)
    monkeypatch.setattr(
        _networks, "filled", lambda some: filled([*some, longest])[:-1] if some else some
    )
    longest = Member(0, np.arange(163), {})
    each = cross_validate(network, data, seed=4)
    assert np.array_equal(together.probs, each.probs)


@pytest.mark.parametrize("scaling", ["train", "none"])
def test_a_fold_is_what_fit_trains_on_its_rows(data, scaling):
    some = data[:200]  # 40 rows a fold: none comes twice
    network = Network("ce", 40, SMALL | {"lr": 3e-3}, scaling=scaling)
    result = cross_validate(network, some, seed=2)
    for k in (0, 4):
        rest = np.flatnonzero(result.folds != k)
        seed = Job(some, *[np.zeros(0)] * 3, None, 2).seed_of(k)
        model = fit(some[rest], "ce", steps=40, seed=seed, scaling=scaling, lr=3e-3, **SMALL)
        theirs = model.predict_proba(some.inputs[result.folds == k])
        np.testing.assert_allclose(result.probs[result.folds == k], theirs, rtol=1e-3, atol=1e-5)


def test_shorter_folds_are_filled_with_rows_of_their_own():
    members = [Member(k, np.arange(k, 100 - k), {}) for k in range(3)]
    for before, after in zip(members, _networks.filled(members)):
        assert len(after.rows) == 100
        assert np.array_equal(after.rows[: len(before.rows)], before.rows)
        extra = after.rows[len(before.rows) :]
        assert np.isin(extra, before.rows).all()
        assert len(np.unique(extra)) == len(extra)


def test_folds_of_very_different_sizes_train_in_different_stacks(data):
    sizes = (1000, 985, 995, 700, 694)
    members = [Member(k, np.arange(n), {}) for k, n in enumerate(sizes)]
    assert _networks.together(members) == [[0, 2], [1], [3, 4]]
    folds = np.r_[np.zeros(100), np.ones(60), np.full(43, 2)].astype(int)
    result = cross_validate(Network("ce", 20, SMALL), data, folds)
    np.testing.assert_allclose(result.probs.sum(1), 1)
    assert [(result.probs[folds == k] > 0).all() for k in range(3)] == [True] * 3


def test_a_network_learns_and_the_truth_is_not_looked_at(data):
    network = Network("PRODEN", 150, SMALL | {"lr": 3e-3})
    result = cross_validate(network, data)
    assert (result.probs.argmax(1) == data.truth).mean() > 0.8
    blind = cross_validate(network, replace(data, truth=np.zeros(data.n, np.int64)))
    assert np.array_equal(result.probs, blind.probs)


def test_learners_are_handed_no_truth(data, monkeypatch):
    from candidly.errors.crossval import _validate

    jobs = []
    original = _validate._run
    monkeypatch.setattr(
        _validate, "_run", lambda learn, job, tell: jobs.append(job) or original(learn, job, tell)
    )
    cross_validate(Network("ce", 2, SMALL), data, start=data, leak_check=True)
    assert [job.data.truth for job in jobs] == [None, None]
    assert [job.start.truth for job in jobs] == [None, None]


def test_unlabelled_rows_are_predicted_and_not_learned_from(data):
    given = data.given.copy()
    given[::3] = -1
    gaps = replace(data, given=given, candidates=None)
    result = cross_validate(Network("ce", 20, SMALL), gaps)
    np.testing.assert_allclose(result.probs.sum(1), 1)
    # what stands where there is no label changes nothing: learn from the labelled rows alone
    labelled = given >= 0
    inputs = np.array(data.inputs)
    some = cross_validate(
        Network("ce", 20, SMALL, scaling="none"), replace(gaps, inputs=inputs), result.folds
    )
    inputs[~labelled] += 9.0
    moved = cross_validate(
        Network("ce", 20, SMALL, scaling="none"), replace(gaps, inputs=inputs), result.folds
    )
    assert np.array_equal(some.probs[labelled], moved.probs[labelled])


def test_the_default_batch_fits_small_data():
    result = cross_validate(Network("ce", 5), toy(n=60))
    assert result.probs.shape == (60, 7)
    with pytest.raises(ValueError, match="fewer than a batch of 64"):
        cross_validate(Network("ce", 5, {"batch_size": 64}), toy(n=60))


def test_a_start_is_where_every_fold_begins(data):
    start, rest = data[:103], data[103:]
    start = replace(start, candidates=None)
    # no step that counts: what the start knows is what is said of held-out rows
    values = {"batch_size": 16, "lr": 1e-12}
    seed = Job(rest, *[np.zeros(0)] * 3, None, 0).seed_of(-1)
    model = fit(start, "ce", steps=30, seed=1, batch_size=16)
    result = cross_validate(Network("ce", 2, values), rest, start=model)
    np.testing.assert_allclose(result.probs, model.predict_proba(rest.inputs), rtol=1e-3, atol=1e-5)
    # a start given as data is fitted first, with the same settings
    once = fit(start, "ce", steps=30, seed=seed, batch_size=16)
    result = cross_validate(Network("ce", 30, {"batch_size": 16}), rest, start=start)
    again = cross_validate(Network("ce", 30, {"batch_size": 16}), rest, start=once)
    assert np.array_equal(result.probs, again.probs)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (Network("PRODEM"), "did you mean 'PRODEN'"),
        (Network("ce", hyper={"lrr": 1}), "no hyper-parameter 'lrr'"),
        (Network("ce", 0), "at least one update"),
        (Network("ce", scaling="minmax"), "scaling is 'minmax'"),
        (Network("supervised-oracle"), "reads the truth"),
    ],
)
def test_impossible_networks_are_refused(data, network, message):
    with pytest.raises((ValueError, KeyError), match=message):
        cross_validate(network, data)


def test_data_that_it_cannot_learn_from_is_refused(data):
    with pytest.raises(ValueError, match="has no candidates"):
        cross_validate("PRODEN", replace(data, candidates=None))
    with pytest.raises(ValueError, match="has no given"):
        cross_validate("ce", replace(data, given=None))


def test_starts_that_do_not_fit_are_refused(data):
    model = fit(data, "ce", steps=1)
    with pytest.raises(ValueError, match="cannot go on from `start`"):
        cross_validate(Network("IDGP", 5, SMALL), data, start=model)
    with pytest.raises(ValueError, match=r"takes inputs \(12,\), and those of the data are \(5,\)"):
        cross_validate(Network("ce", 5), replace(data, inputs=data.inputs[:, :5]), start=model)
    other = replace(data, classes=tuple("abcdefg"))
    with pytest.raises(ValueError, match="must be the same, in order"):
        cross_validate(Network("ce", 5), other, start=model)
    with pytest.raises(ValueError, match="is a Model, which knn cannot"):
        cross_validate("knn", data, start=model)


def test_divergence_names_the_fold(data):
    with pytest.raises(FloatingPointError, match=r"diverged in fold \d .* learning rate"):
        cross_validate(Network("ce", 200, SMALL | {"lr": 1e30}), data)


def test_pictures_go_to_a_network_of_a_file(tmp_path):
    pictures, net = small_pictures(80), write_net(tmp_path)
    result = cross_validate(Network("ce", 3, SMALL, net=net), pictures, folds=2)
    usual = cross_validate(Network("ce", 3, SMALL), pictures, folds=2)
    assert result.probs.shape == (80, 3)
    assert np.abs(result.probs - usual.probs).max() > 0.01


def test_a_start_brings_its_parameters_and_buffers(tmp_path):
    pictures, net = small_pictures(80), write_net(tmp_path)
    stacks = []
    model = fit(pictures, "ce", steps=5, net=net, batch_size=32)
    fit(
        pictures, "ce", steps=1, seed=1, net=net, batch_size=32,
        watchers=[lambda stack, batch: stacks.append(stack)],
    )  # fmt: skip
    _networks._take_up(stacks[0], model)
    for name, kept in model.parameters.items():
        held = {**stacks[0].net.parameters, **stacks[0].net.buffers}[name]
        np.testing.assert_array_equal(held[0].detach().numpy(), kept)
    result = cross_validate(Network("ce", 1, SMALL, net=net), pictures, folds=2, start=model)
    assert result.probs.shape == (80, 3)
    with pytest.raises(ValueError, match=r"has the network net.py:make@[0-9a-f]+, and mlp is to"):
        cross_validate(Network("ce", 1, net="mlp"), pictures, start=model)


def test_files_of_pictures_stay_pictures_for_a_network_that_takes_them(tmp_path, monkeypatch):
    from PIL import Image

    pictures = small_pictures(24)
    paths = [tmp_path / f"{row}.png" for row in range(24)]
    for path, pixels in zip(paths, pictures.inputs):
        Image.fromarray(pixels).save(path)
    told = from_arrays(paths, given=pictures.given, classes=pictures.classes)
    shapes = []

    def make(data, *rest, **more):
        shapes.append(data.inputs.shape)
        return make_examples(data, *rest, **more)

    monkeypatch.setattr(_networks, "make_examples", make)
    for net in (None, "mlp:4", "cnn:width=2"):
        network = Network("ce", 1, {"batch_size": 8}, net=net)
        assert cross_validate(network, told, folds=2).probs.shape == (24, 3)
    assert shapes == [(24, 440), (24, 440), (24, 32, 32, 3)]
