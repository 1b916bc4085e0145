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

CLASSES = ("cat", "<b>emu")


def answers_of(n=30):
    rows = [
        (f"<i>{i}", f"w{j}", int((i + (j == 3 and i % 2)) % 2))
        for i in range(n)
        for j in range(4)
        if (i * j) % 3 != 1
    ]
    items = [f"<i>{i}" for i in range(n + 1)]
    return crowd.Answers.from_columns(*zip(*rows), items=items, classes=CLASSES)


def texts(page):
    return " ".join(" ".join(Outline(page).texts).split())


@pytest.mark.parametrize("by", list(crowd.METHODS))
def test_the_page_is_whole_self_contained_and_the_same_twice(by, tmp_path):
    found = crowd.consensus(answers_of(), by)
    page = crowd_document(found, by=by, read={"answers": "a & b.csv"}, notes=["a <note>"]).page()
    assert (
        page
        == crowd_document(found, by=by, read={"answers": "a & b.csv"}, notes=["a <note>"]).page()
    )
    outline = Outline(page)
    assert outline.links == []
    assert "script" not in outline.tags
    assert "url(" not in page
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
    assert page.count('<tr><th scope="row">') == 3 + 3 + 2
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
