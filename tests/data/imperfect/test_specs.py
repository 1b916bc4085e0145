"""Text that names a pipeline of processes."""

import numpy as np
import pytest

from candidly import imperfect
from candidly.data.imperfect import (
    PROCESSES,
    apply,
    canonical,
    complementary,
    flip,
    noise,
    uniform,
)
from candidly.data.labels.building import from_arrays


@pytest.fixture
def clean():
    truth = np.arange(300) % 4
    return from_arrays(truth[:, None], truth=truth, source="toy")


@pytest.mark.parametrize(
    ("spec", "normal"),
    [
        ("uniform", "uniform:seed=0"),
        ("UNIFORM:seed=3", "uniform:seed=3"),
        ("flip:rate=0.3,seed=0", "flip:rate=0.3,seed=0"),
        (" flip : seed=1 , rate=.30 ", "flip:rate=0.3,seed=1"),
        ("flip:rate=1,force=TRUE", "flip:rate=1.0,force=true,seed=0"),
        ("flip:rate=0,force=false", "flip:rate=0.0,seed=0"),
        ("uniform+noise:rate=0.1", "uniform:seed=0+noise:rate=0.1,seed=0"),
        ("Symmetric:rate=.2", "symmetric:rate=0.2,seed=0"),
        (
            "pair:rate=.2,to=9-1/2-0,per_class=true",
            "pair:rate=0.2,to=9-1/2-0,per_class=true,seed=0",
        ),
        ("matrix:file=My Data/T.csv", "matrix:file=My Data/T.csv,seed=0"),
        ("lookalike:rate=1", "lookalike:rate=1.0"),
        ("Instance Label:rate=0.2", "instance-label:rate=0.2,seed=0"),
        ("empirical", "empirical:seed=0"),
        ("Long Tail:factor=10", "long-tail:factor=10.0,seed=0"),
        (
            "hold-out:classes=3+Open Set:rate=.2,random=true",
            "hold-out:classes=3+open-set:rate=0.2,random=true,seed=0",
        ),
        (
            "symmetric:rate=.2,classes=0-1+pair:rate=.1,classes=2/3,of_all=true",
            "symmetric:rate=0.2,seed=0,classes=0-1+pair:rate=0.1,seed=0,classes=2/3,of_all=true",
        ),
    ],
)
def test_normal_form(spec, normal):
    assert canonical(spec) == normal
    assert canonical(normal) == normal


def test_apply_is_the_functions(clean):
    truth = clean.truth
    assert np.array_equal(apply(clean, "uniform:seed=2").candidates, uniform(truth, 4, 2))
    forced = flip(truth, 4, 0.3, force=True, seed=1)
    assert np.array_equal(apply(clean, "flip:rate=0.3,force=true,seed=1").candidates, forced)
    piped = noise(uniform(truth, 4), truth, 0.2, seed=5)
    assert np.array_equal(apply(clean, "uniform+noise:rate=0.2,seed=5").candidates, piped)
    alone = noise(truth[:, None] == np.arange(4), truth, 0.2)
    assert np.array_equal(apply(clean, "noise:rate=0.2").candidates, alone)
    again = apply(apply(clean, "uniform"), "noise:rate=0.2,seed=5")
    assert np.array_equal(again.candidates, piped)


def test_apply_changes_candidates_and_source_alone(clean):
    made = apply(clean, "flip:rate=0.3+noise:rate=0.1,seed=2")
    assert made.source == "toy + flip(rate=0.3, seed=0) + noise(rate=0.1, seed=2)"
    assert np.array_equal(made.truth, clean.truth)
    assert np.shares_memory(made.inputs, clean.inputs)
    assert clean.candidates is None


def test_a_pipeline_is_the_same_however_it_is_written(clean):
    spec = "Flip: rate=.3+ noise:rate=.1"
    assert apply(clean, spec) == apply(clean, canonical(spec))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("flip", r"flip needs rate; write for example flip:rate=0.1"),
        (
            "flip:rat=0.1",
            r"flip has no option 'rat'; did you mean 'rate'\? Choose from: rate, force",
        ),
        ("flip:rate=x", r"labels 'flip:rate=x': rate is 'x'; give a number from 0 to 1"),
        ("flip:rate", r"rate has no value"),
        ("flip:rate=2", r"rate is '2'; give a number from 0 to 1, such as 0.1"),
        ("flip:rate=nan", r"rate is 'nan'"),
        ("flip:rate=0.3,rate=0.6", r"says rate twice"),
        ("uniform:seed=0.5", r"seed is '0.5'; give a whole number from 0 to"),
        ("uniform:seed=-1", r"seed is '-1'"),
        ("flip:rate=0.1,force=maybe", r"force is 'maybe'; give true or false"),
    ],
)
def test_mistakes_are_named(clean, spec, message):
    with pytest.raises(ValueError, match=message):
        apply(clean, spec)
    with pytest.raises(ValueError, match=message):
        canonical(spec)


def test_unknown_processes(clean):
    with pytest.raises(KeyError, match=r"no process named 'flipp'.*'flip'"):
        apply(clean, "flipp:rate=0.1")
    with pytest.raises(KeyError, match=r"Choose from: uniform, flip, flip-matrix, "):
        canonical("")


def test_matrices_in_files_are_those_of_python(clean, tmp_path):
    q = clean.q
    rates = np.full((q, q), 0.3) + 0.7 * np.eye(q)
    weights = np.arange(1.0, q * q + 1).reshape(q, q) * (1 - np.eye(q))
    np.save(tmp_path / "rates.npy", rates)
    np.savetxt(tmp_path / "weights.csv", weights, delimiter=",")
    made = apply(clean, f"flip-matrix:file={tmp_path}/rates.npy,seed=3").candidates
    assert np.array_equal(made, flip(clean.truth, q, rates, seed=3))
    made = apply(clean, f"complementary:file={tmp_path}/weights.csv,seed=3").candidates
    assert np.array_equal(made, complementary(clean.truth, q, weights=weights, seed=3))
    made = apply(clean, "complementary:count=2" if q > 2 else "complementary").candidates
    assert (made.sum(1) == q - min(2, q - 1)).all()


def test_the_truth_must_be_complete():
    with pytest.raises(ValueError, match="toy has no `truth`"):
        apply(from_arrays([[1], [2]], [0, 1], source="toy"), "uniform")
    with pytest.raises(ValueError, match="`truth` is -1 at row 1"):
        apply(from_arrays([[1], [2]], truth=[0, -1], classes=2), "uniform")


def test_every_process_is_listed_and_public():
    makes = {name: process.makes for name, process in PROCESSES.items()}
    sets = ["uniform", "flip", "flip-matrix", "empirical-sets", "complementary", "instance",
            "noise"]  # fmt: skip
    assert makes == dict.fromkeys(sets, "candidates") | (
        dict.fromkeys(
            ["symmetric", "pair", "matrix", "empirical", "lookalike", "instance-label"], "given"
        )
        | {"open-set": "inputs"}
        | dict.fromkeys(["hold-out", "pool", "long-tail"], "examples")
    )
    for name, process in PROCESSES.items():
        assert process.summary
        # two mean nothing alone, and `flip` takes a matrix
        if name not in ("hold-out", "pool", "flip-matrix"):
            assert callable(getattr(imperfect, name.replace("-", "_")))
