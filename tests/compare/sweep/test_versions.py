"""Versions of algorithms: seeds and keys of each, and rows that an earlier one has made."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from candidly.compare.benchmarking import prepare
from candidly.compare.sweep.journal import read_records
from candidly.compare.sweep.plan import read_plan
from candidly.compare.sweep.settings import make_settings
from candidly.compare.sweep.versions import made_otherwise
from candidly.ground.seeds import hashed
from candidly.learn.algorithms import ALGORITHMS, algorithm

from committed import committed
from toys import toy

# the benchmark's spelling, where it is not the field's
SPELLED = {
    "ABS-MAE": "ABS_MAE",
    "ABS-GCE": "ABS_GCE",
    "MCL-GCE": "MCL_GCE",
    "MCL-MSE": "MCL_MSE",
    "SCL-EXP": "SCL_EXP",
    "SCL-NL": "SCL_NL",
    "L-W": "L_W",
    "OP-W": "OP_W",
    "PiCO+": "PiCO_plus",
}
AT_ONCE = {"PiCO+"}  # from version 1 on
ANCHORED = {"forward-t", "backward-t", "t-revision"}  # anchors of rare classes are their own
GUARDED = {"LWS", "VALEN", "IDGP", "CRDPLL", "FREDIS"}


def planned(*labels: str):
    asked = make_settings(datasets=("toy",), algorithms=labels, configs=2, splits=2)
    return prepare(asked, own={"toy": toy()})[0].trials


@pytest.mark.parametrize("name", SPELLED)
def test_d_seed_1_plench_is_seeded_by_the_benchmarks_spelling_and_fixed_by_ours(name):
    for label, spelling in ((name, name), (f"{name}:plench", SPELLED[name])):
        for trial in planned(label):
            expected = hashed(toy().fingerprint(), spelling, trial.config, trial.split)
            assert trial.seed == expected, label


def test_only_these_have_another_version_in_plench():
    raised = {name for name in ALGORITHMS if algorithm(name, "plench").version == 2}
    assert raised == ({*SPELLED, *GUARDED} - AT_ONCE) | ANCHORED
    assert {name for name, page in ALGORITHMS.items() if page.version > 1} == ANCHORED
    spelled = {name for name in ALGORITHMS if algorithm(name, "plench").seed_name(2) != name}
    assert spelled == set(SPELLED)
    first = {name for name in ALGORITHMS if algorithm(name, "plench").seed_name(1) != name}
    assert first == AT_ONCE


@pytest.fixture(scope="module")
def lost(tmp_path_factory):
    return committed("studies/reproduction/results/lost", tmp_path_factory.mktemp("index"))


@pytest.fixture(scope="module")
def plan(lost):
    return read_plan(lost)


def test_the_committed_journal_is_read_whole_and_keys_of_fixed_are_as_they_were(lost, plan):
    there = set(read_records(lost / "journal")[0])
    assert {trial.key for trial in plan.trials} == there  # of version 1, with its seeds
    rows = {trial.label for trial in plan.trials}
    assert len(rows) == 40
    for trial in plan.trials:
        page = algorithm(trial.algorithm, trial.variant)
        facts = plan.facts[trial.dataset]
        name = page.seed_name(page.version)
        seed = hashed(facts.seed_name, name, trial.config, trial.split)
        today = replace(trial, version=page.version, seed=seed)
        changed = trial.variant == "plench" and trial.algorithm in {*SPELLED, *GUARDED}
        assert (today.key in there) is not changed, trial.label


def test_rows_of_another_version_are_shown_and_say_which(lost, plan):
    (note,) = made_otherwise(plan.methods)
    labels, _, said = note.partition(": ")
    assert said == "made by version 1; this candidly has version 2, whose numbers differ"
    made = json.loads((lost / "plan.json").read_text())["algorithms"]
    again = {f"{name}:plench" for name in {*SPELLED, *GUARDED}}
    assert set(labels.split(", ")) == again & set(made)
