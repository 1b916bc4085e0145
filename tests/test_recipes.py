"""Recipes through every door: fit, cross-validation, a benchmark, and the command line."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly import Labelled, benchmark, fit
from candidly.cli import main
from candidly.compare.sweep.plan import read_plan
from candidly.errors.crossval import Network, cross_validate
from candidly.learn.algorithms import algorithm, common, configuration
from candidly.learn.engine.examples import make_examples
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.stack import Member
from candidly.learn.engine.start import start
from candidly.learn.nets import cnn

from toys import advance, toy

SMALL = {"configs": 1, "splits": 1, "steps": 30, "eval_every": 15, "out": None}


def pictures(n=340, q=3):
    """Small colour pictures whose brightness is their class."""
    g = np.random.default_rng(0)
    given = g.integers(0, q, n)
    inputs = g.integers(0, 100, (n, 8, 8, 3)) + 70 * given[:, None, None, None]
    names = tuple(map(str, range(q)))
    return Labelled(inputs=inputs.astype(np.uint8), classes=names, given=given, truth=given)


def trained(data, **how):
    """The model and the stack that it was trained in."""
    seen = []
    model = fit(data, "ce", steps=12, watchers=[lambda stack, batch: seen.append(stack)], **how)
    return model, seen[0]


def test_fit_takes_a_recipe_and_the_defaults_that_go_with_it():
    model, stack = trained(toy(), recipe="SGD:momentum=0.8")
    assert model.about["recipe"] == stack.recipe.text == "sgd:momentum=0.8"
    assert (model.about["hyper"]["lr"], model.about["hyper"]["weight_decay"]) == (0.05, 5e-4)
    assert stack.movers.optimisers["net"].momentum == 0.8
    assert trained(toy(), recipe="sgd", lr=0.2)[0].about["hyper"]["lr"] == 0.2
    plain, stack = trained(toy())
    assert (plain.about["recipe"], stack.views.x) == ("adam", "plain")
    assert plain.about["hyper"]["batch_size"] == 128


def test_pictures_are_cropped_and_flipped_in_larger_batches_unless_a_recipe_says_otherwise():
    model, stack = trained(pictures())
    assert (model.about["recipe"], stack.views.x) == ("adam:views=weak", "weak")
    assert model.about["hyper"]["batch_size"] == 256
    model, stack = trained(pictures(), recipe="adam")
    assert (model.about["recipe"], stack.views.x) == ("adam", "plain")


@pytest.mark.parametrize(
    ("text", "message"),
    [("adm", "did you mean 'adam'"), ("adam:views=weak", "views=weak changes pictures")],
)
def test_fit_refuses_a_recipe_in_a_sentence(text, message):
    with pytest.raises((ValueError, KeyError), match=message):
        fit(toy(), "ce", steps=5, recipe=text)


def test_cross_validation_takes_a_recipe():
    data = toy(n=200)
    by_adam, by_sgd = (
        cross_validate(Network(steps=30, recipe=text), data, folds=2) for text in (None, "sgd")
    )
    assert not np.allclose(by_adam.probs, by_sgd.probs)
    with pytest.raises(KeyError, match="did you mean 'sgd'"):
        cross_validate(Network(recipe="sgdd"), data, folds=2)


def runs_of(out, workers=1, recipe=None):
    data = {"toy": toy(), "shots": pictures()}
    made = benchmark(data, "ce", **SMALL | {"out": out, "workers": workers, "recipe": recipe})
    return {run.key: run for run in made.runs}


def test_a_benchmark_trains_by_its_recipe(tmp_path):
    plain, sgd = (runs_of(tmp_path / (text or "none"), recipe=text) for text in (None, "sgd"))
    assert not plain.keys() & sgd.keys()
    assert all(run.complete for run in (*plain.values(), *sgd.values()))
    assert {run.hyper["lr"] for run in sgd.values()} == {0.05}
    recipes = {trial.dataset: trial.recipe for trial in read_plan(tmp_path / "none").trials}
    assert recipes == {"toy": "adam", "shots": "adam:views=weak"}


@pytest.mark.slow
def test_a_recipe_reaches_workers(tmp_path):
    here, there = (runs_of(tmp_path / str(n), n, "sgd:views=plain") for n in (1, 2))
    assert here.keys() == there.keys()
    for key, run in here.items():
        assert [r.loss for r in run.records] == [r.loss for r in there[key].records]


def test_a_network_computed_one_by_one_rounds_too():
    data, page = pictures(), algorithm("ce")
    examples = make_examples(data, page.reads)
    hyper = configuration(page.settings(common("sgd")), 0, 0) | {"batch_size": 32}
    outs = []
    for text in ("sgd:precision=bfloat16", "sgd"):
        members = [Member(seed, np.arange(data.n), hyper) for seed in range(2)]
        stack = start(page, cnn(examples.shape, 3, 4), examples, members, 8, recipe(text))
        advance(stack, 3)
        tensors = stack.changing().values()
        assert {t.dtype for t in tensors if t.dtype.itemsize == 2} == set()
        outs.append(stack.logits(0, torch.arange(9)))
        assert outs[-1].dtype == torch.float32
    assert not torch.equal(*outs)
    torch.testing.assert_close(*outs, rtol=0, atol=0.3)


@pytest.mark.parametrize(
    "words",
    [
        ["train", "digits", "--out", "m.safetensors"],
        ["bench", "plan", "--dataset", "digits", "--algorithms", "CC"],
        ["bench", "run", "--dataset", "digits", "--algorithms", "CC"],
    ],
)
def test_the_command_line_refuses_a_recipe_at_the_door(words, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["candidly", *words, "--recipe", "sgd:schedule=cosin"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "--recipe" in said
    assert "did you mean 'cosine'?" in said
    assert not list(tmp_path.iterdir())
