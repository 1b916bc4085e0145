"""The numbers of docs/studies/reproduction.md against ones worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from candidly.stats import Summary, summarise
from studies.reproduction.agreement import beside_published
from studies.reproduction.numbers import (
    Comparison,
    Published,
    Row,
    averaged,
    compare,
    p_of,
    paired,
    rank,
    read_sweep,
)
from studies.reproduction.validation import validation_study
from studies.reproduction.variants import variants
from studies.reproduction.words import named

from small_sweeps import (
    TABLES,
    line_of,
    make_directory,
    read_plan_steps,
    row,
    sources_of,
    sweep_of,
    words_in,
)

# agreement


def test_agreement_by_hand():
    # published 71.33 ± 2.45; ours 60 and 64: mean 62, population deviation 2, error 2 / √2
    (found,) = [
        c
        for c in compare(TABLES["lost"], sweep_of(row("PRODEN:plench", [0.60, 0.64])))
        if c.criterion == "CR"
    ]
    assert found.difference == pytest.approx(-0.0933)
    assert found.combined == pytest.approx((0.0245**2 + 0.02**2 / 2) ** 0.5)
    assert found.away == pytest.approx(-3.298, abs=1e-3)
    assert not found.agrees


@pytest.mark.parametrize(("ours", "agrees"), [(0.5999, True), (0.6001, False)])
def test_two_combined_standard_errors_are_the_limit(ours, agrees):
    # errors 3 and 4 combine to 5: ten points from 50 are two of them
    summary = Summary(ours, None, 0.03, 5)
    assert Comparison("CC", "CR", Published(0.5, 0.04), summary, 5).agrees is agrees


def test_without_any_spread_only_equality_agrees():
    for ours, agrees in ((0.5, True), (0.51, False)):
        same = Comparison("CC", "CR", Published(0.5, 0.0), Summary(ours, None, None, 1), 1)
        assert same.agrees is agrees


def test_only_the_programs_rows_are_compared_with_its_numbers():
    both = sweep_of(row("PRODEN", [0.6, 0.7]), row("CC:plench", [0.6, 0.7]))
    assert {c.algorithm for c in compare(TABLES["lost"], both)} == {"CC"}


def test_where_the_program_was_not_run_the_methods_as_meant_are_compared_and_it_is_said():
    alone = sweep_of(row("PRODEN", [0.6, 0.7]))
    assert {c.algorithm for c in compare(TABLES["lost"], alone)} == {"PRODEN"}
    said = "\n".join(beside_published(sources_of(alone), "lost", {}))
    assert "Ours is the variant `fixed`" in said


def test_aa_is_compared_as_the_program_chose_it(tmp_path):
    # CR and AA are the same at every record, so the first is chosen; the program's AA rises
    sweep = make_directory(tmp_path / "lost", ["CC:plench"], lambda run, step: step / 10_000)
    steps = sorted(read_plan_steps(tmp_path / "lost"))
    last, first = steps[-1] / 10_000, steps[1] / 10_000
    by_program = {c.criterion: c for c in compare(TABLES["lost"], sweep)}
    as_meant = {c.criterion: c for c in compare(TABLES["lost"], sweep, right_aa=True)}
    assert by_program["AA"].ours.mean == pytest.approx(last)
    assert as_meant["AA"].ours.mean == pytest.approx(first)
    assert by_program["CR"].ours.mean == pytest.approx(first)
    text = "\n\n".join(beside_published(sources_of(sweep), "lost", {}))
    table = text[text.index("### Lost, chosen by AA") :]
    shown = [cell.split(" ±")[0] for cell in line_of(table, "| CC |").split(" | ")]
    assert (shown[1], shown[2], shown[5]) == ("70.62", f"{100 * last:.2f}", f"{100 * first:.2f}")


def test_the_page_counts_what_agrees():
    sweep = sweep_of(
        row("PRODEN:plench", [0.60, 0.64]),  # 3.3 combined standard errors below
        row("CC:plench", [0.70, 0.72]),
        row("LWS:plench", [0.70, 0.72]),
        row("VALEN:plench", [0.10, 0.12]),  # counted apart
    )
    text = "\n\n".join(beside_published(sources_of(sweep), "lost", {}))
    flat = " ".join(text.split())
    assert "2 of 19 rows other than VALEN agree in the CR column" in flat
    assert "1 does not, and 16 have no number yet" in flat
    assert line_of(text, "| CR |").split(" | ")[1:4] == ["2 of 19", "1", "16"]
    assert "disagrees" in line_of(text, "| CR |")
    disagree = text[text.index("numbers that disagree") :]
    assert line_of(disagree, "| PRODEN | CR |").endswith("| **−3.3** | unexplained |")
    assert "| CC |" not in disagree


@pytest.mark.parametrize(
    ("label", "versions", "shown"),
    [
        ("LWS:plench", {"LWS:plench": 1}, "LWS (version 1)"),
        ("LWS:plench", {"LWS:plench": 2}, "LWS"),
        ("LWS", {"LWS": 1, "LWS:plench": 1}, "LWS"),
        ("LWS:plench", {}, "LWS"),
    ],
)
def test_a_row_made_by_another_version_says_so(label, versions, shown):
    assert named("LWS", label, versions) == shown


# rankings


def test_ranks_swaps_and_tau_by_hand():
    level = {"A": 0.9, "B": 0.7, "C": 0.7, "D": 0.1}
    plench = {name: {0: v - 0.01, 1: v + 0.01} for name, v in level.items()}
    fixed = {
        "A": {0: 0.59, 1: 0.61},  # 0.6, behind B by 0.2 on both splits: established
        "B": {0: 0.79, 1: 0.81},
        "C": {0: 0.40, 1: 0.90},  # 0.65, ahead of A, but not on both splits
        "D": {0: 0.09, 1: 0.11},
    }
    found = rank(plench, fixed)
    assert found.plench == {"A": 1, "B": 2.5, "C": 2.5, "D": 4}  # equal means share a rank
    assert found.fixed == {"A": 3, "B": 1, "C": 2, "D": 4}
    assert set(found.swapped) == {("A", "B"), ("A", "C")}
    assert found.sure == (("A", "B"),)
    # concordant AD BD CD; discordant AB AC; BC tied on one side: (3 - 2) / √(5 × 6)
    assert found.tau == pytest.approx(1 / 30**0.5)
    assert found.moved == []


def test_a_change_that_holm_takes_back_is_not_established():
    """A is ahead of B in one variant and behind in the other, p 0.012 both times; of 45 pairs."""
    noise = (-0.02, 0.0, 0.02)
    level = {f"other {k}": 0.1 for k in range(8)}
    plench = {n: {s: v + 0.001 * s for s in range(3)} for n, v in level.items()}
    fixed = dict(plench)
    ahead = {s: 0.7 + x / 2 for s, x in enumerate(noise)}
    behind = {s: 0.5 - x / 2 for s, x in enumerate(noise)}
    few = rank({"A": ahead, "B": behind}, {"A": behind, "B": ahead})
    assert few.swapped == few.sure == (("A", "B"),)
    many = rank({"A": ahead, "B": behind} | plench, {"A": behind, "B": ahead} | fixed)
    assert many.swapped == (("A", "B"),)
    assert many.sure == ()


def test_the_p_of_a_paired_difference_is_scipys():
    import scipy.stats

    values = [0.1, 0.05, 0.2, -0.02, 0.07]
    expected = scipy.stats.ttest_1samp(values, 0).pvalue
    assert p_of(summarise(values)) == pytest.approx(expected)
    assert p_of(summarise([0.1, 0.1])) == 0
    assert p_of(summarise([0.0, 0.0])) == 1
    assert p_of(summarise([0.3])) == 1  # one split tells nothing


def test_the_page_names_who_moves_and_which_changes_are_established():
    names = ("PRODEN", "CAVL", "POP", "CC")
    levels = {"plench": (0.8, 0.7, 0.6, 0.5), "fixed": (0.4, 0.7, 0.6, 0.5)}
    rows = [
        row(name if variant == "fixed" else f"{name}:plench", [value - 0.01, value + 0.01])
        for variant, values in levels.items()
        for name, value in zip(names, values)
    ]
    images: dict[str, str] = {}
    text = " ".join("\n".join(variants(sources_of(sweep_of(*rows)), images)).split())
    assert "By 3 ranks or more, PRODEN (from 1 to 4) moves." in text
    assert "Of 6 pairs, 3 change order." in text
    assert (
        "for 3 of the 3 (ahead in `plench`, then in `fixed`: PRODEN, CAVL; PRODEN, POP; "
        "PRODEN, CC)" in text
    )
    assert "| PRODEN | 80.00 ± 1.00 | 40.00 ± 1.00 | −40.00 | **−40.00 to −40.00** |" in text
    assert "PRODEN 1 to 4" in words_in(images["reproduction-ranks-lost.svg"])[1]


# what clean validation labels are for


def test_the_study_is_paired_over_splits():
    tuned = sweep_of(row("CC", [0.60, 0.80], last=[0.5, 0.5]), row("LWS", [0.70, 0.72]))
    trained = sweep_of(
        row("CC", [0, 0], last=[0.65, 0.86]),  # + 5 and + 6 points
        row("LWS", [0, 0], last=[0.66, 0.70]),  # − 4 and − 2 points
        Row("PRODEN", 1, 5, 0, 1.0, {}, {}),
    )
    images: dict[str, str] = {}
    text = "\n".join(validation_study(sources_of(tuned, trained), images))
    # mean 5.5 and t(1) = 12.706 standard errors of 0.5 to each side
    assert line_of(text, "| CC |") == (
        "| CC | 70.00 ± 10.00 | 70.00 ± 10.00 | 75.50 ± 10.50 | 50.00 ± 0.00 | +5.50 | "
        "−0.85 to +11.85 |"
    )
    assert "incomplete: 1 of 5 runs" in line_of(text, "| PRODEN |")
    flat = " ".join(text.split())
    assert "the higher mean for 1 of 2 rows (for 0 with an interval that leaves out zero)" in flat
    assert "tuning on them for 1 (0)" in flat
    # by split (5 − 4) / 2 and (6 − 2) / 2: 1.25 on average, 12.706 × 0.75 to each side
    assert "training minus tuning is +1.25 points (95 % interval −8.28 to +10.78)" in flat
    assert "CC 70.0 and 75.5" in words_in(images["reproduction-validation.svg"])[1]


def test_the_study_refuses_other_data_and_other_splits():
    ours = sweep_of(row("CC", [0.6, 0.8]))
    with pytest.raises(ValueError, match="made from other data"):
        validation_study(sources_of(ours, replace(ours, fingerprint="e" * 64)), {})
    with pytest.raises(ValueError, match=r"splits \[0, 1\] cannot be paired with \[0, 1, 2\]"):
        paired({0: 0.5, 1: 0.5}, {0: 0.5, 1: 0.5, 2: 0.5})


def test_averaged_leaves_out_splits_that_lack_a_value():
    assert averaged([{0: 0.5, 1: None}, {0: 0.7, 1: 0.9}]) == {0: pytest.approx(0.6), 1: None}


def test_the_last_record_of_the_defaults_is_what_nothing_chose(tmp_path):
    sweep = make_directory(
        tmp_path / "lost",
        ["CC"],
        lambda run, step: step / 10_000 + run.config,
        configs=2,
    )
    assert sweep.rows["CC"].last == {0: pytest.approx(0.3), 1: pytest.approx(0.3)}


def test_a_directory_of_other_data_is_refused(tmp_path):
    make_directory(tmp_path / "lost", ["CC"], lambda *_: 0.5, dataset="msrcv2")
    with pytest.raises(ValueError, match="holds msrcv2, not lost"):
        read_sweep(tmp_path / "lost", "lost")
