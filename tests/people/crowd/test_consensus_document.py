"""The page of what annotators say, and the curve of candidate sets."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from candidly import crowd
from candidly.data.labels.votes import Votes
from candidly.people.crowd import consensus_document as page_module
from candidly.people.crowd.consensus_document import crowd_document, set_figure
from compare.report.test_report_page import Outline

from simulated_crowd import simulated

CLASSES = ("cat", "<b>emu")


def answers_of(n=30, classes=CLASSES):
    rows = [
        (f"<i>{i}", f"w{j}", int((i + (j == 3 and i % 2)) % 2))
        for i in range(n)
        for j in range(4)
        if (i * j) % 3 != 1
    ]
    items = [f"<i>{i}" for i in range(n + 1)]
    return crowd.Answers.from_columns(*zip(*rows), items=items, classes=classes)


def texts(page):
    return " ".join(" ".join(Outline(page).texts).split())


@pytest.mark.parametrize("by", list(crowd.METHODS))
def test_the_page_is_whole_self_contained_and_the_same_twice(by, tmp_path):
    found = crowd.consensus(answers_of(classes=("0", "1") if by == "ordinal" else CLASSES), by)
    page = crowd_document(found, by=by, read={"answers": "a & b.csv"}, notes=["a <note>"]).page()
    assert (
        page
        == crowd_document(found, by=by, read={"answers": "a & b.csv"}, notes=["a <note>"]).page()
    )
    outline = Outline(page)
    assert not [link for link in outline.links if not link.startswith("#")]  # of a figure
    assert "script" not in outline.tags
    assert page.count("url(") == page.count("url(#")
    assert "@import" not in page
    assert "<b>emu" not in page
    said = texts(page)
    assert "What 4 annotators say about 31 items" in said
    assert f"Consensus by {by}: {page_module.MEANING[by]}." in said
    assert "a & b.csv" in said
    assert "Note: a <note>" in said
    crowd_document(found, by=by).write(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text() == crowd_document(found, by=by).page()


def test_every_way_has_its_words():
    assert list(page_module.MEANING) == list(crowd.METHODS)


def test_what_the_page_says_is_what_was_found():
    found = crowd.majority(answers_of())
    said = texts(crowd_document(found, by="majority").page())
    answers = found.answers
    disputed = int(((answers.counts > 0).sum(1) > 1).sum())
    assert f"disputed {disputed} items with answers that contradict" in said
    agree = (answers.label == found.labels[answers.item]).mean()
    assert f"answers that are the consensus {agree:.1%}" in said
    assert "of which 1 have no answer" in said
    first = found.table().row(0, named=True)
    i = first["row"]
    k, other = found.labels[i], 1 - found.labels[i]
    first_said = k if answers.counts[i, other] < answers.counts[i, k] else min(k, other)
    order = (first_said, 1 - first_said)
    told = ", ".join(f"{CLASSES[c]} × {answers.counts[i, c]}" for c in order)
    assert told in said
    worst = crowd.annotators(found).row(0, named=True)
    assert f"{worst['annotator']} {worst['answers']} {worst['quality']:.3f}" in said
    assert "<i>30 0.500 0 –" in said  # nobody answered: ask about it


def test_long_lists_are_cut_and_say_so(monkeypatch):
    monkeypatch.setattr(page_module, "LISTED", 3)
    monkeypatch.setattr(page_module, "ASKED", 2)
    page = crowd_document(crowd.majority(answers_of()), by="majority").page()
    pairs = 4 + 6  # rows of the map of annotators, and of the table of pairs
    assert page.count('<tr><th scope="row">') == 3 + 3 + 2 + len(CLASSES) + pairs
    said = texts(page)
    assert "the first 3 of 31, the table of labels has them all" in said
    assert "the first 3 of 4, the table of annotators has them all" in said


def test_the_curve_is_an_accessible_figure():
    rng = np.random.default_rng(0)
    votes = Votes.from_rows(
        [(i, str(j), rng.permutation(5)[: rng.integers(1, 4)]) for i in range(40) for j in range(3)]
    )
    curve = crowd.set_curve(votes, rng.integers(0, 5, 40), 5)
    figure = set_figure(curve, "Sets <of> some", least=10)
    root = ElementTree.fromstring(figure)
    words = {element.tag.split("}")[1]: element.text for element in root[:2]}
    assert words["title"] == "Sets <of> some"
    assert (
        f"union: {100 * curve.union_noise[0]:.2f} % at {curve.union_size[0]:.2f}" in words["desc"]
    )
    assert (
        f"{100 * curve.vaguest_noise[2]:.2f} % at {curve.vaguest_size[2]:.2f} with 3"
        in words["desc"]
    )
    shown = "".join(root.itertext())
    assert "sets without the true label (%)" in shown
    assert figure == set_figure(curve, "Sets <of> some", least=10)
    votes = Votes.from_rows([*votes.rows(), (0, "x", [1])])  # a single item has four
    curve = crowd.set_curve(votes, rng.integers(0, 5, 40), 5)
    assert "with 3;" in set_figure(curve, "t", least=10)


def test_those_are_behind_who_agree_less_than_the_middle_one_beyond_chance():
    """Two of twelve answer at random; of as many who are equal nearly always nobody is."""
    _, answers = simulated(400, coins([0.85] * 10 + [0.35] * 2), 5)
    people = crowd.annotators(crowd.dawid_skene(answers))
    behind = page_module.clearly_behind(people)
    assert set(people.filter(np.array(behind))["annotator"]) == {"10", "11"}
    page = texts(crowd_document(crowd.dawid_skene(answers), by="dawid-skene").page())
    assert "2 of 12 annotators agree with the consensus less often than the middle one" in page
    found = 0
    for seed in range(40):
        _, answers = simulated(60, coins([0.8] * 12), 5, seed)
        found += any(page_module.clearly_behind(crowd.annotators(crowd.majority(answers))))
    assert found <= 4  # of 40, at 5 % together


def coins(accuracy, m=3):
    accuracy = np.array(accuracy)[:, None, None]
    return np.where(np.eye(m, dtype=bool), accuracy, (1 - accuracy) / (m - 1))


def test_confusions_are_shares_of_what_was_said_where_a_class_is_the_consensus():
    found = crowd.majority(answers_of())
    answers = found.answers
    counts = page_module._said_there(found, np.ones(len(answers), bool))
    for k in range(answers.m):
        for other in range(answers.m):
            there = found.labels[answers.item] == k
            assert counts[k, other] == (answers.label[there] == other).sum()


def test_annotators_are_held_against_what_is_known():
    """By hand: ann is right on 1 of 2 known items, bob on 2 of 2, and eve answered none."""
    said = crowd.Answers.from_columns(
        [0, 0, 1, 1, 2], ["ann", "bob", "ann", "bob", "eve"], [0, 0, 0, 1, 1]
    )
    found = crowd.majority(said)
    rows = crowd.annotators(found, np.array([0, 1, -1])).rows(named=True)
    people = {row["annotator"]: row for row in rows}
    assert [people[who]["known right"] for who in ("ann", "bob", "eve")] == [1, 2, 0]
    assert [people[who]["known answers"] for who in ("ann", "bob", "eve")] == [2, 2, 0]
    assert people["eve"]["known from"] is None
    assert people["bob"]["known to"] == 1
    assert people["bob"]["known from"] == pytest.approx(0.025 ** (1 / 2))  # Clopper-Pearson
    assert "known right" not in crowd.annotators(found).columns
    for known in (np.zeros(2, int), np.array([0, 1, 2]), np.zeros(3), np.array([0, 1, -2])):
        with pytest.raises(ValueError, match="`known`"):
            crowd.annotators(found, known)
