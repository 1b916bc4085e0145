"""Data without true labels: tables of what there is, and in words what there is not."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from candidly import benchmark
from candidly.compare.report import accuracy_tables, results_document
from candidly.compare.report.gap import gap_tables
from candidly.compare.sweep.select import cells, usual_criteria

from toys import toy

SMALL = {"configs": 2, "splits": 2, "steps": 40, "eval_every": 20, "workers": 1}


@pytest.fixture(scope="module")
def blind():
    return benchmark({"toy": replace(toy(), truth=None)}, ["PRODEN", "CC"], **SMALL)


def test_of_some_true_labels_it_is_said_how_many_test_rows_have_one():
    data = toy()
    truth = np.where(np.arange(data.n) % 3 == 0, data.truth, -1)
    some = benchmark({"toy": replace(data, truth=truth)}, ["CC"], **SMALL)
    known, tested = (truth >= 0).sum(), len(data.split(0).test)
    about = round(known / data.n * tested)
    text = " ".join(accuracy_tables(some, choices=False).render().split())
    assert f"the true label is known of {known} of {data.n} rows" in text
    assert f"those of about {about} of {tested} test rows" in text
    every = benchmark({"toy": data}, ["CC"], **SMALL)
    assert "the true label is known" not in accuracy_tables(every).render()


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_criteria_that_need_the_truth_are_left_out_and_named(blind, form):
    text = " ".join(accuracy_tables(blind).render(form, 300).split())
    assert "Chosen by CR" in text
    assert "Chosen by AA" in text
    assert "Chosen by OA" not in text
    assert "OA, OA & ES, peak need the truth" in text
    assert "Mean value of the criterion on the validation rows" in text
    assert "Mean test accuracy" not in text
    assert "no value" not in text


def test_cells_show_the_value_of_the_criterion_by_its_name(blind):
    for cell in cells(blind, ["CR", "AA"]):
        values = [choice.value for choice in cell.choices]
        mean, error = np.mean(values), np.std(values, ddof=1) / np.sqrt(2)
        shown = f"{cell.criterion} {100 * mean:.2f} ± {100 * error:.2f} (2)"
        assert shown in accuracy_tables(blind, choices=False).render()
    [about, *_] = json.loads(accuracy_tables(blind).render("json"))["tables"][0]["cells"]
    assert about["untested"] is True
    assert about["mean"] is None
    assert about["own"]["mean"] == pytest.approx(cells(blind, ["CR"])[0].own.mean)


def test_a_criterion_that_is_asked_for_all_the_same_has_no_value(blind):
    text = accuracy_tables(blind, criteria=["OA"], choices=False).render()
    assert "no value" in text
    assert "need the truth" in " ".join(text.split())


def test_the_page_says_the_same(blind, tmp_path):
    results_document(blind).write(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "has no true labels" in page
    assert "Chosen by OA" not in page


def test_there_is_no_gap_without_the_truth(blind):
    with pytest.raises(ValueError, match=r"no true labels.*ask for no gap"):
        gap_tables(blind).render()


def test_with_the_truth_everything_is_as_before():
    results = benchmark({"toy": toy()}, "CC", **SMALL)
    assert usual_criteria(results)[-2:] == ("OA", "OA & ES")
    assert results.notes == ()
    assert not any(cell.untested for cell in cells(results))
    fallen = tuple(
        replace(run, records=tuple(replace(r, diverged_at=1) for r in run.records))
        for run in results.runs
    )
    assert "OA" in usual_criteria(replace(results, runs=fallen))  # diverged is another matter
