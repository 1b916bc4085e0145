"""Tables: every cell's text, every format, any width."""

from __future__ import annotations

import doctest
import json
import math
from dataclasses import replace

import pytest

import candidly.compare.report
from candidly.compare.report import _wording, accuracy_tables, findings, tables
from candidly.compare.report._wording import algorithm_label, cell_text
from candidly.compare.report.tables import make_tables
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.select import DEFAULT, cells
from candidly.ground.names import UnknownName
from candidly.stats import summarise
from compare.report.fake_results import READS, change, diverged, make_results, unfinished

NAMES = ("CC", "supervised-oracle", "PRODEN")


@pytest.fixture(scope="module")
def results():
    return make_results(("Lost", "MSRCv2"), NAMES, configs=2, splits=3)


def only(results, index=0):
    return cells(results, ["CR"])[index]


def with_scores(scores):
    """A complete run per split whose selectable records all score the same on the test rows."""
    base = make_results(algorithms=("CC",), configs=1, splits=len(scores))
    return change(
        base,
        lambda run: replace(
            run,
            records=tuple(replace(r, test={"top1": scores[run.split]}) for r in run.records),
        ),
    )


def test_examples_in_docstrings():
    for module in (_wording, candidly.report, tables):
        assert doctest.testmod(module).failed == 0


def test_a_complete_cell():
    scores = [0.7, 0.75, 0.8]
    error = 100 * 0.05 / math.sqrt(3)
    assert cell_text(only(with_scores(scores)), "top1") == f"75.00 ± {error:.2f} (3)"


def test_a_single_split_has_a_dash():
    assert cell_text(only(with_scores([0.7])), "top1") == "70.00 ± – (1)"


def test_a_metric_without_a_value():
    assert cell_text(only(with_scores([0.7])), "balanced") == "no value"


def test_incomplete_cells_say_so():
    base = with_scores([0.7, 0.8, 0.9])
    some = change(base, lambda run: unfinished(run) if run.split else run)
    assert cell_text(only(some), "top1") == "70.00 ± – (1 of 3 splits, 1/3 runs) !"
    none = change(base, unfinished)
    assert cell_text(only(none), "top1") == "no value yet (0/3 runs) !"


def test_diverged_cells_say_so():
    base = with_scores([0.7, 0.8, 0.9])
    assert cell_text(only(change(base, diverged)), "top1") == "all runs diverged"
    some = change(base, lambda run: diverged(run) if run.split == 2 else run)
    assert cell_text(only(some), "top1") == "75.00 ± 5.00 (2 of 3 splits)"


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_every_cell_is_in_the_tables(results, format):
    page = accuracy_tables(results).render(format, 120)
    for cell in cells(results):
        assert cell_text(cell, "top1") in page
    for name in DEFAULT:
        assert f"Chosen by {name}: " in page
    assert "± standard error over splits" in page
    assert "ddof 1" in page


def test_algorithms_keep_the_order_of_the_plan_with_the_oracle_last(results):
    order = ["CC", "PRODEN", "supervised-oracle"]
    assert list(make_tables(results)[0].algorithms) == order
    lines = accuracy_tables(results, choices=False).render(width=120).splitlines()
    at = [next(i for i, line in enumerate(lines) if line.startswith(a)) for a in order]
    assert at == sorted(at)
    assert "supervised-oracle (upper bound)" in lines[at[-1]]


def test_only_who_learns_from_the_true_labels_is_an_upper_bound():
    names = ("supervised-oracle", "forward-t:oracle", "CC")
    assert [algorithm_label(name, READS.get(name, ())) for name in names] == [
        "supervised-oracle (upper bound)",
        "forward-t:oracle (told the truth)",
        "CC",
    ]
    results = make_results(algorithms=names, configs=1, splits=2)
    assert make_tables(results)[0].algorithms == ("CC", "forward-t:oracle", "supervised-oracle")
    words = " ".join(findings(results))
    assert "from the true labels instead, supervised-oracle lies" in words
    bare = make_results(algorithms=names[1:], configs=1, splits=2)
    assert "No supervised oracle has finished" in " ".join(findings(bare))


@pytest.mark.parametrize("width", [80, 100])
def test_text_keeps_to_its_width_and_breaks_no_cell(width):
    many = make_results(("Lost", "MSRCv2", "Birdsong", "YahooNews"), NAMES, configs=1, splits=2)
    some = change(many, lambda run: unfinished(run) if run.split and run.config == 0 else run)
    page = accuracy_tables(some).render(width=width)
    assert max(map(len, page.splitlines())) <= width
    for cell in cells(some):
        assert cell_text(cell, "top1") in page


def test_the_configurations_follow(results):
    page = accuracy_tables(results, criteria=["CR"]).render("markdown")
    choice = only(results).choices[1]
    row = f"| CC | 1 | {choice.config} | {choice.ties} | {choice.step} | {100 * choice.value:.2f} "
    assert row in page
    assert "configurations chosen by" not in accuracy_tables(results, choices=False).render()


def test_settings_of_the_summary_are_told(results):
    plench = accuracy_tables(replace(results, ddof=0), choices=False).render(width=500)
    assert "population standard deviation (ddof 0" in plench
    assert (
        "balanced test accuracy"
        in accuracy_tables(results, metric="balanced", choices=False).render()
    )


def test_plench_selection_on_request(results):
    assert "AA:plench" not in accuracy_tables(results).render()
    assert "Chosen by AA:plench" in accuracy_tables(results, criteria=["CR", "AA:plench"]).render()


def test_json_names_every_number_and_its_trials(results):
    torn = change(results, lambda run: unfinished(run) if run.split == 2 else run)
    about = json.loads(accuracy_tables(torn).render("json"))
    assert about["schema"] == 1
    assert [table["criterion"] for table in about["tables"]] == list(DEFAULT)
    assert {trial["key"] for trial in about["trials"]} == {run.key for run in torn.runs}
    known = {run.key for run in torn.runs if run.complete}
    for table in about["tables"]:
        for cell in table["cells"]:
            scores = [c["test"]["top1"] for c in cell["choices"] if c]
            expected = summarise(scores, 1)
            assert cell["mean"] == expected.mean
            assert cell["standard_error"] == expected.standard_error
            assert cell["standard_deviation"] == expected.standard_deviation
            assert cell["count"] == len(scores) == 2
            assert (cell["state"], cell["finished"], cell["planned"]) == ("incomplete", 4, 6)
            assert {c["key"] for c in cell["choices"] if c} <= known


def test_json_writes_null_for_nan():
    nothing = json.loads(accuracy_tables(with_scores([float("nan")])).render("json"))
    (cell,) = nothing["tables"][0]["cells"]
    assert cell["mean"] is None
    assert cell["choices"][0]["test"] == {"top1": None}


def test_hostile_names_break_no_table():
    name = "a|b[red]`x`\n**"
    evil = make_results((name,), ("CC",), configs=1, splits=2, notes=("[bold] | note",))
    markdown = accuracy_tables(evil).render("markdown")
    assert "| a\\|b\\[red\\]\\`x\\` \\*\\* |" in markdown.replace("|  |", "|")
    text = accuracy_tables(evil).render()
    assert "[red]" in text
    assert "Note: [bold] | note" in text
    assert json.loads(accuracy_tables(evil).render("json"))["notes"] == ["[bold] | note"]


def test_nothing_planned():
    empty = Results((), {}, notes=("a note",))
    for format in ("text", "markdown"):
        assert accuracy_tables(empty).render(format).startswith("No runs are planned")
        assert "a note" in accuracy_tables(empty).render(format)
    assert json.loads(accuracy_tables(empty).render("json"))["trials"] == []


def test_unknown_names_suggest_the_nearest(results):
    with pytest.raises(UnknownName, match="did you mean 'markdown'"):
        accuracy_tables(results).render("markdwon")
    with pytest.raises(UnknownName, match="did you mean 'balanced'"):
        accuracy_tables(results, metric="balance").render()


# findings


def constant(values):
    """Results in which algorithm a scores ``values[a][split]`` on the test rows throughout."""
    base = make_results(
        algorithms=tuple(values), configs=1, splits=len(next(iter(values.values())))
    )
    return change(
        base,
        lambda run: replace(
            run,
            records=tuple(
                replace(r, test={"top1": values[run.algorithm][run.split]}) for r in run.records
            ),
        ),
    )


def test_a_clear_lead_and_the_oracles_distance():
    sentences = findings(
        constant(
            {
                "CC": [0.50, 0.60, 0.70],
                "supervised-oracle": [0.80, 0.80, 0.80],
                "PRODEN": [0.61, 0.70, 0.81],
            }
        )
    )
    assert sentences[0] == (
        "Lost: Chosen by CR, PRODEN has the highest mean test accuracy, 70.7 %, 10.7 points ahead "
        "of CC (95 % interval 9.0 to 12.3)."
    )
    assert sentences[1] == (
        "Lost: Choosing by CR, without clean labels, scores level with OA (equal on every split) "
        "and level with OA & ES (equal on every split), averaged over 2 algorithms."
    )
    assert sentences[3] == (
        "Lost: Learning from the true labels instead, supervised-oracle lies 9.3 points above "
        "PRODEN (95 % interval −19.8 to 38.5, which includes 0)."
    )


def test_a_lead_within_the_noise_is_no_difference():
    first, *_ = findings(constant({"CC": [0.5, 0.7, 0.6], "LWS": [0.6, 0.6, 0.63]}))
    assert "LWS has the highest" in first
    assert first.endswith("(95 % interval −28.5 to 30.5, which includes 0).")


def test_one_split_one_algorithm_and_no_oracle():
    alone = findings(constant({"CC": [0.5]}))
    assert alone[0] == "Lost: Chosen by CR, CC has a mean test accuracy of 50.0 %."
    assert "level with OA (one split: no interval)" in alone[1]
    assert alone[-1].startswith("Lost: No supervised oracle has finished")
    two = findings(constant({"CC": [0.5], "LWS": [0.4]}))
    assert "10.0 points ahead of LWS (one split" in two[0]


def test_unfinished_and_diverged_runs_are_told():
    base = make_results(algorithms=("CC", "LWS"), configs=2, splits=2)
    torn = change(base, lambda r: unfinished(r) if r.algorithm == "CC" and r.split else r)
    assert findings(torn)[-1] == "Lost: CC is not finished, so this may change."
    fallen = change(base, lambda r: diverged(r, 4000) if r.algorithm == "LWS" else r)
    assert findings(fallen)[-1] == "Lost: Diverged runs: 4 of 4 of LWS."
    assert findings(change(base, diverged))[0] == "Lost: No algorithm has a value yet."


def test_leaders_that_share_no_split():
    base = constant({"CC": [0.5, 0.5], "LWS": [0.4, 0.4]})
    apart = change(base, lambda r: unfinished(r) if r.split == (r.algorithm == "CC") else r)
    assert "shares no finished split with LWS" in findings(apart)[0]


def test_data_without_truth_is_no_divergence_and_says_why():
    base = make_results(algorithms=("CC",), configs=1, splits=2)
    unknown = change(
        base,
        lambda run: replace(
            run,
            records=tuple(
                replace(
                    r,
                    validation={**r.validation, "OA": None},
                    test=dict.fromkeys(r.test),
                )
                for r in run.records
            ),
        ),
    )
    page = accuracy_tables(unknown).render()
    assert "diverged" not in page
    assert "No true labels are known" in findings(unknown)[0]
