"""What a page says of chance is what the design of its splits carries: made-up studies of each."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import candidly
from candidly.compare.report import ranking
from candidly.compare.report.changes import compare_sides, side_of
from candidly.compare.report.changes_document import changes_document
from candidly.compare.report.design import averaged, by_split
from candidly.compare.report.document import results_document
from candidly.compare.report.findings import findings
from candidly.compare.report.gap import gap_tables
from candidly.compare.report.paper_table import read_paper_table
from candidly.compare.report.ranking import leader_of, pairs_of
from candidly.compare.report.tables import accuracy_tables, make_tables
from candidly.compare.sweep.compact import compact
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.records import pack_right
from candidly.compare.sweep.select import cells as all_cells
from candidly.stats import OneTestSet, RandomSplits, crossed_t
from compare.report.fake_results import change, make_results

from toys import toy

NAMES = ("CC", "PRODEN", "supervised-oracle")
ROWS = 113  # the test rows of the made-up runs
LEVEL = "the chance of any false difference is at most 5 %"


def study(kept=True, official=True, apart=0.0):
    """Five splits; algorithms differ in rows that are the same in each split, and by ``apart``."""
    results = make_results(algorithms=NAMES, configs=1, splits=5, steps=2000)
    runs = []
    for run in results.runs:
        g = np.random.default_rng([run.split, len(run.algorithm)])
        hard = np.random.default_rng(len(run.algorithm)).random(ROWS) < 0.3
        records = []
        for record in run.records:
            wrong = hard | (g.random(ROWS) < 0.02 + apart * (run.algorithm == "CC"))
            told = {"top1": float((~wrong).mean()), "top5": 1.0, "balanced": (~wrong).mean()}
            right = pack_right(~wrong) if kept else None
            records.append(replace(record, test=told, right=right))
        runs.append(replace(run, records=tuple(records)))
    settings = dict(results.settings, split="official" if official else "random")
    return replace(results, runs=tuple(runs), settings=settings)


STUDIES = {
    "random splits": (study(official=False), "top1"),
    "one test set": (study(), "top1"),
    "one test set, rows unknown": (study(kept=False), "top1"),
    "one test set, of another metric": (study(), "balanced"),
}


def words(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))


@pytest.mark.parametrize("name", STUDIES)
def test_a_page_says_of_chance_what_the_design_carries(name):
    results, metric = STUDIES[name]
    cells = all_cells(results, ["CR"])
    design = by_split(cells, results, metric).design
    assert design.name == name
    page = words(results_document(results, metric).page())
    assert (LEVEL in page) == design.level_holds
    covers = f"They are over {design.covers}; {design.leaves_out} are not in them"
    assert (covers if design.level_holds else f"There are {design.how}") in page
    assert ("Nadeau" in page) == isinstance(design, RandomSplits)
    told = "All splits have the same test rows, so ± says nothing of other test rows"
    below = (gap_tables(results, metric), accuracy_tables(results, metric))
    for text in (page, *(document.render("text") for document in below)):
        assert (told in words(text)) == isinstance(design, OneTestSet)
    other = replace(results, notes=("B",))
    sides = [side_of(one, n, ["CR"], metric) for one, n in ((results, "A"), (other, "B"))]
    page = words(changes_document(compare_sides(*sides), metric).page())
    assert design.covers in page
    assert ("Nadeau" in page) == isinstance(design, RandomSplits)
    if not design.level_holds:
        assert leader_of(cells, results, metric) is None
        said = " ".join(findings(results, metric))
        assert "95 % interval" not in said
        assert "the same on every split" not in said
        assert "no interval, as splits share test rows" in said


def test_a_design_that_is_not_measured_claims_no_level(monkeypatch):
    """One of tomorrow: the sentence of a level is the design's own, and it has none."""

    class Tomorrow(RandomSplits):
        level_holds = False
        how = "a test that nobody has tried"

    monkeypatch.setattr(ranking, "by_split", by_split)
    results, _ = STUDIES["random splits"]
    found = pairs_of(all_cells(results, ["CR"]), results)
    said = ranking.pairs_text(found, Tomorrow(0.1))
    assert "a test that nobody has tried" in said
    assert "%" not in said


def test_tests_of_splits_are_taken_from_the_design_alone():
    """Nobody in ``compare`` or ``cli`` names a test over splits; so nobody can take a wrong one."""
    package = Path(candidly.__file__).parent
    for wing in ("compare", "cli"):
        for path in (package / wing).rglob("*.py"):
            text = path.read_text()
            named = re.findall(r"\b(corrected_t|correlated_t|crossed_t)\b", text)
            assert not named, f"{path} names {named[0]}; take the test of `by_split(...).design`"


def test_the_rows_of_a_shared_test_set_make_the_interval():
    results = study()
    cells = [c for c in all_cells(results, ["CR"]) if not c.oracle]
    whole = by_split(cells, results)
    by_key = {(r.key, one.step): one for r in results.runs for one in r.records}
    right = np.array(
        [
            [
                np.unpackbits(np.frombuffer(by_key[c.key, c.step].right, np.uint8), count=ROWS)
                for c in (cell.choices[split] for cell in cells)
            ]
            for split in range(5)
        ]
    )
    assert isinstance(whole.design, OneTestSet)
    np.testing.assert_array_equal(whole.design.right, right)
    np.testing.assert_allclose(whole.table, right.mean(-1))
    wanted = crossed_t(right[:, 0].astype(float) - right[:, 1])
    assert whole.compared(0, 1) == wanted
    # the page's table has it, and what stands bold in tables is by it
    assert pairs_of(cells, results).pairs[0].test == wanted
    assert leader_of(cells, results) is None
    narrow = by_split(cells, study(official=False)).compared(0, 1)
    assert narrow.standard_error < wanted.standard_error / 2
    far = study(apart=0.5)
    grid = make_tables(far, ["CR"])[0].grid("top1")
    assert [row[1].best for row in grid.rows] == [False, True, False]


def test_bits_of_another_number_of_rows_are_not_taken_for_these():
    def torn(run):
        records = [replace(one, right=one.right[:-1]) for one in run.records]
        return replace(run, records=tuple(records))

    results = change(study(), torn)
    whole = by_split([c for c in all_cells(results, ["CR"]) if not c.oracle], results)
    assert whole.design.name == "one test set, rows unknown"


def test_averages_over_algorithms_keep_their_rows():
    results = study()
    cells = all_cells(results, ["CR", "OA"])
    whole = by_split(cells, results)
    mean = averaged(whole, [(0, 3), (1, 4)])
    right = whole.design.right.astype(float)
    np.testing.assert_allclose(mean.design.right[:, 0], right[:, [0, 1]].mean(1))
    np.testing.assert_allclose(mean.table[:, 1], whole.table[:, [3, 4]].mean(1))
    d = right[:, [0, 1]].mean(1) - right[:, [3, 4]].mean(1)
    assert mean.compared(0, 1).standard_error == pytest.approx(crossed_t(d).standard_error or 0.0)


def test_a_record_before_the_methods_own_stage_is_said_in_every_table(tmp_path):
    """Trained for real, with a warm-up of half the training; chosen is what lies before its end."""
    asked = {"configs": 1, "splits": 3, "steps": 40, "eval_every": 10, "hyper": {"batch_size": 32}}
    results = candidly.benchmark({"toy": toy()}, ["ce", "forward-t"], out=tmp_path / "r", **asked)
    cells = {cell.algorithm: cell for cell in all_cells(results, ["NVA"])}
    early = sum(choice.step <= 20 for choice in cells["forward-t"].choices)
    assert (cells["ce"].warm_ups, cells["forward-t"].warm_ups) == (0, early)
    told = {(run.algorithm, one.step): one.warm_up for run in results.runs for one in run.records}
    assert [told["forward-t", step] for step in (10, 20, 30, 40)] == [True, True, None, None]
    assert not any(told["ce", step] for step in (10, 20, 30, 40))

    def hurried(run):
        """The same where its warm-up is what the validation rows like best."""
        records = [
            replace(one, validation={**one.validation, "NVA": 1.0 - one.step / 100})
            for one in run.records
        ]
        return replace(run, records=tuple(records))

    chosen = change(results, hurried)
    page = words(results_document(chosen).page())
    tables = accuracy_tables(chosen).render("text")
    other = [side_of(chosen, name, ["NVA"]) for name in "AB"]
    documents = (gap_tables(chosen), changes_document(compare_sides(*other)))
    said = [page, tables, *(document.render("text") for document in documents)]
    assert all("3 in warm-up" in text or "3 and 3 in warm-up" in text for text in said)
    assert "lies before the method's own stage begins" in words(tables)
    file = tmp_path / "tables.csv"
    file.write_text(accuracy_tables(chosen).render("csv"), encoding="utf-8")
    told = read_paper_table(file, ["NVA"]).entries
    counts = {algorithm: one.warm_ups for (_, _, algorithm), one in told.items()}
    assert counts == {"ce": 0, "forward-t": 3}
    assert "lies before the method&#x27;s own stage begins" in page
    compact(tmp_path / "r")
    again = {cell.algorithm: cell for cell in all_cells(read_results(tmp_path / "r"), ["NVA"])}
    assert again["forward-t"].warm_ups == early
