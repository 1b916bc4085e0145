"""``candidly crowd read``, through the same door as a user, and on to a consensus."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

CLASSES = ("cat", "dog", "emu")


@pytest.fixture
def answers(tmp_path):
    """Answers of three models about 60 items, with log-probabilities, and twenty known items."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    with (tmp_path / "answers.jsonl").open("w") as file:
        for who in range(3):
            logits = 2 * np.eye(3)[truth] + rng.normal(size=(60, 3))
            p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
            for i in range(60):
                text = f"Answer: {CLASSES[p[i].argmax()]}." if rng.random() < 0.9 else "a fox"
                top = {name: math.log(value) for name, value in zip(CLASSES, p[i])}
                record = {"item": f"p{i:02}", "model": f"m{who}", "answer": text, "top": top}
                file.write(json.dumps(record) + "\n")
    known = pl.DataFrame(
        {"item": [f"p{i:02}" for i in range(20)], "label": [CLASSES[k] for k in truth[:20]]}
    )
    known.write_csv(tmp_path / "known.csv")
    return tmp_path


READ = ("crowd", "read", "answers.jsonl", "--classes", "cat,dog,emu")


def test_answers_become_a_table_for_a_consensus(candidly, answers):
    status, out, err = candidly(*READ, "--out", "answers.csv")
    assert status == 0, err
    assert "of 180 answers are labels, about 60 items by 3 models" in " ".join(out.split())
    assert "most often off the list: 'a fox'" in " ".join(out.split())
    table = pl.read_csv("answers.csv")
    assert table.columns == ["item", "annotator", "label", "belief"]
    status, out, err = candidly("crowd", "consensus", "answers.csv", "--json", "--top", 1)
    assert status == 0, err
    assert json.loads(out)["answers"] == len(table)


def test_sets_by_mass_and_by_known_items(candidly, answers):
    said = {}
    for name, more in (
        ("mass", ("--mass", 0.95)),
        ("known", ("--known", "known.csv", "--error", 0.1)),
    ):
        status, out, err = candidly(*READ, *more, "--out", f"by-{name}.csv", "--json")
        assert status == 0, err
        said[name] = json.loads(out)
        sets = pl.read_csv(f"by-{name}.csv")["label"].str.split("|").list.len()
        assert said[name]["size"] == pytest.approx(sets.mean())
        assert said[name]["size"] > 1
        columns = ("--item", "item", "--annotator", "annotator", "--drop", "belief")
        status, _, err = candidly("crowd", "sets", f"by-{name}.csv", *columns, "--json")
        assert status == 0, err
    assert said["mass"]["covered"] == pytest.approx(1)


def test_what_does_not_go_together_is_refused(candidly, answers):
    for more, told in (
        (("--known", "known.csv"), "--known and --error go together"),
        (("--mass", 0.9, "--known", "known.csv", "--error", 0.1), "give one of them"),
        (("--known", "known.csv", "--error", 0.01), "needs 99"),
    ):
        status, _, err = candidly(*READ, *more, "--out", "out.csv")
        assert status == 2
        assert told in " ".join(err.split())
    status, _, err = candidly(
        "crowd", "read", "answers.jsonl", "--classes", "cat", "--out", "out.csv"
    )
    assert status == 2
    assert "a list of names has commas" in " ".join(err.split())
