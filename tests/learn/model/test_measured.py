"""Training with rows held out, and predictions of files, are ``fit`` and ``Model.predict``."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from candidly import fit, fit_and_measure, from_arrays, read
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
