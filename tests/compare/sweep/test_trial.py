import dataclasses
import hashlib
import json
from dataclasses import MISSING

import pytest

from candidly.compare.sweep.trial import Trial, record_steps, selectable_from

TRIAL = Trial(
    dataset="lost",
    data="f" * 64,
    algorithm="PRODEN",
    variant="fixed",
    version=1,
    config=1,
    hyper={"lr": 1e-3, "weight_decay": 1e-5, "batch_size": 64},
    net="mlp",
    scaling="train",
    split=0,
    test=0.1,
    validation=0.1,
    mode="tune",
    seed=7,
    steps=2500,
    eval_every=1000,
    timing="fixed",
    dtype="float32",
)


@pytest.mark.parametrize(
    ("steps", "every", "fixed", "plench"),
    [
        (3000, 1000, (1000, 2000, 3000), (1, 1001, 2001, 3000)),
        (2500, 1000, (1000, 2000, 2500), (1, 1001, 2001, 2500)),
        (3001, 1000, (1000, 2000, 3000, 3001), (1, 1001, 2001, 3001)),
        (10, 1000, (10,), (1, 10)),
        (1, 1, (1,), (1,)),
    ],
)
def test_record_steps(steps, every, fixed, plench):
    assert record_steps(steps, every) == fixed
    assert record_steps(steps, every, "plench") == plench


def test_plench_never_selects_the_record_labelled_0():
    due = record_steps(3000, 1000, "plench")
    assert [s for s in due if s >= selectable_from(due, "plench")] == [1001, 2001, 3000]
    due = record_steps(3000, 1000)
    assert selectable_from(due, "fixed") == 1000


def test_the_key_is_of_what_defines_the_trial():
    assert dataclasses.replace(TRIAL, dataset="/another/place/lost.mat").key == TRIAL.key
    for name, other in {
        "data": "0" * 64,
        "algorithm": "CC",
        "variant": "pre",
        "version": 2,
        "config": 2,
        "hyper": {**TRIAL.hyper, "lr": 2e-3},
        "scaling": "plench",
        "split": 1,
        "test": 0.2,
        "validation": 0.2,
        "mode": "other",
        "seed": 8,
        "steps": 2501,
        "eval_every": 500,
        "timing": "plench",
        "dtype": "float64",
        "net": "other",
        "test_set": "official",
        "recipe": "sgd",
        "pruned_by": "tpe:prune=median",
    }.items():
        assert dataclasses.replace(TRIAL, **{name: other}).key != TRIAL.key, name
    assert len(dataclasses.fields(Trial)) == 21  # a new field decides here whether it is in the key


def test_the_key_is_stable_over_time_and_machines():
    assert TRIAL.key == "1fc0c81372c2657d94ebcdae"


def test_later_fields_are_in_the_key_only_off_their_defaults():
    later = {f.name: f.default for f in dataclasses.fields(Trial) if f.default is not MISSING}
    assert later == {"test_set": "random", "recipe": "adam", "pruned_by": ""}
    what = {k: v for k, v in dataclasses.asdict(TRIAL).items() if k not in {"dataset", *later}}
    text = json.dumps(what, sort_keys=True)
    assert TRIAL.key == hashlib.sha256(text.encode()).hexdigest()[:24]
