"""docs/studies/claims.md is what the committed results say, and verdicts follow one rule."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr, t

from candidly.compare import published
from candidly.stats import summarise
from studies.claims import __main__ as made
from studies.claims import on_errors, on_models, on_sources
from studies.claims.findings import FINDINGS, find
from studies.claims.judging import (
    FIXED,
    HOLDS,
    LEAST,
    NOT,
    UNTOLD,
    Effect,
    Finding,
    above,
    apart,
    below,
    by_unit,
    every,
    level,
    of_independent,
    over_algorithms,
    over_splits,
    some,
    spearman,
    verdict,
    widened,
)
from studies.claims.on_published import READ
from studies.claims.on_texts_more import area
from studies.claims.page import FOLDER, OPEN, PAGE, VERDICTS
from studies.claims.shelf import Shelf
from studies.claims.table import DATA_SETS, FILES, NOTHING, ONE_CASE, UNITS, read_claims

from committed import committed
from small_sweeps import make_directory

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "reproduction" / "results"
DOCS = ROOT / "docs"
NAMES = [PAGE, *(f"{FOLDER}/{one.name}" for one in sorted((DOCS / FOLDER).glob("*.md")))]


def pages_text():
    """All pages, one behind the other."""
    return "\n".join((DOCS / name).read_text(encoding="utf-8") for name in NAMES)


pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results")


@pytest.mark.slow
def test_the_page_of_claims_is_what_the_committed_results_say(tmp_path):
    committed("bench/results", tmp_path)
    pages = made.page_texts(committed("studies", tmp_path).parent)
    again = "run `python -m studies.claims` and commit what it writes"
    assert pages == {name: (DOCS / name).read_text(encoding="utf-8") for name in NAMES}, again


def test_what_is_quick_to_find_again_is_on_the_page():
    _, claims = read_claims()
    shelf = Shelf(ROOT, {claim.id: claim.numbers for claim in claims})
    page = " ".join(pages_text().split())
    quick = {**on_errors.FINDINGS, **on_models.FINDINGS, **on_sources.FINDINGS}
    found = find(shelf, [claim for claim in claims if claim.id in quick])
    assert len(found) == len(quick)
    for claim in claims:
        if claim.id in found:
            one = found[claim.id]
            effects = "; ".join(map(str, one.effects))
            told = f"## {claim.id} {claim.statement} **{one.verdict.capitalize()}.** {effects}"
            for text in (told, one.said, f"Data: {one.data}. Different from", one.differs):
                assert " ".join(text.split()) in page, f"{claim.id}: run `python -m studies.claims`"


def test_each_claim_is_on_the_page_with_a_verdict_or_what_it_needs():
    page, (_, claims) = pages_text(), read_claims()
    verdicts, page = [], page.replace(_section(page), "")
    for claim in claims:
        row = re.search(rf"^\| \[?{claim.id}[\] ].*\| ([a-z ]+) \|$", page, re.M)
        verdicts.append(row[1])
        if row[1] == OPEN:
            assert f"\n* {claim.id}: " in page
        else:
            assert f"\n## {claim.id}\n" in page
    told = re.search(r"Of these claims (.*?); each", page, re.S)[1]
    assert [int(n) for n in re.findall(r"\d+", told)] == [verdicts.count(v) for v in VERDICTS]


def test_the_page_names_no_private_place():
    assert not re.search(r"(^|[ `(])(/work|shared/)", pages_text())


def _section(page):
    """What the papers' own tables say."""
    return re.search(r"## What the papers' own tables say.*?(?=\n## )", page, re.S)[0]


def test_the_readme_says_how_many_claims_were_measured():
    page, readme = pages_text(), (ROOT / "README.md").read_text()
    told = re.search(r"(\d+) of (\d+) statements of four papers measured", readme)
    every = re.search(r"(\d+) takeaways, findings and conclusions of four papers", page)
    unmeasured = re.search(r"and\s+(\d+)\s+have\s+not\s+been\s+measured", page)
    assert int(told[2]) == int(every[1])
    assert int(told[2]) - int(told[1]) == int(unmeasured[1])


def test_what_published_tables_say_is_counted_from_them():
    """By other means: from the CSV itself, for those that an audit of the papers had found."""
    frame = pl.concat([published.read(f"plench-{k}") for k in (1, 2, 3, 4)], how="vertical")
    numbers = frame.with_row_index().select(
        table=pl.col("index") // 104,
        name="algorithm",
        by="criterion",
        mean=pl.col("mean").cast(pl.Float64),
    )
    wide = numbers.pivot("by", index=["table", "name"], values="mean")
    near = (wide["OA & ES"] - wide["CR"] <= 1).sum()
    assert READ["P26"]().counts.endswith(f"in {near} of {len(wide)}")
    assert (near, READ["P26"]().stands) == (49, False)
    assert READ["P13"]().counts.endswith("in 13 of 13")
    assert READ["N25"]().counts.startswith("-0.33 to +2.53 points")
    assert not READ["N22"]().stands  # behind at 40 and 60 %
    assert [word[0] for word in re.findall(r"[+-]\d", READ["N22"]().counts)] == ["+", "+", "-", "-"]
    lines = _section(pages_text()).splitlines()
    for name, read in READ.items():
        row = next(line for line in lines if line.startswith(f"| {name} |"))
        assert row.endswith("| yes |" if read().stands else "| **no** |")


def test_a_verdict_on_the_page_is_that_of_its_interval():
    # by hand from the page: each corrected minus original difference of L11 is beyond 5 points
    text = re.search(r"^## L11$(.*?)^Data", pages_text(), re.M | re.S)[1]
    lows = [float(low) for low in re.findall(r"\(\+([\d.]+)\s+to", text)]
    assert len(lows) == 2
    assert ("**Holds.**" in " ".join(text.split())) == (min(lows) > 5)


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


@pytest.mark.parametrize("verdict", [HOLDS, NOT, UNTOLD])
@pytest.mark.parametrize("sets", [1, LEAST - 1, LEAST, 10])
@pytest.mark.parametrize("unit", UNITS)
def test_a_verdict_is_no_wider_than_what_was_drawn_again(unit, sets, verdict):
    told = by_unit(Finding(verdict, (), "", "", "", "", sets), unit).verdict
    wanted = {
        DATA_SETS: verdict if sets >= LEAST else UNTOLD,
        ONE_CASE: UNTOLD if verdict == NOT else verdict,
        FILES: verdict,
        NOTHING: FIXED,
    }
    assert told == wanted[unit]


def test_each_claim_says_on_the_page_what_would_speak_against_it():
    page = " ".join(pages_text().split())
    for claim in read_claims()[1]:
        assert claim.fails
        if claim.id in FINDINGS:
            assert f"{claim.fails}." in page, claim.id


def test_a_claim_without_a_known_unit_is_refused(tmp_path):
    wrong = (
        (ROOT / "studies" / "claims" / "claims.toml")
        .read_text()
        .replace('unit = "data sets"', 'unit = "splits"', 1)
    )
    (tmp_path / "claims.toml").write_text(wrong)
    with pytest.raises(ValueError, match="P1 has the unit 'splits'; name one of"):
        read_claims(tmp_path / "claims.toml")


def test_what_is_apart_is_beyond_0_and_not_where_it_is_level():
    assert apart(Effect("", 0.1, 0.001, 0.2)) == apart(Effect("", -0.1, -0.2, -0.001)) == HOLDS
    assert apart(Effect("", 0.0, -0.009, 0.009)) == NOT
    assert apart(Effect("", 0.0, -0.009, 0.011)) == UNTOLD


def test_effects_are_shown_as_points_shares_and_numbers():
    assert str(Effect("x", 0.0123, -0.002, 0.03)) == "x: +1.2 (−0.2 to +3.0) points"
    assert str(Effect("x", 0.5, 0.25, 0.75, share=True)) == "x: 50.0 (25.0 to 75.0) %"
    assert str(Effect("x", 2.0, points=False, digits=2, signed=False)) == "x: 2.00"
    assert str(Effect("x", 0.1, 0.0, 0.2)) == "x: +10.0 (0.0 to +20.0) points"  # not left out


# intervals


def test_intervals_over_splits_are_by_hand():
    first, second = [0.5, 0.6, 0.7], [0.4, 0.55, 0.5]
    found = over_splits("x", first, second, 0.2, cases=4)
    gaps = np.subtract(first, second)
    half = t.ppf(1 - 0.05 / 4 / 2, 2) * gaps.std(ddof=1) * (1 / 3 + 0.25) ** 0.5
    assert [found.low, found.high] == pytest.approx([gaps.mean() - half, gaps.mean() + half])


def test_intervals_of_independent_values_are_by_hand():
    values = [0.1, 0.3, 0.2, 0.6]
    found = of_independent("x", summarise(values), cases=2)
    half = t.ppf(1 - 0.05 / 2 / 2, 3) * np.std(values, ddof=1) / 2
    assert [found.low, found.high] == pytest.approx([0.3 - half, 0.3 + half])


def test_drawing_algorithms_again_gives_the_interval_of_a_mean():
    values = np.random.default_rng(0).normal(size=200)
    found = over_algorithms("x", 200, lambda at: float(values[at].mean()))
    half = 1.96 * values.std() / 200**0.5
    wanted = [values.mean() - half, values.mean() + half]
    assert [found.low, found.high] == pytest.approx(wanted, abs=0.1 * half)


def test_a_widened_interval_adds_variances():
    found = widened(Effect("x", 1.0, 1.0 - 3, 1.0 + 3), 4 / 1.959964)
    assert [found.low, found.high] == pytest.approx([-4, 6], abs=1e-5)


def test_correlation_of_ranks_is_scipys():
    x, y = np.random.default_rng(1).integers(0, 6, (2, 40))
    assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic)
    assert np.isnan(spearman(np.ones(3), np.arange(3)))


def test_the_area_from_bins_counts_pairs():
    right, wrong = np.array([[3, 2, 0]]), np.array([[1, 1, 2]])
    ones, others = np.repeat(range(3), right[0]), np.repeat(range(3), wrong[0])
    pairs = [(w > r) + 0.5 * (w == r) for w in others for r in ones]
    assert area(right, wrong) == pytest.approx([np.mean(pairs)])


# what is not there


def test_results_that_are_not_there_leave_a_claim_open(tmp_path):
    _, claims = read_claims()
    assert set(find(Shelf(tmp_path), claims).values()) == {None}


def test_an_unfinished_table_is_compared_with_the_published_and_not_judged_by(tmp_path):
    make_directory(
        tmp_path / "studies" / "reproduction" / "results" / "msrcv2",
        ["CC:plench", "CC", "PRODEN:plench"],
        lambda run, step: 0.7123,
        dataset="msrcv2",
    )
    _, claims = read_claims()
    found = find(Shelf(tmp_path), claims)
    assert {name for name, one in found.items() if one} == {"P20", "P32"}
    assert found["P32"].verdict == NOT  # 0.71 where about half is published
    assert "0 of 8 numbers" in found["P32"].said
    assert found["P20"].verdict == NOT  # the sizes are Lost's
