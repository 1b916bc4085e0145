"""A sweep of methods that are each trained as they were published."""

import numpy as np
import pytest

from candidly import from_arrays
from candidly.compare.benchmarking import benchmark, prepare
from candidly.compare.sweep.protocol import published_note
from candidly.compare.sweep.settings import make_settings
from candidly.learn.algorithms import PUBLISHED
from candidly.learn.engine.recipe import recipe

from toys import toy

OF_TEN = [label for label, of in PUBLISHED if of == "cifar10n"]


@pytest.fixture(scope="module")
def pictures():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (400, 8, 8, 3), np.uint8)
    labels = rng.integers(0, 3, 400)
    return from_arrays(X, labels, truth=labels, classes=3)


def planned(pictures, **asked):
    settings = make_settings(datasets=("own",), splits=2, **asked)
    return prepare(settings, own={"own": pictures})[0]


def test_every_method_has_its_own_network_recipe_epochs_and_values(pictures):
    plan = planned(pictures, as_published="cifar10n")
    trials = list(plan.trials)
    assert [trial.label for trial in trials[::2]] == OF_TEN
    for trial in trials:
        page = PUBLISHED[trial.label, "cifar10n"]
        assert trial.net == page.net
        assert trial.recipe == recipe(page.recipe).text
        assert trial.steps == page.updates(324)  # of 400: a tenth to test, a tenth to choose
        said = {key: v for key, v in page.hyper_parameters().items() if key in trial.hyper}
        assert {key: trial.hyper[key] for key in said} == said
        assert {"lr", "weight_decay", "batch_size"} <= set(said)


def test_what_is_given_overrules(pictures):
    given = {"net": "mlp:4", "recipe": "adam:views=plain", "steps": 3, "hyper": {"batch_size": 8}}
    plan = planned(pictures, as_published="cifar10n", algorithms=("ce", "elr"), **given)
    for trial in plan.trials:
        assert (trial.net, trial.steps, trial.hyper["batch_size"]) == ("mlp:4", 3, 8)
        assert trial.recipe == recipe("adam:views=plain").text
        assert trial.hyper["lr"] == PUBLISHED[trial.label, "cifar10n"].lr
    note = published_note(plan.settings)
    assert "but for net, recipe, steps, hyper batch_size, which is given" in note
    plan = planned(pictures, as_published="cifar10n", algorithms=("ce",), hyper={"batch_size": 32})
    epochs = PUBLISHED["ce", "cifar10n"].epochs
    assert {trial.steps for trial in plan.trials} == {epochs * (324 // 32)}


def test_a_table_says_so(pictures, tmp_path):
    results = benchmark(
        {"own": pictures}, ["ce", "gce"], as_published="cifar10n", splits=1, net="mlp:4", steps=6,
        eval_every=3, out=tmp_path / "r", recipe="adam:views=plain",
    )  # fmt: skip
    assert len(results.runs) == 2
    assert any("trained as it was published for cifar10n" in note for note in results.notes)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"preset": "cifarn"}, "`preset` cifarn trains all methods alike"),
        ({"configs": 3}, "`configs` is 3, and what was published is one configuration"),
        ({"algorithms": ("mae",)}, "mae"),
        ({"as_published": "mnist"}, "mnist"),
    ],
)
def test_refused(pictures, asked, said):
    with pytest.raises((ValueError, KeyError), match=said):
        planned(pictures, **{"as_published": "cifar10n"} | asked)


def test_of_a_table_nothing_was_published():
    with pytest.raises(ValueError, match="is for pictures, and these inputs are table"):
        planned(toy(), as_published="cifar10n")
