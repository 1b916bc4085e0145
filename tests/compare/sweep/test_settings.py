"""Settings at the door: a bad value is a sentence with its setting, and with what may be."""

from __future__ import annotations

import numpy as np
import pytest

from candidly.compare.sweep.settings import CHECKS, Settings, make_settings

ASKED = {"datasets": ["toy"], "algorithms": ["CC"]}
BAD = {
    "datasets": ["toy", [], [3], [""], 3],
    "algorithms": ["CC", (), [None], {"CC": 1}],
    "configs": [0, -1, 1.5, 2.0, True, "2", [1], float("nan"), np.float64(2)],
    "splits": [0, 1.5, True, "many"],
    "steps": [0, 1e3, True, "100"],
    "eval_every": [0, 0.5, False],
    "seed": [-1, 0.0, True],
    "labels": ["", 0.3, ["flip"]],
    "variant": ["plensh", 1, True, ["fixed"]],
    "scaling": ["none?", 0],
    "validation": ["tuned", 0.1],
    "split": ["offical", 0],
    "test_share": [0, 1, -0.1, float("nan"), True, "0.1", [0.1]],
    "validation_share": [0, 2, "half", False],
    "net": ["mlp:0", "mlp:-3", "cnm", 128, "mlp:1 2", "net.py", "net.py:", "cnn:width=0"],
    "recipe": ["", "adm", "sgd:lr=0.1", "sgd:schedule=cosin", "adam:views=strnog"],
    "hyper": ["lr=1", {"lr": "fast"}, {"lr": float("nan")}, {"lr": True}, {3: 1}, [1]],
    "dtype": ["float16", 32],
    "metrics": ["top1", ["top1"], ["none-such"], 3],
    "search": ["tpee", "tpe:bye=CR", "tpe:by=CRR", "tpe:prune=mean"],
    "as_published": ["cifar10", "", 3, ["cifar10n"]],
    "preset": ["plench-image", "", 3],
}
ALLOWED = {
    "whole number": ("configs", "splits", "steps", "eval_every", "seed"),
    "above 0 and below 1": ("test_share", "validation_share"),
    "Choose from: ": (
        "variant",
        "scaling",
        "validation",
        "split",
        "recipe",
        "dtype",
        "search",
        "as_published",
        "preset",
    ),
    "list of names": ("datasets", "algorithms"),
    "": ("metrics",),
    "flip:rate=0.3": ("labels",),
    "give ": ("hyper",),
}


def test_every_setting_is_here():
    assert set(BAD) == set(Settings.model_fields) == set(CHECKS)
    assert {name for names in ALLOWED.values() for name in names} | {"net"} == set(BAD)


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in BAD.items() for v in values])
def test_a_bad_value_is_a_sentence(name, value):
    with pytest.raises(ValueError) as caught:
        make_settings(**ASKED | {name: value})
    text = str(caught.value)
    assert f"`{name}`" in text
    shown = next(iter(value.values())) if name == "hyper" and isinstance(value, dict) else value
    if name == "metrics" and isinstance(value, list):
        shown = value[0]
    assert repr(shown) in text or str(shown) in text
    if name != "net":  # whose texts are read by ``read_net``, and tested there
        assert next(words for words, names in ALLOWED.items() if name in names) in text
    for internal in ("Input should", "type=", "validation error", "Value error", "pydantic"):
        assert internal not in text
    assert text.count("\n") == 0
    assert text.endswith(".")


@pytest.mark.parametrize("value", [0.1, ["sgd"], "sgd:momentum=1", "adam:nesterov=true"])
def test_a_bad_recipe_is_a_sentence(value):
    with pytest.raises(ValueError, match=r"^`recipe` [^\n]*[^.]\.$") as caught:
        make_settings(**ASKED, recipe=value)
    said = repr(value) if isinstance(value, str) else f"is a {type(value).__name__}"
    assert said in str(caught.value)


def test_a_recipe_is_kept_at_its_shortest():
    assert make_settings(**ASKED).recipe is None
    assert make_settings(**ASKED, recipe="SGD:momentum=0.9, views=weak").recipe == "sgd:views=weak"


def test_numbers_of_numpy_are_numbers():
    made = make_settings(
        **ASKED,
        configs=np.int64(3),
        test_share=np.float32(0.25),
        hyper={"lr": np.float64(0.1), "batch_size": np.int32(8)},
    )
    assert (made.configs, made.test_share, made.hyper) == (3, 0.25, {"lr": 0.1, "batch_size": 8})
    assert {type(made.configs), type(made.hyper["batch_size"])} == {int}


def test_several_mistakes_are_several_sentences():
    with pytest.raises(ValueError, match=r"`configs` is 0.*\. `dtype` is 'float16'.*\.$"):
        make_settings(**ASKED, configs=0, dtype="float16")
    with pytest.raises(ValueError, match="`datasets` is missing"):
        make_settings(algorithms=["CC"])
