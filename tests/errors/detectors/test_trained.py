"""Detectors that train, each against a slow version of its text."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import linear, relu

from candidly import detectors
from candidly.data.labels.building import from_arrays
from candidly.errors.detectors import _incv
from candidly.errors.detectors._aum import threshold_samples
from candidly.errors.detectors._train import batch_size, examples_of, seeds_of, trained
from candidly.errors.detectors._watch import TrainingDynamics
from candidly.learn.algorithms.cores2 import CORES2, growth, shares
from candidly.learn.engine.stack import Member
from candidly.learn.engine.start import start
from candidly.learn.nets import mlp

from histories import History, margin, small, softmax


def rows_of(data):
    return [np.arange(data.n)]


# those that read a record


def fake_record(**columns) -> TrainingDynamics:
    zero = np.zeros((2, 3))
    names = ("late_loss", "margin", "own", "own_deviation", "influence")
    values = dict.fromkeys(names, zero) | {
        "visits": zero.astype(int),
        "forgotten": zero.astype(int),
        "learned": zero == 0,
    }
    return TrainingDynamics(**(values | {name: np.array(value) for name, value in columns.items()}))


def test_records_are_averaged_over_runs():
    record = fake_record(
        late_loss=[[1.0, 2, 3], [3, 2, 1]],
        own=[[0.5, 0.1, 1], [0.7, 0.3, 1]],
        own_deviation=[[0.2, 0, 0], [0.4, 0, 0]],
        influence=[[0.0, 1, 8], [2, 1, 0]],
        probs_margin=[[2.0, -1, 0], [4, -5, 1]],
        forgotten=[[0, 2, 1], [4, 3, 1]],
        learned=[[True, True, False], [True, True, True]],
    )
    assert detectors.small_loss(record).score.tolist() == [2, 2, 2]
    maps = detectors.data_maps(record)
    np.testing.assert_allclose(maps.score, [0.4, 0.8, 0])
    np.testing.assert_allclose(maps.about["variability"], [0.3, 0, 0])
    assert detectors.tracin(record).score.tolist() == [1, 1, 4]
    assert detectors.mean_probs(record).score.tolist() == [-3, 3, -0.5]
    assert detectors.forgetting(record).score.tolist() == [2, 2.5, math.inf]


def test_el2n_is_the_mean_error_of_networks_trained_alone():
    data = small()
    found = detectors.el2n(data, epochs=2, seeds=3, seed=4)
    expected = np.zeros(data.n)
    for seed in seeds_of("el2n", 4, 3):
        stack = trained(examples_of(data), rows_of(data), [seed], 2)
        for i, z in enumerate(stack.whole(0).logits.numpy().astype(np.float64)):
            expected[i] += np.linalg.norm(softmax(z) - np.eye(data.q)[data.given[i]]) / 3
    np.testing.assert_allclose(found.score, expected, rtol=1e-5)
    assert 0 <= found.score.min() <= found.score.max() <= math.sqrt(2)


# area under the margin


def test_threshold_samples_are_disjoint_and_as_many_as_a_class():
    samples = threshold_samples(100, 4, 0)
    assert samples.shape == (2, 20)
    assert len(set(samples.ravel().tolist())) == 40
    with pytest.raises(ValueError, match="too few"):
        threshold_samples(4, 4, 0)


def test_aum_against_two_trainings_with_the_class_written_in():
    data, epochs = small(n=151), 4
    found = detectors.aum(data, epochs=epochs, seed=7, percentile=90)
    samples, sums = threshold_samples(data.n, data.q, 7), np.zeros(data.n)
    counts, cuts = np.zeros(data.n), []
    for mine, seed in zip(samples, seeds_of("aum", 7, 2)):
        labels = data.given.copy()
        labels[mine] = data.q
        faked = from_arrays(data.inputs, given=labels, classes=data.q + 1)
        history = History()
        stack = trained(examples_of(faked), rows_of(data), [seed], epochs, [history])
        areas = np.zeros(data.n)
        for i in range(data.n):
            seen = [margin(z, y) for _, z, _, y in history.visits(0, i)]
            late = [t for t, *_ in history.visits(0, i) if t // stack.E >= 2]
            if not late:
                seen.append(margin(stack.whole(0).logits[i].numpy(), labels[i]))
            areas[i] = np.mean(seen)
        ordered = sorted(areas[mine])
        place = 0.9 * (len(ordered) - 1)
        low = math.floor(place)
        cuts.append(ordered[low] + (place - low) * (ordered[low + 1] - ordered[low]))
        own = ~np.isin(np.arange(data.n), mine)
        sums[own] += cuts[-1] - areas[own]
        counts[own] += 1
    np.testing.assert_allclose(found.about["cuts"], cuts, rtol=1e-4)
    np.testing.assert_allclose(found.score, sums / counts, atol=1e-4)
    np.testing.assert_array_equal(found.flagged, found.score > 0)
    assert counts.min() == 1
    assert 0 < found.flagged.mean() < 1


def test_aum_refuses_an_impossible_percentile():
    with pytest.raises(ValueError, match="percentile is 101"):
        detectors.aum(small(), percentile=101)


# CORES2


def test_beta_grows_between_a_tenth_and_four_tenths():
    assert [growth(s) for s in (0, 0.1, 0.25, 0.4, 1)] == pytest.approx([0, 0, 0.5, 1, 1])


def test_cores2_against_a_plain_loop():
    data, epochs = small(n=120, q=3), 10
    found = detectors.cores2(data, epochs=epochs, seed=5)
    (seed,) = seeds_of("cores2", 5, 1)
    batch = batch_size(data.n)
    hyper = {"lr": 1e-3, "weight_decay": 1e-5, "batch_size": batch, "beta": 2}
    examples = examples_of(data)
    begun = start(CORES2, mlp(6, 3), examples, [Member(seed, np.arange(data.n), hyper)], epochs * 1)
    names = ("w1", "b1", "w2", "b2")
    w = [begun.net.parameters[name][0].detach().clone().requires_grad_() for name in names]
    adam = torch.optim.Adam(w, lr=1e-3, weight_decay=1e-5)
    y, x = torch.tensor(data.given), examples.inputs
    kept, sieve, steps = np.ones(data.n, bool), np.zeros(data.n), data.n // batch
    prior = np.bincount(data.given, minlength=3) / data.n
    sieved = 0
    for t in range(epochs * steps):
        ids = begun.feed.samplers.uniform(0).at(*divmod(t, steps))[0][0]
        logits = linear(relu(x[ids] @ w[0] + w[1]), w[2], w[3])
        total, count = 0.0, 0
        beta = 2 * min(1, max(0, (t / (epochs * steps) - 0.1) / 0.3))
        for i, log_p in zip(ids.tolist(), logits.log_softmax(1)):
            sieve[i] = float((log_p.mean() - log_p[y[i]]).detach())
            kept[i] = t / (epochs * steps) < 0.3 or sieve[i] <= 0
            if kept[i]:
                total = total - log_p[y[i]] + beta * sum(prior[j] * log_p[j] for j in range(3))
                count += 1
            else:
                sieved += 1
        adam.zero_grad()
        (total / count).backward()
        adam.step()
        if (t + 1) % steps == 0 and (t + 1) / (epochs * steps) >= 0.3:
            prior = np.bincount(data.given[kept], minlength=3) / kept.sum()
    np.testing.assert_allclose(found.score, sieve, atol=2e-4)
    np.testing.assert_array_equal(found.flagged, ~kept)
    assert sieved > 0


def test_cores2_where_nothing_is_kept_keeps_no_prior():
    given = torch.tensor([[0, 1, 1], [0, 0, 1]])
    kept = torch.tensor([[1.0, 1, 1], [0, 0, 0]])
    np.testing.assert_allclose(shares(given, kept, 2), [[1 / 3, 2 / 3], [0.5, 0.5]])


# INCV


def test_incv_against_its_text(monkeypatch):
    n, rng = 41, np.random.default_rng(0)
    data = small(n=n)
    says = [[(rng.random(n) + 0.1, rng.random(n) < 0.5) for _ in range(2)] for _ in range(3)]
    asked = []

    def judgements(data, learn, epochs, seed, number, *how):
        asked.append(learn)
        return says[number]

    monkeypatch.setattr(_incv, "_judgements", judgements)
    found = detectors.incv(data, rounds=3, drop=0.3, seed=1)
    chosen, gone, loss = set(), set(), {}
    for number, learn in enumerate(asked):
        left = set(range(n)) - chosen - gone
        halves = [set(rows.tolist()) - chosen for rows in learn]
        assert [len(rows) for rows in learn] == [len(chosen) + len(left) // 2] * 2
        assert not halves[0] & halves[1]
        assert halves[0] | halves[1] <= left
        news, drops = set(), set()
        for half, (losses, right) in zip(halves, says[number]):
            held = left - half
            if half is halves[1]:
                held = halves[0]
            loss |= {i: losses[i] for i in held}
            news |= {i for i in held if right[i]}
            rest = sorted((i for i in held if not right[i]), key=lambda i: (-losses[i], i))
            drops |= set(rest[: round(0.3 * len(rest))])
        chosen |= news
        gone |= drops
    assert len(asked) == 3
    np.testing.assert_array_equal(found.flagged, [i not in chosen for i in range(n)])
    np.testing.assert_allclose(
        found.score, [loss[i] / (1 + loss[i]) + (i not in chosen) for i in range(n)]
    )
    assert found.about == {"selected": len(chosen), "dropped": len(gone)}
    assert 0 < len(gone) < n - len(chosen)


def test_incv_judges_by_networks_that_trained_on_the_other_half():
    data = small()
    learn = [np.arange(0, 150, 2), np.arange(1, 150, 2)]
    found = _incv._judgements(data, learn, 3, 0, 0)
    for k, seed in enumerate(seeds_of("incv 0", 0, 2)):
        alone = trained(examples_of(data), [learn[k]], [seed], 3, scale_by=data)
        logits = alone.logits(0, torch.arange(data.n)).double().numpy()
        loss, right = found[k]
        for i in (0, 1, 77):
            assert loss[i] == pytest.approx(-math.log(softmax(logits[i])[data.given[i]]), rel=1e-5)
            assert right[i] == (logits[i].argmax() == data.given[i])
    # its own half is known better than the other
    assert found[0][0][learn[0]].mean() < found[0][0][learn[1]].mean()


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (3, {}, "at least 4"),
        (40, {"rounds": 0}, "rounds is 0"),
        (40, {"drop": 1.5}, "drop 1.5"),
    ],
)
def test_what_incv_refuses(rows, options, message):
    with pytest.raises(ValueError, match=message):
        detectors.incv(small()[np.arange(rows)], **options)


def test_a_training_that_diverges_is_no_detection():
    data = small()
    huge = replace(data, inputs=np.where(np.arange(6) == 0, 1e30, 1.0) * data.inputs)
    page = replace(
        CORES2,
        stages=(
            replace(CORES2.stages[0], step=lambda s, b: s.net(b.x).logits.sum((1, 2)) * torch.nan),
        ),
    )
    with pytest.raises(FloatingPointError, match="diverged"):
        trained(examples_of(huge), rows_of(data), [0], 1, page=page)
