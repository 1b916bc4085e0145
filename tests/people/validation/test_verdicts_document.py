"""The page of verdicts: self-contained, escaped, and what it says."""

from __future__ import annotations

import json

import numpy as np

from candidly import validation
from candidly.people.validation.verdicts_document import (
    LISTED,
    summarise,
    verdicts_document,
)
from compare.report.test_report_page import Outline

COUNTS = [[5, 0, 0, 0], [0, 5, 0, 0], [2, 0, 3, 0], [1, 1, 0, 3], [2, 2, 1, 0], [1, 0, 0, 0]]
NAMES = ("cat", "<b>dog")


def verdicts(counts=COUNTS):
    k = len(counts)
    return validation.judge(
        validation.from_counts(counts, given=[0] * k, guessed=[1] * k, classes=NAMES)
    )


def page_of(found, **options):
    return verdicts_document(
        found, about=summarise(found, **options), read={"answers": "a.csv"}
    ).page()


def text_of(page):
    return " ".join(" ".join(Outline(page).texts).split())


def test_the_page_is_self_contained_escaped_and_the_same_twice(tmp_path):
    found = verdicts()
    page = page_of(found, size=50)
    assert page == page_of(found, size=50)
    outline = Outline(page)
    assert not [link for link in outline.links if not link.startswith("#")]  # of a figure
    assert "script" not in outline.tags
    assert page.count("url(") == page.count("url(#")
    assert "<b>dog" not in page
    assert "<b>dog" in text_of(page)
    verdicts_document(found, about=summarise(found, size=50)).write(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text().startswith("<!doctype html>")


def test_what_it_says():
    found = verdicts()
    made = validation.corrected(np.zeros(50, int), found)
    page = text_of(page_of(found, size=50, missed=validation.missed(44), corrected=made))
    assert "4 of 5 checked labels are wrong" in page
    assert "nothing is known of the 44 examples that were not flagged" in page
    told = "1 are replaced and 2 pruned; 1 were confirmed, 1 wait for answers, people differ on 1"
    assert told in page
    agreed = validation.agreement(found)
    assert f"Fleiss' kappa {agreed.kappa.value:.2f}" in page
    assert f"AC1 {agreed.ac1.value:.2f}" in page
    assert "hardly agree" not in page
    assert "hardly agree" in text_of(page_of(verdicts([[2, 3, 0, 0]] * 4)))
    assert "How much depends on the threshold" in page
    assert made.fingerprint[:16] in page


def test_a_sample_has_an_interval():
    found = verdicts()
    page = text_of(page_of(found, size=5000, flagged=400))
    low, high = validation.estimates(found, 400, 5000)["exact"].interval
    assert f"{low:,.0f} to {high:,.0f}" in page
    assert "5 were checked at random and decided" in page


def test_without_a_size_nothing_is_said_of_the_whole():
    page = text_of(page_of(verdicts()))
    assert "whole data set" not in page
    assert "Missed errors" not in page


def test_long_lists_are_cut():
    page = page_of(verdicts([[0, 5, 0, 0]] * (LISTED + 5)))
    assert f"the first {LISTED} of {LISTED + 5}" in text_of(page)
    assert page.count('<td class="words">correctable</td>') == LISTED


def test_a_page_of_nothing_and_of_one_pattern():
    for counts in ([[1, 0, 0, 0]], [[5, 0, 0, 0]]):
        found = verdicts(counts)
        assert "checked labels are wrong" in page_of(found, size=9)
        json.dumps(summarise(found, size=9), allow_nan=False)


def test_sets_of_classes():
    given = np.array([[1, 0], [1, 1]], bool)
    heard = np.array([[5, 0], [5, 1]])
    tally = validation.SetTally(np.arange(2), given, ~given, heard, ("a", "b"))
    page = text_of(page_of(validation.judge(tally), size=9))
    assert "1 of 2 checked labels are wrong" in page
    assert "Items of another set" in page
    assert "κ" not in page
