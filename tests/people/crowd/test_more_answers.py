"""How many labels are right, and how many more answers it takes, against crowds that are asked."""

from __future__ import annotations

import json
import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly import load
from candidly.people import crowd
from candidly.people.crowd import _more_answers as module
from candidly.people.crowd import more_answers, priorities

from needs import real_files
from simulated_crowd import as_rows, matrices, simulated

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "bench" / "results" / "more_answers.json"


def crowd_of(seed, n=400, m=3, number=15, each=3, right=(0.6, 0.9), one_coin=False):
    """Truth, the answers so far, and a way to ask one more annotator."""
    rng = np.random.default_rng(seed)
    rates = matrices(number, m, seed, right)
    if one_coin:
        accuracy = rng.uniform(*right, number)[:, None, None]
        rates = np.where(np.eye(m, dtype=bool), accuracy, (1 - accuracy) / (m - 1))
    truth, answers = simulated(n, rates, each, seed)

    def ask(item):
        who = rng.integers(number)
        return item, str(who), int(rng.choice(m, p=rates[who, truth[item]]))

    return truth, answers, ask


def fitted(rows, answers, one_coin):
    said = crowd.Answers.from_columns(
        *zip(*rows), items=answers.n, classes=answers.classes, repeats=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels that nobody gave
        return crowd.dawid_skene(said, one_coin=one_coin)


def asked_for(found, truth, rows, ask, share, one_coin):
    """What it really took: the model is fitted again after every hundredth of the items."""
    answers, count, step = found.answers, 0, max(1, found.answers.n // 100)
    rows = list(rows)
    while (found.labels == truth).mean() < share and count < module.MOST * answers.n:
        rows += map(ask, np.argsort(priorities(found), kind="stable")[:step].tolist())
        count += step
        found = fitted(rows, answers, one_coin)
    return count


def told_and_true(seeds, share, **kind):
    one_coin = kind.get("one_coin", False)
    for seed in seeds:
        truth, answers, ask = crowd_of(seed, **kind)
        rows = [(i, str(j), k) for i, j, k in as_rows(answers)]
        found = fitted(rows, answers, one_coin)
        told = more_answers(found, share, seed=seed)
        yield (
            told,
            (found.labels == truth).mean(),
            asked_for(found, truth, rows, ask, share, one_coin),
        )


def test_what_is_told_is_what_it_takes():
    """As many intervals hold the truth as of 6 at 95 % nearly always do."""
    seen = list(told_and_true(range(6), 0.94, one_coin=True, n=300))
    inside = sum(told.low <= took <= (told.high or np.inf) for told, _, took in seen)
    assert inside >= 4
    assert np.mean([told.now - now for told, now, _ in seen]) == pytest.approx(0, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "kind"),
    [
        (0.97, {"one_coin": True, "each": 5, "m": 5}),
        (0.97, {"each": 3}),
        (0.95, {"one_coin": True, "each": 2}),
    ],
)
def test_intervals_hold_in_most_crowds(share, kind):
    seen = list(told_and_true(range(8), share, n=250, **kind))
    inside = sum(told.low <= took <= (told.high or np.inf) for told, _, took in seen)
    assert inside >= 6  # of 8
    assert np.mean([told.now - now for told, now, _ in seen]) == pytest.approx(0, abs=0.03)


def test_the_fitted_model_alone_would_claim_too_much():
    """With two answers an item the posterior of Dawid-Skene is too sure; draws are not."""
    claimed, drawn = [], []
    for seed in range(6):
        truth, answers, _ = crowd_of(seed, n=600, each=2)
        found = fitted(as_rows(answers), answers, False)
        right = (found.labels == truth).mean()
        claimed.append(found.quality.mean() - right)
        drawn.append(more_answers(found, 0.9, draws=10).now - right)
    assert np.mean(claimed) > 0.05
    assert abs(np.mean(drawn)) < 0.03


def test_nothing_more_is_needed_where_all_is_certain():
    rows = [(i, j, i % 2) for i in range(200) for j in range(6)]
    found = crowd.dawid_skene(crowd.Answers.from_columns(*zip(*rows)))
    told = more_answers(found, 0.9, draws=20)
    assert (told.answers, told.low, told.high) == (0, 0, 0)
    assert told.now > 0.99
    assert "which reaches 90 %. This" in str(told)


def test_who_knows_nothing_never_gets_there():
    rng = np.random.default_rng(0)
    rows = [(i, j, int(rng.integers(2))) for i in range(800) for j in range(3)]
    found = fitted(rows, crowd.Answers.from_columns(*zip(*rows)), True)
    told = more_answers(found, 0.99, draws=10)
    assert told.answers is None or told.answers > 10 * 800
    never = crowd.MoreAnswers(0.99, 0.5, 0.4, 0.6, 800, None, 20, None, 10, module.INDEPENDENT)
    assert "30 more answers an item do not reach 99 %. This takes it" in str(never)
    late = crowd.MoreAnswers(0.99, 0.5, 0.4, 0.6, 800, 1200, 900, None, 10, module.INDEPENDENT)
    assert "1,200 more answers (900 to more than 24,000), each about" in str(late)


def test_the_same_seed_tells_the_same_and_a_sample_stands_for_all(monkeypatch):
    _, answers, _ = crowd_of(3, n=800, one_coin=True)
    found = fitted(as_rows(answers), answers, True)
    whole = more_answers(found, 0.95, draws=30)
    assert whole == more_answers(found, 0.95, draws=30)
    monkeypatch.setattr(module, "SAMPLE", 400)
    part = more_answers(found, 0.95, draws=30)
    assert part.now == pytest.approx(whole.now, abs=0.04)
    assert 0.4 < part.answers / whole.answers < 2.5


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.floats(0.55, 0.9), st.floats(0.0, 0.08))
def test_a_higher_share_never_takes_fewer(seed, share, more):
    _, answers, _ = crowd_of(seed, n=80, number=6, one_coin=True)
    found = fitted(as_rows(answers), answers, True)
    less, much = (more_answers(found, x, draws=8, seed=seed) for x in (share, share + more))
    one, other = (np.inf if told.answers is None else told.answers for told in (less, much))
    assert one <= other + 0.3 * answers.n  # not the same draws, as each takes as many as it needs


def test_what_fits_no_rates_is_refused():
    answers = crowd.Answers.from_columns([0, 0, 1, 1], ["a", "b"] * 2, [0, 1, 1, 1])
    with pytest.raises(ValueError, match=r"crowd\.dawid_skene"):
        more_answers(crowd.majority(answers), 0.9)
    for share in (0, 1, 1.2, float("nan")):
        with pytest.raises(ValueError, match="between 0 and 1"):
            more_answers(fitted(as_rows(answers), answers, False), share)
    with pytest.raises(ValueError, match="fits no error rates"):
        crowd.check_reach("majority", False)
    model = crowd.dawid_skene(answers, probs=np.full((2, 2), 0.5))
    with pytest.raises(ValueError, match="answers alone"):
        more_answers(model, 0.9)


@pytest.mark.skipif(not RESULTS.exists(), reason="comes without bench/results")
def test_the_page_says_what_was_measured():
    claims = json.loads(RESULTS.read_text(encoding="utf-8"))["claims"]
    ends = {}
    for claim in claims:
        ends.setdefault(claim["name"].rpartition(": ")[2], []).append(claim["value"])
    told = " ".join((ROOT / "docs" / "crowd.md").read_text(encoding="utf-8").split())
    for what in ("intervals that hold what it takes", "intervals that hold what is right"):
        low, high = (f"{100 * end(ends[what]):.0f}" for end in (min, max))
        assert f"in {low} to {high} %" in told
    assert f"at most {100 * max(ends['told minus right']):.1f} points off" in told
    assert f"up to {100 * max(ends['mean posterior minus right']):.1f} too much" in told
    assert all(claim["holds"] is not False for claim in claims)


@real_files
@pytest.mark.parametrize("name", ["labelme", "sentiment", "bluebirds"])
def test_of_real_crowds_the_page_says_what_is_told_and_what_is_right(name):
    data = load(name, os.environ["CANDIDLY_DATA"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = crowd.dawid_skene(crowd.Answers.from_labelled(data))
    right, told = (found.labels == data.truth).mean(), more_answers(found, 0.9).now
    row = f"| `{name}` | {right:.1%} | {told:.1%} | {found.quality.mean():.1%} |".replace("%", " %")
    page = (ROOT / "docs" / "crowd.md").read_text(encoding="utf-8")
    assert row in page
    told = more_answers(crowd.opinion_pool(found.answers), 0.97).now
    place = ["labelme", "sentiment", "bluebirds"].index(name)
    numbers = re.search(r"there ([0-9.]+), ([0-9.]+) and ([0-9.]+) % are told", page)
    assert numbers[place + 1] == f"{100 * told:.1f}"
