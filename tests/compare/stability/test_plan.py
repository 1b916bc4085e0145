"""Which items to check: what is certain, what is likely, and that neither is called wrongly."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from candidly.compare.stability import checking_plan, make_case


def simulated(seed, n=300, wrong=0.15, gap=0.1):
    """A truth, labels of which some are wrong, and three models of different skill."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    labels = np.where(rng.random(n) < wrong, (truth + 1) % 4, truth)
    models = {
        name: np.where(rng.random(n) < 0.6 + skill, truth, rng.integers(0, 4, n))
        for name, skill in (("best", 2 * gap), ("middle", gap), ("last", 0.0))
    }
    return truth, labels, models


def test_the_plan_holds_what_differs_and_is_unchecked():
    _, labels, models = simulated(0)
    checked = np.arange(300) < 50
    case = make_case(labels, labels, models, checked=checked)
    plan = checking_plan(case)
    order = [n.first for n in plan.neighbours] + [plan.neighbours[-1].second]
    best = sorted(range(3), key=lambda r: -case.right_corrected[r].sum())
    assert order == best
    differ = np.zeros(300, bool)
    for a, b in pairwise(best):
        differ |= case.predictions[a] != case.predictions[b]
    assert sorted(plan.items) == np.flatnonzero(differ & ~checked).tolist()
    assert plan.items.tolist() == checking_plan(case).items.tolist()
    assert plan.items.tolist() != checking_plan(case, seed=1).items.tolist()
    assert all(n.status == "open" and n.p_secure == 1 for n in plan.neighbours)


def test_all_checked_is_all_known():
    truth, labels, models = simulated(1)
    plan = checking_plan(make_case(labels, labels, models))
    done = checking_plan(make_case(labels, labels, models), truth[plan.items])
    right = {name: (predicted == truth) for name, predicted in models.items()}
    names = list(models)
    for n in done.neighbours:
        lead = int(right[names[n.first]].sum() - right[names[n.second]].sum())
        assert n.lead == n.worst == lead
        assert n.unchecked == 0
        assert n.status == ("secure" if lead > 0 else "reversed" if lead < 0 else "open")
    assert done.to_check == 0


def test_it_stops_before_all_is_checked():
    truth, labels, models = simulated(2, n=1200, gap=0.15)
    case = make_case(labels, labels, models)
    items = checking_plan(case).items
    for k in range(50, len(items), 50):
        plan = checking_plan(case, truth[items[:k]])
        if plan.to_check == 0:
            break
    assert k < len(items) / 2
    assert all(n.status == "secure" and n.p_secure <= 0.05 for n in plan.neighbours)
    certain = [n.worst > 0 for n in plan.neighbours]
    assert not all(certain)


def test_wrong_calls_are_rarer_than_alpha():
    """Models of one skill, so the finite truth leans either way."""
    alpha, times, wrong = 0.3, 50, 0
    for seed in range(times):
        truth, labels, models = simulated(seed, n=80, wrong=0.3, gap=0.0)
        case = make_case(labels, labels, models)
        items, names = checking_plan(case, seed=seed).items, list(models)
        right = {name: int((predicted == truth).sum()) for name, predicted in models.items()}
        called = False
        for k in range(6, len(items) + 1, 6):
            for n in checking_plan(case, truth[items[:k]], alpha, seed).neighbours:
                lead = right[names[n.first]] - right[names[n.second]]
                called |= n.status == "secure" and lead <= 0
                called |= n.status == "reversed" and lead >= 0
        wrong += called
    assert wrong / times <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / times)


def test_twins_stay_open_and_nothing_helps():
    _, labels, models = simulated(3)
    models["twin"] = models["best"]
    plan = checking_plan(make_case(labels, labels, models))
    assert plan.to_check is None
    tied = next(n for n in plan.neighbours if n.differing == 0)
    assert (tied.status, tied.to_check, tied.lead) == ("open", None, 0)


def test_certain_before_anything_is_drawn():
    labels = np.zeros(20, int)
    checked = np.arange(20) < 15
    case = make_case(labels, labels, {"a": labels, "b": labels + 1}, checked=checked)
    (only,) = checking_plan(case).neighbours
    assert (only.worst, only.status, only.p_secure) == (10, "secure", 0)


def test_what_was_checked_before_counts():
    """60 ahead on checked items; the rest, drawn at random, takes back 40 of them."""
    n, pool = 300, np.arange(100, 300)
    labels, checked = np.zeros(n, int), np.arange(n) < 100
    labels[:20] = 1
    case = make_case(labels, labels, {"a": [0] * n, "b": [1] * n}, checked=checked)
    truth = labels.copy()
    truth[np.random.default_rng(0).choice(pool, 120, replace=False)] = 1
    items = checking_plan(case).items
    called = [checking_plan(case, truth[items[:k]]).neighbours[0].status for k in range(5, 200, 5)]
    assert "reversed" not in called
    assert called[-1] == "secure"


def test_what_is_refused():
    _, labels, models = simulated(4)
    case = make_case(labels, labels, models)
    with pytest.raises(ValueError, match=r"spans 0\.\.9"):
        checking_plan(case, [0, 9])
    with pytest.raises(ValueError, match="301 labels were found"):
        checking_plan(case, [0] * 301)
