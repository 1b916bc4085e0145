"""Training with rows held out, and predictions of files, are ``fit`` and ``Model.predict``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly import fit, fit_and_measure, from_arrays, read
from candidly.learn.model.measured import _divided
from candidly.learn.model.predictions import predict_file


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    return from_arrays(rng.normal(2 * labels, 1)[:, None], ["ab"[k] for k in labels])


def test_the_model_is_that_of_the_rows_that_it_learned_from(data):
    found = fit_and_measure(data, "ce", steps=30, validation=0.25, batch_size=32)
    assert (found.learned.n, found.held.n, found.left_out) == (150, 50, 0)
    alone = fit(found.learned, "ce", steps=30, batch_size=32)
    np.testing.assert_array_equal(
        found.model.predict_logits(found.held.inputs), alone.predict_logits(found.held.inputs)
    )
    assert found.measured == alone.measure(found.held)
    counts = np.bincount(found.learned.given)
    assert found.constant["class"] == data.classes[counts.argmax()]


def test_without_rows_held_out_nothing_is_measured(data):
    found = fit_and_measure(data, steps=2, validation=0, batch_size=32)
    assert (found.held, found.measured, found.constant) == (None, {}, {})
    for wrong in (1, -0.1, float("nan"), "half"):
        with pytest.raises(ValueError, match=f"`validation` is {wrong!r}; give a share"):
            fit_and_measure(data, validation=wrong)


def test_predictions_of_a_file_are_those_of_its_rows(tmp_path):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"x": rng.normal(size=40), "label": ["a", "b"] * 20})
    frame.write_csv(tmp_path / "t.csv")
    model = fit(read(tmp_path / "t.csv"), "ce", steps=5, batch_size=8)
    frame[::-1].select("x").write_csv(tmp_path / "new.csv")
    found = predict_file(model, str(tmp_path / "new.csv"))
    np.testing.assert_allclose(found.probs, model.predict_proba(frame[::-1].select("x")), atol=1e-6)
    found.write(tmp_path / "out.csv", whole=True)
    out = pl.read_csv(tmp_path / "out.csv")
    assert out["prediction"].to_list() == [model.classes[k] for k in found.probs.argmax(1)]
    found.write_beside(tmp_path / "beside.csv")
    assert pl.read_csv(tmp_path / "beside.csv").columns == ["x", "prediction", "probability"]


@st.composite
def two_sets(draw):
    """Candidate sets, smaller ones, a truth, and which rows are an official test or validation."""
    n, q = 24, 3
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    smaller = rng.random((n, q)) < 0.4
    smaller[np.arange(n), rng.integers(0, q, n)] = True
    given = smaller | (rng.random((n, q)) < draw(st.sampled_from([0.3, 1.0])))
    truth = rng.integers(0, q, n)
    parts = draw(st.sampled_from([{}, {"test": True}, {"validation": True}]))
    official = {f"official_{name}": rng.random(n) < 0.3 for name in parts}
    some = truth if draw(st.booleans()) else np.where(rng.random(n) < 0.5, truth, -1)
    data = from_arrays(rng.normal(size=(n, 2)), candidates=given, truth=some, classes=list("abc"))
    return replace(data, **official), smaller


@given(two_sets(), st.sampled_from([0.25, 0, "truth"]), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_smaller_sets_are_learned_from_and_the_given_ones_are_measured_by(sets, share, seed):
    """The same rows as without, whatever the sets; and the sets of none other."""
    data, smaller = sets
    try:
        plain, held = _divided(data, share, seed)
    except ValueError:
        return
    learned, apart = _divided(data, share, seed, smaller)
    np.testing.assert_array_equal(learned.ids, plain.ids)
    np.testing.assert_array_equal(learned.candidates, smaller[np.asarray(plain.ids)])
    assert (apart is None) == (held is None)
    if held is not None:
        np.testing.assert_array_equal(apart.ids, held.ids)
        assert (apart.candidates is None) == (held.candidates is None)
        if held.candidates is not None:
            np.testing.assert_array_equal(apart.candidates, held.candidates)


def test_a_model_of_smaller_sets_is_that_of_data_with_these():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 90)
    smaller = np.arange(3) == truth[:, None]
    given = smaller | (rng.random((90, 3)) < 0.5)
    data = from_arrays(rng.normal(truth, 1)[:, None], candidates=given, classes=list("abc"))
    found = fit_and_measure(data, "PRODEN", sets=smaller, steps=20, batch_size=16)
    same = fit_and_measure(replace(data, candidates=smaller), "PRODEN", steps=20, batch_size=16)
    np.testing.assert_array_equal(found.logits, same.logits)
    assert found.held.candidates.sum() > same.held.candidates.sum()
    assert found.measured["covering rate"] >= same.measured["covering rate"]
