"""The study of how many labels are wrong: its page is its results, and these can be had again."""

from pathlib import Path

import pytest

from studies.kit.pages import differing
from studies.wrong_labels.made import ask, make, measured
from studies.wrong_labels.page import pages
from studies.wrong_labels.table import holding, rows_of

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "wrong_labels" / "results"


def test_the_page_is_what_the_results_say():
    assert differing(pages(ROOT, RESULTS)) == []


def test_there_are_enough_sets_of_every_kind():
    rows = rows_of(RESULTS / "made.csv")
    assert len(rows) >= 500
    assert len({row["seed"] for row in rows}) == len(rows)
    kinds = [row["kind"] for row in rows]
    assert min(kinds.count(kind) for kind in set(kinds)) >= 50
    assert min(row["seed"] for row in rows) >= 10_000  # the procedure was chosen on others


def test_what_was_demanded_is_said_with_whether_it_holds():
    claims = {claim.name: claim for claim in holding(rows_of(RESULTS / "made.csv"))}
    assert claims["clean, 1,000 rows and more: says 0, %"].holds
    assert claims["the same of classifiers that learned, %"].holds
    missed = [claim for claim in claims.values() if claim.holds is False]
    text = (ROOT / "docs" / "wrong-labels.md").read_text()
    for claim in missed:  # the page names every one
        assert f"{claim.value:.0f}" in text, claim


@pytest.mark.parametrize("seed", [10_025, 10_028])
def test_a_set_is_measured_as_it_was(seed):
    there = next(row for row in rows_of(RESULTS / "made.csv") if row["seed"] == seed)
    found = measured(seed)
    for name in ("kind", "classifier", "n", "q", "truth"):
        assert found[name] == there[name]
    for name in ("share", "low", "high", "disagreement"):
        assert found[name] == pytest.approx(there[name], abs=2e-3)


@pytest.mark.parametrize("kind", ["none", "uniform", "pairs", "ambiguous", "posterior"])
def test_the_errors_are_of_their_kind(kind):
    seed = next(s for s in range(100) if ask(s).kind == kind and ask(s).n <= 2000)
    _, true, given, posterior = make(ask(seed))
    wrong = given != true
    if kind == "none":
        assert not wrong.any()
    if kind == "pairs":
        assert ((given - true)[wrong] % posterior.shape[1] == 1).all()
    if kind in ("ambiguous", "posterior"):  # the unclear rows are struck
        assert posterior.max(1)[wrong].mean() < posterior.max(1)[~wrong].mean()
    if kind == "uniform":
        assert abs(posterior.max(1)[wrong].mean() - posterior.max(1)[~wrong].mean()) < 0.05
