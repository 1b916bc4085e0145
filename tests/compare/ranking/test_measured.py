"""What is said of rankings was measured, and the measurements are committed."""

from __future__ import annotations

import json

import pytest

from _bench import RESULTS

from committed import ROOT, needs_results


def claims_of(bench):
    return json.loads((RESULTS / f"{bench}.json").read_text())["claims"]


@needs_results
@pytest.mark.parametrize("bench", ["ranking", "ranking_speed"])
def test_committed_claims_hold(bench):
    judged = [claim for claim in claims_of(bench) if claim["holds"] is not None]
    assert judged
    assert [claim["name"] for claim in judged if not claim["holds"]] == []


@needs_results
def test_the_page_says_these_numbers():
    page = " ".join((ROOT / "docs" / "rank.md").read_text().split())
    by_name = {claim["name"]: claim["value"] for claim in claims_of("ranking")}

    def of(end):
        return [value for name, value in by_name.items() if name.endswith(end)]

    wrong, held, power = of(": any wrong ahead"), of(": intervals hold"), of(": power")
    assert f"in at most {100 * max(wrong):.1f} % of the draws" in page
    assert f"hold together in at least {100 * min(held):.1f} %" in page
    assert f"found in {100 * min(power):.0f} to {100 * max(power):.0f} % where 80" in page
    (seconds,) = (
        claim["value"]
        for claim in claims_of("ranking_speed")
        if claim["name"].startswith("right or wrong") and claim["name"].endswith("seconds")
    )
    assert f"50 models take {seconds:.0f} seconds" in page
