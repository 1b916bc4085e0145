"""A file of tickets in which people wrote the classes in several ways."""

from __future__ import annotations

import json
import random
import sys

import polars as pl
import pytest

from candidly import cli
from candidly.people.review import open_project

CLASSES = ("Billing", "Refund request", "Login", "Shipping", "Bug report")
WAYS = (str.lower, str.upper, lambda s: f" {s} ", lambda s: s.replace(" ", "  "), lambda s: s + ".")
FILE = ("tickets.csv", "--label", "category")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    def run(*words: str) -> tuple[str, str]:
        """What a command prints, and what it says besides."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["candidly", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        assert not ended.value.code, err
        return out, err

    return run


def tickets(path, n=1200):
    """Tickets of five classes of which 3 % are written in another way."""
    rng = random.Random(0)
    kinds = [rng.choice(CLASSES) for _ in range(n)]
    written = [rng.choice(WAYS)(kind) if rng.random() < 0.03 else kind for kind in kinds]
    words = [f"{kind.split()[0]} please {k % 7}" for k, kind in enumerate(kinds)]
    pl.DataFrame({"text": words, "category": written}).write_csv(path)


def test_classes_that_are_spelled_in_several_ways_are_found_and_merged(run, tmp_path):
    tickets(tmp_path / "tickets.csv")
    out, err = run("data", "describe", *FILE, "--json")
    assert json.loads(out)["q"] > len(CLASSES)
    assert "these look like one class" in err
    assert "'Billing' (" in err
    run("labels", "spelling", *FILE, "--out", "merge.csv")
    assert set(pl.read_csv(tmp_path / "merge.csv")["new"]) == set(CLASSES)
    for how in ("spelling", "merge.csv"):
        out, err = run("data", "describe", *FILE, "--merge-labels", how, "--json")
        assert json.loads(out)["q"] == len(CLASSES)
        assert "look like one class" not in err
    out, _ = run("check", *FILE, "--text", "text", "--merge-labels", "merge.csv", "--json")
    assert sorted(json.loads(out)["classes"]) == sorted(CLASSES)


def test_answers_of_people_who_write_large_letters(tmp_path, run):
    """One answer in a hundred begins with a capital: told, and merged as if none did."""
    rng = random.Random(1)
    animals = ("cat", "dog", "emu", "fox", "owl")
    rows = []
    for item in range(300):
        for who in ("ann", "bob", "eve", "joe"):
            said = animals[item % 5] if rng.random() < 0.8 else rng.choice(animals)
            rows.append((f"i{item}", who, said))
    large = [(i, who, said.capitalize() if rng.random() < 0.01 else said) for i, who, said in rows]
    names = ["item", "annotator", "label"]
    pl.DataFrame(rows, schema=names, orient="row").write_csv(tmp_path / "plain.csv")
    pl.DataFrame(large, schema=names, orient="row").write_csv(tmp_path / "answers.csv")

    def consensus(*words):
        out, err = run("crowd", "consensus", *words, "--out", "labels.csv", "--json")
        return json.loads(out)["classes"], pl.read_csv(tmp_path / "labels.csv"), err

    expected = consensus("plain.csv")
    classes, _, err = consensus("answers.csv")
    assert len(classes) > 5
    assert "these look like one class" in err
    assert "--merge-labels" in err
    classes, labels, err = consensus("answers.csv", "--merge-labels", "spelling")
    assert "look like one" not in err
    assert (classes, labels.equals(expected[1])) == (expected[0], True)


def test_what_was_merged_is_in_the_file_that_comes_back(tmp_path, run):
    """A review knows that Billing and billing are one, and so does the corrected file."""
    tickets(tmp_path / "tickets.csv")
    table = pl.read_csv(tmp_path / "tickets.csv")
    wrong = table["text"].str.starts_with("Login") & table["text"].str.ends_with("3")
    kinds = pl.when(wrong).then(pl.lit("Shipping")).otherwise("category")
    table.with_columns(kinds.alias("category")).write_csv(tmp_path / "tickets.csv")
    review = (*FILE, "--merge-labels", "spelling")
    run("review", "new", "it", *review, "--preset", "single", "--rows", "3,7")
    with open_project(tmp_path / "it") as project:
        assert project.rules.classes == tuple(sorted(CLASSES))
    run("check", *review)
    run("review", "new", "check", *review, "--issues", "tickets-check.csv", "--people", "1")
    out = ("--into", "tickets.csv", "--out", "corrected.csv")
    run("review", "export", "check", "--as", "corrected", *out)
    made = pl.read_csv(tmp_path / "corrected.csv", infer_schema=False)
    assert made["category"].n_unique() > len(CLASSES)
    assert set(made["category corrected"].drop_nulls()) == set(CLASSES)
