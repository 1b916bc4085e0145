"""Published settings: each can be trained with, and its learning rate is the one on record."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from candidly.ground.names import UnknownName
from candidly.learn.algorithms import PUBLISHED, algorithm, common, published, schedule
from candidly.learn.algorithms.published import DATASETS, of_algorithm
from candidly.learn.engine.recipe import recipe, unsuited
from candidly.learn.written.nets import read_net


@pytest.mark.parametrize(("label", "dataset"), PUBLISHED)
def test_an_entry_names_what_there_is(label, dataset):
    one, page = PUBLISHED[label, dataset], algorithm(label)
    assert (page.label, dataset in DATASETS) == (label, True)
    assert "given" in page.reads
    made, text = recipe(one.recipe), dataset.startswith("noisywikihow")
    kind = "language" if text else "images"
    assert not unsuited(made, kind)
    assert made.decay == ("weights" if made.optimiser == "adamw" else "all")
    assert made.views == ("plain" if text else "weak")
    settings = page.settings(common(made.optimiser, kind))
    for name, value in one.hyper_parameters().items():
        settings[name].check(f"{label}'s {name}", value)
    assert set(one.hyper) <= set(page.space)
    own = [stage.rate is not None for stage in page.stages]  # which no recipe overrules
    assert made.schedule == "constant" or not any(own)
    net = read_net(one.net)
    assert (net.called if net.own else net.text) == one.net
    assert one.epochs == int(one.epochs) > 0
    assert one.source
    assert not one.source.endswith(".")
    assert not one.not_followed.endswith(".")


def test_epochs_become_updates():
    one = published("ce", "cifar10n")
    assert one.updates(50_000) == 100 * 390  # batches of 128, the last 80 rows left out
    assert one.updates(45_000, batch_size=64) == 100 * 703
    assert one.updates(5) == 100


RATES = {  # learning rates by epoch, as the sources write them
    ("ce", "cifar10n"): {0: 0.1, 59: 0.1, 60: 0.01, 99: 0.01},
    ("gce", "cifar10n"): {0: 0.01, 59: 0.01, 60: 0.001},
    ("label-smoothing", "cifar10n"): {99: 0.1, 100: 0.01, 149: 0.01, 150: 1e-3},
    ("forward-t", "cifar10n"): {
        0: 0.1,
        39: 0.1,
        40: 0.01,
        80: 1e-3,
        119: 1e-3,
        120: 0.1,
        159: 0.1,
        160: 0.01,
        200: 1e-3,
        239: 1e-3,
    },
    ("volminnet", "cifar100n"): {29: 0.01, 30: 1e-3, 59: 1e-3, 60: 1e-4},
    ("elr", "cifar10n"): {
        0: 0.02,
        10: 0.02,
        110: 0.02,
        5: 0.0105,
        115: 0.0105,
        9: 0.001 + 0.019 * 0.02447174185242318,  # (1 + cos 0.9 pi) / 2
    },
    ("elr", "cifar100n"): {0: 0.02, 79: 0.02, 80: 2e-4, 120: 2e-6, 149: 2e-6},
    ("sop", "cifar10n"): {39: 0.02, 40: 2e-3, 79: 2e-3, 80: 2e-4, 119: 2e-4},
    ("sop", "cifar100n"): {39: 0.02, 40: 2e-3, 80: 2e-4, 149: 2e-4},
    ("elr+", "cifar10n"): {149: 0.02, 150: 2e-3, 199: 2e-3},
    ("elr+:many-classes", "cifar100n"): {199: 0.02, 200: 2e-3},
    ("sop+", "cifar10n"): {0: 0.02, 150: 0.0101},
    ("promix", "cifar10n"): {0: 0.05, 300: 0.025025},
    ("disc", "cifar10n"): {79: 0.1, 80: 0.01, 160: 1e-3},
    ("eps-softmax", "cifar100n"): {0: 0.1, 100: 0.05},
    ("co-teaching+", "cifar10n"): {0: 1e-3, 80: 1e-3, 140: 5e-4, 199: 1e-3 / 120},
    ("jocor", "cifar10n"): {80: 1e-3, 170: 2.5e-4},
    ("dividemix:asymmetric", "cifar100n"): {149: 0.02, 150: 2e-3, 299: 2e-3},
    ("sgd-ema", "cifar10n"): {0: 0.4, 99: 0.4},
}


@pytest.mark.parametrize(("label", "dataset"), RATES)
def test_the_learning_rate_is_the_one_on_record(label, dataset):
    one = PUBLISHED[label, dataset]
    made = recipe(one.recipe)
    rate = schedule(*(made.schedule, made.at, made.warm_up, made.factor, made.lowest, made.cycles))
    each = 390  # updates of an epoch
    for epoch, expected in RATES[label, dataset].items():
        share = rate(SimpleNamespace(t=epoch * each, T=one.epochs * each)) if rate else 1.0
        assert one.lr * share == pytest.approx(expected, rel=1e-9), epoch


HYPER = {
    ("elr", "cifar10n"): {"beta": 0.7, "lam": 3},
    ("elr", "cifar100n"): {"beta": 0.9, "lam": 7},
    ("sop", "cifar10n"): {"lr_u": 10, "lr_v": 10},
    ("sop", "cifar100n"): {"lr_u": 1, "lr_v": 10},
    ("dividemix:asymmetric", "cifar10n"): {"warm_up": 10, "lambda_u": 0},
    ("dividemix:asymmetric", "cifar100n"): {"warm_up": 30, "lambda_u": 0},
    ("co-teaching:epochs", "cifar100n"): {"noise_rate": 0.2, "ramp": 10, "decay_from": 100},
    ("co-teaching+", "cifar100n"): {"noise_rate": 0.2, "ramp": 10, "warm_up": 5},
}


def test_texts_have_the_tables_of_the_paper():
    """Tables 9 and 11, and the five columns of Table 13."""
    for rate in (10, 20, 40, 60):
        for kind, ramp, tau, least in (("mix", 8, 0.05, 0.3), ("sym", 3, 0.5, 0.1)):
            name, told = f"noisywikihow-{kind}-{rate}", {"noise_rate": rate / 100, "ramp": ramp}
            of = {label: one for (label, dataset), one in PUBLISHED.items() if dataset == name}
            assert of["co-teaching:noisywikihow"].hyper == told
            assert of["cnlcu-hard:epoch"].hyper == told | {"tau_min": least, "interval": 5}
            assert (of["norm-ce"].hyper, of["norm-ce"].epochs) == ({"tau": tau}, 20)
            assert of["mixup"].hyper == {"alpha": 1}
            assert of["data-parameters"].hyper == {"lr_row": 0.2, "weight_decay_row": 0}
            assert (of["seal:carried"].hyper, of["seal:carried"].epochs) == ({"rounds": 4}, 40)
            assert {one.epochs for one in of.values()} <= {10, 15, 20, 40}
            assert {one.lr for one in of.values()} == {3e-5}
            assert {one.batch_size for one in of.values()} == {64}
            assert ("ldam" in of) == (kind == "mix")  # Table 13 is of real-world noise
    columns = {"clean": (0.2, 10), "mix-10": (0.5, 10), "mix-20": (0.7, 7), "mix-40": (0.8, 7)}
    for name, (margin, scale) in (columns | {"mix-60": (0.8, 10)}).items():
        one = PUBLISHED["ldam", f"noisywikihow-{name}"]
        assert one.hyper == {"margin": margin, "scale": scale}
    scaled = PUBLISHED["decoupling-lws", "noisywikihow-mix-20"]
    assert scaled.hyper["visit"] == 4
    assert (scaled.epochs, scaled.hyper["first"] * scaled.epochs) == (15, pytest.approx(10))


def test_hyper_parameters_are_those_on_record():
    assert {key: dict(PUBLISHED[key].hyper) for key in HYPER} == HYPER


def test_a_label_set_goes_by_its_pictures():
    assert (
        published("ce", "cifar10n-worst")
        is published("ce", "CIFAR-10N")
        is published("ce", "cifar10n")
    )
    assert published("elr", "cifar100n") is not published("elr", "cifar10n")
    assert list(of_algorithm("dividemix")) == [
        ("dividemix:asymmetric", "cifar10n"),
        ("dividemix:asymmetric", "cifar100n"),
    ]
    assert of_algorithm("PRODEN") == {}


@pytest.mark.parametrize(
    ("label", "dataset", "message"),
    [
        (
            "ce",
            "digits",
            r"no data set with published settings named 'digits'\. Choose from: cifar",
        ),
        ("PRODEN", "cifar10n", r"no published settings of PRODEN on cifar10n are known\. Choose"),
        (
            "dividemix",
            "cifar10n",
            "known; there are some of dividemix:asymmetric. Choose from: ce,",
        ),
    ],
)
def test_what_is_not_there_is_said(label, dataset, message):
    with pytest.raises(UnknownName, match=message):
        published(label, dataset)
