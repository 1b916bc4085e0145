"""docs/claims.md is what the committed results say, and verdicts follow one rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import claims as bench_claims
from _claims.findings import FINDINGS
from _claims.judging import HOLDS, NOT, UNTOLD, Effect, above, below, every, level, some, verdict
from _claims.page import PAGE
from _claims.table import read_claims

from committed import committed

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return bench_claims.page_text(committed("bench/results", tmp_path_factory.mktemp("index")))


def test_the_page_of_claims_is_what_the_committed_results_say(page):
    again = "run `python bench/claims.py` and commit what it writes"
    assert page == (ROOT / "docs" / PAGE).read_text(encoding="utf-8"), again


def test_each_claim_is_on_the_page_and_names_no_private_place(page):
    _, claims = read_claims()
    for claim in claims:
        assert re.search(rf"^\| \[?{claim.id}[\] ]", page, re.M), claim.id
    assert not re.search(r"(^|[ `(])(/work|shared/)", page)


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (0.01, 0.02, (HOLDS, NOT, UNTOLD)),
        (-0.02, -0.01, (NOT, HOLDS, UNTOLD)),
        (-0.01, 0.02, (UNTOLD, UNTOLD, UNTOLD)),
        (-0.004, 0.003, (UNTOLD, UNTOLD, HOLDS)),
        (0.011, 0.02, (HOLDS, NOT, NOT)),
        (-0.03, 0.03, (UNTOLD, UNTOLD, UNTOLD)),
        (None, None, (UNTOLD, UNTOLD, UNTOLD)),
        (float("nan"), float("nan"), (UNTOLD, UNTOLD, UNTOLD)),
    ],
)
def test_a_verdict_follows_from_the_interval_alone(low, high, told):
    for mean in (-5.0, 0.0, 5.0):  # which does not matter
        effect = Effect("something", mean, low, high)
        assert (above(effect), below(effect), level(effect)) == told


def test_a_verdict_needs_the_whole_interval_on_one_side():
    assert verdict(Effect("", 0.5, 0.4, 0.6), 0.3, 0.7) == HOLDS
    assert verdict(Effect("", 0.5, 0.2, 0.6), 0.3, 0.7) == UNTOLD
    assert verdict(Effect("", 0.5, 0.0, 0.2), 0.3, 0.7) == NOT
    assert verdict(Effect("", 0.5, 0.2, 0.8), 0.3, 0.7) == UNTOLD


def test_always_falls_by_one_case_and_sometimes_stands_by_one():
    assert every([HOLDS, HOLDS]) == HOLDS
    assert every([HOLDS, UNTOLD]) == UNTOLD
    assert every([HOLDS, UNTOLD, NOT]) == NOT
    assert some([NOT, UNTOLD, HOLDS]) == HOLDS
    assert some([NOT, UNTOLD]) == UNTOLD
    assert some([NOT, NOT]) == NOT
    assert every([]) == some([]) == UNTOLD


def test_claims_without_results_have_no_verdict():
    known = {claim.id: claim for claim in read_claims()[1]}
    assert set(FINDINGS) == {name for name, claim in known.items() if claim.results}
