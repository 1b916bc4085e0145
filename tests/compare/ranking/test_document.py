"""The page of a ranking, in every form, and what it says first."""

from __future__ import annotations

import json

import numpy as np
import pytest

from candidly.compare.ranking import make_scores, make_wins, rank, suspects
from candidly.compare.ranking.document import ranking_document


def drawn(n=300, skills=(0.9, 0.62, 0.6), **options):
    g = np.random.default_rng(0)
    return make_scores({f"m{k}": g.random(n) < p for k, p in enumerate(skills)}, **options)


def test_first_sentences():
    best = rank(drawn()).verdict
    assert best == "m0 is first of 3 models on 300 items, ahead of every other by more than chance."
    whole = rank(drawn(3000, (0.9, 0.6, 0.3))).verdict
    assert whole == "The whole order of 3 models on 3,000 items is more than chance."
    right = np.r_[np.ones(240), np.zeros(60)]
    some = rank({"m0": right, "m1": np.roll(right, 1), "m2": np.r_[np.zeros(200), np.ones(100)]})
    assert some.verdict.endswith("is best: m0 and m1 may be first.")
    none = rank(drawn(20, (0.5, 0.5, 0.5)))
    assert none.verdict.endswith("is best: any of them may be.")
    assert none.left_open == ""
    two = np.stack([right, np.roll(right, 1)]) * 0.1
    two = rank({"a": right * 0 + 1, "b": right * 0 + 0.5, "c": two[0], "d": two[1]})
    assert two.verdict.startswith("The first 2 places of 4 models")


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "latex", "html"])
def test_forms(form):
    found = rank(
        drawn(slices=np.arange(300) % 4, groups=np.arange(300) // 3), against={"m0": 1, "m1": 2}
    )
    doubted = suspects({"a": ["x"], "b": ["x"]}, ["y"])
    document = ranking_document(found, read={"scores": "<b>file</b>"}, suspects=doubted)
    text = document.render(form, 100)
    assert "m0" in text
    assert "<b>file" not in text


def test_json_holds_everything():
    found = rank(drawn(slices=np.arange(300) % 4))
    document = ranking_document(found, read={"scores": "file"})
    data = json.loads(document.render("json", 80))
    assert data["verdict"] == found.verdict
    assert len(data["pairs"]) == 3
    assert data["read"] == {"scores": "file"}


def test_page_of_wins_and_of_grades():
    g = np.random.default_rng(0)
    first = g.choice(list("abc"), 300)
    second = np.array([{"a": "b", "b": "c", "c": "a"}[one] for one in first])
    wins = rank(make_wins(first, second, g.random(300) < 0.5, np.arange(300) // 2))
    page = ranking_document(wins).page()
    assert "strength (log-odds)" in page
    assert "comparisons" in page
    grades = {k: g.integers(1, 6, (40, 2)) for k in "ab"}
    page = ranking_document(rank(make_scores(grades, between=(1, 5)))).page()
    assert "2 runs of a model" in page
    assert "score (%)" not in page
