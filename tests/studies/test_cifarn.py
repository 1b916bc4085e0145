"""docs/studies/cifarn.md is what the committed results say, and these what their journals hold."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from candidly.compare.sweep.journal import read_results
from candidly.errors.detectors import DETECTORS
from candidly.errors.detectors.comparison_document import ANCHOR
from studies.cifarn.detected import MEASURES, OWN, anchor, line_of
from studies.cifarn.labels import SETS
from studies.cifarn.numbers import agreement, beside_the_board, mean, read_study, spread, trained
from studies.cifarn.page import IMAGE, PAGE, make_page, missing
from studies.cifarn.published import read_gaps, read_leaderboard
from studies.cifarn.runs import EVERY, PER_EPOCH, sweeps
from studies.kit.pages import differing, files_of

from committed import journal_of

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "cifarn" / "results"
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results")


@pytest.fixture(scope="module")
def study():
    return read_study(RESULTS)


def records_of(name):
    return journal_of(RESULTS / name)


def test_the_page_of_cifar_10n_is_what_the_committed_results_say(study):
    there = (DOCS / "images").glob(f"{IMAGE}*.svg")
    assert not differing(files_of(make_page(study), PAGE, DOCS), there)


def test_every_algorithm_that_learns_from_given_labels_is_trained_or_named_as_missing(study):
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    absent = missing(study)
    for label_set in trained(study):
        assert set(study.tables[label_set]) | set(absent.get(label_set, ())) == set(EVERY)
    for names in (absent.get(label_set, ()) for label_set in trained(study)):
        assert all(f"`{name}`" in text for name in names)


@pytest.mark.parametrize("name", ["worst-usual", "worst-several"])
def test_three_epochs_of_a_run_are_those_of_its_journal(study, name):
    label_set = name.partition("-")[0]
    runs = records_of(name)
    for run in read_results(RESULTS / name).runs:
        row = study.tables[label_set][run.algorithm]
        records = [runs[run.key][step] for step in sorted(runs[run.key])]
        tests = [record["test"]["top1"] for record in records]
        noisy = [record["validation"]["NVA"] for record in records]
        assert row.best[run.split] == max(tests)
        assert row.last[run.split] == tests[-1]
        assert row.selected[run.split] == tests[noisy.index(max(noisy))]


def test_every_number_of_the_tables_is_a_mean_of_the_journals(study):
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    for label_set in trained(study):
        part = text.split(f"\n### {label_set}\n")[1]
        for name, row in study.tables[label_set].items():
            line = re.search(rf"^\| `{re.escape(name)}` \| (.*) \|$", part, re.MULTILINE)
            shown = [float(cell) for cell in line[1].split(" | ")[:3]]
            three = [100 * mean(each) for each in (row.best, row.selected, row.last)]
            assert shown == pytest.approx(three, abs=0.0501), name


def test_the_spread_between_splits_is_that_of_pairs(study):
    pairs = [row.selected for row in study.tables["worst"].values() if len(row.selected) == 2]
    expected = np.sqrt(np.mean([(one - other) ** 2 / 2 for one, other in pairs]))
    assert spread(study.tables["worst"]) == pytest.approx(expected)


def test_ranks_beside_a_leaderboard_take_the_epoch_that_it_took(study):
    table = study.tables["worst"]
    for board, kind in (("published", "best"), ("selected", "selected")):
        found, names = beside_the_board(table, board, "worst")
        theirs = read_leaderboard(board, "worst")
        ours = [mean(getattr(table[name], kind)) for name in names]
        assert set(names) == set(theirs) & set(table)
        expected = kendalltau(ours, [theirs[name] for name in names]).statistic
        assert found.value == pytest.approx(expected)
    assert agreement(table, table)[0].value == pytest.approx(1)


def test_published_facts_that_were_also_printed():
    whole = {(g.algorithm, g.labels): g for g in read_gaps() if g.protocol == "all rows"}
    for name, best, last in (("ce", 83.91, 68.26), ("elr", 87.89, 87.83)):
        found = whole[name, "worst"]
        assert (100 * found.best, 100 * found.last) == pytest.approx((best, last))
    board = read_leaderboard("reproduced", "worst")
    assert all(board[name] == gap.best for (name, s), gap in whole.items() if s == "worst")


def test_all_detectors_are_judged_and_sets_without_them_are_named(study):
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    absent = re.search(r"^Not run, for lack of time: (.*)\.$", text, re.MULTILINE)
    said = set() if absent is None else set(re.findall(r"aggre|rand\d|worst", absent[1]))
    assert set(study.detection) | said == set(SETS)
    for labels, found in study.detection.items():
        counted = next(
            line for line in study.labels if line["labels"] == labels and not line["synthetic"]
        )
        assert (found["n"], found["wrong"]) == (counted["n"], counted["wrong"])
        for name, detector in DETECTORS.items():
            line = line_of(study, labels, name)
            assert (line["f1"] is not None) == detector.cut
            assert all(0 <= line[measure] <= 1 for measure in MEASURES if line[measure] is not None)


def test_flagging_everything_has_the_f1_of_the_formula(study):
    for labels, found in study.detection.items():
        rate = found["wrong"] / found["n"]
        line = line_of(study, labels, ANCHOR, OWN)
        assert line["f1"] == pytest.approx(2 * rate / (1 + rate))
        assert anchor(found["wrong"], found["n"]) == pytest.approx(2 * rate / (1 + rate))


def test_what_other_label_columns_say_is_as_measured_elsewhere(study):
    f1 = {(line["labels"], line["rule"]): line for line in study.rules}
    worst = f1["worst", "an annotator says otherwise"]
    assert [worst[name] for name in ("precision", "recall", "f1")] == pytest.approx(
        [1.0, 0.986, 0.993], abs=5e-4
    )
    expected = {
        ("rand1", "neither of the other two agrees"): 0.819,
        ("rand1", "the other two agree on another class"): 0.702,
        ("aggre", "two annotators at least say otherwise"): 0.588,
    }
    for key, value in expected.items():
        assert f1[key]["f1"] == pytest.approx(value, abs=5e-4)


def test_synthetic_labels_are_wrong_as_often_as_real_ones(study):
    wrong = {(line["labels"], line["synthetic"]): line["wrong"] for line in study.labels}
    for labels, synthetic in wrong:
        assert wrong[labels, synthetic] == wrong[labels, False]


def test_all_sweeps_of_a_part_train_alike():
    for sweep in sweeps():
        if not (RESULTS / sweep.name).exists():
            continue
        settings = json.loads((RESULTS / sweep.name / "plan.json").read_text())["settings"]
        assert settings["steps"] == sweep.settings["steps"]
        assert settings["eval_every"] == PER_EPOCH
        assert settings["hyper"] == sweep.settings["hyper"]
        assert settings["net"] == "cnn:width=8"
