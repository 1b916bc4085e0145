"""Candidate sets of which each holds every class are refused at every door."""

import numpy as np
import pytest
import torch

import candidly
from candidly.learn import PartialLabelClassifier

N, Q = 60, 3
X = np.random.default_rng(0).normal(size=(N, 2))
FULL = np.ones((N, Q), bool)


def data(sets):
    return candidly.from_arrays(X, sets, classes=list("abc"), source="mine")


def attached(sets):
    return candidly.attach(
        "CC", torch.nn.Linear(2, Q), candidates=torch.tensor(sets), epochs=1, batch_size=8
    )


SMALL = {"configs": 1, "splits": 1, "steps": 2, "eval_every": 2, "workers": 1}
DOORS = {
    "fit": lambda sets: candidly.fit(data(sets), "PRODEN", steps=2),
    "measured": lambda sets: candidly.learn.fit_and_measure(data(sets), "CC", steps=2),
    "estimator": lambda sets: PartialLabelClassifier("CC", steps=2).fit(X, sets),
    "benchmark": lambda sets: candidly.benchmark(
        data(sets), ["CC"], hyper={"batch_size": 8}, **SMALL
    ),
    "own loop": attached,
}


@pytest.mark.parametrize("door", DOORS)
def test_they_are_refused(door):
    with pytest.raises(ValueError, match=r"has all 3 classes as its candidates.*Use labels"):
        DOORS[door](FULL)


@pytest.mark.parametrize("door", DOORS)
def test_one_set_that_leaves_a_class_out_is_enough(door):
    sets = FULL.copy()
    sets[3, 1] = False
    assert DOORS[door](sets) is not None
