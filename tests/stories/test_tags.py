"""A menu whose dishes have several tags: checked, looked at by a person, and taken back."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from dishes import TAGS, dishes, table, told

N, WRONG = 3000, 299


@pytest.fixture
def menu(tmp_path):
    """The file, and which rows are wrong."""
    texts, given, right = dishes(N, WRONG)
    table(texts, given).write_csv(tmp_path / "dishes.csv")
    return set(np.flatnonzero((given != right).any(1)).tolist())


def test_rows_whose_tags_are_wrong_are_found_looked_at_and_taken_back(typed, tmp_path, menu):
    status, out, err = typed("candidly check dishes.csv --label tags")
    assert (status, out) == (2, "")
    assert "column 'tags' has several labels in a cell" in err
    for kind in ("one-of", "all-of", "single"):
        assert f"--label-kind {kind}" in err

    status, out, err = typed("candidly check dishes.csv --label tags --label-kind all-of --json")
    assert status == 0, err
    found = json.loads(out)
    issues = pl.read_csv(tmp_path / "dishes-check.csv")
    assert found["flagged"] == len(issues)
    flagged = set(issues["index"].to_list())
    assert len(flagged & menu) >= 0.9 * WRONG  # as candidates, 29
    assert len(flagged & menu) >= 0.9 * len(flagged)
    assert {row["tag"] for row in found["by tag"]} == set(TAGS)
    assert ("tags", "labels, all right") in {(r["column"], r["as"]) for r in found["read as"]}
    assert (tmp_path / "dishes-check.html").exists()

    new, _, export = found["next"]
    assert "items, 1 person each, all labels" in typed(new)[1]
    places = {tag: str(k) for k, tag in enumerate(TAGS)}
    said = [" ".join(places[tag] for tag in told(text)) or "none" for text in issues["text"]]
    answers = issues.select(name=pl.col("id").cast(str)).with_columns(
        person=pl.lit("ann"), answer=pl.Series(said)
    )
    answers.write_csv(tmp_path / "answers.csv")
    assert typed("candidly review merge dishes-review answers.csv")[0] == 0
    status, _, err = typed(export)
    assert status == 0, err
    after = pl.read_csv(tmp_path / "dishes-corrected.csv")
    assert after.columns == ["dish", "text", "tags", "tags corrected", "tags corrected by"]
    cells = after["tags corrected"].fill_null("").to_list()
    wrong = [set(cell.split("|")) - {""} != set(told(t)) for cell, t in zip(cells, after["text"])]
    assert sum(wrong) == len(menu - flagged)
    kept = after.filter(pl.col("tags corrected by") == "unflagged")
    assert kept["tags"].equals(kept["tags corrected"])

    again = (
        "candidly check dishes-corrected.csv --label 'tags corrected' --label-kind all-of --json"
    )
    status, out, err = typed(again)
    assert status == 0, err
    assert json.loads(out)["flagged"] < 0.1 * WRONG


def test_probabilities_of_tags_and_what_looks_wrong_by_them(typed, tmp_path, menu):
    probs = "candidly errors probs dishes.csv --label tags --label-kind all-of --out probs.parquet"
    status, out, err = typed(probs)
    assert status == 0, err
    following = out.split("next: ")[1].strip()
    assert following.startswith("candidly errors find --labels dishes.csv --label tags")
    status, out, err = typed(f"{following} --json --out issues.csv --html issues.html")
    assert status == 0, err
    found = json.loads(out)
    assert found["counts"]["flagged"] == len(pl.read_csv(tmp_path / "issues.csv"))
    assert len(menu & set(pl.read_csv(tmp_path / "issues.csv")["index"])) >= 0.9 * WRONG
    status, out, err = typed(following.replace("--label-kind all-of", ""))
    assert status == 2
    assert "--label-kind all-of" in err


def test_a_column_for_each_tag(typed, tmp_path):
    texts, given, right = dishes(600, 60)
    columns = {tag: given[:, k].astype(int) for k, tag in enumerate(TAGS)}
    frame = pl.DataFrame({"dish": [f"dish {k}" for k in range(600)], "text": texts, **columns})
    frame.write_csv(tmp_path / "menu.csv")
    line = f"candidly check menu.csv --label {','.join(TAGS)}"
    status, _, err = typed(line)
    assert status == 2
    assert "If all of them are, say --label-kind all-of" in err
    status, out, err = typed(f"{line} --label-kind all-of --json")
    assert status == 0, err
    found = json.loads(out)
    issues = pl.read_csv(tmp_path / "menu-check.csv")
    wrong = set(np.flatnonzero((given != right).any(1)).tolist())
    assert len(wrong & set(issues["index"].to_list())) >= 0.8 * len(wrong)
    assert typed(found["next"][0])[0] == 0
    said = [" ".join(str(TAGS.index(t)) for t in told(text)) or "none" for text in issues["text"]]
    answers = {"name": issues["id"].cast(str), "person": ["ann"] * len(said), "answer": said}
    pl.DataFrame(answers).write_csv(tmp_path / "answers.csv")
    assert typed("candidly review merge menu-review answers.csv")[0] == 0
    status, _, err = typed(found["next"][2])
    assert status == 0, err
    after = pl.read_csv(tmp_path / "menu-corrected.csv")
    made = after.select(f"{tag} corrected" for tag in TAGS).to_numpy()
    assert after.columns[: len(frame.columns)] == frame.columns
    assert (made != right).any(1).sum() == len(wrong - set(issues["index"].to_list()))


def test_names_that_hold_the_separator(typed, tmp_path):
    rows = [f"{k % 9 / 10},{'clothing|shoes' if k % 2 else 'food|drinks'}" for k in range(60)]
    (tmp_path / "shop.csv").write_text("x,kind\n" + "\n".join(rows) + "\n")
    status, out, err = typed("candidly check shop.csv --label kind --label-kind single --json")
    assert status == 0, err
    assert json.loads(out)["classes"] == ["clothing|shoes", "food|drinks"]
    line = "candidly data describe shop.csv --label kind --json"
    status, out, err = typed(line)
    assert json.loads(out)["q"] == 4
    assert "taken as candidates, of which one is right (--label-kind one-of)" in err
    status, out, err = typed(f"{line} --label-kind single")
    assert (json.loads(out)["q"], err) == (2, "")
