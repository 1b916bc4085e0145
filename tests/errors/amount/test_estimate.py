"""How many labels are wrong: what is said where it is known, and what is not said."""

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly import errors
from candidly.errors.amount import estimate, worth_a_look
from candidly.errors.amount.shown import depths_grid, how_many
from candidly.show.document import Document
from made_overlap import made


def probs_of(logs):
    return np.exp(logs)


def test_overlap_is_no_error():
    logs, _, labels = made(6000, 6, 0.0, seed=5, scale=1.0)
    assert (logs.argmax(1) != labels).mean() > 0.3
    found = estimate(labels, probs_of(logs))
    assert found.number == 0
    assert not found.moves
    assert found.headline().startswith("Classes that overlap can explain every contradiction.")
    assert errors.counts(labels, probs_of(logs)).expected > 600  # what confident learning says


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.03, 0.1, 0.25]), st.sampled_from([2, 3, 8]))
def test_even_errors_are_counted(seed, rate, q):
    logs, true, labels = made(4000, q, rate, seed, scale=6)
    found = estimate(labels, probs_of(logs))
    truth = (labels != true).mean()
    assert abs(found.share - truth) <= max(0.01, 0.25 * truth)
    assert found.low - 0.01 <= truth <= found.high + 0.01


def test_a_chance_is_a_chance():
    logs, true, labels = made(20000, 5, 0.1, 2, scale=3)
    found = estimate(labels, probs_of(logs))
    assert found.chance.mean() == pytest.approx(found.share)
    for low, high in ((0.0, 0.2), (0.2, 0.6), (0.6, 1.01)):
        there = (found.chance >= low) & (found.chance < high)
        spread = 4 * 0.5 / np.sqrt(there.sum())
        assert (labels != true)[there].mean() == pytest.approx(
            found.chance[there].mean(), abs=spread
        )


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 100))
def test_the_order_of_rows_and_the_names_of_classes_say_nothing(seed):
    logs, _, labels = made(1200, 4, 0.1, seed, scale=4)
    rng = np.random.default_rng(seed)
    rows, classes = rng.permutation(1200), rng.permutation(4)
    found = estimate(labels, probs_of(logs))
    back = np.argsort(classes)
    other = estimate(back[labels][rows], probs_of(logs)[rows][:, classes])
    assert other.share == pytest.approx(found.share, abs=2e-3)
    assert np.allclose(other.chance, found.chance[rows], atol=0.02)


def test_rows_without_a_label_and_without_weight_take_no_part():
    logs, _, labels = made(2000, 3, 0.1, scale=4)
    probs = probs_of(logs)
    found = estimate(labels, probs)
    gaps = np.concatenate([labels, np.full(500, -1)])
    more = np.concatenate([probs, probs[:500]])
    with_gaps = estimate(gaps, more, unlabelled=True)
    assert with_gaps.share == pytest.approx(found.share)
    assert with_gaps.labelled == 2000
    assert np.isnan(with_gaps.chance[2000:]).all()
    weights = np.ones(2500)
    weights[2000:] = 0
    weighed = estimate(np.concatenate([labels, labels[:500]]), more, weights=weights)
    assert weighed.share == pytest.approx(found.share)


def test_many_rows_are_drawn_from(monkeypatch):
    logs, true, labels = made(30_000, 3, 0.1, scale=4)
    whole = estimate(labels, probs_of(logs))
    monkeypatch.setattr("candidly.errors.amount._estimate.ROWS", (1000, 3000))
    drawn = estimate(labels, probs_of(logs), seed=1)
    assert drawn.fitted == 3000
    assert drawn.labelled == 30_000
    assert drawn.high - drawn.low > 2 * (whole.high - whole.low)
    assert drawn.low <= (labels != true).mean() <= drawn.high


def test_zeros_of_neighbours_are_no_certainty():
    rng = np.random.default_rng(0)
    true = rng.integers(3, size=3000)
    votes = np.stack([rng.multinomial(20, p) for p in 0.1 + 0.7 * np.eye(3)[true]]) / 20
    hit = rng.random(3000) < 0.1
    labels = np.where(hit, (true + 1) % 3, true)
    assert (votes == 0).mean() > 0.01
    assert estimate(labels, votes).share == pytest.approx(0.1, abs=0.025)


SILENT = {
    "few": (lambda: made(60, 3, 0.1, scale=4), "there are 60 labels"),
    "guesses": (lambda: (made(500, 3)[0], 0, made(500, 3, seed=9)[2]), "no better than a guess"),
    "one-hot": (lambda: _one_hot(), "the probabilities are 0 or 1"),
    "constant": (lambda: (made(500, 3)[0], 0, np.zeros(500, int)), "all labels are the same"),
    "equal": (
        lambda: (np.full((500, 3), -np.log(3)), 0, made(500, 3)[2]),
        "no better than a guess",
    ),
}


def _one_hot():
    logs, true, labels = made(800, 3, 0.1, scale=4)
    return np.log(np.eye(3)[logs.argmax(1)] + 1e-300), true, labels


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", SILENT)
def test_where_nothing_can_be_said_it_says_why(name):
    make, why = SILENT[name]
    logs, _, labels = make()
    found = estimate(labels, np.exp(logs))
    assert why in found.why
    assert found.headline().startswith("How many of ")
    assert found.why in found.headline()
    assert "cannot be told" in found.headline()
    assert found.number is None
    assert found.least is None
    assert np.isnan(found.share)
    evidence = errors.examine(labels, np.exp(logs))
    issues = worth_a_look(found, evidence)
    assert issues.chance is None
    assert found.headline() in Document("x", (how_many(found, issues),)).render(width=400)


def test_what_is_refused():
    logs, _, labels = made(300, 3, scale=4)
    probs = probs_of(logs)
    sets = np.eye(3, dtype=bool)[labels]
    sets[:, 0] = True
    with pytest.raises(ValueError, match="candidate sets"):
        estimate(sets, probs)
    for weights, told in (
        (np.ones(5), r"`weights` has shape \(5,\)"),
        (np.full(300, -1.0), "`weights` is -1.0 at row 0"),
        (np.zeros(300), "`weights` is 0 at every row"),
        (np.full(300, np.nan), "`weights` is nan at row 0"),
    ):
        with pytest.raises(ValueError, match=told):
            estimate(labels, probs, weights=weights)


# what is said


def say(labelled=1_000_000, share=0.041, low=0.039, high=0.043, moves=(), **more):
    logs, _, labels = made(300, 3, 0.1, scale=4)
    found = estimate(labels, probs_of(logs))
    even = found.moves[:1]
    return dataclasses.replace(
        found, labelled=labelled, share=share, low=low, high=high, moves=moves or even, **more
    )


def test_one_label_is_no_plural():
    found = say(200, disagreement=1 / 200)
    assert any("contradicts 1 label. " in sentence for sentence in found.findings())


def test_the_headline_carries_the_digits_of_its_interval():
    assert say().headline() == (
        "If errors strike clear and unclear rows alike, about 41,000 (39,000 to 43,000) of "
        "1,000,000 labels are wrong, 4.1%."
    )
    wide = say(2000, 0.1, 0.02, 0.3)
    assert wide.headline() == (
        "If errors strike clear and unclear rows alike, 40 to 600 of 2,000 labels are wrong."
    )
    clean = dataclasses.replace(say(20_000, 0.0, 0.0, 0.0019), moves=())
    assert clean.headline() == (
        "Classes that overlap can explain every contradiction. If errors strike clear and unclear "
        "rows alike, at most 38 of 20,000 labels are wrong."
    )


@settings(max_examples=50)
@given(st.integers(100, 10**7), st.floats(0, 0.5), st.floats(0, 0.2), st.floats(0, 0.2))
def test_no_sentence_is_narrower_than_its_interval(labelled, share, below, above):
    low, high = max(share - below, 0.0), min(share + above, 1.0)
    found = say(labelled, share, low, high)
    said = [int(word.replace(",", "")) for word in _numbers(found.headline())]
    assert min(said) <= found.low * labelled + 1
    assert labelled >= max(said[:-1]) >= found.high * labelled - 1
    assert found.least <= found.low * labelled
    assert found.most >= found.high * labelled
    assert ("about" in found.headline()) == found.narrow


def _numbers(text):
    return re.findall(r"(?<![\d.])\d[\d,]*(?![\d.%])", text)


def test_the_list_is_as_long_as_it_pays_to_read():
    logs, true, labels = made(20_000, 5, 0.1, 2, scale=5)
    evidence = errors.examine(labels, probs_of(logs))
    found = estimate(evidence)
    issues = worth_a_look(found, evidence)
    rows = issues.indices
    assert (evidence.predicted[rows] != labels[rows]).all()
    assert (labels != true)[rows].mean() > 0.5
    grid = depths_grid(found, issues)
    for first, expected, *_ in grid.rows:
        assert expected == found.depth(_contradicted(issues), first)
        if first >= 100:
            truth = (labels != true)[_contradicted(issues)[:first]].sum()
            assert abs(truth - expected) <= 5 * np.sqrt(first)
    clean = made(5000, 5, 0.0, 2, scale=1)
    evidence = errors.examine(clean[2], probs_of(clean[0]))
    assert len(worth_a_look(estimate(evidence), evidence).indices) == 20


def _contradicted(issues):
    from candidly.errors.amount._listed import contradicted

    return contradicted(issues).indices


def test_where_classes_are_struck_differently_the_chance_ranks():
    logs, true, labels = made(6000, 4, 0.0, scale=5)
    rng = np.random.default_rng(1)
    hit = (true == 2) & (rng.random(6000) < 0.3)
    labels = np.where(hit, (true + rng.integers(1, 4, 6000)) % 4, labels)
    evidence = errors.examine(labels, probs_of(logs))
    found = estimate(evidence)
    issues = worth_a_look(found, evidence)
    assert issues.rank == "chance"
    assert (np.diff(found.chance[issues.indices]) <= 0).all()
    assert "'2'" not in found.headline()
    assert any("2 given as any other" in sentence for sentence in found.findings())
    assert issues.table()["chance"].to_list() == found.chance[issues.indices].tolist()


def test_a_model_that_has_memorised_the_labels_is_named():
    logs, _, labels = made(2000, 3, 0.1, scale=4)
    learned = np.full((2000, 3), 0.02)
    learned[np.arange(2000), labels] = 0.96
    with pytest.warns(UserWarning, match="had learned these labels"):
        found = estimate(labels, learned)
    assert any("learned these very labels" in sentence for sentence in found.findings())
    assert not any("learned" in sentence for sentence in estimate(labels, np.exp(logs)).findings())


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 0.25]), st.sampled_from([2, 3, 8]))
def test_how_often_the_classifier_is_right_is_told_from_wrong_labels(seed, rate, q):
    logs, true, labels = made(4000, q, rate, seed, scale=6)
    found = estimate(labels, np.exp(logs))
    right = (logs.argmax(1) == true).mean()
    low, about, high = found.accuracy
    assert low <= about <= high
    assert about == pytest.approx(right, abs=0.02)
    assert low - 0.01 <= right <= high + 0.01
    if not found.moves:
        assert about == pytest.approx(1 - found.disagreement)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rows_that_count_three_times_are_three_rows(seed):
    logs, _, labels = made(4000, 3, 0.1, seed, scale=4)
    probs, first = np.exp(logs), labels == 0
    weighed = estimate(labels, probs, weights=1 + 2.0 * first)
    rows = np.concatenate([np.arange(4000), np.repeat(np.flatnonzero(first), 2)])
    tripled = estimate(labels[rows], probs[rows])
    assert weighed.disagreement == pytest.approx(tripled.disagreement)
    assert weighed.share == pytest.approx(tripled.share, abs=0.01)
    assert weighed.accuracy[1] == pytest.approx(tripled.accuracy[1], abs=0.01)
    assert weighed.high - weighed.low > tripled.high - tripled.low  # they are no more rows


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.25]), st.sampled_from([2, 4]))
def test_the_transition_matrix_is_that_of_the_labels(seed, rate, q):
    logs, true, labels = made(6000, q, rate, seed, scale=6)
    found = estimate(labels, probs_of(logs))
    counted = np.array([np.bincount(labels[true == k], minlength=q) for k in range(q)])
    counted = counted / counted.sum(1, keepdims=True)
    assert np.abs(found.transition - counted).max() < 0.05
    low, high = found.at_ends()
    for matrix, share in ((found.transition, found.share), (low, found.low), (high, found.high)):
        assert np.allclose(matrix.sum(1), 1)
        assert matrix.min() >= 0
        assert 1 - np.diag(matrix).mean() == pytest.approx(share, abs=0.02)


def test_the_ends_of_no_error_are_none_and_even_ones():
    logs, _, labels = made(3000, 3, 0.0, seed=5, scale=1.0)
    found = estimate(labels, probs_of(logs))
    low, high = found.at_ends()
    assert (found.transition == np.eye(3)).all()
    assert (low == np.eye(3)).all()
    assert np.diag(high) == pytest.approx([1 - found.high] * 3)
    assert high[0, 1] == high[2, 0] == pytest.approx(found.high / 2)
    silent = estimate(labels[:50], probs_of(logs)[:50])
    assert np.isnan(silent.transition).all()
    assert np.isnan(found.silenced("why").transition).all()
