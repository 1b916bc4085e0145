"""``candidly review``, through the same door as a user."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

review = pytest.importorskip("candidly.review")


@pytest.fixture
def check(candidly, tmp_path):
    """A project of three issues, of which two people have said something."""
    pl.DataFrame(
        {
            "index": [1, 4, 6],
            "given": ["cat", "dog", "cat"],
            "proposed": ["dog", "cat", "dog"],
            "margin": [-0.9, -0.5, -0.1],
        }
    ).write_csv("issues.csv")
    (tmp_path / "texts.txt").write_text("\n".join("abcdefgh"))
    status, out, err = candidly(
        *("review", "new", "check", "--issues", "issues.csv", "--classes", "cat,dog"),
        *("--media", "texts.txt", "--people", 3, "--goal", "quality"),
    )
    assert status == 0, err
    assert "3 items, 3 people each" in out
    with review.open_project("check") as project:
        for code, said in (("ann", "guessed"), ("bob", "guessed"), ("cy", "both")):
            who = review.add_person(project, code)
            while tasks := review.next_tasks(project, who):
                reply = review.Reply(f"{code}-{tasks[0].item:08}", tasks[0].item, said, ms=900)
                review.answer(project, who, [reply])
                assert tasks[0].shown.payload in "beg"
    return candidly


def test_status(check):
    status, out, err = check("review", "status", "check")
    assert status == 0, err
    assert "3 items, 3 done; 9 of 9 answers, 0 skips" in out
    assert "verdicts: 3 correctable" in out
    assert "ann" in out
    status, out, _ = check("review", "status", "check", "--json")
    found = json.loads(out)
    assert found["verdicts"]["correctable"] == 3
    assert found["people"][0]["seconds"] == 0.9
    assert {(p["given"], p["guessed"]) for p in found["pairs"]} == {("cat", "dog"), ("dog", "cat")}


def test_export_and_merge(check):
    labels = np.array([1, 0, 1, 0, 1, 1, 0, 0])
    np.save("labels.npy", labels)
    outs = {
        "votes": "votes.csv",
        "all": "all.parquet",
        "totals": "totals.json",
        "label-studio": "tasks.json",
        "argilla": "records.json",
        "log": "log.jsonl",
    }
    for what, out in outs.items():
        status, _, err = check("review", "export", "check", "--as", what, "--out", out)
        assert status == 0, err
        assert "rows" in err
    status, out, _ = check(
        *("review", "export", "check", "--as", "corrected", "--labels", "labels.npy"),
        *("--out", "corrected.npy", "--json"),
    )
    assert status == 0
    assert json.loads(out)["rows"] == 8
    assert np.load("corrected.npy").tolist() == [1, 1, 1, 0, 0, 1, 1, 0]
    status, out, err = check("validate", "--votes", "totals.json", "--json")
    assert json.loads(out)["categories"]["correctable"] == 3
    status, out, err = check(
        "review", "merge", "check", "log.jsonl", "votes.csv", "check", "--json"
    )
    assert status == 0, err
    assert set(json.loads(out)["added"].values()) == {0}


def test_export_of_a_gallery(check, tmp_path):
    status, out, err = check("review", "export", "check", "--as", "gallery", "--out", "pages")
    assert status == 0, err
    assert "wrote pages: 3 items" in err
    assert "ann" not in (tmp_path / "pages" / "index.html").read_text()
    arguments = ("review", "export", "check", "--as", "gallery", "--out", "named", "--codes")
    status, out, _ = check(*arguments, "--json")
    assert json.loads(out)["rows"] == 3
    assert "ann: " in (tmp_path / "named" / "index.html").read_text()
    for arguments, match in (
        (("--as", "gallery", "--out", "pages"), "holds something already"),
        (("--as", "votes", "--out", "votes.csv", "--codes"), "--codes is for --as gallery"),
    ):
        status, _, err = check("review", "export", "check", *arguments)
        assert status == 2
        assert match in err


def test_a_data_set_and_released_votes(candidly):
    status, out, err = candidly(
        *("review", "new", "sets", "--data", "digits", "--preset", "candidates", "--sample", 20),
        "--json",
    )
    assert status == 0, err
    assert json.loads(out) == {
        "folder": "sets",
        "question": "several labels",
        "items": 20,
        "gold": 0,
        "people": 10,
        "answers": 0,
        "wanted": 200,
    }
    rows = [
        {
            "id": k,
            "url": "",
            "given_original_label": 0,
            "our_guessed_label": 1,
            "mturk": {"given": k, "guessed": 5 - k, "both": 0, "neither": 0},
        }
        for k in range(6)
    ]
    with open("votes.json", "w") as file:
        json.dump(rows, file)
    status, out, err = candidly("review", "new", "study", "--votes", "votes.json")
    assert status == 0, err
    status, out, _ = candidly("review", "status", "study", "--json")
    found = json.loads(out)
    assert (found["answers"], found["verdicts"]["non-error"]) == (30, 3)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("new", "p"), "nothing to ask about"),
        (("new", "p", "--data", "digits", "--votes", "x.json"), "--data and --votes to ask"),
        (("new", "p", "--data", "digits"), "verdicts need guesses"),
        (("new", "p", "--issues", "none.csv"), "none.csv does not exist"),
        (("new", "p", "--data", "digits", "--preset", "singel"), "did you mean 'single'"),
        (("status", "none"), "holds no project"),
        (("export", "none", "--out", "x.txt"), "must end in .csv"),
        (("export", "none", "--as", "corrected", "--out", "x.npz"), "give both or neither"),
        (("merge", "none", "x.jsonl"), "holds no project"),
    ],
)
def test_what_is_refused(candidly, arguments, match):
    status, _, err = candidly("review", *arguments)
    assert status == 2
    assert match in err


@pytest.mark.parametrize("command", ["new", "status", "export", "merge"])
def test_help_has_examples(candidly, command):
    status, out, _ = candidly("review", command, "--help")
    assert status == 0
    assert f"candidly review {command} " in out


def test_what_is_not_installed_is_named(candidly, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    status, _, err = candidly("review", "status", "check")
    assert status == 2
    assert "candidly review needs sqlalchemy; pip install 'candidly[review]'" in err
