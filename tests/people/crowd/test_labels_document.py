"""The page of a data set's labels: its numbers are those of the data, and what lacks is told."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from candidly import crowd
from candidly.data.labels.building import from_arrays
from candidly.data.labels.votes import Votes, times_named, union
from candidly.people.crowd.labels_document import labels_document
from compare.report.test_report_page import Outline

CLASSES = ("cat", "<b>emu", "ox", "never")


def answered(n=12):
    """Three answers about each of n rows; the last class is never true, the truth often unsaid."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, n)
    votes = Votes.from_rows(
        [
            (row, f"<i>{j}", rng.choice(4, rng.integers(1, 3), replace=False))
            for row in range(n)
            for j in range(3)
        ]
    )
    return replace(
        from_arrays(rng.normal(size=(n, 2)), truth=truth, classes=list(CLASSES), source="a <i>set"),
        votes=votes,
        candidates=union(votes, n, 4),
    )


def texts(page):
    return " ".join(" ".join(Outline(page).texts).split())


def test_the_page_is_whole_self_contained_and_the_same_twice(tmp_path):
    data = answered()
    page = labels_document(data, read={"file": "a & b.csv"}, notes=["a <note>"]).page()
    assert page == labels_document(data, read={"file": "a & b.csv"}, notes=["a <note>"]).page()
    outline = Outline(page)
    assert all(link.startswith("#") for link in outline.links)
    assert "script" not in outline.tags
    assert "@import" not in page
    for text in ("<b>emu", "<i>set", "<i>0", "<note>"):
        assert text not in page
    said = texts(page)
    assert "a & b.csv" in said
    assert "a <note>" in said
    assert outline.tags.count("svg") == 4  # answers, sets, sizes, noise
    labels_document(data).write(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text() == labels_document(data).page()


def test_the_numbers_are_those_of_the_data():
    data = answered()
    said = texts(labels_document(data).page())
    found = data.describe()
    assert f"{found.avg_candidates:.2f} on average" in said
    assert f"noise {found.oracle_noise_rate:.2%} of the sets" in said
    named = times_named(data.votes, data.n, 4).sum(0)
    for label, name in enumerate(CLASSES):
        sets, true = int(data.candidates[:, label].sum()), int((data.truth == label).sum())
        assert f"{name} {named[label]} {sets} {true}" in said
    curve = crowd.set_curve(data.votes, data.truth, 4)
    spread = crowd.union_spread(data.votes, data.truth, 4)
    for k in range(3):
        row = (curve.union_noise[k], spread[k], curve.vaguest_noise[k])
        union_noise, deviation, vaguest_noise = (f"{100 * value:.2f}" for value in row)
        sizes = f"{curve.union_size[k]:.2f}", f"{curve.vaguest_size[k]:.2f}"
        line = f"{k + 1} 12 {union_noise} {deviation} {sizes[0]} {vaguest_noise} {sizes[1]}"
        assert line in said
    counts = np.bincount(data.candidates.sum(1))
    for size in np.flatnonzero(counts):
        assert f"{size} {counts[size]} {100 * counts[size] / 12:.2f}" in said


def test_a_class_that_is_never_true_is_not_known_and_not_0():
    data = answered()
    page = labels_document(data).page()
    body = re.search(r'<table class="heat.*?</table>', page, re.DOTALL)[0]
    rows = re.findall(r"<tr>(.*?)</tr>", body.split("<tbody>")[1], re.DOTALL)
    assert "not known: no example is truly of this class" in rows[3]
    assert 'colspan="4"' in rows[3]
    shares = np.array(data.describe().oracle_flipping)
    for row in range(3):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", rows[row])
        assert cells == [f"{100 * share:.0f}" if share else "" for share in shares[row]]
    assert "– – – –" in texts(page)  # in the table of numbers, too


def test_what_the_data_lacks_is_told_in_its_place():
    data = answered()
    bare = texts(labels_document(replace(data, votes=None, truth=None)).page())
    assert "No true label is known, so nothing here says which labels are wrong." in bare
    assert "There are no votes" in bare
    assert "No matrix, as no true label is known." in bare
    voted = texts(labels_document(replace(data, candidates=None)).page())
    assert "There are no candidate sets, so there is nothing to show here." in voted
    assert "No matrix, as the votes are not made into candidate sets" in voted
    blind = texts(labels_document(data.blind()).page())
    assert "No true label is known of what was answered" in blind
    true = texts(labels_document(replace(data, candidates=None, votes=None)).page())
    assert "There are no labels but the true ones." in true
    one = replace(data, votes=Votes.from_rows([(row, "a", [0]) for row in range(12)]))
    assert "Most examples have one answer, so there is no curve." in texts(
        labels_document(one).page()
    )


def test_given_labels_have_their_page():
    truth = np.arange(20) % 4
    given = np.where(np.arange(20) < 5, (truth + 1) % 4, truth)
    data = from_arrays(np.eye(20), given, truth=truth, classes=list(CLASSES))
    said = texts(labels_document(data).page())
    assert "wrong labels 25.00% of the given labels are not the true ones" in said
    assert "the share that are given it (columns), %" in said


def test_rows_that_are_scored_alone_do_not_count():
    data = answered()
    more = replace(
        data,
        inputs=np.concatenate([data.inputs, np.zeros((5, 2))]),
        candidates=np.concatenate([data.candidates, np.ones((5, 4), bool)]),
        truth=np.concatenate([data.truth, np.full(5, 3)]),
        ids=np.arange(17),
        official_test=np.arange(17) >= 12,
    )
    one, other = (texts(labels_document(which).page()) for which in (data, more))
    assert "5 of the examples, which nobody labelled; not counted here" in other
    part = slice(other.index("How often each"), other.index("What was read"))
    assert one[one.index("How often each") : one.index("What was read")] == other[part]


@pytest.mark.parametrize("q", [31, 600])
def test_many_classes_are_cut_and_say_so(q):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, q - 1, 200)
    sets = rng.random((200, q)) < 0.02
    sets[np.arange(200), truth] = True
    page = labels_document(
        from_arrays(np.zeros((200, 1)), candidates=sets, truth=truth, classes=q)
    ).page()
    said = texts(page)
    assert "the 30 named most often" in said
    assert "Pairs of classes" in said
    assert "classes, of which nothing is known" in said
    assert ("The first 500 of 600 classes." in said) == (q == 600)
    assert len(page) < 200_000
