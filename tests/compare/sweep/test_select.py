"""Selection: cases worked by hand, and a slow obvious version on random results."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from candidly.compare.sweep.records import Record, Run
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.select import CRITERIA, DEFAULT, cells
from candidly.ground.names import UnknownName
from candidly.stats import summarise

STEPS = (0, 10, 20, 30)  # step 0 is recorded but not selectable
N_VALIDATION = 100


def record(step, cr=None, oa=None, top1=None, diverged_at=None, **more):
    extra = dict.fromkeys(("NVA", "NVA:corrected", "agreement", "answers"))
    validation = {"CR": cr, "AA": cr, "AA:plench": cr, "OA": oa} | extra | more
    test = {"top1": top1, "top5": None if top1 is None else 1.0, "balanced": top1}
    return Record("", step, validation, test, 0.5, step * 0.01, 10**8, diverged_at)


def run(config, records, split=0, dataset="data", algorithm="PRODEN"):
    key = f"{dataset}/{algorithm}/{config}/{split}"
    return Run(
        key=key,
        dataset=dataset,
        algorithm=algorithm,
        config=config,
        split=split,
        hyper={"lr": 10.0 ** -(config + 1)},
        record_steps=STEPS,
        selectable_from=10,
        n_validation=N_VALIDATION,
        n_test=50,
        records=tuple(replace(r, key=key) for r in records),
    )


def by_criterion(*runs, criteria=DEFAULT, ddof=1):
    found = cells(Results(tuple(runs), {}, ddof), criteria)
    return {cell.criterion: cell for cell in found}


def curve(crs, oas=None, top1s=None):
    """A run's records from its values at steps 10, 20 and 30; step 0 has the best of all."""
    oas, top1s = oas or crs, top1s or crs
    rows = [record(s, *row) for s, row in zip(STEPS[1:], zip(crs, oas, top1s))]
    return [record(0, 1.0, 1.0, 1.0), *rows]


def test_d_sel_2_inside_a_run_the_earliest_best_record_after_the_first():
    cell = by_criterion(run(0, curve([0.8, 0.8, 0.7], [0.5, 0.6, 0.4], [0.3, 0.2, 0.1])))
    assert [cell[name].choices[0].step for name in DEFAULT] == [10, 10, 30, 20]
    assert [cell[name].values("top1")[0] for name in DEFAULT] == [0.3, 0.3, 0.1, 0.2]
    assert [cell[name].choices[0].value for name in DEFAULT] == [0.8, 0.8, 0.4, 0.6]


def test_d_sel_2_across_configurations_the_largest_seed_among_equals():
    runs = [
        run(2, curve([0.1, 0.9, 0.2], top1s=[0, 0.52, 0])),
        run(0, curve([0.9, 0.1, 0.2], top1s=[0.5, 0, 0])),
        run(1, curve([0.1, 0.2, 0.3], top1s=[0, 0, 0.51])),
    ]
    cell = by_criterion(*runs)
    choice = cell["CR"].choices[0]
    assert (choice.config, choice.step, choice.ties) == (2, 20, 2)
    assert choice.test["top1"] == 0.52
    assert choice.hyper == {"lr": 0.001}
    assert choice.key == "data/PRODEN/2/0"
    last = cell["OA"].choices[0]
    assert (last.config, last.step, last.value, last.ties) == (1, 30, 0.3, 1)


def test_before_diverging_a_run_may_be_chosen_but_not_by_oa():
    fallen = [*curve([0.9, 0.9, 0.9])[:2], record(20, diverged_at=14), record(30, diverged_at=14)]
    cell = by_criterion(run(0, curve([0.5, 0.6, 0.7])), run(1, fallen))
    assert (cell["CR"].choices[0].config, cell["CR"].choices[0].step) == (1, 10)
    assert cell["OA"].choices[0].config == 0
    assert cell["OA & ES"].choices[0].config == 1
    assert {c.diverged for c in cell.values()} == {1}
    assert {c.state for c in cell.values()} == {"complete"}


def test_values_of_a_diverged_record_are_not_trusted():
    poisoned = [*curve([0.5, 0.5, 0.5])[:3], record(30, 1.0, 1.0, 0.1, diverged_at=25)]
    cell = by_criterion(run(0, poisoned))
    assert cell["CR"].choices[0].step == 10
    assert cell["OA"].choices == (None,)


def test_all_diverged():
    fallen = [record(0, 0.5, 0.5, 0.5), *(record(s, diverged_at=3) for s in STEPS[1:])]
    for cell in by_criterion(run(0, fallen), run(1, fallen)).values():
        assert cell.state == "diverged"
        assert cell.choices == (None,)
        assert cell.summary["top1"] == summarise([])
        assert (cell.finished, cell.planned, cell.diverged) == (2, 2, 2)
        assert cell.oracle_labels == 0


def test_nan_is_never_chosen():
    nan = float("nan")
    cell = by_criterion(run(0, curve([nan, 0.3, nan])), run(1, curve([nan, nan, nan])))
    assert (cell["CR"].choices[0].config, cell["CR"].choices[0].step) == (0, 20)
    assert cell["OA"].choices == (None,)


def test_unfinished_runs_are_counted_but_not_used():
    torn = run(1, curve([0.9, 0.95, 0.99])[:3])
    cell = by_criterion(run(0, curve([0.5, 0.6, 0.7])), torn, run(0, [], split=1))["CR"]
    assert cell.state == "incomplete"
    assert (cell.finished, cell.planned) == (1, 3)
    assert cell.splits == (0, 1)
    assert cell.choices[0].config == 0
    assert cell.choices[1] is None
    assert cell.summary["top1"].count == 1


def test_summaries_over_splits_use_the_results_ddof():
    runs = [run(0, curve([v, v, v]), split=s) for s, v in enumerate([0.2, 0.4, 0.9])]
    for ddof in (0, 1):
        summary = by_criterion(*runs, ddof=ddof)["CR"].summary
        assert summary["top1"] == summarise([0.2, 0.4, 0.9], ddof)
        assert summary["top5"].mean == 1.0


def test_oracle_labels_are_counted():
    runs = [run(c, curve([0.1, 0.2, 0.3]), split=s) for s in (0, 1) for c in (0, 1, 2)]
    counts = {name: cell.oracle_labels for name, cell in by_criterion(*runs).items()}
    assert counts == {"CR": 0, "AA": 0, "OA": 6 * N_VALIDATION, "OA & ES": 18 * N_VALIDATION}
    fallen = [*curve([0.9, 0.9, 0.9])[:2], record(20, diverged_at=14), record(30, diverged_at=14)]
    counts = {name: cell.oracle_labels for name, cell in by_criterion(run(0, fallen)).items()}
    assert counts == {"CR": 0, "AA": 0, "OA": 0, "OA & ES": N_VALIDATION}


def test_cells_keep_the_order_of_the_plan():
    order = [("b", "Z"), ("b", "A"), ("a", "Z"), ("a", "A")]
    runs = [run(0, curve([0.1, 0.2, 0.3]), dataset=d, algorithm=a) for d, a in order]
    found = cells(Results(tuple(runs), {}))
    assert [(c.dataset, c.algorithm) for c in found] == order * 4
    assert [c.criterion for c in found[::4]] == list(DEFAULT)


def test_criteria_by_name():
    one = run(0, curve([0.1, 0.2, 0.3]))
    (cell,) = cells(Results((one,), {}), ["aa:plench"])
    assert cell.criterion == "AA:plench"
    with pytest.raises(UnknownName, match="did you mean 'OA & ES'"):
        cells(Results((one,), {}), ["OA with ES"])
    assert cells(Results((), {})) == []


def test_last_takes_the_last_record_of_the_defaults_whatever_it_measures():
    runs = [
        run(0, curve([0.9, 0.8, 0.1], top1s=[0.3, 0.2, 0.1])),
        run(1, curve([0.9, 0.9, 0.9], top1s=[0.8, 0.8, 0.8])),
    ]
    (choice,) = by_criterion(*runs, criteria=["last"])["last"].choices
    assert (choice.config, choice.step, choice.value, choice.ties) == (0, 30, None, 1)
    assert choice.test["top1"] == 0.1
    assert by_criterion(*runs, criteria=["last"])["last"].oracle_labels == 0
    assert by_criterion(runs[1], criteria=["last"])["last"].choices == (None,)


def test_where_validation_rows_were_trained_on_nothing_is_chosen_and_every_label_counts():
    nothing = [record(step, top1=0.25) for step in STEPS]
    runs = [replace(run(0, nothing, split), mode="train-oracle") for split in (0, 1)]
    (cell,) = cells(Results(tuple(runs), {}))
    assert (cell.criterion, cell.oracle_labels) == ("last", 2 * N_VALIDATION)
    assert cell.values("top1") == [0.25, 0.25]
    assert by_criterion(*runs, criteria=["CR"])["CR"].choices == (None, None)


# a slow obvious version


def obviously(runs, name, split):
    """(config, step, value) by reading the rule aloud, or None."""
    measure, best = CRITERIA[name].measure, None
    if name == "last":
        mine = [r for r in runs if (r.split, r.config) == (split, 0) and r.complete]
        if not mine or mine[0].records[-1].diverged_at is not None:
            return None
        return 0, STEPS[-1], None
    for r in sorted((r for r in runs if r.split == split and r.complete), key=lambda r: r.config):
        inside = None
        for rec in r.records:
            value = rec.test["top1"] if name == "peak" else rec.validation[measure]
            if rec.step < 10 or (name == "OA" and rec.step != STEPS[-1]):
                continue
            if value is None or math.isnan(value):
                continue
            if inside is None or value > inside[1]:
                inside = rec.step, value
        if inside and (best is None or inside[1] >= best[2]):
            best = r.config, *inside
    return best


def random_runs(rng):
    def value():
        return rng.choice([None, float("nan"), 0.1, 0.2, 0.3, 0.4])

    runs = []
    for split in range(3):
        for config in range(4):
            fall = rng.choice([None, None, 5, 15])
            records = []
            for step in STEPS[: rng.choice([4, 4, 4, 2])]:
                if fall is not None and step >= fall:
                    records.append(record(step, diverged_at=fall))
                    continue
                names = ("CR", "AA", "AA:plench", "OA", "NVA", "NVA:corrected", "agreement")
                names += ("answers",)
                records.append(record(step, top1=rng.random(), **{n: value() for n in names}))
            runs.append(run(config, records, split))
    rng.shuffle(runs)
    return runs


@pytest.mark.parametrize("seed", range(40))
def test_random_results_are_selected_as_the_obvious_version_does(seed):
    runs = random_runs(random.Random(seed))
    for name, cell in by_criterion(*runs, criteria=list(CRITERIA)).items():
        for split, choice in zip(cell.splits, cell.choices):
            got = choice and (choice.config, choice.step, choice.value)
            assert got == obviously(runs, name, split)
