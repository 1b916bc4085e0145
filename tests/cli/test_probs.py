"""``candidly errors probs``, through the same door as a user."""

from __future__ import annotations

import json
import shlex

import numpy as np
import polars as pl
import pytest

from candidly import errors
from candidly.data.labels.building import from_arrays
from candidly.errors.crossval import CrossValidated, Network, by_name

N = 90


@pytest.fixture
def made(tmp_path):
    """A file of data whose labels are mostly told by its features."""
    g = np.random.default_rng(0)
    y = np.arange(N) % 3
    x = g.normal(size=(N, 9)) + 2 * np.eye(3)[y] @ g.normal(size=(3, 9))
    y[:6] = (y[:6] + 1) % 3
    data = from_arrays(
        x, [("cat", "dog", "[b]emu")[k] for k in y], classes=("cat", "dog", "[b]emu")
    )
    data.save(tmp_path / "data.npz")
    return data


def asked(candidly, *more):
    status, out, err = candidly("errors", "probs", *more, "--json")
    assert status == 0, err
    return json.loads(out), err


def test_it_prints_what_was_kept_and_the_next_command_works(candidly, made, tmp_path):
    command = ("errors", "probs", "data.npz", "--classifier", "logistic,knn", "--out", "p.npz")
    status, out, err = candidly(*command)
    assert status == 0, err
    result = CrossValidated.load(tmp_path / "p.npz")
    expected = errors.cross_validate(["logistic", "knn"], made)
    assert np.array_equal(result.probs, expected.probs)
    kept = [line.split() for line in out.splitlines() if line.endswith("kept")]
    lines = [line.split() for line in out.splitlines()]
    for name, share in expected.accuracies.items():
        assert any(line[:2] == [name, f"{share:.2%}"] for line in lines), out
    assert [line[0] for line in kept if line] in ([expected.chosen], [])
    assert f"expected calibration error {expected.ece:.3f}" in out
    assert "wrote p.npz" in err
    following = out.splitlines()[-1].removeprefix("next: ")
    assert following == (
        "candidly errors find --labels p.npz --probs p.npz --classes p.classes.txt"
    )
    status, out, err = candidly(*shlex.split(following)[1:], "--json")
    assert status == 0, err
    found = errors.find(made.given, expected.probs)
    assert [row["index"] for row in json.loads(out)["issues"]] == found.indices.tolist()
    assert {row["given"] for row in json.loads(out)["issues"]} <= set(made.classes)


@pytest.mark.parametrize("ending", [".npy", ".parquet"])
def test_labels_folds_and_names_are_written_beside(candidly, made, tmp_path, ending):
    about, _ = asked(candidly, "data.npz", "--out", f"p{ending}", "--folds", 3)
    expected = errors.cross_validate("logistic", made, 3)
    assert about["written"] == {
        "probs": f"p{ending}",
        "labels": "p.labels.npy",
        "folds": "p.folds.npy",
        "classes": "p.classes.txt",
    }
    assert np.array_equal(np.load(tmp_path / "p.folds.npy"), expected.folds)
    named = np.array(made.classes)[made.given]  # where names are numbers, places are not
    assert np.array_equal(np.load(tmp_path / "p.labels.npy"), named)
    assert (tmp_path / "p.classes.txt").read_text().split() == list(made.classes)
    status, out, err = candidly(*shlex.split(about["next"])[1:], "--json")
    assert status == 0, err
    found = errors.find(made.given, expected.probs)
    assert [row["index"] for row in json.loads(out)["issues"]] == found.indices.tolist()


def test_json_says_everything(candidly, made, tmp_path):
    groups = np.arange(N) // 2
    pl.DataFrame({"person": [f"p{k:02}" for k in groups]}).write_csv(tmp_path / "groups.csv")
    options = ("--groups", "groups.csv", "--seed", 3, "--repeats", 2, "--calibrate", "--leak-check")
    about, _ = asked(
        candidly,
        "data.npz",
        "--classifier",
        "ce",
        "--steps",
        20,
        "--folds",
        2,
        "--out",
        "p.npz",
        *options,
    )
    result = CrossValidated.load(tmp_path / "p.npz")
    assert np.array_equal(result.folds[::2], result.folds[1::2])
    assert about["accuracies"] == dict(result.accuracies)
    assert (about["examples"], about["classes"], about["folds"], about["seed"]) == (N, 3, 2, 3)
    assert (about["chosen"], about["ece"]) == ("ce", result.ece)
    assert about["fold ece"] == result.fold_ece.tolist()
    assert np.array(about["temperatures"]).shape == (2, 2)
    assert about["mean variance"] == pytest.approx(np.nanmean(result.variance))
    assert about["warnings"] == list(result.warnings)
    assert about["permuted"] == result.permuted._asdict()


def test_made_labels_and_networks(candidly, tmp_path):
    made = ("digits", "--labels", "noise:rate=0.2", "--classifier", "ce", "--steps", 60)
    about, err = asked(candidly, *made, "--out", "p.npz")
    assert "Traceback" not in err
    result = CrossValidated.load(tmp_path / "p.npz")
    assert about["classes"] == 10
    assert 0.5 < about["accuracies"]["ce"] < 0.85
    assert (result.given != _truth()).mean() == pytest.approx(0.18, abs=0.03)
    assert "classes" not in about["written"]


def test_made_labels_take_the_place_of_given_ones(candidly, tmp_path):
    g = np.random.default_rng(0)
    truth = np.arange(120) % 3
    data = from_arrays(g.normal(size=(120, 4)), (truth + 1) % 3, truth)
    data.save(tmp_path / "both.npz")
    asked(candidly, "both.npz", "--out", "p.npz")
    assert np.array_equal(CrossValidated.load(tmp_path / "p.npz").given, data.given)
    asked(candidly, "both.npz", "--labels", "noise:rate=0.1", "--out", "p.npz")
    assert (CrossValidated.load(tmp_path / "p.npz").given == truth).mean() > 0.8


def _truth():
    from candidly.data.sources import load

    return load("digits").truth


def test_texts_and_gaps(candidly, tmp_path):
    words = ("dull", "fine")
    rows = [(f"{words[i % 2]} film number {i}", words[i % 2] if i % 9 else "") for i in range(80)]
    pl.DataFrame(rows, schema=["text", "given"], orient="row").write_csv(tmp_path / "reviews.csv")
    about, err = asked(candidly, "reviews.csv", "--out", "p.npz")
    assert about["next"].endswith("--unlabelled")
    assert about["accuracies"]["logistic"] == 1
    assert any("100.00% of the held-out" in sentence for sentence in about["warnings"])
    assert "candidly: warning: 100.00% of the held-out" in err
    assert candidly(*shlex.split(about["next"])[1:])[0] == 0


def test_candidate_sets_have_their_own_last_line(candidly, tmp_path):
    sets = np.eye(3, dtype=bool)[np.arange(60) % 3] | (np.arange(3) == 0)
    from_arrays(np.random.default_rng(0).normal(size=(60, 4)), sets).save(tmp_path / "sets.npz")
    command = ("sets.npz", "--classifier", "PRODEN", "--steps", 5, "--out", "p.npy")
    status, out, _ = candidly("errors", "probs", *command)
    assert status == 0
    assert "in the candidates" in out
    assert "calibration" not in out
    assert "candidly.errors.find(data.candidates" in out
    about, _ = asked(candidly, *command)
    assert (about["ece"], about["next"]) == (None, None)
    assert set(about["written"]) == {"probs", "folds"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("data.npz", "--out", "p.csv"), "--out is p.csv; it must end in .npy or .parquet or .npz"),
        (("data.npz", "--out", "no/p.npy"), "there is no folder no"),
        (("data.npz", "--out", "p.npy", "--classifier", "logstic"), "did you mean 'logistic'"),
        (
            ("data.npz", "--out", "p.npy", "--classifier", " , "),
            "--classifier ' , ': nothing stands in front of a comma",
        ),
        (("data.npz", "--out", "p.npy", "--groups", "no.npy"), "there is no file no.npy"),
        (("data.npz", "--out", "p.npy", "--groups", "groups.npy"), "shape (3,), but there are 90"),
        (("data.npz", "--out", "p.npy", "--folds", 91), "there are 90 examples; use fewer folds"),
        (("data.npz", "--out", "p.npy", "--classifier", "PRODEN"), "has no candidates"),
        (("truth.npz", "--out", "p.npy"), "Make some with --labels flip:rate=0.3"),
        (("nowhere.npz", "--out", "p.npy"), "no file nowhere.npz"),
    ],
)
def test_bad_requests_are_one_sentence_and_write_nothing(candidly, made, tmp_path, more, message):
    np.save(tmp_path / "groups.npy", np.zeros(3))
    from_arrays(np.eye(90), truth=np.arange(90) % 3).save(tmp_path / "truth.npz")
    status, out, err = candidly("errors", "probs", *more)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.glob("p.*"))


def test_a_stop_writes_nothing(candidly, made, tmp_path, monkeypatch):
    from sklearn.linear_model import LogisticRegression

    def stop(self, *_):
        raise KeyboardInterrupt

    monkeypatch.setattr(LogisticRegression, "fit", stop)
    status, _, err = candidly("errors", "probs", "data.npz", "--out", "p.npz")
    assert status == 130
    assert "stopped; nothing was written." in err
    assert not list(tmp_path.glob("p.*"))


def test_progress_tells_the_time_left(candidly, made, monkeypatch):
    from candidly.cli import _progress

    monkeypatch.setattr(_progress, "QUIET_S", -1.0)
    monkeypatch.setattr(_progress, "FIRST_LINE_S", 0.0)
    monkeypatch.setattr(_progress, "MEASURED_S", 0.0)
    _, _, err = candidly("errors", "probs", "data.npz", "--out", "p.npz")
    told = [line for line in err.splitlines() if " % done · 0:0" in line and line.endswith(" left")]
    assert [line.split()[0] for line in told][:3] == ["40", "60", "80"]  # the first tells no speed


def test_steps_are_for_networks(candidly, made, tmp_path):
    command = ("errors", "probs", "data.npz", "--out", "p.npz", "--steps", 20)
    status, _, err = candidly(*command, "--classifier", "logistic,knn")
    assert status == 2
    assert "--steps is not used by logistic, knn" in " ".join(err.split())
    assert not (tmp_path / "p.npz").exists()
    about, _ = asked(candidly, *command[2:], "--classifier", "logistic,ce")
    assert set(about["accuracies"]) == {"logistic", "ce"}


def test_steps_of_a_classifier_by_name():
    assert by_name("ce", "table", 20).steps == 20
    assert by_name("ce", "table").steps == Network.steps
    with pytest.raises(ValueError, match="is not used by forest"):
        by_name("forest", "table", 20)
