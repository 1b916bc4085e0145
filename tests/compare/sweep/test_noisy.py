"""Choosing without clean labels where one label an example is given: NVA, corrected, gaps, cost."""

from __future__ import annotations

import csv
import io
import json
import math
import statistics
from dataclasses import replace

import numpy as np
import pytest

from candidly import benchmark, imperfect
from candidly.compare.report import accuracy_tables, findings
from candidly.compare.report.document import results_document
from candidly.compare.report.gap import gap_tables
from candidly.compare.sweep.budget import at_budget, common_budget
from candidly.compare.sweep.correct import Noise, with_corrected
from candidly.compare.sweep.gap import gaps
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.plan import read_plan
from candidly.compare.sweep.records import Record, Run, pack_confusion, unpack_confusion
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.select import cells, usual_criteria
from candidly.compare.sweep.versions import made_otherwise
from candidly.ground.names import UnknownName
from candidly.stats.criteria import corrected_accuracy

from committed import ROOT
from toys import toy

STEPS = (10, 20, 30)


def record(step, nva, top1, confusion=None, **more):
    validation = {"CR": nva, "AA": nva, "AA:plench": nva, "OA": top1, "NVA": nva} | more
    test = {"top1": top1, "top5": 1.0, "balanced": None if top1 is None else top1 / 2}
    fallen = step if top1 is None else None
    return Record("", step, validation, test, 0.5, 0.1, 1, fallen, None, pack_confusion(confusion))


def run(config, nvas, top1s, split=0, algorithm="ce", **more):
    key = f"{algorithm}/{config}/{split}"
    records = [replace(record(*row), key=key) for row in zip(STEPS, nvas, top1s)]
    return Run(
        *(key, "data", algorithm, config, split, {"lr": 0.1, "batch_size": 32}, STEPS, 10, 100, 50),
        **{"records": tuple(records), "reads": ("given",), "n_train": 320} | more,
    )


def results_of(*runs, **settings):
    return Results(tuple(runs), settings)


# criteria


def test_given_labels_are_chosen_by_nva_and_candidates_by_cr():
    given = run(0, [0.5, 0.6, 0.4], [0.5, 0.4, 0.3])
    sets = replace(given, reads=("candidates",), algorithm="CC")
    oracle = replace(given, reads=("truth",), algorithm="supervised-oracle")
    assert usual_criteria(results_of(given, oracle)) == ("NVA", "OA", "OA & ES")
    assert usual_criteria(results_of(sets, oracle))[:2] == ("CR", "AA")
    assert usual_criteria(results_of(sets, given)) == ("CR", "AA", "NVA", "OA", "OA & ES")
    unmeasured = [replace(r, validation={"CR": 0.5}) for r in given.records]
    assert usual_criteria(results_of(replace(given, records=tuple(unmeasured))))[0] == "CR"
    assert usual_criteria(results_of(replace(given, records=())))[0] == "NVA"


def test_nva_takes_the_best_record_and_peak_is_an_oracle_on_test_rows():
    runs = [
        run(0, [0.5, 0.6, 0.4], [0.5, 0.45, 0.9]),
        run(1, [0.5, 0.5, 0.55], [0.7, 0.6, 0.65]),
    ]
    nva, peak = cells(results_of(*runs), ["NVA", "peak"])
    (choice,) = nva.choices
    assert (choice.config, choice.step, choice.test["top1"]) == (0, 20, 0.45)
    assert nva.oracle_labels == 0
    (choice,) = peak.choices
    assert (choice.config, choice.step, choice.value) == (0, 30, 0.9)
    assert peak.oracle_labels == 2 * 3 * 50  # all test rows, at every record
    text = accuracy_tables(results_of(*runs), criteria=["peak"], choices=False).render(width=200)
    assert "Chosen by peak: an oracle" in text
    assert "300 reads of clean labels of test rows" in text


def test_agreement_is_there_for_several_networks_alone():
    pair = run(0, [0.5, 0.6, 0.4], [0.5, 0.4, 0.3], algorithm="co-teaching", networks=2)
    records = zip(pair.records, (0.7, 0.8, 0.9))
    told = [replace(r, validation={**r.validation, "agreement": a}) for r, a in records]
    pair = replace(pair, records=tuple(told))
    first, second = cells(results_of(pair, run(0, [0.5, 0.6, 0.4], [0.5, 0.4, 0.3])), ["agreement"])
    assert first.choices[0].step == 30
    assert second.choices == (None,)


# corrected


T = np.array([[0.7, 0.3], [0.1, 0.9]])


def noisy_runs():
    rng = np.random.default_rng(0)
    runs = []
    for config in range(3):
        base = run(config, [0.5, 0.6, 0.4], [0.5, 0.4, 0.3])
        tables = [rng.multinomial(100, rng.dirichlet(np.ones(4))).reshape(2, 2) for _ in STEPS]
        packed = [replace(r, confusion=pack_confusion(t)) for r, t in zip(base.records, tables)]
        runs.append(replace(base, records=tuple(packed)))
    return runs


def test_data_of_two_names_are_corrected_by_one_matrix():
    runs = noisy_runs()
    twins = [replace(run, dataset="twin") for run in runs]
    results = Results((*runs, *twins), {}, fingerprints={"data": "1", "twin": "1"})
    both = with_corrected(results, {"data": Noise(T), "twin": Noise(T.copy())})
    assert len(both.runs) == 2 * len(runs)
    for noise in ({"data": Noise(T)}, {"data": Noise(T), "twin": Noise(T[::-1, ::-1])}):
        with pytest.raises(ValueError, match="same data under two names"):
            with_corrected(results, noise)


def test_corrected_by_one_matrix_for_all_models():
    runs = noisy_runs()
    ends = np.array([[0.8, 0.2], [0.05, 0.95]]), np.array([[0.6, 0.4], [0.2, 0.8]])
    corrected = with_corrected(results_of(*runs), {"data": Noise(T, ends)})
    best = None
    for before, after in zip(runs, corrected.runs):
        for old, new in zip(before.records, after.records):
            met = unpack_confusion(old.confusion)
            found = corrected_accuracy(met, T)
            low, high = (corrected_accuracy(met, end).accuracy for end in ends)
            error = np.hypot(found.error, (high - low) / 3.919928)  # of a 95 % interval
            assert new.validation["NVA:corrected"] == pytest.approx(found.accuracy)
            assert new.validation["NVA:corrected error"] == pytest.approx(error)
            assert new.validation["NVA"] == old.validation["NVA"]
            if best is None or found.accuracy > best[0]:
                best = found.accuracy, error, before.config, old.step
    (cell,) = cells(corrected, ["NVA:corrected"])
    choice = cell.choices[0]
    assert (choice.value, choice.error) == pytest.approx(best[:2])
    assert (choice.config, choice.step) == best[2:]
    text = accuracy_tables(corrected, criteria=["NVA:corrected"]).render(width=160)
    assert f"{100 * best[0]:.2f} ± {100 * best[1]:.2f}" in text
    assert cells(results_of(*runs), ["NVA:corrected"])[0].choices == (None,)


def test_a_matrix_without_an_inverse_chooses_nothing_and_says_so():
    found = with_corrected(results_of(*noisy_runs()), {"data": Noise(np.full((2, 2), 0.5))})
    assert cells(found, ["NVA:corrected"])[0].choices == (None,)
    assert "data: the transition matrix has no inverse" in found.notes[0]
    assert json.loads(accuracy_tables(found, criteria=["NVA:corrected"]).render("json"))


def test_what_cannot_be_corrected_is_refused():
    with pytest.raises(ValueError, match="no data set 'dato' here; did you mean 'data'"):
        with_corrected(results_of(*noisy_runs()), {"dato": Noise(T)})
    bare = results_of(run(0, [0.5, 0.6, 0.4], [0.5, 0.4, 0.3]))
    with pytest.raises(ValueError, match="no record of data counts given labels"):
        with_corrected(bare, {"data": Noise(T)})
    with pytest.raises(ValueError, match="`transition` is of 3 classes"):
        with_corrected(results_of(*noisy_runs()), {"data": Noise(np.eye(3))})


# gaps


def gap_runs():
    return [
        run(0, [0.5, 0.6, 0.4], [0.8, 0.7, 0.5]),
        run(1, [0.5, 0.5, 0.5], [0.9, 0.9, 0.9]),  # never chosen
        run(0, [0.5, 0.6, 0.7], [0.6, 0.9, 0.7], split=1),
        run(1, [0.5, 0.5, 0.5], [0.9, 0.9, 0.9], split=1),
    ]


def test_the_gap_by_hand():
    (gap,) = gaps(results_of(*gap_runs()))
    assert gap.criterion == "NVA"
    assert gap.best.mean == pytest.approx((0.8 + 0.9) / 2)
    assert gap.last.mean == pytest.approx((0.5 + 0.7) / 2)
    assert gap.selected.mean == pytest.approx((0.7 + 0.7) / 2)
    assert gap.lost.mean == pytest.approx((0.1 + 0.2) / 2)
    assert gap.gained.mean == pytest.approx((0.2 + 0.0) / 2)
    assert gap.gained.standard_error == pytest.approx(statistics.stdev([0.2, 0.0]) / 2**0.5)
    assert (gap.runs, gap.splits, gap.updates, gap.epochs) == (2, 2, 30, 3.0)
    (half,) = gaps(results_of(*gap_runs()), metric="balanced")
    assert half.best.mean == pytest.approx((0.8 + 0.9) / 4)


def test_best_is_never_below_selected_nor_last_on_random_results():
    rng = np.random.default_rng(1)
    for _ in range(30):
        runs = [run(c, rng.random(3), rng.random(3), s) for c in range(2) for s in range(3)]
        (gap,) = gaps(results_of(*runs), "NVA")
        assert gap.best.mean >= max(gap.selected.mean, gap.last.mean)
        assert gap.lost.mean == pytest.approx(gap.best.mean - gap.selected.mean)
        assert gap.gained.mean == pytest.approx(gap.selected.mean - gap.last.mean)


def test_a_run_that_diverged_has_a_best_and_a_selected_record_but_no_last():
    fallen = run(0, [0.5, 0.6, None], [0.8, 0.7, None])
    (gap,) = gaps(results_of(fallen))
    assert (gap.best.mean, gap.last.mean, gap.selected.mean) == (0.8, None, 0.7)
    assert "–" in gap_tables(results_of(fallen)).render()


def test_the_gap_in_every_form():
    results = results_of(*gap_runs())
    for form in ("text", "markdown"):
        text = gap_tables(results).render(form, 400)
        assert "data: best, last, and selected by NVA" in text
        assert "an oracle that reads the test rows" in text
        assert "85.00 ± 5.00" in text
    (row,) = csv.DictReader(io.StringIO(gap_tables(results).render("csv")))
    assert (row["best_test"], row["last_test"], row["test_at_selected"]) == (
        "85.00",
        "60.00",
        "70.00",
    )
    spread = statistics.stdev([0.8, 0.9]) / math.sqrt(2)
    assert row["best_test_se"] == f"{100 * spread:.2f}" == "5.00"  # as the text has it
    assert not any("std" in name for name in row)
    shown = gap_tables(results).render("text", 400)
    for name in ("best_test", "last_test", "test_at_selected", "best_minus_selected"):
        assert f"{row[name]} ± {row[f'{name}_se']}" in shown
    about = json.loads(gap_tables(results).render("json"))
    assert about["rows"][0]["best"]["mean"] == pytest.approx(0.85)
    assert "No runs are planned" in gap_tables(results_of()).render()
    with pytest.raises(UnknownName, match="'NVA'"):
        gap_tables(results, criterion="NVB").render()
    trained = results_of(*(replace(r, mode="train-oracle") for r in gap_runs()))
    with pytest.raises(ValueError, match="so nothing was selected"):
        gap_tables(trained).render()


# budgets


def test_an_equal_budget_takes_the_records_below_it():
    one = run(0, [0.5, 0.6, 0.7], [0.1, 0.2, 0.3])
    two = run(0, [0.5, 0.6, 0.7], [0.4, 0.5, 0.6], algorithm="co-teaching", networks=2)
    results = results_of(one, two)
    assert common_budget(results) == 30
    cut = at_budget(results, 30)
    assert [r.step for r in cut.runs[0].records] == [10, 20, 30]
    assert [r.step for r in cut.runs[1].records] == [10]  # 20 updates of two networks are 40
    last = cells(cut, ["last"])
    assert [cell.values("top1") for cell in last] == [[0.3], [0.4]]
    assert [cell.choices[0].cost for cell in last] == [30, 20]
    assert cut.runs[1].complete
    assert "no record beyond 30 updates times networks" in accuracy_tables(
        cut, choices=False
    ).render("markdown")
    assert gaps(cut)[1].updates == 20
    assert [r.step for r in at_budget(results, 59).runs[1].records] == [10, 20]


def test_a_run_that_is_still_going_on_is_complete_within_the_budget():
    going = run(0, [0.5, 0.6, 0.7], [0.1, 0.2, 0.3])
    going = replace(going, records=going.records[:2])
    assert not going.complete
    assert at_budget(results_of(going), 20).runs[0].complete
    assert not at_budget(results_of(going), 30).runs[0].complete


def test_a_budget_before_the_first_record():
    results = results_of(run(0, [0.5] * 3, [0.5] * 3))
    slow = replace(results.runs[0], networks=2, algorithm="co-teaching")
    with pytest.raises(ValueError, match=r"budget of 9 .* the first is at 10"):
        at_budget(results, 9)
    cut = at_budget(results_of(*results.runs, slow), 15)
    assert cut.notes == ("co-teaching: no record within the budget",)
    assert cells(cut, ["NVA"])[1].choices == (None,)
    assert "no value" in accuracy_tables(cut, criteria=["NVA"], choices=False).render()
    with pytest.raises(ValueError, match="share no budget"):
        common_budget(results_of())


# end to end


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    out = tmp_path_factory.mktemp("noisy")
    data = imperfect.apply(replace(toy(), candidates=None, given=None), "pair:rate=0.3")
    small = {"configs": 2, "splits": 2, "steps": 60, "eval_every": 20, "workers": 1}
    return data, benchmark({"toy": data}, ["ce", "supervised-oracle"], out=out, **small), out


def test_a_sweep_on_given_labels_is_chosen_by_nva(swept):
    _, results, _ = swept
    assert [c.criterion for c in cells(results)[::2]] == ["NVA", "OA", "OA & ES"]
    assert "Chosen by NVA: noisy validation accuracy" in accuracy_tables(results).render()
    assert "no clean label read" in accuracy_tables(results, criteria=["NVA"]).render(width=100)
    assert any("Chosen by NVA" in sentence for sentence in findings(results))
    page = results_document(results).page()
    assert "noisy accuracy, validation (%)" in page
    assert "epochs × networks" in page
    for one in results.runs:
        assert (one.reads, one.networks) in ((("given",), 1), (("truth",), 1))
        assert one.n_train == 268
        for r in one.records:
            assert r.validation["NVA"] == r.validation["CR"]  # sets of one label


def test_records_hold_what_the_correction_needs(swept):
    data, results, _ = swept
    transition = imperfect.transition(data.given, data.truth, data.q)
    corrected = with_corrected(results, {"toy": Noise(transition)})
    for one in corrected.runs:
        rows = data.split(one.split).validation
        for r in one.records:
            counts = unpack_confusion(r.confusion)
            assert np.array_equal(counts.sum(1), np.bincount(data.given[rows], minlength=data.q))
            assert counts.trace() / len(rows) == pytest.approx(r.validation["NVA"])
    # noise lowers the accuracy on given labels; the correction takes that back, on average
    values = [[r.validation[k] for run in corrected.runs for r in run.records] for k in KEYS]
    nva, oa, fixed = (np.mean(v) for v in values)
    errors = [r.validation["NVA:corrected error"] for run in corrected.runs for r in run.records]
    assert oa - nva > 0.1
    assert abs(fixed - oa) < 4 * np.mean(errors) / np.sqrt(2)  # records hang together


KEYS = ("NVA", "OA", "NVA:corrected")


def test_candidates_and_given_side_by_side():
    small = {"configs": 1, "splits": 1, "steps": 40, "eval_every": 20, "workers": 1}
    results = benchmark({"toy": toy()}, ["PRODEN", "ce", "IDGP"], **small)
    names = ("CR", "AA", "NVA", "OA", "OA & ES")
    assert usual_criteria(results) == names
    for cell in cells(results, [*names, "agreement"]):
        there = cell.algorithm == "IDGP" or cell.criterion != "agreement"
        assert (cell.choices[0] is not None) == there
    assert {run.algorithm: run.networks for run in results.runs}["IDGP"] == 2
    assert results_document(results).page()


def test_directories_from_before_read_as_they_did():
    folder = ROOT / "studies" / "reproduction" / "results" / "lost"
    if not (folder / "plan.json").exists():
        pytest.skip("this copy comes without bench/results")
    results = read_results(folder)
    assert usual_criteria(results)[0] in ("CR", "last")
    assert all(record.confusion is None for run in results.runs for record in run.records)
    assert results.notes == tuple(made_otherwise(read_plan(folder).methods))
