"""How far choices can be trusted: worked by hand, simulated, and redrawn one row at a time."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from candidly.compare.benchmarking import prepare
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.plan import write_plan
from candidly.compare.sweep.records import Record, Run, pack_outcomes, unpack_outcomes
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.settings import make_settings
from candidly.compare.sweep.trust import (
    is_overconfident,
    resample_counts,
    resampled_choices,
    trust,
)
from candidly.stats.criteria import (
    FlipRate,
    best_configuration,
    best_record,
    constant_flip_rate,
)

from toys import toy

STEPS = (0, 10, 20, 30)  # step 0 is recorded but not selectable


def record(step, shares, fallen=None):
    """A record of a model whose rows add ``shares`` to AA."""
    shares = np.asarray(shares, float)
    values = {"CR": float((shares > 0).mean()), "AA": float(shares.mean()), "OA": 0.5}
    if fallen is not None:
        return Record("", step, dict.fromkeys(values), {"top1": None}, None, 0.0, 0, fallen)
    test = {"top1": 0.5, "top5": 1.0, "balanced": 0.5}
    return Record("", step, values, test, 0.5, 0.0, 0, None, pack_outcomes(shares))


def run(config, records, split=0, algorithm="PRODEN"):
    key = f"{algorithm}/{config}/{split}"
    records = tuple(replace(r, key=key) for r in records)
    m = len(unpack_outcomes(records[0].outcomes))
    return Run(
        key, "data", algorithm, config, split, {"lr": 0.1}, STEPS, 10, m, 50, records=records
    )


def random_runs(seed, m=40, configs=4, levels=(0.0, 0.0, 0.3, 0.55, 1.0)):
    """Runs whose records are close to each other, some of them diverged on the way."""
    g = np.random.default_rng(seed)
    base = g.choice(levels, m)
    runs = []
    for config in range(configs):
        fall = g.choice([99, 99, 15, 5])
        records = [record(0, np.ones(m))]
        for step in STEPS[1:]:
            shares = np.where(g.random(m) < 0.3, g.choice(levels, m), base)
            records.append(record(step, shares, fall if step > fall else None))
        runs.append(run(config, records))
    return runs


def plainly(runs, criterion, counts):
    """The configuration chosen in each resample, by going through it record by record."""
    chosen = []
    for count in counts:
        drawn = np.repeat(np.arange(len(count)), count)
        of_runs = []
        for one in runs:
            values = []
            for r in one.records[1:]:
                if r.diverged_at is not None:
                    values.append(None)
                    continue
                levels = np.rint(255 * unpack_outcomes(r.outcomes)).astype(int)[drawn]
                values.append(int((levels > 0).sum() if criterion == "CR" else levels.sum()))
            best = best_record(values)
            of_runs.append(None if best is None else values[best])
        chosen.append(best_configuration(of_runs))
    return chosen


@pytest.mark.parametrize("seed", range(12))
def test_resamples_choose_as_selection_does_on_the_rows_drawn(seed):
    # shares that 1/255 steps hold exactly: nothing is put back, so whole numbers decide
    runs = random_runs(seed, levels=(0.0, 0.0, 51 / 255, 153 / 255, 1.0))
    counts = resample_counts(40, 60, seed)
    remade = resampled_choices(runs, 60, seed)
    if all(r.diverged_at is not None for one in runs for r in one.records[1:]):
        assert remade is None
        return
    for name in ("CR", "AA"):
        assert remade[name].tolist() == plainly(runs, name, counts)


def test_what_rounding_took_from_a_mean_is_put_back():
    # the first run is better by less than a step: on the rows themselves it must stay so
    better, worse = np.full(30, 0.501), np.full(30, 0.5005)
    assert pack_outcomes(better) == pack_outcomes(worse)
    runs = [run(0, [record(s, better) for s in STEPS]), run(1, [record(s, worse) for s in STEPS])]
    assert set(resampled_choices(runs)["AA"]) == {0}
    assert set(resampled_choices(runs)["CR"]) == {1}  # equal: the last


def test_resamples_are_of_as_many_rows_each_as_likely_as_any_other():
    counts = resample_counts(50, 4000, 0)
    assert (counts.sum(1) == 50).all()
    assert np.abs(counts.mean(0) - 1).max() < 4 * math.sqrt(1 / 4000)
    assert (resample_counts(50, 10, 0) == resample_counts(50, 10, 0)).all()
    assert (resample_counts(50, 10, 0) != resample_counts(50, 10, 1)).any()


def test_how_often_another_is_chosen_is_what_two_coins_say():
    """Two configurations that differ on a single row: the better one needs that row to be drawn."""
    m = 20
    good, bad = np.ones(m), np.ones(m)
    bad[0] = 0
    runs = [run(0, [record(s, good) for s in STEPS]), run(1, [record(s, bad) for s in STEPS])]
    found = {one.criterion: one for one in trust(Results(tuple(runs), {}))}
    absent = (1 - 1 / m) ** m  # then they tie, and the last one wins
    for one in found.values():
        assert one.splits[0].config == 0
        assert one.other == pytest.approx(absent, abs=4 * math.sqrt(absent * (1 - absent) / 1000))
        assert one.ties == 1


def two_splits():
    a = np.array([1.0] * 6 + [0.4] * 2 + [0.0] * 2)
    b = np.array([1.0] * 5 + [0.8] * 4 + [0.0])
    return [run(0, [record(s, v) for s in STEPS], split) for split, v in enumerate((a, b))], (a, b)


def test_values_errors_and_eq_8_by_hand():
    runs, (a, b) = two_splits()
    flips = {"data": FlipRate(0.2, 0.01)}
    cr, aa = trust(Results(tuple(runs), {}, flip_rates=flips))
    assert (cr.criterion, aa.criterion, cr.n_validation) == ("CR", "AA", 10)
    assert cr.value == pytest.approx((0.8 + 0.9) / 2)
    assert cr.standard_error == pytest.approx(math.sqrt((0.8 * 0.2 + 0.9 * 0.1) / 2 / 10))
    assert cr.accuracy == pytest.approx((0.6 / 0.8 + 0.7 / 0.8) / 2)
    assert aa.value == pytest.approx((a.mean() + b.mean()) / 2)
    errors = [np.std(v, ddof=1) / math.sqrt(10) for v in (a, b)]
    assert aa.standard_error == pytest.approx(math.hypot(*errors) / math.sqrt(2), abs=1e-3)
    assert (cr.ties, cr.other, cr.overconfident, aa.doubt) == (1, 0, None, "")
    assert aa.splits[0].excess == pytest.approx(a.mean() - 0.75)


def test_the_error_of_the_excess_is_that_of_rows_drawn_again():
    g = np.random.default_rng(0)
    shares = g.choice([0.0, 0.5, 1.0], 200, p=[0.2, 0.2, 0.6])
    runs = [run(0, [record(s, shares) for s in STEPS])]
    flip = FlipRate(0.3, 0.02)
    split = trust(Results(tuple(runs), {}, flip_rates={"data": flip}))[1].splits[0]
    excesses = []
    for _ in range(4000):
        drawn, rate = g.choice(shares, 200), g.normal(flip.rate, flip.error)
        excesses.append(drawn.mean() - ((drawn > 0).mean() - rate) / (1 - rate))
    assert split.excess == pytest.approx(np.mean(excesses), abs=4 * np.std(excesses) / 60)
    assert split.excess_error == pytest.approx(np.std(excesses), rel=0.05)


def simulated(sharpness, n=400, q=6, rate=0.3, seed=3):
    """Shares of a model that is right at 70 % of the rows; its probabilities are as sharp as told.

    ``sharpness`` is the logit by which the predicted class leads the others.
    """
    g = np.random.default_rng(seed)
    truth = g.integers(0, q, n)
    candidates = (g.random((n, q)) < rate) | (np.arange(q) == truth[:, None])
    predicted = np.where(g.random(n) < 0.7, truth, (truth + g.integers(1, q, n)) % q)
    inside = candidates[np.arange(n), predicted]
    shares = inside / (1 + (candidates.sum(1) - 1) * np.exp(-sharpness))
    accuracy = (predicted == truth).mean()
    return shares, constant_flip_rate(candidates), accuracy


@pytest.mark.parametrize(("sharpness", "warned"), [(20.0, 1), (2.0, 0)])
def test_one_hot_probabilities_are_called_overconfident_and_soft_ones_are_not(sharpness, warned):
    shares, flip, accuracy = simulated(sharpness)
    runs = [run(0, [record(s, shares) for s in STEPS])]
    cr, aa = trust(Results(tuple(runs), {}, flip_rates={"data": flip}))
    assert aa.overconfident == warned
    assert cr.overconfident is None
    assert cr.accuracy == pytest.approx(accuracy, abs=3 * cr.accuracy_error)
    assert (aa.value - accuracy > 0.05) == bool(warned)  # what the warning is about


@pytest.mark.parametrize(
    ("aa", "cr", "excess", "error", "expected"),
    [
        (0.90, 0.90, 0.05, 0.02, True),
        (0.90, 0.90, 0.05, 0.03, False),  # not established
        (0.80, 0.90, 0.05, 0.02, False),  # AA says something of its own
        (1.00, 1.00, 0.00, 0.00, False),  # nothing to see
    ],
)
def test_the_rule(aa, cr, excess, error, expected):
    assert is_overconfident(aa, cr, excess, error) is expected


def test_nothing_recorded_and_no_flip_rate_leave_what_is_known():
    runs, _ = two_splits()
    bare = [
        replace(one, records=tuple(replace(r, outcomes=None) for r in one.records)) for one in runs
    ]
    cr, aa = trust(Results(tuple(bare), {}, flip_rates={"data": FlipRate(0.2, 0.01)}))
    assert cr.standard_error is not None
    assert cr.accuracy is not None
    assert (aa.standard_error, aa.other, cr.other, aa.overconfident) == (None,) * 4
    cr, aa = trust(Results(tuple(runs), {}))
    assert (cr.accuracy, aa.overconfident, aa.doubt) == (None, None, "no flip rate is recorded")
    doubtful = {"data": FlipRate(0.2, 0.01, "some labels flip more often")}
    cr, _ = trust(Results(tuple(runs), {}, flip_rates=doubtful))
    assert (cr.accuracy, cr.doubt) == (None, "some labels flip more often")
    cr, _ = trust(Results(tuple(runs), {}, flip_rates={"data": FlipRate(1.0, 0.0)}))
    assert (cr.accuracy, cr.doubt) == (None, "every class is always a candidate")


def test_nothing_to_choose_is_no_trouble():
    runs, _ = two_splits()
    unfinished = [replace(one, records=one.records[:1]) for one in runs]
    for one in trust(Results(tuple(unfinished), {})):
        assert (one.splits, one.value, one.other) == ((None, None), None, None)


def test_runs_that_trained_on_their_validation_rows_are_refused():
    runs, _ = two_splits()
    with pytest.raises(ValueError, match="train-oracle"):
        trust(Results((replace(runs[0], mode="train-oracle"),), {}))


# the flip rate


def planned(data, **settings):
    asked = {"datasets": ("toy",), "algorithms": ("CC",), "configs": 1, "splits": 1}
    return prepare(make_settings(**asked | settings), own={"toy": data})[0]


def test_a_plan_keeps_the_flip_rate_and_results_have_it(tmp_path):
    data = toy()
    write_plan(tmp_path, planned(data))
    assert read_results(tmp_path).flip_rates == {"toy": constant_flip_rate(data.candidates)}
    given = replace(data, candidates=None)
    write_plan(tmp_path, planned(given, algorithms=("ce",)))
    assert read_results(tmp_path).flip_rates == {}
