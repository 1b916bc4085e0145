"""An oracle is what reads the truth, whatever it is called: in every table, figure and sentence."""

from __future__ import annotations

import json

import pytest

from candidly import benchmark, plugins
from candidly.compare import Criterion
from candidly.compare.report import accuracy_tables, findings
from candidly.compare.report.changes import compare_sides, side_of
from candidly.compare.report.document import results_document
from candidly.compare.report.gap import gap_tables
from candidly.compare.report.importance import importances
from candidly.compare.report.ranking import (
    beliefs_text,
    leader_of,
    pairs_of,
    ranks_of,
    steadiness_of,
)
from candidly.compare.report.results_figures import INK, make_colours
from candidly.compare.report.tables import make_tables
from candidly.compare.report.why import trust_tables
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.select import CRITERIA, cells
from compare.report.fake_results import make_results

from toys import toy

NAMES = ("CC", "cheat", "PRODEN", "x-oracle-free")
HONEST = {"CC", "PRODEN", "x-oracle-free"}
SETS = ("Lost", "MSRCv2", "Birdsong")


@pytest.fixture(scope="module")
def results():
    return make_results(SETS, NAMES, configs=4, splits=10)


@pytest.fixture(scope="module")
def of_lost(results):
    return [cell for cell in cells(results, ["CR"]) if cell.dataset == "Lost"]


def test_no_rank_and_no_test_has_it(results, of_lost):
    assert {cell.algorithm: cell.oracle for cell in of_lost} == {
        name: name == "cheat" for name in NAMES
    }
    assert {one.name for one in steadiness_of(of_lost, results).algorithms} == HONEST
    assert {one.name for one in ranks_of(cells(results, ["CR"]))[2].algorithms} == HONEST
    assert set(pairs_of(of_lost, results).names) == HONEST
    assert "cheat" not in beliefs_text(of_lost, results)
    assert leader_of(of_lost, results).algorithm == "x-oracle-free"
    assert set(importances(results, "Lost", CRITERIA["CR"])) <= HONEST


def test_tables_say_it_and_put_it_last(results):
    table = make_tables(results)[0]
    assert table.algorithms == ("CC", "PRODEN", "x-oracle-free", "cheat")
    names = {datum.value: datum.soft for datum in table.names}
    assert names == {"CC": False, "PRODEN": False, "x-oracle-free": False,
                     "cheat (told the truth)": True}  # fmt: skip
    assert [datum.best for datum in table.column("Lost", "top1")] == [False, False, True, False]
    for page in (
        accuracy_tables(results).render(),
        gap_tables(results).render(),
        trust_tables(results).render(),
    ):
        assert "cheat (told the truth)" in page
        assert "x-oracle-free (" not in page


def test_sentences_name_an_honest_one_as_the_leader(results):
    assert all("x-oracle-free has the highest" in one for one in findings(results)[::2][:1])
    assert "cheat" not in " ".join(findings(results))
    assert "No supervised oracle has finished" in " ".join(findings(results))
    assert results_document(results).page()
    assert make_colours(NAMES, ["cheat"])["cheat"][0] == INK
    assert make_colours(NAMES, ["cheat"])["x-oracle-free"][0] != INK


def test_two_directories_are_compared_without_it(results):
    other = make_results(SETS, NAMES, configs=4, splits=10, seed=1)
    sides = [side_of(one, "AB"[k], ["CR"]) for k, one in enumerate((results, other))]
    ranked = {row.algorithm for row in compare_sides(*sides).rows if row.rank_a is not None}
    assert ranked == HONEST


def test_a_criterion_is_an_oracle_by_what_it_compares():
    assert [name for name, one in CRITERIA.items() if one.reads_truth] == ["OA", "OA & ES", "peak"]
    assert Criterion("mine", "Mine.", "OA").reads_truth
    assert Criterion("mine", "Mine.", "top1", on_test=True).reads_truth
    assert not Criterion("oracle", "Mine.", "CR").reads_truth


PAGE = """
from candidly import register
from candidly.learn.algorithms import Algorithm, Stage, pure

def step(s, b):
    logits = s.net(b.x).logits
    return -logits.log_softmax(-1).gather(-1, b.truth[..., None])[..., 0].mean(-1)

def free(logits, candidates):
    return -(logits.softmax(-1) * candidates).sum(-1).log()

register("algorithm", Algorithm("cheat", (Stage(step),), reads=("candidates", "truth")))
register("algorithm", Algorithm("x-oracle-free", pure(free)))
"""


def test_a_plug_in_that_reads_the_truth_is_one_in_a_directory(tmp_path):
    (tmp_path / "mine.py").write_text(PAGE)
    plugin = plugins.load(tmp_path / "mine.py")
    try:
        small = {"configs": 1, "splits": 3, "steps": 60, "eval_every": 60, "workers": 1}
        names = ["CC", "cheat", "x-oracle-free"]
        benchmark({"toy": toy()}, names, out=tmp_path / "out", **small)
    finally:
        plugins.unload(plugin)
    found = read_results(tmp_path / "out")  # as a report reads it, without the plug-in
    assert "cheat (told the truth)" in accuracy_tables(found).render()
    assert not any("cheat has" in one for one in findings(found))
    told = json.loads(accuracy_tables(found).render("json"))
    by_name = {cell["algorithm"]: cell for cell in told["tables"][0]["cells"]}
    assert ["truth" in by_name[name]["reads"] for name in names] == [False, True, False]
