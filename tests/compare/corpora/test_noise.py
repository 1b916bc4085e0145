"""Noise of known sources: every invariant, on events that are drawn at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.compare.corpora import noise
from candidly.compare.corpora.checks import Defect, check_mixed, check_replaced
from candidly.compare.corpora.noise import BEYOND, SUB, TAIL, Events, mixed, share, single

RATES = (0.1, 0.2, 0.4, 0.6)


def events_of(seed: int, n: int = 60, m: int = 200, q: int = 6) -> tuple[Events, np.ndarray]:
    """Training events and a pool in a plane, coarse so that many are equally alike."""
    g = np.random.default_rng(seed)
    labels = np.sort(g.integers(0, q, n))
    source, parents = g.integers(0, 3, q).astype(np.int8), g.integers(0, 2, q)
    names = tuple(f"class {label}" for label in range(q))
    pool_parents = np.arange(m) % 2
    events = Events(labels, names, source, parents, pool_parents)
    return events, g.integers(-3, 4, (n + m, 4)).astype(float)


def found_of(events: Events, vectors: np.ndarray):
    n = len(events.labels)
    return events.search(vectors[:n], vectors[n:])


@given(st.integers(0, 10_000))
@settings(max_examples=40)
def test_every_source_has_the_rate_and_rates_are_nested(seed):
    events, vectors = events_of(seed)
    found = found_of(events, vectors)
    rates = {rate: mixed(events, found, rate) for rate in RATES}
    check_mixed(events, rates)
    for rate, origin in rates.items():
        check_replaced(events, origin)
        for source in (SUB, BEYOND, TAIL):
            mine = events.event_source == source
            assert (origin[mine] >= 0).sum() == int(rate * mine.sum() + 1e-9)
            if 0 < (origin[mine] >= 0).sum() < mine.sum():  # the hardest first
                hard = found.similarity[mine & (origin >= 0)].min()
                assert hard >= found.similarity[mine & (origin < 0)].max()


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_who_replaces_is_the_nearest_that_is_left(seed):
    """By a slow version, which looks at every pair anew."""
    events, vectors = events_of(seed, n=30, m=80)
    n = len(events.labels)
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1e-12)[:, None]
    whole = np.rint(unit * 2.0**25)  # products of these are exact, so that equals are equal
    likeness = whole[:n] @ whole[n:].T
    sub = events.event_source == SUB
    allowed = (events.parents[events.labels][:, None] == events.pool_parents) | ~sub[:, None]
    likeness[~allowed] = -np.inf
    best = likeness.max(1)
    wanted, free = np.full(n, -1), np.ones(len(events.pool_parents), bool)
    queue = []
    for source in (SUB, BEYOND, TAIL):
        rows = sorted(np.flatnonzero(events.event_source == source), key=lambda r: (-best[r], r))
        count = share(0.4, len(rows))
        queue += [((place + 1) / len(rows), row) for place, row in enumerate(rows[:count])]
    for _, row in sorted(queue):
        wanted[row] = np.where(free, likeness[row], -np.inf).argmax()
        free[wanted[row]] = False
    got = mixed(events, found_of(events, vectors), 0.4)
    np.testing.assert_array_equal(got, wanted)


def test_sources_partition_the_classes_and_400_events_are_a_tail():
    found = noise.sources_of([400, 401, 1000, 350], beyond=[2, 3])
    assert found.tolist() == [TAIL, SUB, BEYOND, TAIL]
    with pytest.raises(ValueError, match="class 4 is not there; classes are 0 to 3"):
        noise.sources_of([400, 401, 1000, 350], beyond=[4])


def test_held_out_events_are_as_many_of_every_class_and_no_training_event():
    labels = np.repeat([0, 1, 2], [21, 40, 300])
    part = noise.split(labels, ("a", "b", "c"), held=10)
    for number, size in enumerate((21, 40, 300)):
        of = np.bincount(part[labels == number], minlength=3)
        assert of.tolist() == [size - 20, 10, 10]
    assert (noise.split(labels, ("a", "b", "c"), held=10) == part).all()
    assert (noise.split(labels, ("a", "b", "c"), held=10, seed=1) != part).any()
    with pytest.raises(ValueError, match=r"'a' has 21 events, of which 22 are to be held out"):
        noise.split(labels, ("a", "b", "c"), held=11)


def test_a_single_source_at_a_rate_of_its_own_events_or_of_all():
    events, vectors = events_of(3)
    events = replace(events, source=np.array([SUB, SUB, BEYOND, BEYOND, TAIL, TAIL], np.int8))
    found = found_of(events, vectors)
    sizes = np.bincount(events.event_source, minlength=3)
    for source in (SUB, BEYOND, TAIL):
        of_source = single(events, found, source, 0.5)
        assert (of_source >= 0).sum() == sizes[source] // 2
        assert (events.event_source[of_source >= 0] == source).all()
    small = int(sizes.argmin())
    of_all = single(events, found, small, 0.1, "train")
    assert (of_all >= 0).sum() == 6
    with pytest.raises(ValueError, match=r"0\.9 of all training events are 54, and .* has"):
        single(events, found, small, 0.9, "train")


def test_a_share_is_rounded_down_and_not_by_binary_fractions():
    assert [share(0.29, 100), share(0.1, 39), share(0.6, 5), share(0.1, 30)] == [29, 3, 3, 3]
    with pytest.raises(ValueError, match=r"the rate is 1\.5; it is a share"):
        share(1.5, 10)


def test_a_class_without_siblings_outside_is_refused_by_its_name():
    events, vectors = events_of(0)
    lone = Events(
        *(events.labels, events.names, np.zeros(6, np.int8)),
        *(np.array([0, 0, 0, 0, 0, 7]), events.pool_parents),
    )
    with pytest.raises(ValueError, match="'class 5': its sibling categories have too few events"):
        mixed(lone, found_of(lone, vectors), 1.0)


def test_a_pool_that_is_too_small_is_refused():
    events, vectors = events_of(1, n=60, m=20)
    with pytest.raises(ValueError, match=r"36 events are to be replaced, and 20 are outside"):
        mixed(events, found_of(events, vectors), 0.6)


def test_a_build_that_is_not_what_it_says_is_found_out():
    events, vectors = events_of(2)
    found = found_of(events, vectors)
    rates = {rate: mixed(events, found, rate) for rate in RATES}
    fewer = rates[0.2].copy()
    fewer[np.flatnonzero(fewer >= 0)[0]] = -1
    with pytest.raises(Defect, match=r"are replaced at 0\.2, not"):
        check_mixed(events, {**rates, 0.2: fewer})
    other = rates[0.4].copy()
    there = np.flatnonzero(rates[0.1] >= 0)[0]
    other[there] = (other[there] + 1) % len(events.pool_parents)
    with pytest.raises(Defect, match=r"rate 0\.4 does not hold the lower"):
        check_mixed(events, {**rates, 0.4: other})
    twice = rates[0.4].copy()
    twice[np.flatnonzero(twice >= 0)[:2]] = 5
    with pytest.raises(Defect, match="is in two places"):
        check_replaced(events, twice)
    sub = np.flatnonzero((events.event_source == SUB) & (rates[0.6] >= 0))
    wrong = np.full(len(events.labels), -1)
    above = events.parents[events.labels[sub[0]]]
    wrong[sub[0]] = np.flatnonzero(events.pool_parents != above)[0]
    with pytest.raises(Defect, match="of another parent"):
        check_replaced(events, wrong)
