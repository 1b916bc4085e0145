"""docs/studies/images.md is what the committed results say, and these what their journals hold."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from candidly.compare.sweep.journal import read_results
from candidly.learn.algorithms import ALGORITHMS
from studies.images import __main__ as image_study
from studies.images.numbers import CRITERIA, read_memory, read_study, spread
from studies.images.page import IMAGE, PAGE, make_page
from studies.images.runs import LABEL_SETS, SPLITS, STEPS, sweeps
from studies.kit.pages import differing, files_of

from committed import journal_of

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "images" / "results"
COSTS = ROOT / "bench" / "results" / "picture_costs.json"
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results")


@pytest.fixture(scope="module")
def study():
    return read_study(RESULTS)


def records_of(name):
    return journal_of(RESULTS / name)


def test_the_image_page_is_what_the_committed_results_say(study):
    page = make_page(study, read_memory(COSTS, image_study.MEMORY_OF))
    there = (DOCS / "images").glob(f"{IMAGE}*.svg")
    assert not differing(files_of(page, PAGE, DOCS), there)


def test_every_algorithm_for_candidate_sets_is_in_the_study(study):
    asked = {name for name, page in ALGORITHMS.items() if "candidates" in page.reads}
    for labels in study.values():
        assert set(labels.rows) == asked
        assert all(row.finished == row.planned == SPLITS for row in labels.rows.values())


@pytest.mark.parametrize("key", LABEL_SETS)
def test_what_a_criterion_chooses_is_the_first_best_record_of_the_journal(study, key):
    name = f"{key}-others"
    keys = {(r.algorithm, r.split): r.key for r in read_results(RESULTS / name).runs}
    runs = records_of(name)
    for algorithm in ("PRODEN", "CRDPLL", "EXP"):
        accuracy = study[key].rows[algorithm].accuracy
        for split in range(SPLITS):
            mine = runs[keys[algorithm, split]]
            records = [mine[step] for step in sorted(mine)]
            assert records[-1]["step"] == STEPS
            tests = [record["test"]["top1"] for record in records]
            for criterion, measure in (("CR", "CR"), ("AA", "AA"), ("OA & ES", "OA")):
                values = [record["validation"][measure] for record in records]
                assert accuracy[criterion][split] == tests[values.index(max(values))]
            assert accuracy["OA"][split] == tests[-1]


def test_ranks_and_their_agreement(study):
    for labels in study.values():
        for criterion in CRITERIA:
            means = np.array([row.mean(criterion) for row in labels.rows.values()])
            ranks = (-means).argsort().argsort()
            for at, own in zip(ranks, labels.ranks(criterion).values()):
                assert own <= at + 1  # equal ones share the first place among them
        cr, aa = ([row.mean(c) for row in labels.rows.values()] for c in ("CR", "AA"))
        assert labels.agreement("CR", "AA") == pytest.approx(kendalltau(cr, aa).statistic)


def test_the_spread_between_splits_is_that_of_pairs(study):
    pairs = [row.accuracy["CR"] for labels in study.values() for row in labels.rows.values()]
    expected = np.sqrt(np.mean([(one - other) ** 2 / 2 for one, other in pairs]))
    assert spread(study) == pytest.approx(expected)


def test_every_number_of_the_tables_is_a_mean_of_the_journals(study):
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    for labels, part in zip(study.values(), text.split("\n### ")[1:]):
        for name, row in labels.rows.items():
            shown = re.search(rf"^\| {re.escape(name)} \| ([\d.]+) \|", part, re.MULTILINE)
            mean = np.mean([100 * value for value in row.accuracy["CR"]])
            assert float(shown[1]) == pytest.approx(mean, abs=0.0501), name


def test_all_sweeps_train_alike():
    for sweep in sweeps():
        settings = json.loads((RESULTS / sweep.name / "plan.json").read_text())["settings"]
        assert (settings["steps"], settings["splits"]) == (STEPS, SPLITS)
        assert settings["hyper"]["batch_size"] == 64
