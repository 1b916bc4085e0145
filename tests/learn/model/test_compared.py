"""Several ways to learn, compared where none has seen the rows, and the chosen one judged apart."""

from __future__ import annotations

import numpy as np
import pytest

from candidly import fit_and_measure, from_arrays
from candidly.learn.model import compared as module
from candidly.learn.model._judging import SHARE
from candidly.learn.model.compared import compare_ways
from candidly.learn.model.stopping import fit_as_needed
from candidly.stats import holm


def crossed(n=600, wrong=0.1, seed=0):
    """Two classes that no line tells apart, some labels of which are wrong."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    truth = ((x[:, 0] > 0) ^ (x[:, 1] > 0)).astype(int)
    given = np.where(rng.random(n) < wrong, 1 - truth, truth)
    return from_arrays(x, given, truth=truth)


def test_who_is_better_is_chosen_and_judged_on_rows_that_chose_nobody(monkeypatch):
    seen = []
    original = module.compare_ways

    def kept(data, names, **options):
        seen.append(data)
        return original(data, names, **options)

    monkeypatch.setattr("candidly.learn.model.measured.compare_ways", kept)
    data = crossed()
    found = fit_and_measure(data, "logistic", against=["boosting"], validation=0.25)
    assert found.algorithm == found.compared.chosen == "boosting"
    assert found.model.about["algorithm"] == "boosting"
    best, other = found.compared.contestants
    assert (best.name, other.name) == ("boosting", "logistic")
    assert best.right > other.right
    assert other.p < 0.001
    assert str(found.compared).startswith("boosting is chosen: on these rows it is ahead")
    assert not set(seen[0].ids) & set(found.held.ids)
    assert found.compared.rows == round(0.2 * seen[0].n)
    alone = fit_and_measure(data, "boosting", validation=0.25)
    assert alone.measured == found.measured  # of all rows to learn from, as if it were named


def test_counts_are_those_of_training_by_hand():
    from candidly import fit

    data = crossed(300)
    found = compare_ways(data, ["logistic", "forest", "boosting"], seed=3)
    split = data.split(3, test=0.0, validation=SHARE)
    learned, rest = data[split.train], data[split.validation]
    right = {}
    for name in ("logistic", "forest", "boosting"):
        model = fit(learned, name, seed=3)
        right[name] = model.predict_logits(rest).argmax(1) == rest.given
    assert {one.name: one.right for one in found.contestants} == {
        name: int(one.sum()) for name, one in right.items()
    }
    best = right[found.chosen]
    others = [name for name in right if name != found.chosen]
    exact = [binomial(best & ~right[name], right[name] & ~best) for name in others]
    for name, p in zip(others, holm(np.array(exact))):
        assert next(o.p for o in found.contestants if o.name == name) == pytest.approx(p)


def binomial(only, other):
    """McNemar's exact p, by scipy's binomial test."""
    from scipy.stats import binomtest

    k, n = int(only.sum()), int(only.sum() + other.sum())
    return binomtest(k, n, 0.5).pvalue if n else 1.0


def test_networks_and_classifiers_are_compared_and_equals_are_told():
    found = fit_and_measure(
        crossed(400), "ce", against=["gce", "boosting"], steps=200, validation=0.2
    )
    assert {one.name for one in found.compared.contestants} == {"ce", "gce", "boosting"}
    assert found.steps == (0 if found.algorithm == "boosting" else 200)
    alike = compare_ways(crossed(200, wrong=0.5), ["logistic", "forest"])
    assert "do not tell it apart from" in str(alike)


def test_candidate_sets_are_judged_by_candidates():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 200)
    sets = rng.random((200, 3)) < 0.3
    sets[np.arange(200), truth] = True
    data = from_arrays(np.eye(3)[truth] + rng.normal(size=(200, 3)) / 3, sets)
    found = compare_ways(data, ["PRODEN", "CC"], steps=100)
    assert found.rows == 40
    assert all(one.right > 30 for one in found.contestants)


def test_what_cannot_be_compared_is_refused():
    data = crossed(200)
    for names, match in (
        (["ce"], "at least two"),
        (["ce", "ce"], "each once"),
        (["ce", "PRODEN"], "one label a row"),
    ):
        with pytest.raises(ValueError, match=match):
            compare_ways(data, names)
    with pytest.raises(ValueError, match="20 are the fewest"):
        compare_ways(crossed(60), ["logistic", "forest"])
    with pytest.raises(ValueError, match="several are compared"):
        fit_and_measure(data, "ce", against=["gce"], lr=0.01)
    with pytest.raises(
        ValueError, match="of 84 rows 16 are there to compare on"
    ):  # of what one learns from
        compare_ways(crossed(105), ["ce", "gce"], steps="auto")


def test_each_network_stops_early_on_rows_of_its_own():
    """It takes as many updates as it needs alone; so does the one that is chosen, on all rows."""
    data = crossed(300)
    found = fit_and_measure(data, "ce", against=["gce"], validation=0)
    split = data.split(0, test=0.0, validation=SHARE)
    learned, rest = data[split.train], data[split.validation]
    for one in found.compared.contestants:
        model, needed = fit_as_needed(learned, one.name)
        assert needed is not None
        assert one.right == (model.predict_logits(rest).argmax(1) == rest.given).sum()
    assert found.needed == fit_as_needed(data, found.algorithm)[1]
