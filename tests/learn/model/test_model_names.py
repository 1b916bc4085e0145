"""Models know their columns by name: order, extra and missing columns, kinds, classes of inputs."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from PIL import Image

from candidly import from_arrays
from candidly.data.ingest import read
from candidly.learn.model import fit, load_model


@pytest.fixture(scope="module")
def numbers():
    g = np.random.default_rng(0)
    y = g.integers(0, 3, 200)
    frame = pl.DataFrame({name: g.normal(size=200) + y * k for k, name in enumerate("abcd")})
    return frame, from_arrays(frame, [f"class {k}" for k in y])


@pytest.fixture(scope="module")
def mixed():
    g = np.random.default_rng(1)
    y = g.integers(0, 2, 300)
    frame = pl.DataFrame(
        {
            "age": pl.Series(np.where(g.random(300) < 0.1, np.nan, y * 2 + g.normal(size=300))),
            "city": [
                ("Rome", "Bonn", "Oslo")[(k + j) % 3] for k, j in zip(y, g.integers(0, 2, 300))
            ],
            "since": pl.Series(np.datetime64("2020-01-01") + g.integers(0, 900, 300)),
            "smoker": [bool(v) for v in g.integers(0, 2, 300)],
            "note": [f"note {v} of {k}" for v, k in zip(g.integers(0, 999, 300), y)],
        }
    ).with_columns(pl.col("age").fill_nan(None))
    return frame, from_arrays(frame, [("no", "yes")[k] for k in y])


def pandas(frame):
    return pd.DataFrame({name: frame[name].to_list() for name in frame.columns})


def quiet(model, inputs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return model.predict_logits(inputs)


def test_columns_of_numbers_go_by_name(numbers, tmp_path):
    frame, data = numbers
    fit(data, steps=50).save(tmp_path / "m.safetensors")
    model = load_model(tmp_path / "m.safetensors")
    assert model.features == ("a", "b", "c", "d")
    expected = quiet(model, frame.to_numpy())
    for same in (
        frame,
        frame.select("d", "b", "a", "c"),
        pandas(frame)[["b", "a", "d", "c"]],
        frame.cast(pl.String),
        data,
        from_arrays(frame.select("c", "d", "a", "b"), ["x"] * 200),
    ):
        np.testing.assert_array_equal(quiet(model, same), expected)
    with pytest.warns(UserWarning, match="does not use: z, y\\.$"):
        more = model.predict_logits(frame.with_columns(z=1, y=pl.lit("text")))
    np.testing.assert_array_equal(more, expected)
    with pytest.raises(ValueError, match=r"no column 'c'.* Columns go by their names"):
        model.predict(frame.drop("c"))
    with pytest.raises(ValueError, match=r"no column 'b'.* 2 columns of training are missing"):
        model.predict(frame.select("a", "c"))
    with pytest.raises(ValueError, match="'b' has no number at row 3; training had one"):
        model.predict(frame.with_columns(b=pl.when(pl.arange(200) == 3).then(None).otherwise("b")))
    with pytest.raises(ValueError, match="'hot' at row 0, column 'a', which is not a number"):
        model.predict(frame.with_columns(a=pl.lit("hot")))


def test_columns_of_all_kinds_go_by_name(mixed, tmp_path):
    frame, data = mixed
    assert data.kind == "columns"
    model = fit(data, steps=200, batch_size=64)
    assert model.measure(data)["given accuracy"] > 0.8
    model.save(tmp_path / "m.safetensors")
    again = load_model(tmp_path / "m.safetensors")
    assert again.features == tuple(frame.columns)
    expected = model.predict_logits(frame)
    written = pl.read_csv(frame.write_csv().encode(), infer_schema=False)
    for same in (
        frame,
        frame.select(reversed(frame.columns)),
        pandas(frame),
        written,
        data,
        data.inputs,
    ):
        np.testing.assert_array_equal(quiet(again, same), expected)
    with pytest.raises(ValueError, match="no column 'city'"):
        again.predict(frame.drop("city"))
    with pytest.warns(UserWarning, match="does not use: zip"):
        again.predict(frame.with_columns(zip=1))
    with pytest.raises(ValueError, match=r"takes columns by name .*`inputs` is a ndarray"):
        again.predict(frame.to_numpy())
    with pytest.raises(ValueError, match="'old' at row 0, column 'age', which is not a number"):
        again.predict(frame.with_columns(age=pl.lit("old")))


def test_new_categories_and_missing_cells_are_predicted_for(mixed):
    frame, data = mixed
    model = fit(data, steps=50, batch_size=64)
    new = frame.head(2).with_columns(
        city=pl.Series(["Atlantis", None]), since=pl.lit(None, pl.Date), note=pl.lit(None)
    )
    assert np.isfinite(quiet(model, new)).all()


def test_rows_of_few_kinds_at_prediction_are_read_as_in_training(mixed):
    """A column without a gap, or whose categories look like numbers, is still what it was."""
    frame, data = mixed
    model = fit(data, steps=50, batch_size=64)
    whole = frame.filter(pl.col("age").is_not_null()).select("age", "smoker")
    numbers_alone = whole.with_columns(city=7, since=pl.lit("2021-05-05"), note=1)
    with pytest.warns(UserWarning, match="unlike those of training.*'city'.*such as '7' at row 0"):
        said = model.predict_logits(numbers_alone)
    assert np.isfinite(said).all()


def test_pandas_and_polars_train_the_same_model(numbers):
    frame, data = numbers
    labels = [data.classes[k] for k in data.given]
    models = [fit(from_arrays(f, labels), steps=30) for f in (frame, pandas(frame))]
    np.testing.assert_array_equal(*(m.predict_logits(frame) for m in models))
    assert models[0].features == models[1].features


def test_texts_go_in_as_they_are(tmp_path):
    g = np.random.default_rng(0)
    words = [["kernel", "thread", "cache"], ["basil", "oven", "dough"]]
    y = g.integers(0, 2, 200)
    texts = [" ".join(g.choice(words[k], 4)) + f" number {g.integers(99)}" for k in y]
    frame = pl.DataFrame({"id": range(200), "say": texts, "label": [("a", "b")[k] for k in y]})
    frame.write_csv(tmp_path / "t.csv")
    data = read(tmp_path / "t.csv", text="say", drop=["id"])
    model = fit(data[:150], steps=60, batch_size=32)
    model.save(tmp_path / "m.safetensors")
    again = load_model(tmp_path / "m.safetensors")
    assert again.features == ("say",)
    assert again.measure(data[150:])["given accuracy"] > 0.9
    expected = model.predict_logits(texts)
    for same in (texts, np.array(texts, object), data, frame.select("say")):
        np.testing.assert_array_equal(quiet(again, same), expected)
    with pytest.warns(UserWarning, match="does not use: id, label"):
        again.predict(frame)
    with pytest.raises(ValueError, match="5 at row 1; this model takes texts"):
        again.predict(["a", 5])
    with pytest.raises(ValueError, match="takes a list of texts"):
        again.predict("a text")


def test_pictures_go_in_as_files(tmp_path):
    g = np.random.default_rng(0)
    for row in range(80):
        kind = ("bright", "dark")[row % 2]
        pixels = g.integers(0, 120, (20 + row, 30, 3), dtype=np.uint8) + (row % 2 == 0) * 100
        (tmp_path / "all" / kind).mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(tmp_path / "all" / kind / f"{row:02}.png")
    data = read(tmp_path / "all")
    split = data.split(0, test=0, validation=0.25)
    model = fit(data[split.train], steps=60, batch_size=16)
    model.save(tmp_path / "m.safetensors")
    again = load_model(tmp_path / "m.safetensors")
    assert again.measure(data[split.validation])["given accuracy"] == 1
    files = [str(file) for file in data.inputs]
    np.testing.assert_array_equal(quiet(again, files), model.predict_logits(data))
    with pytest.raises(ValueError, match="this model takes pictures' files"):
        again.predict([np.zeros(3)])
    with pytest.raises((ValueError, OSError), match="gone"):
        again.predict([tmp_path / "gone.png"])
