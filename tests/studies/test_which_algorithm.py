"""docs/which-algorithm.md is what the committed results recommend, by the rule that it states."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from candidly.learn.algorithms import algorithm
from candidly.stats import OneTestSet, RandomSplits
from studies.claims.shelf import Shelf
from studies.noisy_labels.page import lead, table_of
from studies.which_algorithm import __main__ as which_algorithm
from studies.which_algorithm.advice import advise
from studies.which_algorithm.kinds import Kind, read_kinds
from studies.which_algorithm.page import COMMAND, PAGE, make_page
from studies.which_algorithm.remarks import lost
from studies.which_algorithm.rule import (
    ANY,
    CHEAP,
    Gain,
    LabelSet,
    choose,
    compared,
    gain,
    leave_out,
    mean_gain,
    pooled,
)

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "reproduction" / "results"
DOCS = ROOT / "docs"
BASE = "ce"
WIGGLE = (-0.01, 0.0, 0.01)  # of splits: a standard error of 0.01 / √3
ERROR = 0.01 / math.sqrt(3)

committed = pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results")


def on(name, gains, costs=None, splits=WIGGLE, base=0.5, share=0.0, data=None):
    """A label set on which algorithms gain so much over a baseline of the same accuracy.

    Splits move all algorithms but the baseline, each by ``splits``, in another order.
    """
    accuracy = {BASE: (base,) * len(splits)}
    for number, (algorithm_name, value) in enumerate(gains.items()):
        turned = splits[number % len(splits) :] + splits[: number % len(splits)]
        accuracy[algorithm_name] = tuple(base + value + each for each in turned)
    seconds = {BASE: 10.0} | {each: 10.0 * (costs or {}).get(each, 1.0) for each in gains}
    return LabelSet(name, data or name, accuracy, seconds, RandomSplits(share))


# the rule, by hand


def test_a_gain_is_the_mean_of_paired_differences_with_the_t_interval_of_these():
    found = gain(on("a", {"x": 0.02}), "x", BASE)
    assert found.mean == pytest.approx(0.02)
    assert found.error == pytest.approx(ERROR)
    # Student's t of two degrees of freedom: 4.303 standard errors are 0.0248
    assert found.sign == 0
    assert gain(on("a", {"x": 0.025}), "x", BASE).sign == 1
    assert gain(on("a", {"x": -0.025}), "x", BASE).sign == -1


def test_a_gain_over_splits_that_share_rows_has_the_wider_interval():
    # a fifth to test on: the variance is 1/3 + 1/4 times that of a split, where it was 1/3
    found = gain(on("a", {"x": 0.025}, share=0.2), "x", BASE)
    assert found.error == pytest.approx(0.01 * math.sqrt(1 / 3 + 0.25))
    assert found.sign == 0


def test_a_gain_on_one_test_set_has_a_part_of_its_rows():
    right = np.zeros((3, 2, 40))
    right[:, 0, :20] = right[:, 1, :22] = 1  # one is right on two rows more, in every split
    accuracy = {BASE: (0.5,) * 3, "x": (0.55,) * 3}
    one = LabelSet("a", "a", accuracy, {}, OneTestSet(40, right))
    found = gain(one, "x", BASE)
    assert found.error == pytest.approx(np.std([1] * 2 + [0] * 38, ddof=1) / math.sqrt(40))
    assert found.sign == 0
    few = LabelSet("a", "a", {BASE: (0.5,), "x": (0.55,)}, {}, OneTestSet(40), spread=0.03)
    assert gain(few, "x", BASE).error == pytest.approx(
        math.sqrt(0.03**2 + 0.25 / 40 + 0.55 * 0.45 / 40)
    )


def test_few_splits_take_the_spread_of_all_algorithms():
    # differences of two splits: deviations 0.02 / √2 and 0.06 / √2; the pooled variance is 0.001
    accuracy = {BASE: (0.5, 0.5), "x": (0.6, 0.62), "y": (0.5, 0.56)}
    one = LabelSet("a", "a", accuracy, {}, RandomSplits(0.0))
    (one,) = pooled([one], BASE)
    assert one.spread == pytest.approx(math.sqrt(0.001))
    found = gain(one, "x", BASE)
    assert found.error == pytest.approx(math.sqrt(0.001 / 2))
    assert found.sign == 1  # 0.11 is more than 1.96 times 0.0224
    assert gain(one, "y", BASE).sign == 0  # 0.03 is not
    accuracy = {BASE: (0.5, 0.5), "x": (0.6,)}
    single = LabelSet("a", "a", accuracy, {}, RandomSplits(0.0), spread=0.04)
    assert gain(single, "x", BASE) == Gain(pytest.approx(0.1), pytest.approx(0.04), 1, "a")


def test_the_mean_gain_takes_data_sets_as_independent():
    found = mean_gain([Gain(0.03, 0.03, 0, "a"), Gain(0.05, 0.04, 0, "b")])
    assert (found.mean, found.error) == pytest.approx((0.04, 0.025))
    assert found.sign == 0
    assert mean_gain([Gain(0.06, 0.03, 0, "a"), Gain(0.05, 0.04, 0, "b")]).sign == 1


def test_the_mean_gain_takes_label_sets_of_a_data_set_as_one():
    """Their errors are the same chance, so that more of them do not make the mean surer."""
    same = [Gain(0.03, 0.03, 0, "a")] * 4
    assert mean_gain(same).error == pytest.approx(0.03)
    found = mean_gain([*same, Gain(0.05, 0.04, 0, "b")])
    assert (found.mean, found.error) == pytest.approx((0.04, 0.025))


def test_a_choice_worked_by_hand():
    """Four algorithms on two label sets, standard errors of means 0.0041 over the baseline.

    ``best`` gains 0.10 on average and ``near`` 0.099: the difference, 0.001, is within one standard
    error, 0.0071. ``far`` gains 0.08, which is not. ``risky`` gains 0.15, but loses 0.10 on one.
    """
    costs = {"best": 5.0, "near": 3.0, "far": 1.0, "risky": 1.0}
    sets = [
        on("a", {"best": 0.11, "near": 0.109, "far": 0.09, "risky": 0.40}, costs),
        on("b", {"best": 0.09, "near": 0.089, "far": 0.07, "risky": -0.10}, costs),
    ]
    found = choose(sets, BASE)
    assert found.rows["best"].gain.mean == pytest.approx(0.10)
    assert found.rows["best"].gain.error == pytest.approx(ERROR / math.sqrt(2))
    assert found.rows["risky"].gain.mean == pytest.approx(0.15)
    assert (found.rows["risky"].ahead, found.rows["risky"].behind) == (1, 1)
    assert found.leader == "best"
    assert found.level == ("near", "best")  # the faster one first
    cheap = choose(sets, BASE, CHEAP)
    assert (cheap.leader, cheap.level) == ("far", ("far",))
    none = choose([on("a", {"x": -0.1}), on("b", {"x": -0.1})], BASE)
    assert (none.leader, none.first) == (None, None)


def test_costs_that_are_alike_to_one_decimal_leave_the_order_to_the_gain():
    sets = [on("a", {"x": 0.100, "y": 0.101}, {"x": 1.11, "y": 1.14})]
    assert choose(sets, BASE).level == ("y", "x")
    sets = [on("a", {"x": 0.100, "y": 0.101}, {"x": 1.11, "y": 1.24})]
    assert choose(sets, BASE).level == ("x", "y")


def test_oracles_and_algorithms_of_some_label_sets_are_not_compared():
    told = {"x": 0.1, "forward-t:oracle": 0.3, "x-oracle-free": 0.1}  # the second reads the truth
    sets = [on("a", told | {"y": 0.1}), on("b", told)]
    assert compared(sets, BASE) == ["x", "x-oracle-free"]


def test_what_is_left_out_has_no_part_in_the_choice():
    """``x`` is best on a and b, ``y`` on c, where ``x`` clearly loses."""
    sets = {
        "a": [on("a", {"x": 0.10, "y": 0.05})],
        "b": [on("b", {"x": 0.10, "y": 0.05})],
        "c": [on("c", {"x": -0.20, "y": 0.05})],
    }
    found = leave_out(sets, BASE)
    assert [(one.out, one.chosen) for one in found] == [("a", "y"), ("b", "y"), ("c", "x")]
    assert [one.gain.mean for one in found] == pytest.approx([0.05, 0.05, -0.20])
    assert [one.gain.sign for one in found] == [1, 1, -1]
    nothing = {key: [on(key, {"x": -0.1})] for key in "ab"}
    assert [(one.chosen, one.gain.mean) for one in leave_out(nothing, BASE)] == [(None, 0.0)] * 2


def kind_of(*sets):
    return Kind("toys", "NVA", BASE, {"toys": "nowhere.md"}, sets)


def test_a_choice_that_fails_where_it_was_left_out_is_not_recommended():
    lucky = advise(kind_of(on("a", {"x": 0.2, "y": 0.0}), on("b", {"x": -0.02, "y": 0.01})))
    assert lucky.choices[CHEAP].first == "x"
    assert lucky.checked(CHEAP).mean < 0.1
    steady = advise(kind_of(on("a", {"x": 0.1, "y": 0.0}), on("b", {"x": 0.1, "y": 0.0})))
    assert (steady.names, steady.first) == (["x"], "x")
    useless = advise(kind_of(on("a", {"x": 0.005}), on("b", {"x": -0.004})))
    assert useless.choices[CHEAP].first == "x"
    assert (useless.names, useless.first) == ([], BASE)


def test_a_slow_algorithm_is_named_only_if_its_check_is_the_better_one():
    costs = {"slow": 9.0}
    better = [on(key, {"x": 0.1, "slow": 0.2}, costs) for key in "ab"]
    assert advise(kind_of(*better)).names == ["x", "slow"]
    uneven = [
        on("a", {"x": 0.1, "slow": 0.30}, costs),
        on("b", {"x": 0.1, "slow": 0.02}, costs),
    ]
    found = advise(kind_of(*uneven))
    assert found.choices[ANY].first == "slow"
    assert found.checked(ANY).mean == pytest.approx((0.1 + 0.02) / 2)
    assert found.names == ["x"]


def test_a_slow_algorithm_is_named_alone_where_no_quick_one_is_better():
    costs = {"slow": 9.0}
    alone = advise(kind_of(*(on(key, {"x": 0.001, "slow": 0.2}, costs) for key in "ab")))
    assert not alone.told(CHEAP)
    assert (alone.names, alone.first) == (["slow"], "slow")
    neither = advise(kind_of(*(on(key, {"x": 0.001, "slow": 0.002}, costs) for key in "ab")))
    assert (neither.names, neither.first) == ([], BASE)


def test_losses_are_counted_on_the_label_sets_that_there_are():
    sets = [
        on("a", {"x": -0.1, "y": 0.1, "z": -0.1}),
        on("b", {"x": -0.1}),
        on("c", {"x": 0.1, "y": -0.1}),
    ]
    assert lost(sets, BASE) == [("z", 1, 1), ("x", 2, 3), ("y", 1, 2)]


# the page


@pytest.fixture(scope="module")
def shelf():
    return Shelf(ROOT)


@pytest.fixture(scope="module")
def kinds(shelf):
    return read_kinds(shelf)


@committed
@pytest.mark.slow
def test_the_page_is_what_the_committed_results_recommend(shelf):
    assert make_page(shelf) == (DOCS / PAGE).read_text(encoding="utf-8"), f"run: {COMMAND}"


@committed
@pytest.mark.slow
def test_gains_are_those_of_the_page_that_they_come_from(shelf, kinds):
    table = table_of(shelf.noisy)
    for key, names in (
        ("symmetric-tables", ("symmetric-20", "symmetric-40", "symmetric-60")),
        ("people-tables", ("one-answer", "majority", "dawid-skene")),
    ):
        for one, name in zip(kinds[key].sets, names, strict=True):
            for each in ("mae", "elr", "dividemix"):
                expected, found = lead(table, name, each).gap, gain(one, each, BASE)
                assert found.mean == pytest.approx(expected.mean)
                shared = math.sqrt(1 + expected.count * 0.25)  # a fifth to test on
                assert found.error == pytest.approx(expected.standard_error * shared)


@committed
def test_every_kind_is_selected_without_clean_labels_and_has_label_sets_to_leave_out(kinds):
    for kind in kinds.values():
        reads = algorithm(kind.baseline).reads
        assert kind.criterion == ("CR" if "candidates" in reads else "NVA")
        assert len(kind.groups) >= 2
        assert all(kind.baseline in one.accuracy for one in kind.sets)
        assert not any(math.isnan(one.spread) for one in kind.sets)


@committed
def test_every_section_that_the_page_links_to_is_there():
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    targets = set(re.findall(r"\]\(\s*([\w/-]*\.?m?d?)#([\w-]+)\)", text))
    assert len(targets) > 10
    for name, section in targets:
        page = (DOCS / (name or PAGE)).read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
        slugs = {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}
        assert section in slugs, (name, section)


@committed
def test_the_page_is_checked_and_not_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(which_algorithm, "make_page", lambda shelf: "new\n")
    command = ["which_algorithm.py", "--docs", str(tmp_path), "--check"]
    monkeypatch.setattr("sys.argv", command)
    with pytest.raises(SystemExit) as ended:
        which_algorithm.main()
    assert ended.value.code == 1
    assert not (tmp_path / PAGE).exists()
    assert COMMAND in capsys.readouterr().err
