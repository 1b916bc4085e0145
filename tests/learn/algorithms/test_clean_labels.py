"""Clean labels: every algorithm was measured on them, and who falls behind says why."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sanity
from candidly.learn.algorithms import ALGORITHMS
from candidly.learn.algorithms.clean_labels import BEHIND

RESULTS = Path(__file__).parents[3] / "bench" / "results" / "sanity.json"
committed = pytest.mark.skipif(not RESULTS.exists(), reason="comes without bench/results")


@pytest.fixture(scope="module")
def measured():
    return json.loads(RESULTS.read_text(encoding="utf-8"))


@committed
def test_every_algorithm_was_measured_at_its_version(measured):
    again = "run: python bench/sanity.py --of NAMES"
    assert set(measured["accuracy"]) == set(ALGORITHMS), again
    versions = {name: page.version for name, page in ALGORITHMS.items()}
    assert measured["versions"] == versions, again
    classes = {str(q) for q in sanity.CLASSES}
    assert all(set(by_q) == classes for by_q in measured["accuracy"].values())


@committed
def test_who_falls_behind_says_why_and_nobody_else_does(measured):
    accuracy = measured["accuracy"]
    missed = {name for name in accuracy if sanity.missed(accuracy, name)}
    assert missed == set(BEHIND)
    assert min(accuracy[sanity.BASE].values()) > 99


@committed
def test_the_table_of_the_docs_is_what_was_measured(measured):
    docs = (RESULTS.parents[2] / "docs" / "algorithms.md").read_text(encoding="utf-8")
    assert sanity.table(measured["accuracy"]) in docs, (
        'take it from: python bench/sanity.py --of ""'
    )


@committed
def test_what_sentences_say_besides_was_measured(measured):
    """By hand from the sentences: what helps, and whom a longer training helps."""
    ended = {}
    for case in measured["beside"]:
        name, base = case["algorithm"], measured["accuracy"]["ce"][str(case["classes"])]
        key = (name, case["steps"], *case["hyper"])
        ended[key] = base - case["accuracy"][-1] < sanity.MISSED
        if name == "bbn":
            assert max(case["accuracy"]) > case["accuracy"][-1] + sanity.MISSED
    level = {key for key, so in ended.items() if so}
    assert level == {
        *((name, 2000, "noise_rate") for name in sanity.SMALL_LOSS),
        ("elr+", 2000, "lam"),
        ("elr+", 2000, "lam_ramp"),
        ("seal", sanity.LONGER),
        ("pes", sanity.LONGER),
    }


def test_a_variant_shows_its_methods_sentence(capsys):
    from candidly.cli.algorithms import show

    show("co-teaching:estimated", as_json=True)
    assert json.loads(capsys.readouterr().out)["behind_on_clean_labels"] == BEHIND["co-teaching"]
    show("ce", as_json=True)
    assert json.loads(capsys.readouterr().out)["behind_on_clean_labels"] == ""


@pytest.mark.parametrize("classes", sanity.CLASSES)
def test_the_data_are_clean_clear_and_uneven(classes):
    data = sanity.made(classes)
    assert (data.given == data.truth).all()
    assert (data.candidates.argmax(1) == data.truth).all()
    assert (data.candidates.sum(1) == 1).all()
    tested = data.official_test
    counts = np.bincount(data.truth[~tested])
    assert counts.min() >= 8
    assert counts.max() / counts.min() == pytest.approx(sanity.LONG_TAIL, rel=0.2) or classes > 40
    assert set(np.bincount(data.truth[tested])) == {sanity.TEST}
    # the nearest mean of the training rows tells them apart
    means = np.stack(
        [data.inputs[~tested][data.truth[~tested] == c].mean(0) for c in range(classes)]
    )
    nearest = ((data.inputs[tested][:, None] - means) ** 2).sum(-1).argmin(1)
    assert (nearest == data.truth[tested]).mean() > 0.995
