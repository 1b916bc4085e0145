from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch

from candidly.data.labels.building import from_arrays
from candidly.data.labels.labelled import Labelled
from candidly.learn.engine.examples import make_examples, split_scaling

from toys import toy


def scaled(data, rows, scaling, dtype=torch.float32):
    """Inputs as a trial on these training rows sees them."""
    examples = make_examples(data, ("candidates",), scaling, dtype)
    constants = split_scaling(data, examples, rows, scaling)
    x = examples.inputs
    if constants is not None:
        shift, factor = (torch.tensor(c, dtype=dtype) for c in constants)
        x = (x - shift) * factor
    return x.numpy()


def with_inputs(inputs):
    inputs = np.asarray(inputs)
    n = len(inputs)
    return Labelled(inputs=inputs, classes=("a", "b"), candidates=np.ones((n, 2), dtype=bool))


@pytest.fixture
def wild():
    """Scales from 1e-3 to 1e5, and a mean a million times the deviation."""
    g = np.random.default_rng(0)
    scale = np.array([1e-3, 1.0, 1e5, 1.0])
    return with_inputs(g.normal(size=(200, 4)) * scale + np.array([0, 5, 1e5, 1e6]))


def test_train_scaling_is_the_training_rows_standardisation(wild):
    rows = np.arange(0, 150)
    raw = wild.inputs
    expected = (raw - raw[rows].mean(0)) / (raw[rows].std(0) + 1e-6)
    np.testing.assert_allclose(scaled(wild, rows, "train"), expected, rtol=1e-5, atol=2e-6)


def test_plench_scaling_is_over_all_rows_and_in_float32(wild):
    raw = wild.inputs
    expected = ((raw - raw.mean(0)) / (raw.std(0) + 1e-6)).astype(np.float32)
    np.testing.assert_array_equal(scaled(wild, np.arange(150), "plench"), expected)


def test_no_scaling_leaves_the_inputs(wild):
    np.testing.assert_array_equal(
        scaled(wild, np.arange(150), "none"), wild.inputs.astype(np.float32)
    )


def leak(scaling):
    """How much the training inputs move when only held-out rows change."""
    data = toy()
    rows = np.arange(200)
    moved = np.array(data.inputs)
    moved[200:] *= 50
    other = Labelled(inputs=moved, classes=data.classes, candidates=data.candidates)
    return np.abs(scaled(data, rows, scaling)[rows] - scaled(other, rows, scaling)[rows]).max()


def test_d_data_1_fixed_does_not_see_held_out_rows_and_plench_does():
    assert leak("train") < 1e-5
    assert leak("plench") > 0.1


@pytest.mark.parametrize("scaling", ["train", "plench"])
def test_a_constant_column_becomes_zero(scaling):
    inputs = np.random.default_rng(0).normal(size=(50, 3))
    inputs[:, 1] = 0.1  # its float mean differs from 0.1 in the last bit
    x = scaled(with_inputs(inputs), np.arange(40), scaling)
    np.testing.assert_array_equal(x[:, 1], 0)
    assert np.isfinite(x).all()


def test_a_column_that_is_constant_on_the_training_rows_is_zero_everywhere():
    inputs = np.random.default_rng(0).normal(size=(50, 2))
    inputs[:40, 1] = 3.0
    x = scaled(with_inputs(inputs), np.arange(40), "train")
    np.testing.assert_array_equal(x[:, 1], 0)


def refusal(data, reads=("candidates",)):
    with pytest.raises(ValueError) as caught:
        make_examples(data, reads)
    return str(caught.value)


def test_learning_refuses_what_it_cannot_learn_from():
    files = from_arrays([Path("a"), Path("b")], [{0}, {0, 1}], classes=("x", "y"))
    assert "media" in refusal(files)
    columns = from_arrays(pl.DataFrame({"a": [1.0, None]}), [{0}, {0, 1}], classes=("x", "y"))
    assert "with `inputs.fit_encoding`" in refusal(columns)
    tags = Labelled(inputs=np.ones((2, 1)), classes=("x", "y"), tags=np.ones((2, 2), dtype=bool))
    assert "several labels hold (tags)" in refusal(tags)
    truth = Labelled(inputs=np.ones((2, 1)), classes=("x", "y"), truth=np.array([0, 1]))
    message = refusal(truth)
    assert "no candidates" in message
    assert "with `imperfect.apply`" in message
    some = Labelled(inputs=np.ones((2, 1)), classes=("x", "y"), given=np.array([0, -1]))
    assert "row 1" in refusal(some, ("given",))


def test_official_test_rows_may_lack_labels_where_nothing_is_learned_from_them():
    some = Labelled(
        inputs=np.ones((3, 1)),
        classes=("x", "y"),
        given=np.array([0, -1, 1]),
        official_test=np.array([False, True, False]),
    )
    assert "nobody labelled the official test rows" in refusal(some, ("given",))
    assert make_examples(some, ("given",), official=True).n == 3
    less = replace(some, given=np.array([0, -1, -1]))
    with pytest.raises(ValueError, match="row 2"):
        make_examples(less, ("given",), official=True)
