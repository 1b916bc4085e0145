"""``--why`` in every form."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from candidly.compare.report.why import COLUMNS, RULE, trust_tables, why_grid
from candidly.compare.sweep.counts import labels_read
from candidly.compare.sweep.records import pack_outcomes
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.trust import trust
from candidly.ground.names import UnknownName
from candidly.stats.criteria import FlipRate
from compare.report.fake_results import change, make_results

NAMES_OF = [column.name for column in COLUMNS]
NAMES = ("CC", "supervised-oracle", "PRODEN")


def with_outcomes(results):
    """The results with outcomes that agree with each record's CR, and AA with the outcomes."""

    def edit(run):
        records = []
        for record in run.records:
            g = np.random.default_rng(record.step)
            right = round(record.validation["CR"] * run.n_validation)
            shares = g.permutation([1.0] * right + [0.0] * (run.n_validation - right))
            validation = {**record.validation, "AA": float(shares.mean())}
            records.append(replace(record, validation=validation, outcomes=pack_outcomes(shares)))
        return replace(run, records=tuple(records))

    return change(results, edit)


@pytest.fixture(scope="module")
def results():
    made = make_results(("Lost", "MSRCv2"), NAMES, configs=2, splits=3, notes=("a [note]",))
    flips = {"Lost": FlipRate(0.3, 0.01), "MSRCv2": FlipRate(0.3, 0.01, "labels differ")}
    return replace(with_outcomes(made), flip_rates=flips)


def test_the_numbers_of_a_row(results):
    one = trust(results)[1]
    row = dict(zip(NAMES_OF, why_grid([one]).texts()[0]))
    assert (row["algorithm"], row["criterion"]) == ("CC", "AA")
    assert row["its value"] == f"{100 * one.value:.1f} ± {100 * one.standard_error:.1f}"
    assert row["Eq. 8"] == f"{100 * one.accuracy:.1f} ± {100 * one.accuracy_error:.1f}"
    assert row["tied"] == f"{one.ties:.1f}"
    assert row["redrawn"] == f"{100 * one.other:.0f} %"
    assert row["AA over-confident"] == "3 of 3 splits !"


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_every_row_is_there_and_the_rule_is_said(results, format):
    page = trust_tables(results).render(format, 100)
    words = " ".join(page.replace("|", " ").split())
    for row in why_grid(trust(results), labels_read(results)).texts():
        assert " ".join(" ".join(row).split()) in words
    assert "Redrawn: the share of 1,000 bootstrap resamples" in words
    assert RULE in words
    assert "MSRCv2: Eq. 8 is not applied: labels differ." in words
    assert "choices on 100 validation rows" in words
    assert "note" in words
    assert "supervised-oracle (upper bound)" in words
    if format == "text":
        assert max(map(len, page.splitlines())) <= 100


def test_json_has_every_split(results):
    about = json.loads(trust_tables(results).render("json"))
    assert about["rule"] == RULE
    assert len(about["rows"]) == 2 * len(NAMES) * 2
    for row, one in zip(about["rows"], trust(results)):
        assert (row["dataset"], row["criterion"]) == (one.dataset, one.criterion)
        assert row["value"] == one.value
        assert [split["other"] for split in row["splits"]] == [s.other for s in one.splits]


def test_what_is_not_there_is_said(results):
    bare = make_results(algorithms=("CC",), configs=2, splits=2)
    rows = [dict(zip(NAMES_OF, row)) for row in why_grid(trust(bare)).texts()]
    assert rows[1]["its value"].endswith("± not recorded")
    assert [row["redrawn"] for row in rows] == ["not recorded"] * 2
    assert rows[1]["AA over-confident"] == "unknown"
    known = replace(bare, flip_rates={"Lost": FlipRate(0.3, 0.01)})
    assert why_grid(trust(known)).texts()[1][-1] == "not recorded"
    nothing = change(bare, lambda run: replace(run, records=()))
    assert why_grid(trust(nothing)).texts()[0][2:] == ["nothing chosen", "–", "–", "–", ""]


def test_nothing_planned_and_unknown_forms(results):
    assert trust_tables(Results((), {}, notes=("a note",))).render().endswith("a note")
    assert trust_tables(Results((), {})).render("markdown").startswith("No runs are planned")
    with pytest.raises(UnknownName, match="did you mean 'markdown'"):
        trust_tables(results).render("markdwn")
