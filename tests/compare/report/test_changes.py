"""What changed between two result sets, against scipy and by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind_from_stats

from candidly.compare.report.changes import (
    ResultSet,
    SideEntry,
    compare_sides,
    crossings,
    side_of,
    unpaired,
)
from candidly.compare.report.changes_document import changes_document
from candidly.compare.report.paper_table import read_paper_table
from candidly.stats import RandomSplits
from compare.report.fake_results import change, diverged, make_results, unfinished

RULE = {"d": ("f" * 64, "random", 0.1)}


def side(values, name="A", divided=RULE, share=0.1):
    """A side of one criterion and data set; values by algorithm, one a split."""
    entries = {
        ("CR", "d", algorithm): SideEntry(
            float(np.mean(mine)),
            float(np.std(mine, ddof=1) / len(mine) ** 0.5) if len(mine) > 1 else None,
            len(mine),
            values=dict(enumerate(mine)),
            models={k: (f"{name}{algorithm}{k}", 1) for k in range(len(mine))},
            oracle=algorithm in ("supervised-oracle", "cheat"),
        )
        for algorithm, mine in values.items()
    }
    return ResultSet(name, entries, divided, {"d": RandomSplits(share)})


def fake(**more):
    results = make_results(configs=2, splits=5, steps=4000, **more)
    return replace(results, fingerprints={run.dataset: "f" for run in results.runs})


def test_paired_differences_are_b_minus_a_with_the_corrected_variance():
    a, b = [0.5, 0.6, 0.7, 0.65], [0.72, 0.8, 0.95, 0.85]
    [row] = compare_sides(side({"CC": a}), side({"CC": b}, "B")).rows
    d = np.subtract(b, a)
    error = d.std(ddof=1) * (1 / 4 + 1 / 9) ** 0.5
    assert row.paired
    assert row.difference == pytest.approx(d.mean())
    assert row.low == pytest.approx(d.mean() - student.ppf(0.975, 3) * error)
    assert row.p == pytest.approx(2 * student.sf(d.mean() / error, 3))
    assert row.verdict == "changed"
    assert compare_sides(side({"CC": b}), side({"CC": a}, "B")).rows[0].difference < 0


def test_unpaired_without_overlap_is_welchs_test():
    first, second = SideEntry(0.5, 0.02, 5), SideEntry(0.6, 0.03, 8)
    difference, low, high, p = unpaired(first, second, RandomSplits(0.0))
    deviations = (0.03 * 8**0.5, 8), (0.02 * 5**0.5, 5)
    expected = ttest_ind_from_stats(0.6, *deviations[0], 0.5, *deviations[1], equal_var=False)
    assert p == pytest.approx(expected.pvalue)
    assert (low + high) / 2 == pytest.approx(difference) == pytest.approx(0.1)
    wider = unpaired(first, second, RandomSplits(0.1))
    assert wider[1] < low  # splits that share rows say less


def test_other_data_or_other_splits_are_not_paired():
    a = side({"CC": [0.5, 0.6, 0.7]})
    for rule in ({"d": ("0" * 64, "random", 0.1)}, {"d": ("f" * 64, "random", 0.2)}, {}):
        [row] = compare_sides(a, side({"CC": [0.6, 0.7, 0.8]}, "B", rule)).rows
        assert not row.paired


def test_holm_goes_over_all_rows_of_a_criterion():
    a, b = [0.5, 0.6, 0.7, 0.65], [0.66, 0.82, 0.84, 0.91]
    alone = compare_sides(side({"CC": a}), side({"CC": b}, "B")).rows[0]
    assert alone.p_holm == alone.p
    many = {f"X{k}": a for k in range(9)}
    others = {f"X{k}": [0.51, 0.58, 0.73, 0.64] for k in range(9)}
    among = compare_sides(side({"CC": a, **many}), side({"CC": b, **others}, "B")).rows[0]
    assert among.p_holm == pytest.approx(10 * among.p)
    assert (alone.verdict, among.verdict) == ("changed", "cannot be told")


def test_same_is_the_same_models_or_an_interval_within_the_margin():
    a = [0.5, 0.6, 0.7, 0.65]
    itself = side({"CC": a})
    assert compare_sides(itself, itself).rows[0].verdict == "same"
    near = side({"CC": [0.501, 0.599, 0.701, 0.65]}, "B")
    assert compare_sides(itself, near).rows[0].verdict == "same"
    assert compare_sides(itself, near, margin=0.0001).rows[0].verdict == "cannot be told"


def test_one_split_or_no_value_cannot_be_told():
    one = compare_sides(side({"CC": [0.5]}), side({"CC": [0.9]}, "B")).rows[0]
    assert (one.verdict, one.p, one.low) == ("cannot be told", None, None)
    assert one.difference == pytest.approx(0.4)
    none = ResultSet(
        "B", {("CR", "d", "CC"): SideEntry(None, None, 0)}, RULE, {"d": RandomSplits(0.1)}
    )
    row = compare_sides(side({"CC": [0.5, 0.6]}), none).rows[0]
    assert (row.difference, row.rank_a, row.verdict) == (None, None, "cannot be told")


def test_crossings_count_changed_orders_and_no_ties():
    a = side({"CC": [0.9] * 2, "LWS": [0.8] * 2, "GA": [0.7] * 2, "PC": [0.6] * 2})
    b = side({"CC": [0.7] * 2, "LWS": [0.8] * 2, "GA": [0.7] * 2, "PC": [0.9] * 2}, "B")
    rows = compare_sides(a, b).rows  # CC-LWS, CC-PC, LWS-PC, GA-PC turn; CC-GA become a tie
    assert crossings(rows) == (4, 6)
    assert [row.rank_b for row in rows] == [3.5, 2, 3.5, 1]


def test_oracles_have_no_rank():
    values = {"CC": [0.5, 0.6], "supervised-oracle": [0.9, 0.95], "cheat": [0.9, 0.95]}
    values["x-oracle-free"] = [0.3, 0.4]
    rows = compare_sides(side(values), side(values, "B")).rows
    assert [row.rank_a for row in rows] == [1, None, None, 2]


def test_directories_with_gaps_and_divergence_are_compared_and_said(tmp_path):
    a, b = fake(), fake(seed=1)
    b = change(b, lambda run: diverged(run) if run.algorithm == "CC" else run)
    b = change(b, lambda run: unfinished(run) if run.algorithm == "LWS" else run)
    sides = [side_of(results, name, ["CR"]) for results, name in ((a, "old"), (b, "<b>new</b>"))]
    found = compare_sides(*sides)
    by_name = {row.algorithm: row for row in found.rows}
    assert by_name["LWS"].difference is None
    assert by_name["PRODEN"].paired
    text = changes_document(found).render()
    assert "LWS !" in text
    assert "pairs of algorithms cross" in text
    about = json.loads(changes_document(found).render("json"))
    assert about["rows"][0]["algorithm"] == found.rows[0].algorithm
    assert (
        about["crossings"][0]["pairs"]
        == sum(r.rank_a is not None for r in found.rows)
        * (sum(r.rank_a is not None for r in found.rows) - 1)
        // 2
    )
    for form in ("markdown", "csv", "latex", "html"):
        assert "PRODEN" in changes_document(found).render(form)
    assert changes_document(found).render("csv").count("\n") == len(found.rows)
    changes_document(found).write(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<svg" in page
    assert "&lt;b&gt;new" in page
    assert "<b>new" not in page


def test_nothing_in_common_is_said():
    found = compare_sides(side({"CC": [0.5, 0.6]}), side({"LWS": [0.5, 0.6]}, "B"))
    text = changes_document(found).render()
    assert "have no algorithm, data set and criterion in common" in text
    assert "Only in A: CC on d." in text
    assert "Only in B: LWS on d." in text


# a paper's table


def paper(tmp_path, text):
    path = tmp_path / "paper.csv"
    path.write_text(text)
    return path


def test_a_papers_table_in_percent(tmp_path):
    path = paper(
        tmp_path,
        "Algorithm,dataset,criterion,mean,error,splits\nCC,D,CR,71.5,2.5,5\nLWS,D,AA,60,,\n"
        "GA,D,CR,nan,1,5\n",
    )
    read = read_paper_table(path, ["CR"])
    assert read.entries["CR", "D", "CC"] == SideEntry(0.715, 0.025, 5)
    assert read.entries["CR", "D", "GA"].mean is None
    assert ("CR", "D", "LWS") not in read.entries
    [row] = compare_sides(side({"CC": [0.5, 0.52, 0.54]}), read).rows  # d and D are one
    assert not row.paired
    assert row.dataset == "d"
    assert row.difference == pytest.approx(0.195)


def test_a_paper_spells_names_its_own_way(tmp_path):
    text = "method,dataset,mean\nCo-teaching,D,70\nCo-teaching+,D,71\nABS MAE,D,72\n"
    read = read_paper_table(paper(tmp_path, text), ["CR"])
    names = ["coteaching", "coteaching+", "ABS-MAE"]
    ours = side({name: [0.5, 0.52, 0.54] for name in names})
    found = compare_sides(ours, read)
    assert [row.algorithm for row in found.rows] == names
    assert [row.b.mean for row in found.rows] == pytest.approx([0.70, 0.71, 0.72])
    assert found.chosen == ("", "not stated")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("algorithm,mean\nCC,1\n", "no column dataset"),
        ("algorithm,dataset,mean\nCC,d,good\n", "'good' at row 0"),
        ("algorithm,dataset,mean\nCC,d,0.5\nCC,d,0.6\n", "row 1 gives CC on d another value"),
    ],
)
def test_a_table_that_cannot_be_right_is_refused(tmp_path, text, told):
    with pytest.raises(ValueError, match=told):
        read_paper_table(paper(tmp_path, text), ["CR"])
