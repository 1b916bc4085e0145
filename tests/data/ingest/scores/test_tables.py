"""Scores in tables: a column, a file or rows for each model; answers and a key; wins."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly.data.ingest import Roles
from candidly.data.ingest.scores import ScoreColumns, read_other, read_scores, read_wins

WIDE = "id,topic,weight,a,b\nx,t,1,1,0\ny,t,2,0,1\nz,u,1,,0.5\n"
LONG = "model,id,score\n" + "".join(
    f"{m},{i},{s}\n" for m, i, s in (("a", "x", 1), ("a", "y", 0), ("b", "y", 1), ("b", "x", 0))
)


def written(tmp_path, text, name="scores.csv") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_a_column_for_each_model(tmp_path):
    path = written(tmp_path, WIDE)
    table = read_scores([path], columns=ScoreColumns(slices="topic", weights="weight"))
    assert list(table.models) == ["a", "b"]
    np.testing.assert_array_equal(table.models["a"], [1, 0, np.nan])
    assert table.ids.tolist() == ["x", "y", "z"]
    assert table.slices.tolist() == ["t", "t", "u"]
    assert table.weights.tolist() == [1, 2, 1]


@given(st.permutations(range(12)))
def test_rows_in_any_order(tmp_path_factory, order):
    """Three models on four items, a score a row, however the rows are ordered."""
    rows = [(f"m{k % 3}", f"i{k // 3}", k / 11) for k in range(12)]
    text = "model,item,score\n" + "".join("{},{},{}\n".format(*rows[k]) for k in order)
    path = written(tmp_path_factory.mktemp("long"), text)
    table = read_scores([path], columns=ScoreColumns(model="model"))
    for model, scores in table.models.items():
        for item, score in zip(table.ids, scores):
            assert score == pytest.approx({r[:2]: r[2] for r in rows}[model, item])


def test_runs_of_a_long_table(tmp_path):
    text = LONG.replace("model,id,score", "model,id,score") + "a,x,0\n"
    table = read_scores([written(tmp_path, text)], columns=ScoreColumns(model="model"))
    np.testing.assert_array_equal(table.models["a"], [[1, 0], [0, np.nan]])
    by_run = "model,id,run,score\na,x,2,0.2\na,x,1,0.1\nb,x,1,1\n"
    columns = ScoreColumns(model="model", run="run")
    table = read_scores([written(tmp_path, by_run)], columns=columns)
    np.testing.assert_array_equal(table.models["a"], [[0.1, 0.2]])
    with pytest.raises(ValueError, match="has item 'x' twice in run '1'"):
        read_scores([written(tmp_path, by_run.replace("x,2", "x,1"))], columns=columns)


def test_a_file_for_each_model(tmp_path):
    written(tmp_path, "id,score\nx,1\ny,0\n", "one.csv")
    written(tmp_path, "id,score\ny,1\nz,0\n", "two.csv")
    table = read_scores([tmp_path])
    assert table.ids.tolist() == ["x", "y", "z"]
    np.testing.assert_array_equal(table.models["one"], [1, 0, np.nan])
    np.testing.assert_array_equal(table.models["two"], [np.nan, 1, 0])


def test_two_files_of_one_name(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder, "id,score\nx,1\n")
    with pytest.raises(ValueError, match="Two of the files are called 'scores'"):
        read_scores([tmp_path / "a", tmp_path / "b"])


@pytest.mark.parametrize(
    ("text", "columns", "said"),
    [
        (WIDE, {}, "'topic'.*'t' at row 0, which is no score.*`drop='topic'`"),
        (WIDE, {"slices": "subject"}, "no column 'subject' .`slices`"),
        (WIDE, {"score": "a"}, "`score` says nothing"),
        ("id,a\nx,1\n", {}, "1 column of models"),
        (LONG, {}, "'id', has 'x' 2 times.*`model`"),
        (LONG, {"model": "who"}, "no column 'who' .`model`"),
        (LONG, {"model": "model", "score": "points"}, "no column 'points'"),
        (LONG.replace("score", "points"), {"model": "model"}, "no column `score`"),
        (LONG.replace(",id", ",which"), {"model": "model"}, "names the items.*`id`"),
        (LONG, {"model": "model", "key": "id"}, "`key` says nothing"),
        (WIDE, {"slices": "topic", "key": "answer"}, "no column 'answer' .`key`"),
    ],
)
def test_what_does_not_fit(tmp_path, text, columns, said):
    with pytest.raises(ValueError, match=said):
        read_scores([written(tmp_path, text)], columns=ScoreColumns(**columns))


def test_items_with_two_groups(tmp_path):
    text = "model,id,doc,score\na,x,p,1\nb,x,q,1\n"
    with pytest.raises(ValueError, match="item 'x' has two groups: 'p' and 'q'"):
        read_scores([written(tmp_path, text)], columns=ScoreColumns(model="model", groups="doc"))


def test_places_without_scores(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        read_scores([tmp_path / "none"])
    with pytest.raises(ValueError, match="no tables"):
        read_scores([tmp_path])
    with pytest.raises(ValueError, match="`metric` says nothing of tables"):
        read_scores([written(tmp_path, LONG)], metric="acc")


def test_answers_and_a_key(tmp_path):
    text = "id,right,a,b\nx,A,A,B\ny,B, B ,B\nz,C,C,\n"
    table = read_scores([written(tmp_path, text)], columns=ScoreColumns(key="right"))
    np.testing.assert_array_equal(table.models["a"], [1, 1, 1])
    np.testing.assert_array_equal(table.models["b"], [0, 1, np.nan])
    np.testing.assert_array_equal(table.answers["a"], ["A", "B", "C"])
    path = written(tmp_path, text.replace("A,B", "A,question").replace("B ,B", "B ,text"))
    with pytest.raises(ValueError, match=r"'b', never gives the right.*'question'.*`drop='b'`"):
        read_scores([path], columns=ScoreColumns(key="right"))


def test_wins(tmp_path):
    text = "first,second,winner,question\na,b,a,1\nb,c,tie,1\nc,a,second,2\n"
    read = read_wins(written(tmp_path, text), groups="question")
    assert read["won"].tolist() == [1, 0.5, 0]
    assert read["groups"].tolist() == ["1", "1", "2"]
    with pytest.raises(ValueError, match="winner 'd' at row 0"):
        read_wins(written(tmp_path, text.replace("b,a,1", "b,d,1")))
    with pytest.raises(ValueError, match="no column 'winner'"):
        read_wins(written(tmp_path, text.replace("winner", "best")))


def test_wins_as_chatbot_arena_has_them(tmp_path):
    text = "model_a,model_b,winner\na,b,model_a\nb,c,tie (bothbad)\nc,a,model_b\na,c,tie\n"
    read = read_wins(written(tmp_path, text))
    assert read["won"].tolist() == [1, 0.5, 0, 0.5]
    assert read["first"].tolist() == ["a", "b", "c", "a"]
    with pytest.raises(ValueError, match=r"comparisons of two models.*Say so with `wins`"):
        read_scores([written(tmp_path, text)])
    scores = written(tmp_path, "first,second,winner\n1,0,1\n0,0,1\n")  # models that are called so
    assert list(read_scores([scores]).models) == ["first", "second", "winner"]
    odd = written(tmp_path, text.replace("c,a,model_b", "c,a,first"))
    with pytest.raises(ValueError, match="'first' at row 2; it is 'c', 'a', model_a, model_b"):
        read_wins(odd)


def test_a_model_may_be_called_second(tmp_path):
    text = "first,second,winner\nsecond,first,second\nsecond,first,first\n"
    assert read_wins(written(tmp_path, text))["won"].tolist() == [1, 0]


def test_another_ranking(tmp_path):
    assert read_other(written(tmp_path, "model,score\na,1\nb,2.5\n")) == {"a": 1.0, "b": 2.5}
    with pytest.raises(ValueError, match="no score at row 1"):
        read_other(written(tmp_path, "model,score\na,1\nb,\n"))
    with pytest.raises(ValueError, match="no column 'model'"):
        read_other(written(tmp_path, "name,score\na,1\n"))


def test_roles_of_tables(tmp_path):
    path = written(tmp_path, WIDE.replace(",", ";"))
    columns = ScoreColumns(slices="topic", weights="weight")
    table = read_scores([path], Roles(separator=";", id="id"), columns)
    assert list(table.models) == ["a", "b"]


@pytest.mark.skipif("CANDIDLY_DATA" not in os.environ, reason="needs the real files")
def test_real_answers(tmp_path):
    """MMLU-Redux: keys are numbers and answers are letters, which is said."""
    path = Path(os.environ["CANDIDLY_DATA"]) / "mmlu_redux" / "answers.csv"
    columns = ScoreColumns(key="groundtruth_answer", slices="subject")
    roles = Roles(drop=("question", "choices", "error_type"))
    with pytest.raises(ValueError, match="never gives the right answer: it has 'A'"):
        read_scores([path], roles, columns)
    frame = pl.read_csv(path).with_columns(
        pl.col("groundtruth_answer").replace_strict(range(4), list("ABCD"))
    )
    frame.write_csv(tmp_path / "a.csv")
    table = read_scores([tmp_path / "a.csv"], roles, columns)
    assert len(table.models) == 14
    assert len(table.ids) == 5700
    assert len(set(table.slices)) == 57
