"""Losses on one given label: published values, definitions in plain Python, limits, identities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from candidly.ground.seeds import draw
from candidly.learn.algorithms import (
    agce,
    apl,
    backward_t,
    ce,
    cores2,
    eps_softmax,
    f_div,
    focal,
    gce,
    label_smoothing,
    mae,
    mixup,
    norm_ce,
    peer,
    sce,
    sr,
    t_revision,
)
from candidly.learn.algorithms._transition import forward_loss, of_symmetric_noise
from candidly.learn.engine.train import update
from learn.algorithms.slow import double, softmax

from toys import advance, make_stack, toy

# published values: one example of four classes

LOGITS = torch.tensor([[2.0, 0.5, -1.0, 0.0]], dtype=double)
PEER = torch.tensor([[0.3, -0.2, 1.0, 0.1]], dtype=double)
LABEL = torch.tensor([1])
TABLE = of_symmetric_noise(4, 0.3, double)
PRIOR = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=double)


def number(value):
    return torch.tensor([value], dtype=double)


def log_losses(logits):
    return -logits.log_softmax(-1)


VECTORS = {
    "cross_entropy": (1.842349582390, lambda z, y: ce.loss(z, y)),
    "label smoothing 0.1": (1.854849582390, lambda z, y: label_smoothing.loss(z, y, 0.1)),
    "label smoothing -0.2": (1.817349582390, lambda z, y: label_smoothing.loss(z, y, -0.2)),
    "forward": (1.634413083182, lambda z, y: forward_loss(z, y, TABLE)),
    "backward": (1.759016249056, lambda z, y: backward_t.loss(z, y, TABLE.inverse())),
    "importance weighting": (
        1.496464318552,
        lambda z, y: t_revision.importance(z, y, TABLE) * ce.loss(z, y),
    ),
    "gce": (1.035187711339, lambda z, y: gce.loss(z, y, 0.7)),
    "truncated gce, kept": (0.486005149442, lambda z, y: gce.truncated_loss(z, y, 0.7, 0.5)),
    "mae": (1.683110580970, lambda z, y: mae.loss(z, y)),
    "rce": (7.751010667204, lambda z, y: sce.reverse_loss(z, y)),
    "sce": (7.935245625443, lambda z, y: sce.loss(z, y, 0.1, 1.0)),
    "nce": (0.234115685245, lambda z, y: apl.normalised_loss(z, y)),
    "nce + mae": (1.917226266215, lambda z, y: apl.loss_mae(z, y, 1.0, 1.0)),
    "focal": (1.690103758397, lambda z, y: focal.loss(z, y, 0.5)),
    "agce": (1.591205156796, lambda z, y: agce.loss(z, y, 3.0, 1.5)),
    "cores": (-1.342349582390, lambda z, y: cores2.regularised(log_losses(z), y, PRIOR, 2.0)),
    "cores, sieve": (-0.125, lambda z, y: cores2.sieve_of(log_losses(z), y)),
    "peer": (0.151917275588, lambda z, y: peer.loss(z, y, PEER, torch.tensor([3]), 1.0, 0.0)),
    "sr, cross-entropy": (1.726322857156, lambda z, y: norm_ce.loss(z, y, number(0.5))),
    "sr, penalty": (
        3.344299393304,
        lambda z, y: sr.penalty(-log_losses(norm_ce.normalised(z, 0.5)), 0.1),
    ),
    "sr": (
        18.447819823678,
        lambda z, y: sr.loss(z, y, number(0.5), number(0.1), number(5.0)),
    ),
    "mixup": (2.892349582390, lambda z, y: mixup.loss(z, y, torch.tensor([2]), 0.3)),
}


@pytest.mark.parametrize("name", VECTORS)
def test_published_values(name):
    value, loss = VECTORS[name]
    assert loss(LOGITS, LABEL).item() == pytest.approx(value, abs=1e-10)


# definitions, for one example: z a list, y a class, and the hyper-parameters


def nats(z):
    return [-math.log(p) for p in softmax(z)]


def slow_gce(z, y, power):
    return (1 - softmax(z)[y] ** power) / power


def slow_reverse(z, y):
    target = [1.0 if j == y else 1e-4 for j in range(len(z))]
    return -sum(p * math.log(t) for p, t in zip(softmax(z), target))


def slow_nce(z, y):
    return nats(z)[y] / sum(nats(z))


def slow_mae(z, y):
    return sum(abs(p - (j == y)) for j, p in enumerate(softmax(z)))


def slow_smoothed(z, y, rate):
    q = len(z)
    target = [(1 - rate) * (j == y) + rate / q for j in range(q)]
    return sum(t * each for t, each in zip(target, nats(z)))


def slow_eps(z, y, alpha, beta, m, least=0.0):
    moved = [(p + m * (j == z.index(max(z)))) / (1 + m) for j, p in enumerate(softmax(z))]
    return -alpha * math.log(max(moved[y], least)) + beta * slow_mae(z, y)


def unit(z, tau):
    length = math.sqrt(sum(v * v for v in z))
    return [v / length / tau for v in z]


def slow_sr(z, y, tau, power, lam):
    u = softmax(unit(z, tau))
    return -math.log(u[y]) + lam * sum(max(p, 1e-7) ** power for p in u)


@dataclass(frozen=True)
class Case:
    ours: Any
    slow: Any
    hyper: tuple[float, ...] = ()


CASES = {
    "ce": Case(ce.loss, lambda z, y: nats(z)[y]),
    "mae": Case(mae.loss, slow_mae),
    "gce": Case(gce.loss, slow_gce, (0.3,)),
    "gce:truncated": Case(
        gce.truncated_loss,
        lambda z, y, power, k: slow_gce(z, y, power) - (1 - k**power) / power,
        (0.7, 0.3),
    ),
    "sce": Case(sce.loss, lambda z, y, a, b: a * nats(z)[y] + b * slow_reverse(z, y), (6.0, 0.1)),
    "nce+rce": Case(
        apl.loss_rce, lambda z, y, a, b: a * slow_nce(z, y) + b * slow_reverse(z, y), (10.0, 0.1)
    ),
    "nce+mae": Case(
        apl.loss_mae, lambda z, y, a, b: a * slow_nce(z, y) + b * slow_mae(z, y), (1.0, 100.0)
    ),
    "agce": Case(
        agce.loss,
        lambda z, y, a, g: ((a + 1) ** g - (a + softmax(z)[y]) ** g) / g,
        (0.6, 0.6),
    ),
    "focal": Case(focal.loss, lambda z, y, g: (1 - softmax(z)[y]) ** g * nats(z)[y], (2.0,)),
    "label-smoothing": Case(label_smoothing.loss, slow_smoothed, (0.4,)),
    "label-smoothing:negative": Case(label_smoothing.loss, slow_smoothed, (-2.0,)),
    "eps-softmax": Case(eps_softmax.loss, slow_eps, (0.4, 0.3, 20.0)),
    "eps-softmax:released": Case(
        eps_softmax.loss_released, lambda *asked: slow_eps(*asked, least=1e-8), (0.4, 0.3, 1e6)
    ),
    "norm-ce": Case(norm_ce.loss, lambda z, y, tau: nats(unit(z, tau))[y], (0.05,)),
    "sr": Case(sr.loss, slow_sr, (0.5, 0.1, 1.2)),
}


def make_batch(seed=0, rows=9, q=5, size=2.0):
    g = np.random.default_rng(seed)
    logits = torch.tensor(g.normal(size=(rows, q)) * size)
    return logits, torch.tensor(g.integers(0, q, rows))


@pytest.mark.parametrize("name", CASES)
def test_each_example_is_the_definition(name):
    case, (logits, given) = CASES[name], make_batch()
    ours = case.ours(logits, given, *map(number, case.hyper))
    expected = [case.slow(z, y, *case.hyper) for z, y in zip(logits.tolist(), given.tolist())]
    torch.testing.assert_close(ours, torch.tensor(expected, dtype=double), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_the_values(name):
    case, (logits, given) = CASES[name], make_batch()
    values = list(map(number, case.hyper))
    assert torch.autograd.gradcheck(lambda z: case.ours(z, given, *values), logits.requires_grad_())


@pytest.mark.parametrize("name", CASES)
def test_leading_axes_are_trials_with_values_of_their_own(name):
    case, (logits, given), (other, others) = CASES[name], make_batch(), make_batch(1)
    pairs = [torch.tensor([[h], [h / 2]], dtype=double) for h in case.hyper]
    stacked = case.ours(torch.stack([logits, other]), torch.stack([given, others]), *pairs)
    for k, (z, y) in enumerate(((logits, given), (other, others))):
        torch.testing.assert_close(stacked[k], case.ours(z, y, *(pair[k] for pair in pairs)))


@pytest.mark.parametrize("name", CASES)
def test_a_label_that_has_underflowed_keeps_value_and_gradient(name):
    case = CASES[name]
    logits = torch.tensor([[300.0, 0, -1]], requires_grad=True)
    value = case.ours(logits, LABEL, *(number(h).float() for h in case.hyper))
    value.sum().backward()
    assert value.isfinite().all()
    assert logits.grad.isfinite().all()


# limits and identities


@pytest.fixture
def batch():
    return make_batch()


def test_gce_lies_between_cross_entropy_and_half_the_absolute_error(batch):
    torch.testing.assert_close(gce.loss(*batch, 1e-9), ce.loss(*batch), rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(gce.loss(*batch, 1.0), mae.loss(*batch) / 2)


def test_agce_contains_gce_and_the_absolute_error(batch):
    torch.testing.assert_close(agce.loss(*batch, 1e-14, 0.7), gce.loss(*batch, 0.7))
    for shift in (0.1, 3.0):
        torch.testing.assert_close(agce.loss(*batch, shift, 1.0), mae.loss(*batch) / 2)


def test_sce_is_its_parts(batch):
    torch.testing.assert_close(sce.loss(*batch, 1.0, 0.0), ce.loss(*batch))
    reverse = -math.log(1e-4) / 2 * mae.loss(*batch)
    torch.testing.assert_close(sce.loss(*batch, 0.0, 1.0), reverse)


def test_focal_and_smoothing_of_zero_are_cross_entropy(batch):
    for loss in (focal.loss, label_smoothing.loss):
        torch.testing.assert_close(loss(*batch, 0.0), ce.loss(*batch))


@pytest.mark.parametrize(
    ("loss", "total"),
    [(mae.loss, 2 * 4), (apl.normalised_loss, 1), (sce.reverse_loss, -math.log(1e-4) * 4)],
)
def test_symmetric_losses_add_up_to_a_constant_over_labels(loss, total, batch):
    logits, _ = batch
    every = sum(loss(logits, torch.full((len(logits),), j)) for j in range(5))
    torch.testing.assert_close(every, torch.full_like(every, total))


def test_smoothing_is_the_expected_loss_of_labels_drawn_anew(batch):
    logits, given = batch
    anew = torch.stack([ce.loss(logits, torch.full_like(given, j)) for j in range(5)]).mean(0)
    expected = 0.7 * ce.loss(logits, given) + 0.3 * anew
    torch.testing.assert_close(label_smoothing.loss(logits, given, 0.3), expected)


@pytest.mark.parametrize("noise", [0.1, 0.4])
def test_negative_smoothing_undoes_uniform_noise_as_backward_correction_does(noise, batch):
    q = 5
    kept = 1 - noise * q / (q - 1)
    rate = -noise * q / (q - 1) / kept
    inverted = of_symmetric_noise(q, noise, double).inverse()
    torch.testing.assert_close(
        label_smoothing.loss(*batch, rate), backward_t.loss(*batch, inverted)
    )


def test_normalised_logits_have_one_length_and_keep_the_order(batch):
    logits, given = batch
    short = norm_ce.normalised(logits, 0.5)
    torch.testing.assert_close(short.norm(dim=-1), torch.full((9,), 2.0, dtype=double))
    assert torch.equal(short.argsort(-1), logits.argsort(-1))
    tau = number(0.5)
    torch.testing.assert_close(
        norm_ce.loss(logits, given, tau), norm_ce.loss(7 * logits, given, tau)
    )


def test_logits_without_a_direction_do_no_harm():
    logits = torch.zeros(2, 5, requires_grad=True)
    value = norm_ce.loss(logits, torch.tensor([0, 1]), torch.tensor([0.1]))
    torch.testing.assert_close(value, torch.full((2,), math.log(5)))
    value.sum().backward()
    assert logits.grad.isfinite().all()


def test_without_its_penalty_sr_is_norm_ce(batch):
    logits, given = batch
    tau, zero = number(0.5), number(0.0)
    ours = sr.loss(logits, given, tau, number(0.1), zero)
    torch.testing.assert_close(ours, norm_ce.loss(logits, given, tau))


def test_the_penalty_grows_every_so_many_epochs_or_not_at_all():
    lam, rho = torch.tensor([[4.0], [4.0]]), torch.tensor([[2.0], [2.0]])
    every = torch.tensor([[5.0], [0.0]])
    found = [sr.weight(lam, rho, every, epoch).flatten().tolist() for epoch in (0, 4, 5, 11)]
    assert found == [[4, 4], [4, 4], [8, 4], [16, 4]]


def test_eps_softmax_by_hand():
    logits = torch.tensor([[0.5, 0.3, 0.2]] * 2, dtype=double).log()
    # towards the first class: (0.5 + 1) / 2, 0.3 / 2; absolute errors 1 and 1.4
    expected = torch.tensor([-2 * math.log(0.75) + 3, -2 * math.log(0.15) + 4.2], dtype=double)
    found = eps_softmax.loss(logits, torch.tensor([0, 1]), number(2.0), number(3.0), number(1.0))
    torch.testing.assert_close(found, expected)


def test_eps_softmax_that_moves_nothing_is_sce(batch):
    found = eps_softmax.loss(*batch, number(0.7), number(2.0), number(0.0))
    torch.testing.assert_close(found, sce.loss(*batch, 0.7, 4 / -math.log(1e-4)))


def test_eps_softmax_in_float32_keeps_small_slopes():
    """Of a sure and right prediction, where p + 1e5 rounds p away."""
    logits = torch.tensor([[3.0, 0, 0]], requires_grad=True)
    values = [torch.tensor([v]) for v in (1.0, 0.0, 1e5)]
    eps_softmax.loss(logits, torch.tensor([0]), *values).sum().backward()
    p = softmax([3.0, 0, 0])[0]
    assert logits.grad[0, 0].item() == pytest.approx(-p * (1 - p) / (p + 1e5), rel=1e-5)


def test_d_cores_1_the_guard_ends_the_pull_of_improbable_classes():
    slopes, prior = {}, torch.full((1, 4), 0.25, dtype=double)
    for guard in (0.0, cores2.GUARD):
        stage = cores2.step_with(cores2.by_share, guard)
        z = torch.tensor([[[0.0, -30, -30, -30]]], dtype=double, requires_grad=True)
        s = SimpleNamespace(
            t=80,
            T=100,
            net=lambda x: SimpleNamespace(logits=x),
            memory={"prior": prior},
            hp=SimpleNamespace(beta=torch.full((1, 1), 2.0, dtype=double)),
        )
        objective, _ = stage(s, SimpleNamespace(x=z, given=torch.zeros((1, 1), dtype=torch.long)))
        objective.sum().backward()
        slopes[guard] = float(z.grad[0, 0, 1])
    assert slopes[0.0] == pytest.approx(2 / 4)  # beta times the prior, however improbable
    assert abs(slopes[cores2.GUARD]) < 1e-4


def test_d_eps_1_a_label_that_is_not_predicted_and_improbable_is_let_go_in_released():
    slopes = {}
    for loss in (eps_softmax.loss, eps_softmax.loss_released):
        # p of 1e-4 and of 0.01, guarded below 1e-8 (1 + 1e5)
        logits = torch.tensor([[0.9999, 1e-4], [0.99, 0.01]], dtype=double).log().requires_grad_()
        loss(logits, torch.tensor([1, 1]), number(1.0), number(0.0), number(1e5)).sum().backward()
        slopes[loss] = logits.grad[:, 1].tolist()
    assert slopes[eps_softmax.loss] == pytest.approx([-0.9999, -0.99])
    assert slopes[eps_softmax.loss_released] == pytest.approx([0, -0.99])


def test_smoothing_becomes_negative_behind_a_warm_up_of_cross_entropy():
    stack = make_stack(toy(), "label-smoothing:negative", steps=50, warm_up=0.2, rate=-0.7)
    for t in range(14):
        batch = stack.next_batches()[0]
        logits = stack.net(batch.x).logits.detach()
        before = stack.loss_sum.clone()
        update(stack)
        for k in range(3):
            each = [
                slow_smoothed(z, y, -0.7 if t >= 10 else 0.0)
                for z, y in zip(logits[k].tolist(), batch.given[k].tolist())
            ]
            found = float((stack.loss_sum - before)[k])
            assert found == pytest.approx(sum(each) / stack.B, rel=1e-9), t


# mixup


def test_mixup_of_nothing_is_cross_entropy():
    ours, plain = (
        advance(make_stack(toy(), name, **hyper), 10).net.flat
        for name, hyper in (("mixup", {"alpha": 0}), ("ce", {}))
    )
    torch.testing.assert_close(ours, plain)


def test_an_update_of_mixup_is_its_text():
    stack = advance(make_stack(toy(), "mixup", alpha=0.4), 3)
    batch = stack.next_batches()[0]
    for k in range(stack.K):
        g = draw(stack.seeds[k], "mixup", 3)
        share, partner = g.beta(0.4, 0.4), g.permutation(stack.B)
        x, y = batch.x[k], batch.given[k]
        mixed = share * x + (1 - share) * x[partner]
        logits = stack.net.of_trial(k, mixed[None]).logits[0]
        each = [
            share * nats(z)[a] + (1 - share) * nats(z)[b]
            for z, a, b in zip(logits.tolist(), y.tolist(), y[partner].tolist())
        ]
        objective = stack.stage.step(stack, batch)[k]
        assert objective.item() == pytest.approx(sum(each) / stack.B, rel=1e-9)


# truncated GCE


def test_truncated_gce_judges_every_twelfth_of_the_updates_from_a_third_on():
    stack, judged = make_stack(toy(), "gce:truncated", steps=48, lr=3e-3), []
    for t in range(1, 49):
        before = stack.rows["kept"].clone()
        update(stack)
        if torch.equal(before, stack.rows["kept"]):
            continue
        judged.append(t)
        for k in range(stack.K):
            p = stack.whole(k).logits.softmax(-1)
            own = p[torch.arange(stack.n), stack.labels("given")[k]]
            assert torch.equal(stack.rows["kept"][k], own > stack.hyper[k]["threshold"])
    assert judged[0] == 16
    assert set(judged) <= {16, 20, 24, 28, 32, 36, 40, 44}
    assert len(judged) > 4


def test_what_truncated_gce_leaves_out_has_no_gradient():
    stack = make_stack(toy(), "gce:truncated", [0])
    stack.rows["kept"][:] = False
    assert stack.stage.step(stack, stack.next_batches()[0]).item() == 0
    stack.rows["kept"][:] = True
    assert stack.stage.step(stack, stack.next_batches()[0]).item() != 0


# peers


def test_a_prediction_that_ignores_the_input_gains_nothing():
    g = np.random.default_rng(0)
    same, given = torch.tensor(g.normal(size=5)).expand(12, 5), torch.tensor(g.integers(0, 5, 12))
    i, j = (v.flatten() for v in torch.meshgrid(torch.arange(12), torch.arange(12), indexing="ij"))
    own, others = (
        peer.loss(same, given, same, given, 0.0),
        peer.loss(same[i], given[i], same[i], given[j], 1.0),
    )
    assert own.mean().item() > 0.5
    assert others.mean().item() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_uniform_noise_only_scales_the_expected_peer_loss(noise):
    q, n = 4, 10
    g = np.random.default_rng(1)
    logits, truth = torch.tensor(g.normal(size=(n, q)) * 2), torch.tensor(g.integers(0, q, n))

    def expected(table):
        joint = table[truth]  # of a row's given label
        shares = joint.mean(0)
        total = 0.0
        for i in range(n):
            for a in range(n):
                for y in range(q):
                    for z in range(q):
                        weight = joint[i, y] * shares[z] / n / n
                        args = (logits[i], torch.tensor(y), logits[a], torch.tensor(z), 1.0)
                        total += weight * peer.loss(*args)
        return total

    clean, noisy = (
        expected(torch.eye(q, dtype=double)),
        expected(of_symmetric_noise(q, noise, double)),
    )
    torch.testing.assert_close(noisy, (1 - noise * q / (q - 1)) * clean)


def test_peer_with_one_pass_has_the_same_expectation():
    means = {}
    for name in ("peer", "peer:one-pass"):
        stack = make_stack(
            toy(n=64), name, [0], steps=10**6, batch=51, lr=0.0, warm_up=0.0, alpha=2
        )
        values = []
        for _ in range(400):
            update(stack)
            values += stack.mean_loss()
        means[name] = np.mean(values)
        spread = np.std(values) / 20
    logits, given = stack.whole(0).logits, stack.labels("given")[0]
    every = logits[:, None].expand(-1, stack.q, -1)
    every = peer._bounded(every, torch.arange(stack.q).expand(stack.n, -1), peer.FLOOR)
    shares = torch.bincount(given, minlength=stack.q) / stack.n
    exact = every.gather(1, given[:, None]).mean() - 2 * (every.mean(0) * shares).sum()
    for name, mean in means.items():
        assert mean == pytest.approx(exact.item(), abs=8 * spread), name


def test_the_ramp_of_peer():
    epochs = (0, 20, 30, 40, 90, 140, 190, 240, 340)
    alphas = [peer.alpha_at(epoch / 340) for epoch in epochs]
    assert alphas == pytest.approx([0, 0, 0.5, 1, 2, 5, 7.5, 10, 20])


def test_peer_by_epochs():
    stack = make_stack(toy(n=80), "peer:epochs", [0], steps=100, batch=32, lr=0.01)
    assert stack.E == 2
    rates = []
    for t, alpha in ((38, 0.0), (60, 0.5), (61, 0.5), (80, 1.0)):
        stack.t = t
        batch, x, y = (
            stack.next_batches()[0],
            stack.drawn("peer inputs"),
            stack.drawn("peer labels"),
        )
        logits, others = stack.net(batch.x).logits, stack.net(x.x).logits
        expected = peer.loss(logits, batch.given, others, y.given, alpha).mean(-1)
        torch.testing.assert_close(stack.stage.step(stack, batch), expected)
        rates.append(stack.stage.rate(stack))
    assert rates == pytest.approx([1, 1 / 1.5, 1 / 1.5, 1 / 2])
    stack.t = 2 * 400  # behind the published 340 epochs
    assert stack.stage.rate(stack) == pytest.approx(1 / 21)


GENERATORS = {
    "total variation": lambda u: abs(u - 1) / 2,
    "js": lambda u: u * np.log(u) - (u + 1) * np.log((u + 1) / 2),
    "kl": lambda u: u * np.log(u),
    "pearson": lambda u: (u - 1) ** 2,
}


@pytest.mark.parametrize("name", f_div.DIVERGENCES)
def test_each_divergence_pairs_its_activation_with_the_conjugate(name):
    own, paired = f_div.DIVERGENCES[name]
    u = np.append(np.linspace(1e-9, 60, 2_000_001), 1.0)
    for v in (0.0, 0.2, 0.9, 1.0):
        t = own(torch.tensor(v, dtype=double)).item()
        conjugate = np.max(u * t - GENERATORS[name](u))
        assert paired(torch.tensor(v, dtype=double)).item() == pytest.approx(conjugate, abs=1e-6)


def test_f_div_is_minus_what_total_variation_promises(batch):
    logits, given = batch
    other, others = make_batch(3)
    expected = [
        (math.tanh(softmax(b)[z]) - math.tanh(softmax(a)[y])) / 2
        for a, y, b, z in zip(logits.tolist(), given.tolist(), other.tolist(), others.tolist())
    ]
    ours = f_div.loss(logits, given, other, others)
    torch.testing.assert_close(ours, torch.tensor(expected, dtype=double))


@pytest.mark.parametrize("name", ["peer", "f-div"])
def test_others_are_drawn_after_the_warm_up_and_independently(name):
    stack = make_stack(toy(), name, steps=60)
    assert stack.stages.ends[0] == 12
    advance(stack, 20)
    batch, x, y = stack.next_batches()[0], stack.drawn("peer inputs"), stack.drawn("peer labels")
    assert not torch.equal(x.ids, y.ids)
    logits, others = stack.net(batch.x).logits, stack.net(x.x).logits
    if name == "peer":
        expected = peer.loss(logits, batch.given, others, y.given, stack.hp.alpha)
    else:
        expected = f_div.loss(logits, batch.given, others, y.given)
    torch.testing.assert_close(stack.stage.step(stack, batch), expected.mean(-1))
