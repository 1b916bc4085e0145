"""docs/studies/frozen-sets.md is what the committed results say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studies.frozen.numbers import against, read_study
from studies.frozen_sets.page import PAGE, make_page
from studies.frozen_sets.runs import ALL_SETS, BASE, CHOSEN_BY, GROUPS, ORACLE, sweeps
from studies.kit.pages import differing, files_of

from committed import journal_of

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "frozen_sets" / "results"

committed_results = pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results")


@pytest.fixture(scope="module")
def study():
    return read_study(RESULTS, sweeps(), CHOSEN_BY)


@committed_results
def test_the_page_of_sets_is_what_the_committed_results_say(study):
    assert not differing(files_of(make_page(study), PAGE, ROOT / "docs"))


@committed_results
def test_the_selected_record_is_that_of_the_covering_rate(study):
    label_set = next(iter(study))
    runs = journal_of(RESULTS / f"{label_set}-usual")
    found = {
        (best, selected, last)
        for row in study[label_set].values()
        for best, selected, last in zip(row.best, row.selected, row.last)
    }
    assert runs
    for records in runs.values():
        steps = sorted(records)
        tests = [records[step]["test"]["top1"] for step in steps]
        rates = [records[step]["validation"]["CR"] for step in steps]
        assert (max(tests), tests[rates.index(max(rates))], tests[-1]) in found


@committed_results
def test_no_verdict_is_about_the_oracle_and_all_are_about_the_plain_one(study):
    found = against(study, BASE, (ORACLE,))
    assert {name for _, name in found}.isdisjoint({BASE, ORACLE})
    for (label_set, name), one in found.items():
        means = [np.mean(study[label_set][each].selected) for each in (name, BASE)]
        assert one.gain.difference == pytest.approx(means[0] - means[1])


def test_what_is_counted_in_epochs_or_updates_is_the_same_share_of_every_training():
    for group in GROUPS.values():
        for name in group.label_sets:
            of, values = ALL_SETS[name], group.values(ALL_SETS[name])
            whole = of.steps / of.per_epoch  # epochs
            for key, share in group.epochs.items():
                assert values[key] / whole == pytest.approx(share, abs=1 / whole)
            for key, share in group.updates.items():
                assert values[key] == round(share * of.steps)
