"""CROWDLAB: against loops and against its authors' program, and what to ask next."""

import warnings

import numpy as np
import pytest

from candidly.people.crowd import (
    Answers,
    annotators,
    best_temperature,
    crowdlab,
    dawid_skene,
    majority,
    next_items,
    priorities,
)
from candidly.people.crowd._crowdlab import scaled

import slow_crowd as slow
from simulated_crowd import as_rows, matrices, probs_for, simulated


def case(seed, m=3, spare=2):
    """Up to four answers an item, two items without any."""
    rng = np.random.default_rng(seed)
    truth, answers = simulated(15, matrices(6, m, seed), 4, seed)
    rows = [row for row in as_rows(answers) if rng.random() < 0.6] + [(0, "only here", 1)]
    answers = Answers.from_columns(*zip(*rows), items=15 + spare, classes=m)
    return rows, answers, probs_for(np.append(truth, [0] * spare), m, seed)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("with_model", [False, True])
def test_equal_to_loops(seed, with_model):
    m = 2 + seed % 3
    rows, answers, probs = case(seed, m)
    probs = probs if with_model else None
    found = crowdlab(answers, probs)
    first = majority(answers, probs).labels
    labels, q, w, w0, quality = slow.crowdlab(rows, answers.n, m, first.tolist(), probs)
    assert found.majority.tolist() == first.tolist()
    assert found.labels.tolist() == labels
    np.testing.assert_allclose(found.posterior, q, atol=1e-12)
    names = answers.annotators
    np.testing.assert_allclose(found.weights, [w[j] for j in names], atol=1e-12)
    assert found.model_weight == pytest.approx(w0, abs=1e-12)
    np.testing.assert_allclose(found.annotator_quality, [quality[j] for j in names], atol=1e-12)
    expected = [slow.priority(i, rows, m, found.quality[i], w, w0, probs) for i in range(answers.n)]
    np.testing.assert_allclose(priorities(found), expected, atol=1e-12)
    for row in annotators(found).iter_rows(named=True):
        k, agreement, count = slow.worst_class(rows, row["annotator"], labels, found.quality)
        assert (row["worst class"], row["worst answers"]) == (str(k), count)
        assert row["worst agreement"] == pytest.approx(agreement)


def wide(answers):
    matrix = np.full((answers.n, len(answers.annotators)), np.nan)
    matrix[answers.item, answers.annotator] = answers.label
    return matrix


@pytest.mark.parametrize("seed", range(4))
def test_equal_to_the_authors_program(seed):
    peer = pytest.importorskip("cleanlab.multiannotator")
    m = 3
    truth, answers = simulated(150, matrices(12, m, seed), 3, seed)
    rng = np.random.default_rng(seed)
    kept = rng.random(len(answers)) < 0.8
    kept[np.unique(answers.item, return_index=True)[1]] = True  # the peer wants an answer each
    answers = Answers.from_columns(
        answers.item[kept], answers.annotator[kept], answers.label[kept], items=150, classes=m
    )
    probs = probs_for(truth, m, seed)
    theirs = peer.get_label_quality_multiannotator(
        wide(answers), probs, return_weights=True, verbose=False
    )
    found = crowdlab(answers, probs)
    quality = theirs["label_quality"]
    assert np.array_equal(found.majority, peer.get_majority_vote_label(wide(answers), probs))
    assert np.array_equal(found.labels, quality["consensus_label"])
    np.testing.assert_allclose(found.quality, quality["consensus_quality_score"], atol=1e-12)
    np.testing.assert_allclose(found.agreement, quality["annotator_agreement"], atol=1e-12)
    np.testing.assert_allclose(found.weights, theirs["annotator_weight"], atol=1e-12)
    assert found.model_weight == pytest.approx(theirs["model_weight"])
    stats = theirs["annotator_stats"].sort_index()
    np.testing.assert_allclose(found.annotator_quality, stats["annotator_quality"], atol=1e-12)
    heat = peer.find_best_temp_scaler(wide(answers), probs)
    spare = probs_for(np.arange(20) % m, m, 9)
    asked, unasked = peer.get_active_learning_scores(wide(answers), probs, spare)
    both = Answers.from_columns(
        answers.item, answers.annotator, answers.label, items=170, classes=m
    )
    cooled = peer.temp_scale_pred_probs(np.vstack([probs, spare]), heat)
    np.testing.assert_allclose(
        priorities(crowdlab(both, cooled)), np.append(asked, unasked), atol=1e-9
    )


def cross_entropy(answers, probs):
    shares = answers.counts / answers.per_item[:, None]
    return -(shares * np.log(probs)).sum(1).mean()


@pytest.mark.parametrize("heat", [0.3, 1.0, 4.0])
def test_the_temperature_is_the_best_there_is(heat):
    truth, answers = simulated(400, matrices(9, 3), 5)
    probs = scaled(probs_for(truth, 3), heat)
    best = best_temperature(answers, probs)
    tried = np.geomspace(0.1, 10, 200)
    values = [cross_entropy(answers, scaled(probs, t)) for t in tried]
    assert cross_entropy(answers, scaled(probs, best)) <= min(values) + 1e-9
    assert best == pytest.approx(tried[np.argmin(values)], rel=0.05)
    found = crowdlab(answers, probs, temperature=True)
    assert found.temperature == best
    np.testing.assert_allclose(found.posterior, crowdlab(answers, scaled(probs, best)).posterior)
    np.testing.assert_allclose(scaled(probs, 1.0), probs, atol=1e-12)


def test_an_item_asked_twice_by_hand():
    # three items with two answers each and one with one; people agree on two of three
    rows = [(0, "a", 0), (0, "b", 0), (1, "a", 1), (1, "b", 1), (2, "a", 0), (2, "b", 1),
            (3, "a", 1)]  # fmt: skip
    probs = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.4, 0.6]])
    found = crowdlab(Answers.from_columns(*zip(*rows)), probs)
    # majority 0 1 1 1 (the model); A = (1 + 1 + 1/2) / 3; E0 = 1/3; g = 2/3, so weights are 0
    assert found.likelihood == pytest.approx(5 / 6)
    np.testing.assert_allclose(found.weights, 1e-6)
    assert found.model_weight == pytest.approx(np.sqrt(7 / 4))  # the model is never wrong
    np.testing.assert_allclose(found.posterior, probs, atol=1e-5)
    assert found.labels.tolist() == [0, 1, 1, 1]


def test_one_answer_each_falls_back_on_the_model():
    answers = Answers.from_columns([0, 1, 2], ["a", "b", "a"], [0, 1, 1], items=4)
    probs = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.5, 0.5]])
    with pytest.warns(UserWarning, match="every item has one answer, so annotators cannot be wei"):
        found = crowdlab(answers, probs)
    assert np.array_equal(found.posterior, probs)
    assert found.labels.tolist() == [0, 0, 1, 0]
    assert found.majority.tolist() == [0, 1, 1, -1]
    np.testing.assert_allclose(found.annotator_quality, [(0.9 + 0.8) / 2, 0.3])
    np.testing.assert_allclose(priorities(found), [0.9, 0.7, 0.8, 0.5])
    assert annotators(found)["agreement"].null_count() == 2
    with pytest.raises(ValueError, match="every item has one answer, so annotators cannot be com"):
        crowdlab(answers)


def test_edges_are_defined():
    same = Answers.from_columns(
        np.repeat(range(6), 3), list("abc") * 6, np.repeat([0, 1] * 3, 3), items=7, classes=3
    )
    found = crowdlab(same)
    assert found.labels.tolist() == [0, 1] * 3 + [-1]
    assert (found.annotator_quality == 1).all()
    np.testing.assert_allclose(found.posterior[6], 1 / 3)
    one_class = Answers.from_columns([0, 0, 1, 1], list("abab"), [1, 1, 1, 1], classes=2)
    found = crowdlab(one_class, np.full((2, 2), 0.5))  # E0 is 0
    assert np.isfinite(found.posterior).all()
    assert found.labels.tolist() == [1, 1]
    # d shares no item with others: the mean of their agreement
    apart = Answers.from_columns([0, 0, 1, 1, 2], list("ababd"), [0, 0, 0, 1, 1])
    found = crowdlab(apart)
    assert found.weights[2] == found.weights[:2].mean()
    assert found.annotator_quality[2] == found.annotator_quality[:2].mean()
    with pytest.raises(ValueError, match="`temperature` is about a model's probabilities"):
        crowdlab(apart, temperature=True)


def test_unsound_probabilities_are_refused():
    _, answers, probs = case(0)
    for value, message in (
        (np.nan, "NaN or infinity at row 3, and in 1 row in all"),
        (-0.2, r"an entry outside \[0, 1\] at row 3"),
        (probs[3, 0] + 0.01, "a sum that is off 1 by up to 0.01 at row 3"),
    ):
        wrong = probs.copy()
        wrong[3, 0] = value
        with pytest.raises(ValueError, match=message):
            crowdlab(answers, wrong)
    slightly = probs.copy()
    slightly[2] *= 1.0005
    with pytest.warns(UserWarning, match=r"sum to 1 up to 0\.0005 \(row 2\)"):
        majority(answers, slightly)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        majority(answers, probs.astype(np.float32))
    with pytest.raises(ValueError, match="`probs` holds <U4"):
        majority(answers, np.full(probs.shape, "high"))


def of(table, annotator):
    return next(row for row in table.iter_rows(named=True) if row["annotator"] == annotator)


def test_the_worst_class_and_its_ties():
    # z says 0 once wrong; 1 twice wrong; 2 right: of equal agreements the one with more answers
    rows = [(i, who, i % 3) for i in range(9) for who in "abc"]
    rows += [(1, "z", 0), (2, "z", 1), (3, "z", 1), (5, "z", 2)]
    table = annotators(majority(Answers.from_columns(*zip(*rows))))
    row = of(table, "z")
    assert (row["worst class"], row["worst agreement"], row["worst answers"]) == ("1", 0, 2)
    assert (row["answers"], row["shared"], row["agreement"]) == (4, 4, 0.25)
    assert table["annotator"].to_list()[0] == "z"
    # equal in number: the lower quality of the consensus; d spoils that of item 2
    rows = [row for row in rows if row[1] != "z" or row[0] in (1, 2)] + [(2, "d", 0)]
    table = annotators(majority(Answers.from_columns(*zip(*rows))))
    row = of(table, "z")
    assert row["worst class"] == "1"


def test_what_to_ask_next():
    rows, answers, probs = case(1)
    found = crowdlab(answers, probs)
    table = next_items(found)
    assert table["priority"].round(12).is_sorted()
    assert sorted(table["row"].to_list()) == list(range(answers.n))
    np.testing.assert_allclose(table["priority"], priorities(found)[table["row"]])
    assert len(next_items(found, 3)) == 3
    with pytest.raises(ValueError, match="count is -1, but must be"):
        next_items(found, -1)
    # without weights every answer weighs 1: (said + 1/m) / (answers + 1)
    plain = majority(answers)
    expected = [(max(plain.answers.counts[i]) + 1 / 3) / (len(slow.about(rows, i)) + 1)
                for i in range(answers.n)]  # fmt: skip
    np.testing.assert_allclose(priorities(plain), expected)
    both = dawid_skene(answers, probs=probs)
    assert priorities(both)[15] == pytest.approx((both.posterior[15].max() + 1 / 3) / 2)
    assert set(next_items(plain, 2)["consensus"]) == {None}
