"""Labels that nobody gave: counted, and told wherever a consensus is."""

from __future__ import annotations

import json
import warnings

import numpy as np
import polars as pl
import pytest

from candidly import crowd
from candidly.people.crowd.consensus_document import crowd_document


def rows():
    """Item 0 is said to be cat by two who nearly always say cat where the others say dog."""
    said = [(0, "ann", "cat"), (0, "bob", "cat")]
    for item in range(1, 41):
        true = ("dog", "emu")[item % 2]
        said += [(item, who, true) for who in ("eve", "joe", "kim")]
        said += [(item, who, "cat" if true == "dog" else "emu") for who in ("ann", "bob")]
    return said


@pytest.fixture
def answers():
    return crowd.Answers.from_columns(*zip(*rows()))


def test_dawid_skene_may_give_a_label_that_nobody_gave(answers):
    with pytest.warns(UserWarning, match=r"1 of 41 items has .* nobody gave.*item 0"):
        found = crowd.dawid_skene(answers)
    assert answers.classes[found.labels[0]] == "dog"
    assert np.flatnonzero(found.unsaid).tolist() == [0]
    assert found.agreement[found.unsaid].tolist() == [0.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not crowd.majority(answers).unsaid.any()


def test_a_model_may_do_so_too(answers):
    probs = np.full((answers.n, 3), 0.005)
    probs[np.arange(answers.n), [1, *(1 + np.arange(1, 41) % 2)]] = 0.99
    with pytest.warns(UserWarning, match="a consensus that nobody gave"):
        found = crowd.crowdlab(answers, probs)
    slow = [
        len(said) > 0 and found.labels[i] not in said
        for i in range(answers.n)
        for said in [set(answers.label[answers.item == i].tolist())]
    ]
    assert found.unsaid.tolist() == slow


def test_an_item_without_answers_is_none_of_them():
    answers = crowd.Answers.from_columns([0, 0], ["a", "b"], [0, 0], items=2, classes=2)
    probs = np.array([[0.9, 0.1], [0.2, 0.8]])
    assert crowd.dawid_skene(answers, probs=probs).unsaid.tolist() == [False, False]
    assert crowd.majority(answers).unsaid.tolist() == [False, False]


def test_page_and_command_line_count_them(answers, tmp_path, monkeypatch, capsys):
    with pytest.warns(UserWarning, match="nobody gave"):
        page = crowd_document(crowd.dawid_skene(answers), by="dawid-skene").page()
    assert "label that nobody gave" in page
    assert (
        "label that nobody gave"
        not in crowd_document(crowd.majority(answers), by="majority").page()
    )
    pl.DataFrame(rows(), schema=["item", "annotator", "label"], orient="row").write_csv(
        tmp_path / "a.csv"
    )
    from candidly import cli

    path = str(tmp_path / "a.csv")
    monkeypatch.setattr("sys.argv", ["candidly", "crowd", "consensus", path, "--json"])
    with pytest.raises(SystemExit):
        cli.main()
    told = capsys.readouterr()
    assert json.loads(told.out)["unsaid"] == 1
    assert "1 of 41 items has a consensus that nobody gave" in told.err
