"""`candidly rank`: tables, answers, logs, wins; conditions end with a status of their own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

LOGS = Path(__file__).parents[1] / "data" / "ingest" / "scores" / "logs"


@pytest.fixture
def scores(tmp_path):
    g = np.random.default_rng(0)
    lines = ["id,topic,strong,weak,weaker"]
    for k in range(300):
        right = (g.random(3) < [0.9, 0.6, 0.58]).astype(int)
        lines.append(f"i{k},t{k % 3}," + ",".join(map(str, right)))
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def asked(candidly, *arguments, expected=0):
    """stdout and stderr of `candidly rank`."""
    status, out, err = candidly("rank", *arguments)
    assert status == expected, err
    return out, err


def test_a_page_and_everything_beside_it(candidly, scores, tmp_path):
    page, out = tmp_path / "page.html", tmp_path / "out.json"
    told, _ = asked(candidly, scores, "--slices", "topic", "--html", page, "--out", out)
    assert told.startswith("strong is first of 3 models on 300 items")
    assert "strong is first" in page.read_text()
    assert json.loads(out.read_text())["models"][0]["model"] == "strong"
    as_json, _ = asked(candidly, scores, "--drop", "topic", "--json")
    assert json.loads(as_json)["apart"] == 2


def test_conditions(candidly, scores):
    command = (scores, "--slices", "topic")
    met = ("--fail-unless", "strong > weak", "--fail-if-worse", "weak", "--by", "15")
    _, err = asked(candidly, *command, *met)
    assert "strong is ahead of weak by more than chance." in err
    assert "no worse than weak" in err
    out, err = asked(candidly, *command, "--fail-unless", "weak > weaker", expected=4)
    assert "Tests do not say that weak is ahead of weaker." in err
    assert out.startswith("strong is first")
    worse = ("--fail-if-worse", "strong", "--by", "0.5")
    _, err = asked(candidly, *command, *worse, expected=4)
    assert "weak is not shown to be no worse than strong" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "'topic'.*--drop topic"),
        (("--slices", "topic", "--by", "1"), "--by goes with --fail-if-worse"),
        (("--slices", "topic", "--suspects", "s.csv"), "--suspects goes with --key"),
        (("--slices", "topic", "--fail-unless", "strong"), "'A > B'"),
        (("--wins", "--slices", "topic"), "--slices says nothing of comparisons"),
        (("--slices", "topic", "--between", "1,0"), "--between"),
        (("--slices", "topic", "--metric", "acc"), "--metric says nothing of tables"),
    ],
)
def test_what_is_refused(candidly, scores, options, said):
    _, err = asked(candidly, scores, *options, expected=2)
    assert re.search(said, err)


def test_classes_are_no_scores(candidly, tmp_path):
    path = tmp_path / "predictions.csv"
    path.write_text("a,b\n3,1\n2,2\n")
    _, err = asked(candidly, path, expected=2)
    assert "score 3 on item 0" in err
    assert "stability" in err


def test_answers(candidly, tmp_path):
    path, found = tmp_path / "answers.csv", tmp_path / "suspects.csv"
    path.write_text("id,right,a,b,c\nx,A,A,A,A\ny,B,A,A,A\nz,C,C,,C\n")
    _, err = asked(candidly, path, "--key", "right", expected=2)
    assert "--missing lowest" in err
    out, _ = asked(candidly, path, "--key", "right", "--missing", "lowest", "--drop", "c")
    assert "2 models on 3 items" in out
    asked(candidly, path, "--key", "right", "--missing", "lowest", "--suspects", found)
    assert found.read_text().splitlines()[1] == "y,B,A,3,3,0,0.0"


def test_logs(candidly):
    out, _ = asked(candidly, LOGS / "lm_eval", "--metric", "acc")
    assert "org/good" in out
    _, err = asked(candidly, LOGS / "lm_eval", expected=2)
    assert "--metric" in err


def test_wins_and_another_ranking(candidly, tmp_path):
    wins, other = tmp_path / "wins.csv", tmp_path / "other.csv"
    rows = [f"a,b,{'a' if k % 4 else 'b'},{k // 2}" for k in range(80)]
    wins.write_text("\n".join(["first,second,winner,question", *rows]) + "\n")
    other.write_text("model,score\na,1\nb,2\n")
    out, _ = asked(candidly, wins, "--wins", "--groups", "question", "--against", other)
    assert "of 2 models on 80 comparisons" in out
    assert "Pairs in another order there: 1" in out


def test_a_judge_and_people(candidly, tmp_path):
    judge, people = tmp_path / "judge.csv", tmp_path / "people.csv"
    g = np.random.default_rng(0)
    truth = (g.random((400, 2)) < [0.8, 0.5]).astype(int)
    said = np.round(0.2 + 0.6 * truth + 0.2 * g.random((400, 2)), 3)
    lines = [f"q{k},{a},{b}" for k, (a, b) in enumerate(said)]
    judge.write_text("\n".join(["id,a,b", *lines]) + "\n")
    lines = [f"q{k},{truth[k, 0]},{truth[k, 1]}" for k in range(0, 400, 5)]
    people.write_text("\n".join(["id,a,b", *lines]) + "\n")
    out, _ = asked(candidly, judge, "--people", people)
    assert out.startswith("The whole order of 2 models on 400 items")
    assert "People scored 80 items a model." in out
    people.write_text("id,a,b\nnone,1,0\n")
    _, err = asked(candidly, judge, "--people", people, expected=2)
    assert "Item 'none' of" in err
    _, err = asked(candidly, judge, "--people", people, "--key", "a", expected=2)
    assert "--key says nothing where people correct a judge" in err


@pytest.fixture
def answers(tmp_path):
    """Answers of three models to 60 questions, a key, and the truth, which differs on six."""
    g = np.random.default_rng(3)
    truth = g.choice(list("ABCD"), 60)
    key = np.where(np.arange(60) % 10 == 0, np.where(truth == "A", "B", "A"), truth)
    said = [np.where(g.random(60) < p, truth, g.choice(list("ABCD"), 60)) for p in (0.9, 0.6, 0.4)]
    rows = zip(range(60), key, *said)
    lines = ["question_id,answer,ash,beech,cedar"]
    lines += [f"q{k},{','.join(map(str, row))}" for k, *row in rows]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path, {f"q{k}": str(one) for k, one in enumerate(truth)}


def filled_in(plan, truth, count, column="found"):
    """The plan with what people found of its first rows."""
    table = pl.read_csv(plan, infer_schema=False)
    found = [truth[item] if k < count else None for k, item in enumerate(table["question_id"])]
    table.with_columns(pl.Series(column, found)).write_csv(plan)


def test_keys_are_checked_as_a_plan_says(candidly, answers, tmp_path):
    path, truth = answers
    plan, page = tmp_path / "plan.csv", tmp_path / "page.html"
    key = (path, "--key", "answer", "--id", "question_id")
    told, err = asked(candidly, *key, "--plan", plan)
    assert "None of 60 keys was checked" in told
    assert f"wrote {plan}" in err
    table = pl.read_csv(plan, infer_schema=False)
    assert table.columns == ["place", "question_id", "key", "models say", "found", "void"]
    asked(candidly, *key, "--plan", plan, expected=2)  # nothing that people wrote is lost
    filled_in(plan, truth, 20)
    told, _ = asked(candidly, *key, "--found", plan, "--html", page)
    assert "Of 60 keys 20 were checked" in told
    assert "more checks, in the order of the plan" in " ".join(told.split())
    assert "Whether neighbours can still turn" in page.read_text()
    filled_in(plan, truth, len(table))
    found = json.loads(asked(candidly, *key, "--found", plan, "--json")[0])["wrong_keys"]
    assert found["drawn"] == len(table)
    assert {one["status"] for one in found["neighbours"]} == {"secure"}
    # keys that were checked for another reason, beside the plan
    other = tmp_path / "other.csv"
    other.write_text(f"question_id,found,void\nq0,{truth['q0']},\nq10,,true\n")
    keys = json.loads(asked(candidly, *key, "--checked", other, "--json")[0])["wrong_keys"]
    assert (keys["checked"], keys["wrong"], keys["void"]) == (2, 1, 1)
    _, err = asked(candidly, *key, "--checked", other, "--found", plan, expected=2)
    assert "is in both" in err


def test_an_answer_that_nobody_gives_is_asked_about(candidly, answers, tmp_path):
    path, _ = answers
    file = tmp_path / "checked.csv"
    file.write_text("question_id,found\nq1,a\n")
    _, err = asked(candidly, path, "--key", "answer", "--checked", file)
    assert "which is no key and no model's answer anywhere" in " ".join(err.split())


def test_checked_scores(candidly, scores, tmp_path):
    """Without answers a row of the plan has a score for each model."""
    plan = tmp_path / "plan.parquet"
    asked(candidly, scores, "--drop", "topic", "--plan", plan)
    table = pl.read_parquet(plan)
    assert table.columns == ["place", "id", "strong", "weak", "weaker", "void"]
    ids = table["id"].to_list()[:2]
    checked = tmp_path / "checked.csv"
    checked.write_text(f"id,weak,strong,weaker,void\n{ids[0]},1,0,1,no\n{ids[1]},,,,yes\n")
    keys = json.loads(asked(candidly, scores, "--drop", "topic", "--found", checked, "--json")[0])
    assert (keys["wrong_keys"]["drawn"], keys["wrong_keys"]["void"], keys["items"]) == (2, 1, 299)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("name,found\nq1,A", "has no column that names the items"),
        ("question_id,found\nq99,A", "Item 'q99' of"),
        ("question_id,right\nq1,A", "has no column 'found'"),
        ("question_id,found,void\nq1,A,perhaps", "has 'perhaps' at row 0; it is true or false"),
        ("question_id,found\nq1,A\nq1,B", "has 'q1' 2 times"),
        ("question_id,found,void\nq1,A,yes", "that 'A' is right and that no answer is"),
    ],
)
def test_checked_keys_that_are_refused(candidly, answers, tmp_path, lines, said):
    path, _ = answers
    file = tmp_path / "checked.csv"
    file.write_text(lines + "\n")
    key = (path, "--key", "answer")
    _, err = asked(candidly, *key, "--checked", file, expected=2)
    assert said in err


def test_a_plan_out_of_order(candidly, answers, tmp_path):
    path, truth = answers
    key, plan = (path, "--key", "answer"), tmp_path / "plan.csv"
    asked(candidly, *key, "--id", "question_id", "--plan", plan)
    filled_in(plan, truth, 20)
    _, err = asked(candidly, *key, "--found", plan, "--seed", 1, expected=2)
    assert "Check the items of a plan from its first on" in " ".join(err.split())
    for beside in (("--wins",), ("--people", plan)):
        asked(candidly, path, "--found", plan, *beside, expected=2)


def test_reading_many_files_says_how_far_it_is(tmp_path, candidly, monkeypatch):
    from candidly.cli import _progress

    monkeypatch.setattr(_progress, "QUIET_S", 0.0)
    monkeypatch.setattr(_progress, "FIRST_LINE_S", 0.0)
    for name in "abcd":
        (tmp_path / f"{name}.csv").write_text("id,score\n1,1\n2,0\n3,1\n")
    status, _, err = candidly("rank", *(tmp_path / f"{name}.csv" for name in "abcd"))
    assert status == 0
    for share in (0, 25, 50, 75):
        assert f"{share} % read" in err
