"""The whole report: every number against a slow way to it, and the sentence."""

from __future__ import annotations

import json
from itertools import combinations, pairwise

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from candidly import validation
from candidly.compare.stability import assess, make_case, read_report
from candidly.compare.stability._verdict import verdict
from candidly.stats import wilson
from candidly.stats.places import open_ranks, secure_places

from stability_cases import arrays, probabilities

ORIGINAL, CORRECTED, MODELS = arrays(models=5, n=600, wrong=60, seed=3)


@pytest.fixture(scope="module")
def report():
    return assess(make_case(ORIGINAL, CORRECTED, MODELS), pairs="all", resamples=400)


SETS = {
    "original": (ORIGINAL, np.ones(600, bool)),
    "corrected": (CORRECTED, CORRECTED >= 0),
    "kept_original": (ORIGINAL, CORRECTED >= 0),
    "benign": (ORIGINAL, CORRECTED == ORIGINAL),
    "changed_original": (ORIGINAL, (CORRECTED != ORIGINAL) & (CORRECTED >= 0)),
    "changed_corrected": (CORRECTED, (CORRECTED != ORIGINAL) & (CORRECTED >= 0)),
}


def test_accuracies_and_ranks_one_by_one(report):
    assert [s.rank_corrected for s in report.standings] == [1, 2, 3, 4, 5]
    counts = {
        which: {m: int((np.array(p) == labels)[where].sum()) for m, p in MODELS.items()}
        for which, (labels, where) in SETS.items()
    }
    for s in report.standings:
        for which, (_, where) in SETS.items():
            share = getattr(s.top1, which)
            assert (share.right, share.of) == (counts[which][s.model], where.sum())
            assert share.share == share.right / share.of
            expected = wilson(np.array(share.right), share.of)
            np.testing.assert_allclose((share.low, share.high), expected)
        for name, which in (
            ("rank_original", "original"),
            ("rank_benign", "benign"),
            ("rank_corrected", "corrected"),
        ):
            better = sum(v > counts[which][s.model] for v in counts[which].values())
            assert getattr(s, name) == 1 + better
        assert s.top5 is None
        assert s.ranks_changed[2:] == (None, None)


def test_pairs_one_by_one(report):
    right = {m: (np.array(p) == CORRECTED)[CORRECTED >= 0] for m, p in MODELS.items()}
    names = [s.model for s in report.standings]
    assert [(p.first, p.second) for p in report.pairs] == list(combinations(names, 2))
    sure = set()
    for p in report.pairs:
        a, b = right[p.first], right[p.second]
        assert (p.only_first, p.only_second) == ((a & ~b).sum(), (~a & b).sum())
        assert p.difference == pytest.approx(a.mean() - b.mean())
        test = scipy.stats.binomtest(p.only_first, p.only_first + p.only_second)
        assert p.p == pytest.approx(test.pvalue)
        assert p.p <= p.adjusted
        assert p.low < p.difference < p.high
        np.testing.assert_allclose(p.bootstrap, (p.low, p.high), atol=0.02)
        if p.adjusted <= 0.05:
            sure.add((p.first, p.second))
    assert 0 < len(sure) < len(report.pairs)
    for s in report.standings:
        low, high = s.range_corrected
        assert low == 1 + sum(b == s.model for _, b in sure)
        assert high == 5 - sum(a == s.model for a, _ in sure)


def test_neighbours_and_the_first_places(report):
    names = [s.model for s in report.standings]
    assert [(n.first, n.second) for n in report.neighbours] == list(pairwise(names))
    touched = CORRECTED != ORIGINAL
    for n in report.neighbours:
        apart = np.array(MODELS[n.first]) != np.array(MODELS[n.second])
        assert (n.differing, n.unchecked) == (apart.sum(), (apart & ~touched).sum())
        assert n.budget == -(-n.lead // 2) - 1
    assert 0 < report.secure < 5
    assert report.budget == min(n.budget for n in report.neighbours[: report.secure])
    # whoever has one of the first places can have no other, by the ranges that hold together
    possible = [s.range_corrected for s in report.standings]
    assert possible[: report.secure] == [(k, k) for k in range(1, report.secure + 1)]
    assert possible[report.secure] != (report.secure + 1, report.secure + 1)
    for k, (low, high) in enumerate(possible, 1):
        within = [run for run in report.together if run[0] <= k <= run[1]]
        assert (low < high) == bool(within)
        assert all(first <= low <= high <= last for first, last in within)


def places(n=6):
    """Which model is surely better than which later one, drawn at random: bool (R, R)."""
    return st.integers(2, n).flatmap(
        lambda r: st.lists(st.booleans(), min_size=r * r, max_size=r * r).map(
            lambda bits: np.triu(np.array(bits).reshape(r, r), 1)
        )
    )


@given(places())
def test_runs_and_first_places_against_pairs_one_by_one(better):
    n = len(better)
    secure = 0
    while secure < n and better[secure, secure + 1 :].all():
        secure += 1
    assert secure_places(better) == secure
    linked = [{k} for k in range(n)]  # places between two that are not told apart hang together
    for a in range(n):
        for b in range(a + 1, n):
            if not better[a, b]:
                whole = set().union(*(linked[k] for k in range(a, b + 1)))
                for k in whole:
                    linked[k] = whole
    runs = {(min(one) + 1, max(one) + 1) for one in linked if len(one) > 1}
    assert set(open_ranks(better)) == runs
    assert list(open_ranks(better)) == sorted(runs)


def test_a_near_copy_of_the_best_model_makes_its_place_no_more_secure():
    """A copy that is worse on a few items stands between the best and a third that ties with it."""
    wrong = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 5, 2000)

        def drawn(right, rng=rng, labels=labels):
            return np.where(right, labels, (labels + 1) % 5)

        best = rng.random(2000) < 0.8
        copy = best & (rng.random(2000) > 0.01)
        other = rng.random(2000) < 0.8  # as good as the best
        models = {"best": drawn(best), "copy": drawn(copy), "other": drawn(other)}
        found = assess(make_case(labels, None, models), resamples=0)
        wrong += found.secure >= 1 and found.standings[0].model != "copy"
    assert wrong <= 6  # 5 % of 60 and 1.8 standard errors; by neighbours alone it was 13


def test_crossings_orders_and_tau(report):
    acc = {s.model: (s.top1.benign.share, s.top1.changed_corrected.share) for s in report.standings}
    c = report.prevalence.share
    assert report.crossings
    for x in report.crossings:
        ahead, behind = acc[x.ahead], acc[x.behind]
        at = x.prevalence
        assert (1 - at) * ahead[0] + at * ahead[1] == pytest.approx(
            (1 - at) * behind[0] + at * behind[1]
        )
        assert ahead[0] > behind[0]
        assert x.already == (at < c)
        if not x.already:
            left = (1 - x.x_removed) * (1 - c)
            assert c / (c + left) == pytest.approx(at)
            assert 1 - (1 - x.x_mixture) * (1 - c) == pytest.approx(at)
    assert report.orders[0].start == report.tau[0].start == c
    assert report.orders[-1].stop == report.tau[-1].stop == 1
    assert list(report.orders[0].ranks) == [s.rank_corrected for s in report.standings]
    by_changed = [s.ranks_changed[1] for s in report.standings]
    assert scipy.stats.kendalltau(report.orders[-1].ranks, by_changed).statistic > 0.99


def test_json_has_the_same_numbers(report):
    whole = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert whole["verdict"] == report.verdict
    assert (
        whole["standings"][0]["top1"]["original"]["right"]
        == report.standings[0].top1.original.right
    )
    assert len(whole["crossings"]) == len(report.crossings)
    assert whole["corrections"][0]["ranks"] == [1, 2, 3, 4, 5]


def test_a_report_comes_back_from_json(report):
    assert read_report(json.loads(json.dumps(report.as_dict()))) == report
    with pytest.raises(ValueError, match="it says None"):
        read_report({})
    with pytest.raises(ValueError, match="it says 1"):  # its crossings are not corrected
        read_report(report.as_dict() | {"schema": 1})


def test_the_order_of_models_is_the_callers_no_more(report):
    turned = make_case(ORIGINAL, CORRECTED, dict(reversed(MODELS.items())))
    assert assess(turned, pairs="all", resamples=400).as_dict() == report.as_dict()


def test_probabilities_add_top_five():
    models = {name: probabilities(p) for name, p in MODELS.items()}
    found = assess(make_case(ORIGINAL, CORRECTED, models), resamples=0)
    assert found.standings[0].top5.original.right == 600  # five classes
    assert found.standings[0].ranks_changed[2:] == (1, 1)
    mixed = models | {"model 0": MODELS["model 0"]}
    found = assess(make_case(ORIGINAL, CORRECTED, mixed), resamples=0)
    assert any("no top-5 accuracy: model 0" in note for note in found.notes)
    assert found.standings[-1].ranks_changed[2:] == (None, None)


def test_nothing_changed_is_said():
    found = assess(make_case(ORIGINAL, ORIGINAL, MODELS), resamples=50)
    assert found.verdict.startswith("No label was changed or pruned, so the ranking is as it was")
    assert "no crossing is established" in found.left_open
    assert any(note.startswith("No label was changed") for note in found.notes)
    assert found.crossings == ()
    assert found.standings[0].top1.changed_corrected.share is None


def test_all_changed_leaves_no_benign_item():
    found = assess(make_case(ORIGINAL, (ORIGINAL + 1) % 5, MODELS), resamples=50)
    assert found.prevalence.share == 1
    assert found.crossings == found.orders == found.tau == ()


def test_twins_are_named():
    found = assess(
        make_case(ORIGINAL, CORRECTED, MODELS | {"twin": MODELS["model 0"]}), resamples=0
    )
    assert any("model 0 and twin predict the same" in note for note in found.notes)
    assert found.to_check is None
    assert found.secure == 0


def test_an_audit_bounds_what_is_left():
    case = make_case(ORIGINAL, CORRECTED, MODELS)
    found = assess(case, resamples=0, audited=100)
    unchecked = int((CORRECTED == ORIGINAL).sum())
    # so many wrong ones, and no more, leave a chance of 2.5 % to draw none in 100
    bound = int(found.missed.bound)
    none = [scipy.stats.hypergeom.cdf(0, unchecked, m, 100) for m in (bound, bound + 1)]
    assert none[0] > 0.025 >= none[1]
    assert found.neighbours[0].expected_errors == pytest.approx(
        bound / unchecked * found.neighbours[0].unchecked
    )
    assert assess(case, resamples=0).missed.bound is None
    some = assess(case, resamples=0, audited=100, audit_errors=2).missed
    assert some.bound == validation.missed(unchecked, 100, 2).high > found.missed.bound


def test_ids_name_the_checks():
    ids = [f"item-{k}" for k in range(600)]
    found = assess(make_case(ORIGINAL, CORRECTED, MODELS, ids=ids), resamples=0)
    plain = assess(make_case(ORIGINAL, CORRECTED, MODELS), resamples=0)
    assert list(found.checks) == [ids[k] for k in plain.checks]
    assert len(found.checks) == 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "`alpha` is 0"),
        ({"alpha": 1.5}, "`alpha` is 1.5"),
        ({"pairs": "some"}, "choose adjacent or all"),
        ({"resamples": -1}, "cannot be negative"),
        ({"audited": 10_000}, "nobody had checked, and there are 530"),
        ({"audit_errors": 3}, "among the audited items, 0"),
        ({"corrections": {"T=4": [0]}}, "`corrections` has 1 labels"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        assess(make_case(ORIGINAL, CORRECTED, MODELS), **{"resamples": 0, **options})


def test_the_headline_counts_no_crossing_that_holm_takes_back():
    """Model 1 is behind on B and right on 7 of 18 changed items, alone: p 1/64, Holm p 1."""
    original, corrected = np.zeros(518, int), np.zeros(518, int)
    corrected[:18] = 1
    models = {f"model {k}": np.zeros(518, int) for k in range(20)}
    for k in range(1, 20):
        models[f"model {k}"][18 + 100 : 18 + 200] = 1
    models["model 1"][:7] = 1
    found = assess(make_case(original, corrected, models), resamples=0)
    (crossing,) = found.crossings
    assert (crossing.ahead, crossing.behind) == ("model 0", "model 1")
    assert crossing.adjusted == 1
    assert not crossing.established
    assert found.left_open.endswith(
        "no crossing is established as wrong labels become more frequent."
    )
    few = {name: models[name] for name in ("model 0", "model 1")}
    found = assess(make_case(original, corrected, few), resamples=0)
    assert found.crossings[0].adjusted == pytest.approx(1 / 64)
    assert found.crossings[0].established
    assert "1 crossing is established, at" in found.left_open


def test_few_changed_labels_are_told_what_they_can_show():
    original, corrected, models = arrays(models=2, n=100, wrong=18, pruned=0)
    (note,) = assess(make_case(original, corrected, models), resamples=0).notes
    assert note == (
        "Only 18 labels were changed. To tell two models apart there in a test at 5 %, they must "
        "differ on at least 6 changed items, all one way."
    )
    original, corrected, models = arrays(models=10, n=100, wrong=10, pruned=0)
    (note,) = assess(make_case(original, corrected, models), alpha=0.01, resamples=0).notes
    assert note == (
        "Only 10 labels were changed. To tell two models apart there in a test at 1 %, after "
        "Holm's correction over 45 pairs, they must differ on at least 14 changed items, all one "
        "way, so no crossing can be established."
    )


SIZES = {"D": 5000, "C": 40, "U": 2}


@pytest.mark.parametrize(
    ("arguments", "sentence", "left_open"),
    [
        (
            (SIZES, [1, 2, 3], [1, 2, 3], "abc", 3, 41, (), []),
            "Correcting 40 and pruning 2 of 5,000 labels leaves the ranking of 3 models as it was; "
            "the whole ranking is secure against up to 41 wrong labels.",
            "No crossing is established as wrong labels become more frequent.",
        ),
        (
            (SIZES | {"U": 0}, [1, 2, 3], [2, 1, 3], "abc", 1, 1, ((2, 3),), [0.052, 0.3]),
            "Correcting 40 of 5,000 labels moves 2 of 3 models by up to 1 place and puts b first "
            "instead of a; the first place is secure against up to 1 wrong label.",
            "Within ranks 2–3 tests leave the order open; 2 crossings are established, the first "
            "at 5.2 % wrong labels.",
        ),
        (
            (SIZES | {"C": 0}, [1, 1, 3], [1, 3, 1], "abc", 0, None, ((1, 3),), [0.5]),
            "Pruning 2 of 5,000 labels moves 2 of 3 models by up to 2 places and puts a and c "
            "first instead of a and b.",
            "Within ranks 1–3 tests leave the order open; 1 crossing is established, at 50.0 % "
            "wrong labels.",
        ),
        (
            (SIZES, [1, 2, 3], [1, 2, 3], "abc", 2, None, (), []),
            "Correcting 40 and pruning 2 of 5,000 labels leaves the ranking of 3 models as it was; "
            "the top 2 are secure whatever the labels that nobody checked.",
            "No crossing is established as wrong labels become more frequent.",
        ),
        (
            (SIZES, [1, 1, 1], [1, 1, 1], "abc", 0, None, ((1, 3),), [], 1),
            "Within ranks 1–3 tests leave the order open.",
            "",
        ),
    ],
)
def test_the_sentences(arguments, sentence, left_open):
    assert verdict(*arguments) == (sentence, left_open)
