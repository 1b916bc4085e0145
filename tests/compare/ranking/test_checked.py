"""Checked keys: what they change, what may still turn, and by simulation that "secure" holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly.compare import stability
from candidly.compare.ranking import keys_to_check, make_checked, make_scores, rank, suspects
from candidly.compare.ranking._keys import were_right
from candidly.compare.ranking.document import ranking_document

NONE = np.nan


def test_by_hand():
    """Ten items; the key of the last two was wrong, and the eighth has no right answer."""
    scores = make_scores({"a": [1] * 7 + [0, 0, 0], "b": [1] * 6 + [0] + [1, 1, 1]})
    right = {"a": [NONE] * 7 + [NONE, 1, 1], "b": [NONE] * 7 + [NONE, 0, 0]}
    checked = make_checked(scores, right, void=np.arange(10) == 7)
    assert checked.checked.tolist() == [False] * 7 + [True] * 3
    assert checked.changed.sum() == 2
    assert checked.now.n == 9
    found = rank(checked)
    assert [one.model for one in found.models] == ["a", "b"]
    assert [one.score for one in found.models] == pytest.approx([1, 6 / 9])
    keys = found.wrong_keys
    assert (keys.items, keys.checked, keys.wrong, keys.void) == (10, 3, 2, 1)
    assert keys.ranks == {"a": (2, 1), "b": (1, 2)}
    (turned,) = keys.turned
    assert (turned.ahead, turned.behind) == ("a", "b")
    assert (turned.before, turned.after) == pytest.approx((-0.2, 3 / 9))
    assert keys.prevalence == pytest.approx(2 / 9)
    (pair,) = keys.neighbours
    # a is ahead by three; each of seven unchecked items may cost it two, or one where both are
    # right, as only scores are known
    assert (pair.first, pair.second, pair.lead, pair.worst) == ("a", "b", 3, 2 - 7)


def test_models_that_answered_alike_are_not_parted():
    answers = {"a": list("AABB"), "b": list("AABC")}
    scores = make_scores({name: [one == "A" for one in said] for name, said in answers.items()})
    nothing = {name: [NONE] * 4 for name in answers}
    known = keys_to_check(make_checked(scores, nothing, answers=answers))
    assert known.items.tolist() == [3]
    assert keys_to_check(make_checked(scores, nothing)).neighbours[0].differing == 4


def models(g, n=120, skills=(0.3, 0.0, 0.0)):
    """Answers of three models, a truth, and a key that is wrong on a tenth of the items."""
    truth = g.integers(0, 4, n)
    key = np.where(g.random(n) < 0.1, (truth + g.integers(1, 4, n)) % 4, truth)
    answers = {
        name: np.where(g.random(n) < 0.55 + skill, truth, g.integers(0, 4, n))
        for name, skill in zip("abc", skills)
    }
    return truth, key, answers


@given(st.integers(0, 300))
def test_crossings_are_those_of_stability(seed):
    """Where scores are right or wrong and items are drawn by themselves."""
    truth, key, answers = models(np.random.default_rng(seed))
    if (truth == key).all():
        return
    report = stability.assess(stability.make_case(key, truth, answers), resamples=0)
    scores = make_scores({name: said == key for name, said in answers.items()})
    right = {name: said == truth for name, said in answers.items()}
    found = rank(make_checked(scores, right, changed=truth != key)).wrong_keys
    assert found.prevalence == pytest.approx(report.prevalence.right / report.prevalence.of)
    mine = {(one.ahead, one.behind): one for one in found.crossings}
    theirs = {(one.ahead, one.behind): one for one in report.crossings}
    assert mine.keys() == theirs.keys()
    for pair, one in mine.items():
        other = theirs[pair]
        assert one.prevalence == pytest.approx(other.prevalence)
        assert one.adjusted == pytest.approx(other.adjusted)
        assert one.established == other.established
        assert (one.low, one.high) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize("shape", ["answers", "graded", "weighted"])
def test_what_is_called_secure_is_so(shape):
    """People check a third of the plan; of the orders that are then called most are true."""
    wrong = called = 0
    for seed in range(60):
        g = np.random.default_rng(seed)
        truth, key, answers = models(g, skills=(0.25, 0.02, 0.0))
        weights = g.choice([1.0, 3.0], len(truth)) if shape == "weighted" else None
        part = 0.4 * (shape == "graded")  # of a score that is not the key's
        noise = {name: part * g.random(len(truth)).round(1) for name in answers}

        def score(by, noise=noise, part=part, answers=answers):
            return {name: (1 - part) * (said == by) + noise[name] for name, said in answers.items()}

        scores = make_scores(score(key), weights=weights)
        said = answers if shape == "answers" else None
        void = g.random(len(truth)) < 0.05
        start = {name: np.full(len(truth), NONE) for name in answers}
        plan = keys_to_check(make_checked(scores, start, answers=said, seed=seed), 0.2)
        drawn = plan.items[: len(plan.items) // 3]
        seen = np.isin(np.arange(len(truth)), drawn)
        right = {name: np.where(seen, one, NONE) for name, one in score(truth).items()}
        checked = make_checked(
            scores, right, void=void & seen, answers=said, drawn=drawn, seed=seed
        )
        now = keys_to_check(checked, 0.2)
        mean = {name: one[~void] @ scores.weight[~void] for name, one in score(truth).items()}
        sides = []
        for pair in now.neighbours:
            lead = mean[scores.names[pair.first]] - mean[scores.names[pair.second]]
            called += pair.status != "open"
            sides.append((pair.status, lead > 1e-9, lead < -1e-9))
        wrong += any(
            (status == "secure" and not ahead) or (status == "reversed" and not behind)
            for status, ahead, behind in sides
        )
    assert called > 10
    assert wrong <= 20  # of 60 at 20 %; more with a chance of 1 in 100


def test_a_plan_has_its_order():
    truth, key, answers = models(np.random.default_rng(0))
    scores = make_scores({name: said == key for name, said in answers.items()})
    start = {name: np.full(len(truth), NONE) for name in answers}
    plan = keys_to_check(make_checked(scores, start))
    assert sorted(plan.items) == list(range(len(truth)))
    swapped = plan.items[[1, 0]]
    seen = np.isin(np.arange(len(truth)), swapped)
    right = {name: np.where(seen, said == truth, NONE) for name, said in answers.items()}
    with pytest.raises(ValueError, match="is not number 1 of the plan"):
        keys_to_check(make_checked(scores, right, drawn=swapped))
    every = {name: said == truth for name, said in answers.items()}
    done = keys_to_check(make_checked(scores, every, drawn=plan.items))
    assert done.to_check == 0 or any(pair.lead == 0 for pair in done.neighbours)
    assert all(pair.status != "open" or pair.lead == 0 for pair in done.neighbours)


def test_were_most_models_right():
    answers = {"a": list("ABAA"), "b": list("BBAA"), "c": list("BBBA")}
    key = list("ABAA")
    doubted = suspects(answers, key)
    assert [(one.item, one.answer, one.matters) for one in doubted] == [
        (0, "B", pytest.approx(4 / 3))
    ]
    scores = make_scores(
        {name: [x == y for x, y in zip(said, key)] for name, said in answers.items()}
    )
    then = were_right(scores, {name: np.array(said) for name, said in answers.items()}, doubted)
    assert then.now.values.mean(1).tolist() == [0.75, 1.0, 0.75]
    page = ranking_document(rank(scores), suspects=doubted, if_right=then).render("markdown")
    assert "Were most models right on all of them, b would be first and not a" in page


def test_the_page_says_what_is_known():
    truth, key, answers = models(np.random.default_rng(1))
    said = {name: one.astype(str) for name, one in answers.items()}
    scores = make_scores({name: one == key for name, one in answers.items()})
    nothing = {name: np.full(len(truth), NONE) for name in answers}
    page = ranking_document(rank(make_checked(scores, nothing, answers=said))).page()
    assert "None of 120 keys was checked." in page
    right = {name: one == truth for name, one in answers.items()}
    everything = make_checked(scores, right, answers=said, changed=truth != key)
    page = ranking_document(rank(everything)).page()
    wrong = (truth != key).sum()
    assert f"Of 120 keys 120 were checked: {wrong} are wrong, and 0 items have no right" in page
    assert "No more keys need a check." in page
    assert "a wrong key cannot part two models that gave the same one" in page


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"right": {"a": [1, 1]}}, "`right` has scores of a, and the ranking of a, b"),
        ({"right": {"a": [1, 1, 1], "b": [1, 1]}}, "have shape"),
        ({"right": {"a": [2, NONE], "b": [1, NONE]}}, "of item 0 is 2; scores lie between 0 and 1"),
        ({"right": {"a": [1, NONE], "b": [NONE, NONE]}}, "'b' has no score by the right key"),
        ({"void": [1, 0]}, "`void` is int64"),
        ({"void": [True, True]}, "no item has a right answer"),
        ({"drawn": [1]}, "`drawn` names item 1, which nobody checked"),
        ({"answers": {"a": ["x"], "b": ["x"]}}, "`answers` are of 1 items"),
    ],
)
def test_what_does_not_fit(given, said):
    scores = make_scores({"a": [1, 0], "b": [0, 1]})
    asked = {"right": {"a": [1, NONE], "b": [0, NONE]}, **given}
    with pytest.raises(ValueError, match=said):
        make_checked(scores, asked.pop("right"), **asked)
