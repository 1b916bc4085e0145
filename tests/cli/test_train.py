"""``candidly train`` and ``candidly predict``: what they say, what they write, what they refuse."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

import candidly as library
from candidly.learn.model import fit, load_model
from learn.encoders.packages import use_random

NAMES = np.array(["ant", "bee", "cat", "dog"])
QUICK = ("--steps", 150, "--hyper", "batch_size=32")


def rows(n=240, seed=0):
    """Four classes of Gaussians: a frame with sets, a label that is wrong at 30 %, the truth."""
    g = np.random.default_rng(seed)
    centres = 3 * np.random.default_rng(99).normal(size=(4, 5))
    truth = g.integers(0, 4, n)
    inputs = g.normal(size=(n, 5)) + centres[truth]
    others = g.random((n, 4)) < 0.3
    others[np.arange(n), truth] = True
    given = np.where(g.random(n) < 0.3, g.integers(0, 4, n), truth)
    return pl.DataFrame(
        {"id": [f"r{k}" for k in range(n)]}
        | {f"x{k}": inputs[:, k] for k in range(5)}
        | {
            "sets": ["|".join(NAMES[row]) for row in others],
            "noisy": NAMES[given],
            "truth": NAMES[truth],
        }
    )


MADE: dict[str, bytes | str] = {}  # the model that most tests ask, trained once


@pytest.fixture
def trained(candidly):
    """A folder with rows to learn from, new rows without labels, and a model."""
    frame = rows()
    frame.drop("noisy", "truth").write_csv("sets.csv")
    frame.drop("sets", "truth").write_csv("noisy.csv")
    new = rows(60, seed=1)
    new.select("id", *(f"x{k}" for k in range(5))).write_csv("new.csv")
    new.drop("sets", "noisy").write_csv("known.csv")
    if not MADE:
        status, MADE["out"], err = candidly(
            "train", "sets.csv", "--label", "sets", *QUICK, "--out", "m.safetensors"
        )
        assert status == 0, err
        MADE["file"] = Path("m.safetensors").read_bytes()
    Path("m.safetensors").write_bytes(MADE["file"])
    return candidly, MADE["out"], new


def test_what_was_learned_is_told(trained):
    _, out, _ = trained
    lines = out.splitlines()
    assert lines[0] == "240 rows, 4 classes, 1.97 candidates a row"
    assert lines[1] == "5 numbers: x0, x1, x2, x3, x4"
    assert lines[2] == "PRODEN, the default for candidate sets: 150 updates on 216 rows"
    assert lines[3] == "on 24 rows held out:"
    assert lines[4].split()[:2] == ["covering", "rate"]
    assert lines[-1] == "next: candidly predict m.safetensors NEW.csv --out predictions.csv"


def test_predictions_have_ids_and_names_and_agree_with_python(trained):
    candidly, _, new = trained
    status, out, err = candidly("predict", "m.safetensors", "new.csv", "--out", "p.csv")
    assert (status, err) == (0, "wrote p.csv\n")
    assert out.startswith("60 rows; predicted: ")
    table = pl.read_csv("p.csv")
    assert table.columns == ["id", "prediction", "probability"]
    assert table["id"].to_list() == new["id"].to_list()
    assert (table["prediction"] == new["truth"]).mean() > 0.8

    model = load_model("m.safetensors")
    probs = model.predict_proba(new.select(model.features))
    assert table["prediction"].to_list() == [model.classes[k] for k in probs.argmax(1)]
    np.testing.assert_allclose(table["probability"], probs.max(1), rtol=1e-6)

    data = library.read("sets.csv", label="sets")
    learned = data[data.split(0, test=0, validation=0.1).train]
    again = fit(learned, "PRODEN", steps=150, batch_size=32)
    logits = again.predict_logits(new.select(model.features))
    np.testing.assert_array_equal(logits, model.predict_logits(new.select(model.features)))


def test_every_form_of_output_holds_the_same(trained):
    candidly, _, _ = trained
    for name in ("p.csv", "p.parquet", "p.jsonl", "p.npz"):
        status, _, err = candidly("predict", "m.safetensors", "new.csv", "--probs", "--out", name)
        assert status == 0, err
    table = pl.read_csv("p.csv")
    assert table.columns == ["id", "prediction", "probability", *NAMES]
    assert pl.read_parquet("p.parquet").equals(table)
    assert pl.read_ndjson("p.jsonl").equals(table)
    with np.load("p.npz") as arrays:
        np.testing.assert_allclose(arrays["probs"], table.select(NAMES).to_numpy(), rtol=1e-12)
        assert arrays["ids"].tolist() == table["id"].to_list()
        assert arrays["classes"].tolist() == NAMES.tolist()
        assert NAMES[arrays["prediction"]].tolist() == table["prediction"].to_list()


KEEP = ("--keep-columns", "--out")


def test_columns_can_be_added_to_the_file(trained):
    candidly, _, _ = trained
    status, _, err = candidly("predict", "m.safetensors", "new.csv", *KEEP, "more.csv")
    assert status == 0, err
    before, after = pl.read_csv("new.csv"), pl.read_csv("more.csv")
    assert after.columns == [*before.columns, "prediction", "probability"]
    assert after.select(before.columns).equals(before)
    status, _, err = candidly("predict", "m.safetensors", "more.csv", *KEEP, "again.csv")
    assert status == 2
    assert "prediction" in err


def test_several_classes_a_row_come_with_the_likeliest_first(trained):
    candidly, _, _ = trained
    for words in (("--probs", "--out", "p.csv"), ("--top", 2, "--out", "t.csv")):
        status, _, err = candidly("predict", "m.safetensors", "new.csv", *words)
        assert status == 0, err
    probs, top = pl.read_csv("p.csv").select(NAMES).to_numpy(), pl.read_csv("t.csv")
    order = np.argsort(-probs, 1, kind="stable")
    assert top.columns[1:] == ["prediction", "probability", "prediction_2", "probability_2"]
    for place, behind in enumerate(("", "_2")):
        assert top[f"prediction{behind}"].to_list() == NAMES[order[:, place]].tolist()
        likely = np.take_along_axis(probs, order, 1)[:, place]
        np.testing.assert_allclose(top[f"probability{behind}"].to_numpy(), likely, rtol=1e-12)
    status, _, err = candidly("predict", "m.safetensors", "new.csv", "--top", 9, *KEEP, "all.csv")
    assert status == 0, err
    assert pl.read_csv("all.csv").columns[-1] == f"probability_{len(NAMES)}"
    sentence(*candidly("predict", "m.safetensors", "new.csv", "--top", 2, "--out", "p.npz"), "npz")


def test_labels_are_compared_with_only_where_asked_for(trained):
    candidly, _, new = trained
    status, out, err = candidly("predict", "m.safetensors", "known.csv", "--out", "p.csv")
    assert status == 0
    assert "not looked at, as predicting needs no labels: truth" in err
    assert "accuracy" not in out
    frame = pl.read_csv("sets.csv")
    status, _, err = candidly("predict", "m.safetensors", "sets.csv", "--out", "p.csv")
    assert "needs no labels: sets;" in err
    assert len(pl.read_csv("p.csv")) == len(frame)
    command = ("predict", "m.safetensors", "known.csv", "--label", "truth", "--out", "p.csv")
    status, out, err = candidly(*command, "--json")
    assert (status, err) == (0, "")
    right = (pl.read_csv("p.csv")["prediction"] == new["truth"]).mean()
    assert json.loads(out)["measured"] == {"given accuracy": right}
    assert sum(json.loads(out)["predicted"].values()) == 60


def test_one_label_a_row_and_the_json(trained):
    candidly, _, _ = trained
    status, out, _ = candidly(
        "train", "noisy.csv", "--label", "noisy", *QUICK, "--json", "--out", "n.safetensors"
    )
    about = json.loads(out)
    assert status == 0
    assert (about["algorithm"], about["default"]) == ("ce", True)
    assert about["columns"] == {"number": [f"x{k}" for k in range(5)]}
    assert (about["rows"], about["learned from"], about["held out"]) == (240, 216, 24)
    assert list(about["measured"]) == ["given accuracy"]
    assert about["hyper"]["batch_size"] == 32
    assert 0.2 < about["constant"]["share"] < 0.5


def test_how_often_it_is_right_on_true_labels_is_told_on_a_premise(candidly):
    many = rows(1500)
    many.drop("sets", "truth").write_csv("many.csv")
    words = ("many.csv", "--label", "noisy", "--validation", 0.4, *QUICK, "--out", "n.safetensors")
    status, out, err = candidly("train", *words, "--json")
    assert status == 0, err
    about = json.loads(out)
    told = about["on the premise"]
    assert told["premise"] == "errors strike clear and unclear rows alike"
    low, right, high = told["accuracy"].values()
    # the truth of all rows, most of which are as good as unseen: it learned 150 updates
    model = load_model("n.safetensors")
    known = rows(3000, seed=5)
    inputs = known.select("id", *(f"x{k}" for k in range(5)))
    inputs.write_csv("known.csv")
    predicted = model.predict(inputs.drop("id").to_numpy())
    truly = np.mean(NAMES[predicted] == known["truth"].to_numpy())
    assert low - 0.03 <= truly <= high + 0.03
    assert abs(right - truly) < abs(about["measured"]["given accuracy"] - truly) / 2
    status, out, err = candidly("train", *words)
    assert status == 0, err
    assert (
        "if errors strike clear and unclear rows alike: the true label is predicted for "
        f"{100 * right:.1f}% ({100 * low:.1f} to {100 * high:.1f}%)"
    ) in out
    # few rows carry no such sentence; where the truth is known there is no need for one
    for more in (("--validation", 0.05), ("--truth", "truth")):
        rows(1500).drop("sets").write_csv("many.csv")
        status, out, err = candidly("train", *words, *more, "--json")
        assert status == 0, err
        assert json.loads(out)["on the premise"] is None


def test_rows_without_a_label_are_left_out_and_counted(trained):
    candidly, _, _ = trained
    frame = pl.read_csv("noisy.csv")
    gaps = frame.with_columns(
        noisy=pl.when(pl.int_range(240) % 10 == 0).then(None).otherwise("noisy")
    )
    gaps.write_csv("gaps.csv")
    status, out, err = candidly(
        "train", "gaps.csv", "--label", "noisy", *QUICK, "--out", "n.safetensors"
    )
    assert status == 0, err
    assert "24 rows are left out, without a label" in out


def test_all_rows_can_be_learned_from(trained):
    candidly, _, _ = trained
    status, out, _ = candidly(
        "train", "sets.csv", "--label", "sets", *QUICK, "--validation", 0, "--out", "n.safetensors"
    )
    assert status == 0
    assert "150 updates on 240 rows" in out
    assert "held out" not in out


def test_rows_that_somebody_checked_are_measured_on_and_never_learned_from(candidly):
    frame = rows().drop("noisy", "id").with_row_index()
    some = pl.when(pl.col("index") % 4 == 1).then("truth").otherwise(None)
    frame.select("sets", *(f"x{k}" for k in range(5)), checked=some).write_csv("some.csv")
    words = (
        "train",
        "some.csv",
        "--label",
        "sets",
        "--truth",
        "checked",
        *QUICK,
        "--out",
        "m.safetensors",
    )
    status, out, err = candidly(*words, "--validation", "truth", "--json")
    assert status == 0, err
    about = json.loads(out)
    assert (about["learned from"], about["held out"], about["truth known"]) == (180, 60, 60)
    assert list(about["columns"].values()) == [["x0", "x1", "x2", "x3", "x4"]]
    data = library.read("some.csv", label="sets", truth="checked")
    again = fit(data[data.truth < 0], "PRODEN", steps=150, batch_size=32)
    assert about["measured"] == again.measure(data[data.truth >= 0])
    assert about["measured"]["oracle accuracy"] > 0.8

    status, out, err = candidly(*words)
    assert status == 0, err
    held = data[data.split(0, test=0, validation=0.1).validation]
    [line] = [line for line in out.splitlines() if "oracle accuracy" in line]
    assert line.endswith(f"the true label is predicted, of {(held.truth >= 0).sum()} rows")


def test_an_official_test_set_is_measured_on_and_never_learned_from(candidly):
    frame = rows()
    official = np.arange(240) % 3 == 0
    data = library.from_arrays(
        frame.select(f"x{k}" for k in range(5)).to_numpy(), given=frame["noisy"].to_list()
    )
    replace(data, official_test=official).save("mine.npz")
    for words in ((), ("--validation", 0)):
        status, out, err = candidly(
            "train", "mine.npz", *QUICK, *words, "--out", "m.safetensors", "--json"
        )
        assert status == 0, err
        about = json.loads(out)
        assert (about["learned from"], about["held out"]) == (160, 80)
        assert load_model("m.safetensors").about["rows"] == 160


def test_test_rows_that_nobody_labelled_are_measured_on_by_the_truth_alone(candidly):
    truth, test = np.arange(240) % 3, np.arange(240) >= 160
    sets = (truth[:, None] == np.arange(3)) | test[:, None]
    inputs = np.eye(3)[truth] + 0.1 * np.arange(240)[:, None] / 240
    data = library.from_arrays(inputs, candidates=sets, truth=truth, classes=3)
    replace(data, official_test=test).save("mine.npz")
    status, out, err = candidly("train", "mine.npz", *QUICK, "--out", "m.safetensors", "--json")
    assert status == 0, err
    about = json.loads(out)
    assert (about["learned from"], about["held out"]) == (160, 80)
    assert list(about["measured"]) == ["oracle accuracy"]
    assert about["measured"]["oracle accuracy"] > 0.9


def test_a_known_data_set_trains_and_is_predicted_for(candidly):
    labels = ("--labels", "flip:rate=0.3")
    status, out, err = candidly(
        "train", "digits", *labels, "--steps", 100, "--out", "digits.safetensors"
    )
    assert status == 0, err
    assert "64 numbers" in out
    assert "oracle accuracy" in out
    status, out, err = candidly("predict", "digits.safetensors", "digits", "--out", "p.csv")
    assert status == 0, err
    assert "oracle accuracy" in out
    assert len(pl.read_csv("p.csv")) == 1797


def test_ctrl_c_is_a_sentence_and_leaves_nothing(trained, monkeypatch):
    candidly, _, _ = trained

    def interrupted(*_, watch, **__):
        watch(100, 150)
        raise KeyboardInterrupt

    monkeypatch.setattr("candidly.learn.model.stopping.fit", interrupted)
    status, _, err = candidly(
        "train", "sets.csv", "--label", "sets", *QUICK, "--out", "n.safetensors"
    )
    assert status == 130
    assert "stopped at 67%; nothing was written." in err


SETS = ("--label", "sets", "--label-kind", "one-of")
TRAINING = {
    "no such file": (["train", "gone.csv"], "gone.csv"),
    "no such column": (["train", "sets.csv", "--label", "set"], "no column 'set'"),
    "no labels": (["train", "new.csv"], "Say which column holds the labels with --label"),
    "empty": (["train", "empty.csv"], "empty"),
    "header alone": (["train", "header.csv", "--label", "a"], "no rows"),
    "one class": (["train", "one.csv", "--label", "y"], "every label is 'cat'"),
    "unknown algorithm": (
        ["train", "sets.csv", *SETS, "--algorithm", "PRODEM"],
        "did you mean 'PRODEN'",
    ),
    "an algorithm for other labels": (
        ["train", "sets.csv", *SETS, "--algorithm", "ce"],
        "has no given",
    ),
    "unknown hyper-parameter": (
        ["train", "sets.csv", *SETS, "--hyper", "rate=1"],
        "no hyper-parameter 'rate'",
    ),
    "no number": (["train", "sets.csv", *SETS, "--hyper", "lr=fast"], "--hyper"),
    "share": (["train", "sets.csv", *SETS, "--validation", "1"], "--validation is 1"),
    "no truth": (
        ["train", "sets.csv", *SETS, "--validation", "truth"],
        "known of no rows. Name its column with --truth",
    ),
    "only truth": (
        ["train", "checked.csv", *SETS, "--truth", "all", "--validation", "truth"],
        "known of all rows",
    ),
    "network": (["train", "sets.csv", *SETS, "--net", "cnn"], "cnn"),
    "device": (["train", "sets.csv", *SETS, "--device", "tpu"], "tpu"),
    "truth alone": (["train", "truth.csv"], "--labels flip:rate=0.3"),
    "diverged": (
        ["train", "sets.csv", *SETS, *map(str, QUICK), "--hyper", "lr=1e30"],
        "diverged",
    ),
}


@pytest.mark.parametrize(("words", "told"), TRAINING.values(), ids=TRAINING)
def test_training_refuses_in_one_sentence(trained, words, told):
    candidly, _, _ = trained
    frame = rows()
    frame.select("x0", "x1", "sets", all="truth").write_csv("checked.csv")
    frame.select("x0", "x1", "truth").write_csv("truth.csv")
    with open("empty.csv", "w"), open("header.csv", "w") as header, open("one.csv", "w") as one:
        header.write("a,b\n")
        one.write("x,y\n1,cat\n2,cat\n")
    status, out, err = candidly(*words, "--out", "n.safetensors")
    sentence(status, out, err, told)
    with pytest.raises(FileNotFoundError):
        load_model("n.safetensors")


def sentence(status, out, err, told):
    said = [line for line in err.splitlines() if "warning" not in line]
    assert status == 2
    assert out == ""
    assert len(said) == 1
    assert said[0].startswith("candidly: error: ")
    assert told in said[0]


def test_the_place_to_write_is_looked_at_first(trained):
    candidly, _, _ = trained
    for place, told in (("m.npz", ".safetensors"), ("gone/m.safetensors", "no folder")):
        status, out, err = candidly("train", "gone.csv", "--out", place)
        sentence(status, out, err, told)
    for words, told in (
        (["--out", "p.txt"], ".csv or .parquet"),
        (["--out", "gone/p.csv"], "no folder"),
        ([], "say where to write"),
        (["--keep-columns"], "say where to write"),
        ([*KEEP, "p.csv", "--probs"], "--probs"),
    ):
        sentence(*candidly("predict", "gone.safetensors", "gone.csv", *words), told)


def changed(**columns):
    return lambda: pl.read_csv("new.csv").with_columns(**columns).write_csv("x.csv")


PREDICTING = {
    "no model file": (lambda: None, ["gone.safetensors", "new.csv"], "gone.safetensors"),
    "not a model": (lambda: None, ["new.csv", "new.csv"], "new.csv is no model"),
    "a truncated model": (
        lambda: cut("m.safetensors"),
        ["m.safetensors", "new.csv"],
        "or it is damaged",
    ),
    "no such file": (lambda: None, ["m.safetensors", "gone.csv"], "gone.csv"),
    "an empty file": (lambda: open("x.csv", "w").close(), ["m.safetensors", "x.csv"], "empty"),
    "a header alone": (
        lambda: pl.read_csv("new.csv").head(0).write_csv("x.csv"),
        ["m.safetensors", "x.csv"],
        "no rows",
    ),
    "a column gone": (
        lambda: pl.read_csv("new.csv").drop("x3").write_csv("x.csv"),
        ["m.safetensors", "x.csv"],
        "no column 'x3'",
    ),
    "names where numbers were": (
        changed(x1=pl.lit("much")),
        ["m.safetensors", "x.csv"],
        "'much' at row 0, column 'x1'",
    ),
    "a gap": (
        changed(x1=pl.when(pl.int_range(60) == 7).then(None).otherwise("x1")),
        ["m.safetensors", "x.csv"],
        "'x1' has no number at row 7",
    ),
    "infinity": (changed(x1=pl.lit("inf")), ["m.safetensors", "x.csv"], "inf"),
    "no such label": (
        lambda: None,
        ["m.safetensors", "known.csv", "--label", "true"],
        "no column 'true' (--label); did you mean 'truth'",
    ),
    "another class": (
        changed(y=pl.lit("elk")),
        ["m.safetensors", "x.csv", "--label", "y"],
        "elk",
    ),
    "no such id": (
        lambda: None,
        ["m.safetensors", "new.csv", "--id", "name"],
        "no column 'name' (--id)",
    ),
    "other features": (lambda: None, ["m.safetensors", "digits"], "64 features"),
}


def cut(path):
    with open(path, "r+b") as file:
        file.truncate(1000)


@pytest.mark.parametrize(("make", "words", "told"), PREDICTING.values(), ids=PREDICTING)
def test_predicting_refuses_in_one_sentence(trained, make, words, told):
    candidly, _, _ = trained
    make()
    status, out, err = candidly("predict", *words, "--out", "p.csv")
    sentence(status, out, err, told)


def test_a_class_named_like_a_column_is_said_so(candidly):
    frame = rows().with_columns(noisy=pl.col("noisy").replace("ant", "prediction"))
    frame.drop("sets", "truth").write_csv("n.csv")
    candidly("train", "n.csv", "--label", "noisy", *QUICK, "--out", "m.safetensors")
    command = ("predict", "m.safetensors", "n.csv", "--drop", "noisy", "--probs", "--out")
    sentence(*candidly(*command, "p.csv"), "a class is called 'prediction'")
    assert candidly(*command, "p.npz")[0] == 0


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz"])
def test_errors_find_takes_the_probabilities(trained, ending):
    candidly, _, new = trained
    new.select("id", label=pl.col("noisy")).write_csv("labels.csv")
    candidly("predict", "m.safetensors", "new.csv", "--probs", "--out", f"p{ending}")
    status, out, err = candidly(
        *("errors", "find", "--labels", "labels.csv", "--probs", f"p{ending}"),
        *("--classes", ",".join(NAMES), "--json"),
    )
    assert status == 0, err
    found = json.loads(out)
    wrong = np.flatnonzero(new["noisy"] != new["truth"])
    assert found["counts"]["flagged"] == pytest.approx(len(wrong), abs=5)


def test_texts_and_pictures_from_the_shell(candidly):
    g = np.random.default_rng(0)
    words = {"code": ["kernel", "thread", "cache"], "food": ["basil", "oven", "dough"]}
    table = [(" ".join(g.choice(words[k], 4)), k) for k in ("code", "food") * 50]
    pl.DataFrame(table, schema=["say", "topic"], orient="row").write_csv("says.csv")
    command = ("train", "says.csv", "--label", "topic", "--text", "say", "--steps", 60)
    status, out, err = candidly(*command, "--hyper", "batch_size=16", "--out", "t.safetensors")
    assert status == 0, err
    assert "1 text: say" in out
    Path("new.csv").write_text("say\nthe oven and the dough\na thread in the kernel\n")
    assert candidly("predict", "t.safetensors", "new.csv", "--out", "p.csv")[0] == 0
    assert pl.read_csv("p.csv")["prediction"].to_list() == ["food", "code"]
    Path("gap.csv").write_text("say,n\nthe oven,1\n,2\n")
    told = "column 'say' is empty at row 1"
    sentence(*candidly("predict", "t.safetensors", "gap.csv", "--out", "p.csv"), told)

    for row in range(40):
        kind = ("light", "night")[row % 2]
        for folder in [f"all/{kind}"] + ["new"] * (row < 4):
            Path(folder).mkdir(parents=True, exist_ok=True)
            pixels = g.integers(0, 99, (20, 30, 3), dtype=np.uint8) + (row % 2 == 0) * 120
            Image.fromarray(pixels).save(f"{folder}/{row:02}.png")
    command = ("train", "all", "--steps", 60, "--hyper", "batch_size=16")
    status, out, err = candidly(*command, "--out", "f.safetensors")
    assert status == 0, err
    status, out, err = candidly("predict", "f.safetensors", "new", "--out", "p.csv")
    assert status == 0, err
    assert pl.read_csv("p.csv").rows() == [
        (f"{row:02}.png", ("light", "night")[row % 2], pytest.approx(1, abs=0.5))
        for row in range(4)
    ]


def test_decimal_commas_are_read_as_in_training(trained):
    candidly, _, _ = trained
    text = Path("new.csv").read_text()
    Path("commas.csv").write_text(text.replace(",", ";").replace(".", ","))
    for name in ("new.csv", "commas.csv"):
        status, _, err = candidly("predict", "m.safetensors", name, "--out", f"p-{name}")
        assert status == 0, err
    assert Path("p-new.csv").read_text() == Path("p-commas.csv").read_text()


@pytest.fixture
def pictures():
    """Forty small pictures with one label each, in ``pictures.npz``."""
    g = np.random.default_rng(0)
    truth = np.arange(40) % 4
    images = (60 * truth[:, None, None] + g.integers(0, 60, (40, 8, 8))).astype(np.uint8)
    given = np.where(g.random(40) < 0.2, (truth + 1) % 4, truth)
    labels = {"given": given, "truth": truth}
    library.Labelled(inputs=images, classes=tuple(NAMES), **labels).save("pictures.npz")


def test_training_as_published_fills_what_is_not_given(candidly, pictures):
    asked = ("train", "pictures.npz", "--algorithm", "ce", "--as-published", "cifar10n-worst")
    ours = ("--net", "mlp:4", "--hyper", "batch_size=16", "--json", "--out", "m.safetensors")
    status, out, err = candidly(*asked, *ours)
    assert status == 0, err
    told = json.loads(out)
    assert told["as published"] == "cifar10n-worst"
    assert told["learned from"] == 36
    assert told["steps"] == 100 * (36 // 16)
    assert told["net"] == "mlp:4"
    assert told["hyper"] == {"lr": 0.1, "weight_decay": 5e-4, "batch_size": 16}
    about = load_model("m.safetensors").about
    assert about["recipe"] == "sgd:schedule=steps,at=0.6,decay=all,views=weak"
    rest = ("--recipe", "sgd:decay=all,views=weak", "--steps", 7, "--hyper", "lr=0.01")
    told = json.loads(candidly(*asked, *ours, *rest)[1])
    assert (told["steps"], told["hyper"]["lr"]) == (7, 0.01)
    assert load_model("m.safetensors").about["recipe"] == "sgd:decay=all,views=weak"


def test_training_a_table_as_published_takes_a_network_and_a_recipe(candidly):
    words = ("train", "digits", "--labels", "symmetric:rate=0.2", "--algorithm", "ce", "--json")
    ours = ("--net", "mlp:4", "--recipe", "sgd", "--steps", 3, "--out", "m.safetensors")
    status, out, err = candidly(*words, "--as-published", "cifar10n", *ours)
    assert status == 0, err
    assert json.loads(out)["hyper"] == {"lr": 0.1, "weight_decay": 5e-4, "batch_size": 128}


def test_training_texts_as_published_is_for_texts(candidly):
    rows = [f"how to {verb} a {thing},{verb}" for verb in ("paint", "bake") for thing in "abcdefgh"]
    Path("steps.csv").write_text("\n".join(["step,kind", *rows]) + "\n")
    words = ("train", "steps.csv", "--text", "step", "--label", "kind", "--algorithm", "ldam")
    asked = (*words, "--as-published", "noisywikihow-mix-40", "--out", "m.safetensors")
    ours = ("--net", "encoder:width=8,layers=1", "--hyper", "batch_size=4", "--steps", 3, "--json")
    status, out, err = candidly(*asked, *ours)
    assert status == 0, err
    told = json.loads(out)["hyper"]
    assert (told["margin"], told["scale"], told["lr"]) == (0.8, 7, 3e-5)
    assert load_model("m.safetensors").about["recipe"] == "adamw:schedule=constant"
    status, _, err = candidly(
        "train", "digits", *words[6:], *asked[8:], "--labels", "pair:rate=0.2"
    )
    assert (status, "are for texts, and the inputs of digits" in err) == (2, True), err


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((), "settings that were published are those of an algorithm"),
        (("--algorithm", "mixup"), "no published settings of mixup on cifar10n are known"),
        (("--algorithm", "dividemix"), "there are some of dividemix:asymmetric"),
        (("--algorithm", "ce"), "are for pictures, and the inputs of digits"),
        (("--algorithm", "ce", "--net", "mlp"), "are for pictures, and the inputs of digits"),
    ],
)
def test_training_as_published_refuses_what_it_cannot_do(candidly, asked, message):
    words = ("train", "digits", "--labels", "symmetric:rate=0.2", *asked)
    status, _, err = candidly(*words, "--as-published", "cifar10n", "--out", "m.safetensors")
    assert (status, message in err) == (2, True), err


# classifiers that are no networks


def test_without_a_word_of_a_network_a_blend_is_trained_and_says_how_its_parts_did(candidly):
    rows().drop("sets").write_csv("t.csv")
    train = ("train", "t.csv", "--label", "noisy", "--out", "m.safetensors")
    status, out, err = candidly(*train)
    assert status == 0, err
    assert "blend, the default for one label a row: learned from 216 rows" in out
    assert "on rows that it has not seen" in out
    assert "given accuracy" in out
    status, out, _ = candidly(*train, "--json")
    told = json.loads(out)
    judged = told["judged"]
    assert sum(one["weight"] for one in judged) == pytest.approx(1)
    assert all(0 <= one["agreement"] <= 1 and one["loss"] > 0 for one in judged)
    low, high = told["intervals"]["given accuracy"]
    assert low < told["measured"]["given accuracy"] < high
    assert told["measured"]["oracle accuracy"] > told["measured"]["given accuracy"]
    status, out, err = candidly("predict", "m.safetensors", "t.csv", "--out", "p.csv", "--json")
    assert status == 0, err
    assert sum(json.loads(out)["predicted"].values()) == 240


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--algorithm", "logistic", "--steps", 5), "--steps is not used by logistic"),
        (("--algorithm", "forest:leaf=0"), "leaf"),
        (("--algorithm", "forest:leafs=3"), "did you mean 'leaf'"),
        (("--algorithm", "bayes"), "bayes reads texts, and the inputs are table"),
        (("--algorithm", "bosting"), "did you mean 'boosting'"),
    ],
)
def test_what_a_classifier_cannot_have_is_refused(candidly, more, words):
    rows(60).drop("sets").write_csv("t.csv")
    train = ("train", "t.csv", "--label", "noisy", "--out", "m.safetensors")
    status, _, err = candidly(*train, *more)
    assert (status, words in err) == (2, True), err


def test_predictions_are_left_out_and_sets_are_written(candidly):
    rows(400).drop("sets").write_csv("t.csv")
    train = ("train", "t.csv", "--label", "noisy", "--out", "m.safetensors")
    assert candidly(*train, "--algorithm", "logistic")[0] == 0
    ask = ("predict", "m.safetensors", "t.csv", "--out", "p.csv")
    status, out, err = candidly(*ask, "--abstain", 0.7, "--sets", 0.9)
    assert status == 0, err
    assert "rows have no prediction: less likely than 0.7" in out
    assert "they are made to hold the given label of 90% of rows like the 40 held out" in out
    found = pl.read_csv("p.csv")
    assert found.columns == ["id", "prediction", "probability", "set"]
    unsure = found["probability"] < 0.7
    assert (found["prediction"].fill_null("") == "").to_list() == unsure.to_list()
    told = json.loads(candidly(*ask, "--abstain", 0.7, "--sets", 0.9, "--json")[1])
    assert told["abstained"] == unsure.sum()
    assert told["classes in a set"] == pytest.approx(found["set"].str.split("|").list.len().mean())
    for more, words in (
        (("--sets", 0.99), "sets at 0.99 need 99 rows held out"),
        (("--sets", 0.9, "--adjusted"), "Leave --adjusted or --sets out"),
        (("--abstain", 2), "--abstain"),
    ):
        status, _, err = candidly(*ask, *more)
        assert (status, words in err) == (2, True), err


def test_several_are_compared_and_one_is_chosen(candidly, trained):
    asked = ("train", "noisy.csv", "--label", "noisy", "--algorithm", "logistic", "--against", "ce")
    status, out, err = candidly(*asked, "--steps", 150, "--out", "n.safetensors")
    assert status == 0, err
    assert "rows that none has seen" in out
    status, told, _ = candidly(*asked, "--steps", 150, "--out", "n.safetensors", "--json")
    found = json.loads(told)
    assert {one["name"] for one in found["compared"]["contestants"]} == {"logistic", "ce"}
    assert found["algorithm"] == found["compared"]["chosen"]
    assert load_model("n.safetensors").about["algorithm"] == found["algorithm"]
    status, _, err = candidly(*asked, "--hyper", "lr=0.1", "--out", "n.safetensors")
    assert status == 2
    assert "several are compared" in err
    assert "--hyper" in err
    status, _, err = candidly(*asked, "--against", "nonsense", "--out", "n.safetensors")
    assert status == 2
    assert "nonsense" in err


def test_steps_may_be_found_by_early_stopping(candidly, trained):
    asked = ("train", "noisy.csv", "--label", "noisy", "--algorithm", "ce", "--steps", "auto")
    status, out, err = candidly(*asked, "--hyper", "batch_size=32", "--out", "n.safetensors")
    assert status == 0, err
    assert "early stopping: the given label was predicted most often, for" in out
    status, told, _ = candidly(
        *asked, "--hyper", "batch_size=32", "--out", "n.safetensors", "--json"
    )
    found = json.loads(told)
    assert found["steps"] == found["early stopping"]["steps"] % 10_000
    status, _, err = candidly(*asked[:-1], "soon", "--out", "n.safetensors")
    assert (status, "Or write auto" in err) == (2, True)


def said_of(rows, wrong):
    """A table with an answer a row: ``wrong`` of what each annotator says is another class."""
    g = np.random.default_rng(1)
    inputs = rows.drop("sets", "noisy", "truth", "id")
    parts = [
        inputs.with_columns(
            item=rows["id"],
            annotator=pl.lit(who),
            label=pl.Series(
                [NAMES[g.integers(4)] if g.random() < rate else one for one in rows["truth"]]
            ),
        )
        for who, rate in wrong.items()
    ]
    return pl.concat(parts)


def test_a_table_of_answers_is_learned_from_as_it_is(candidly, tmp_path):
    said_of(rows(), {"ann": 0.1, "bob": 0.2, "eve": 0.9}).write_csv(tmp_path / "said.csv")
    out = tmp_path / "m.safetensors"
    status, text, _ = candidly(
        "train", tmp_path / "said.csv", "--algorithm", "annotator-t", *QUICK, "--out", out
    )
    assert status == 0
    assert "240 rows, 4 classes, 3.00 answers a row" in text
    assert "answer accuracy" in text
    assert "the mean share of a row's answers that are predicted" in text
    unseen = rows(seed=5)
    table = unseen.drop("sets", "noisy", "truth").rename({"id": "item"})
    table.write_csv(tmp_path / "new.csv")
    status, _, err = candidly("predict", out, tmp_path / "new.csv", "--out", tmp_path / "p.csv")
    assert status == 0, err
    predicted = pl.read_csv(tmp_path / "p.csv")
    assert (predicted["prediction"] == unseen["truth"]).mean() > 0.9


def test_early_stopping_on_answers_says_what_was_predicted(candidly, tmp_path):
    said_of(rows(400), {"ann": 0.1, "bob": 0.2, "eve": 0.3}).write_csv(tmp_path / "said.csv")
    status, text, _ = candidly(
        "train",
        tmp_path / "said.csv",
        "--algorithm",
        "soft-ce",
        "--out",
        tmp_path / "m.safetensors",
    )
    assert status == 0
    assert "early stopping: what most people said was predicted most often" in text


def test_what_learns_from_answers_is_not_compared_with_what_learns_from_a_label(candidly, tmp_path):
    said_of(rows(), {"ann": 0.1, "bob": 0.2}).write_csv(tmp_path / "said.csv")
    status, _, err = candidly(
        "train", tmp_path / "said.csv", "--against", "crowd-layer", "--against", "ce",
        "--out", tmp_path / "m.safetensors",
    )  # fmt: skip
    assert status == 2
    assert "ce learns from one label a row and" in err
    assert "from people's answers" in err


def test_pictures_are_seen_by_the_encoder_that_is_installed(candidly, tmp_path, monkeypatch):
    monkeypatch.setenv("CANDIDLY_CACHE", "")
    g = np.random.default_rng(0)
    for row in range(60):
        picture = g.integers(0, 120, (12, 12, 3), dtype=np.uint8)
        picture[:6] += np.uint8(100 * (row % 2))
        folder = tmp_path / "photos" / "ab"[row % 2]
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(folder / f"{row}.png")
    command = ("train", "photos", "--out", "photos.safetensors")
    status, out, err = candidly(*command, "--steps", 5, "--hyper", "batch_size=8", "--json")
    assert status == 0, err
    assert json.loads(out)["encoder"] is None
    use_random(monkeypatch)
    status, out, err = candidly(*command)
    assert status == 0, err
    assert "each is seen as what efficientnet-lite0, trained elsewhere, makes of it" in out
    assert "logistic:C=0.001, the default" in out
    assert candidly("predict", "photos.safetensors", "photos", "--out", "p.csv")[0] == 0
