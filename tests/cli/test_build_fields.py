"""Tables of events whose columns have other names, and columns that nobody needs."""

from __future__ import annotations

import json

import pytest

from candidly.compare.corpora import read_articles

CALLED = {"article": "id", "category": "topic", "event": "text"}


def lines(path, **more):
    rows = [{"id": "a", "topic": "Pets > Dogs", "text": "feed it", "meta": {"k": 1}}]
    rows += [{"id": "b", "topic": "Pets > Cats", "text": "leave it alone", "meta": [1]}]
    path.write_text("".join(json.dumps(row | more) + "\n" for row in rows))
    return path


def test_columns_of_other_names_are_read_and_the_rest_is_not_looked_at(tmp_path):
    path = lines(tmp_path / "it.jsonl")
    found = read_articles(path, CALLED)
    assert found.texts.tolist() == ["feed it", "leave it alone"]
    assert found.ids.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=r"no column 'article'.*with `columns`"):
        read_articles(path)
    with pytest.raises(ValueError, match="`columns` has 'evnt'; did you mean 'event'"):
        read_articles(path, {"evnt": "text"})


def test_the_command_takes_them(candidly, tmp_path):
    assert candidly("build", "corpus", "events.csv", "--articles", 60)[0] == 0
    text = (tmp_path / "events.csv").read_text()
    (tmp_path / "events.csv").write_text(text.replace("article,category,event", "id,topic,text"))
    line = ["build", "noisywikihow", "events.csv", "--out", "it", "--keep", "events-keep.txt"]
    line += ["--more-than", 2, "--tail", 4, "--held", 1]
    status, _, err = candidly(*line)
    assert status == 2
    assert "Say what it calls them with --columns" in err
    named = ",".join(f"{name}={theirs}" for name, theirs in CALLED.items())
    status, _, err = candidly(*line, "--columns", named)
    assert status == 0, err
    assert candidly("build", "data", "it", "it.npz", "--noise", "mix", "--rate", 0.4)[0] == 0
    shown = candidly("data", "describe", "it.npz")[1]
    (rate,) = (row for row in shown.splitlines() if row.startswith("given noise rate"))
    assert rate.endswith("of the rows whose true label is known")
