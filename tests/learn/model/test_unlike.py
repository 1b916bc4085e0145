"""Whoever predicts for rows unlike those of training is told; whose rows are like them is not."""

import warnings

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

import candidly
from candidly.data.inputs import Table
from candidly.learn.model._unlike import (
    RARE,
    TrainedColumn,
    from_json,
    held_in,
    odd_numbers,
    to_json,
    warn_of_unlike,
)

COLOURS = np.array(["red", "blue", "green", "teal"])


def rows(rng, n):
    """Numbers, some with gaps, a constant and categories, one of them rare."""
    gaps = np.where(rng.random(n) < 0.2, None, rng.normal(size=n))
    return pl.DataFrame(
        {
            "number": rng.standard_t(2, n),
            "gaps": pl.Series(gaps.tolist(), dtype=pl.Float64),
            "constant": np.ones(n),
            "colour": COLOURS[rng.choice(4, n, p=[0.5, 0.3, 0.19, 0.01])],
        }
    )


def alarms(trained, new):
    """What is said of new rows."""
    of = Table.of(trained)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warn_of_unlike(held_in(of, None), Table.of(new, of.kinds), None)
    return " ".join(str(one.message) for one in said)


def test_rows_drawn_as_those_of_training_hardly_ever_warn():
    rng = np.random.default_rng(0)
    false = sum(
        bool(alarms(rows(rng, rng.integers(5, 200)), rows(rng, rng.integers(1, 200))))
        for _ in range(600)
    )
    assert binom.sf(false - 1, 600, RARE) > 1e-3


def test_training_rows_never_warn():
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 50):
        trained = rows(rng, n)
        assert not alarms(trained, trained)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (pl.col("number") * 100, "column 'number' has values that training did not have"),
        (pl.col("constant") + 1, "such as 2 at row 0 (training had 1 to 1)"),
        (pl.lit("mauve").alias("colour"), "in 60 of 60 rows, such as 'mauve' at row 0"),
        (pl.lit(None, pl.Float64).alias("number"), "in 60 of 60 rows (in training, in none)"),
        (pl.lit(None, pl.Float64).alias("gaps"), "column 'gaps' is empty in 60 of 60"),
        (pl.lit(None, pl.String).alias("colour"), "column 'colour' is empty"),
    ],
)  # fmt: skip
def test_what_is_unlike_is_named(change, said):
    rng = np.random.default_rng(2)
    trained, new = rows(rng, 200), rows(rng, 60)
    assert said in alarms(trained, new.with_columns(change))


def test_a_few_new_values_among_many_are_no_news():
    rng = np.random.default_rng(3)
    trained, new = rows(rng, 200), rows(rng, 60)
    new = new.with_columns(
        pl.when(pl.int_range(60) == 0).then(pl.lit("mauve")).otherwise("colour").alias("colour")
    )
    assert not alarms(trained, new)


@pytest.mark.parametrize("algorithm", ["ce", "logistic"])
@pytest.mark.parametrize("named", [True, False])
def test_a_model_knows_it_when_it_is_loaded(algorithm, named, tmp_path):
    rng = np.random.default_rng(4)
    kind = rng.integers(0, 2, 100)
    x = rng.normal(size=(100, 2)) + kind[:, None]
    inputs = pl.DataFrame(x, schema=["height", "weight"]) if named else x
    options = {"steps": 20} if algorithm == "ce" else {}
    candidly.fit((inputs, kind), algorithm, **options).save(tmp_path / "m.safetensors")
    model = candidly.load_model(tmp_path / "m.safetensors")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_proba(inputs)
    column = "'height'" if named else "'0'"
    other = inputs.with_columns(pl.col("height") * 100) if named else x * [100, 1]
    with pytest.warns(UserWarning, match=f"unlike those of training.*column {column} has values"):
        model.predict_proba(other)


def test_held_columns_come_back_from_json():
    held = held_in(Table.of(rows(np.random.default_rng(5), 40)), None)
    assert from_json(to_json(held)) == held
    assert from_json(None) == ()
    assert held_in(["a text"], None) == ()


@pytest.mark.parametrize(("old", "new"), [(1, 3), (5, 4), (9, 30)])
def test_the_chance_of_so_many_beyond_is_that_of_draws(old, new):
    rng = np.random.default_rng(6)
    seen, then = rng.normal(size=(20_000, old)), rng.normal(size=(20_000, new))
    low, high = seen.min(1, keepdims=True), seen.max(1, keepdims=True)
    beyond = ((then < low) | (then > high)).sum(1)
    for k in range(1, new + 1):
        column = np.r_[np.full(k, 2.0), np.full(new - k, 0.5)]
        _, chance = odd_numbers(TrainedColumn("x", old, 0, (0.0, 1.0)), column)
        assert chance == pytest.approx((beyond >= k).mean(), abs=0.012)


def test_many_categories_that_one_row_has_are_news():
    trained = pl.DataFrame({"colour": COLOURS[np.arange(100) % 4]})
    new = pl.DataFrame({"colour": [f"shade {k}" for k in range(30)]})
    assert "such as 'shade 0' at row 0" in alarms(trained, new)
    names = [f"name {k}" for k in range(200)]  # each row has its own, in training too
    assert not alarms(pl.DataFrame({"who": names[:140]}), pl.DataFrame({"who": names[140:]}))


def test_a_category_of_few_rows_is_kept_as_a_hash_alone():
    names = ["red"] * 60 + ["blue"] * 35 + ["Ada Lovelace", "Alan Turing", "Grace Hopper"]
    trained = pl.DataFrame({"who": names, "x": np.arange(98.0)})
    told = str(to_json(held_in(Table.of(trained), None)))
    assert "red" in told
    assert "blue" in told
    assert "Ada" not in told
    assert "Turing" not in told
    assert not alarms(trained, trained[95:])
    assert "(training had blue, red, ...)" in alarms(
        trained, trained.with_columns(pl.lit("Mary Shelley").alias("who"))
    )
