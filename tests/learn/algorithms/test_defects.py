"""Each known defect of the benchmark's released program, by its identifier in docs/defects.md.

``fixed`` passes and ``plench`` fails; where there is no ``plench``, what the released program
computes is written out.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.nn.functional import one_hot, softmax

from candidly.learn.algorithms import (
    ALGORITHMS,
    abs_gce,
    abs_mae,
    algorithm,
    cc,
    exp,
    forward,
    ga,
    log,
    mcl,
    nn,
    scl_nl,
)
from candidly.learn.algorithms._tensors import cross_entropy, masked_softmax
from candidly.learn.engine.train import update
from learn.algorithms.slow import (
    OF_PAGE,
    PER_BATCH,
    PRIOR,
    UNEQUAL,
    Q,
    complementary_draws,
    double,
    every_complementary_label,
    gradient,
    label_losses,
    make_batch,
    prior_of,
)

from toys import advance, make_stack, tensors, toy

# candidate sets


def test_d_exp_1_fixed_survives_a_full_set_and_plench_does_not():
    logits, sets = [[1.0, 2, 3], [1.0, 2, 3]], [[True, True, True], [True, False, False]]
    value, slope = gradient(exp.loss, logits, sets)
    assert value.isfinite()
    assert slope.isfinite().all()
    assert not slope[0].any()
    value, slope = gradient(exp.loss_plench, logits, sets)
    assert value.isinf()
    assert slope.isnan().any()


def test_d_gce_1_fixed_survives_an_underflow_and_plench_does_not():
    sets = torch.tensor([[True, False, False]])
    grads = []
    for loss in (abs_gce.loss, abs_gce.loss_plench):
        logits = torch.tensor([[0.0, 0.0, -120.0]], requires_grad=True)
        loss(logits, sets).sum().backward()
        grads.append(logits.grad)
    assert grads[0].isfinite().all()
    assert grads[1].isnan().any()


def test_d_gce_1_mcl_fixed_survives_an_underflow_and_plench_does_not():
    logits, sets = [[0.0, 0.0, -120.0]], [[True, True, False]]
    assert gradient(mcl.loss_gce, logits, sets)[1].isfinite().all()
    assert gradient(mcl.loss_gce_plench, logits, sets)[1].isnan().any()


@pytest.mark.parametrize("kind", ["gce", "mse"])
def test_d_mcl_1_over_drawn_sets_fixed_is_unbiased_and_plench_is_not(kind):
    q, draws, g = 6, 20_000, np.random.default_rng(0)
    y = torch.tensor(g.integers(0, q, draws))
    sets = torch.tensor(g.random((draws, q)) < 0.5) | one_hot(y, q).bool()
    kept = ~sets.all(-1)  # uniform over the sets that contain y and are not full
    losses = label_losses(kind, torch.tensor(g.normal(size=q)) * 1.5).expand(draws, q)
    true = losses.gather(1, y[:, None])[:, 0]
    for estimate, unbiased in ((mcl.estimate, True), (mcl.estimate_plench, False)):
        error = (estimate(losses, sets) - true)[kept]
        standard_error = error.std() / math.sqrt(len(error))
        assert (error.mean().abs() < 4 * standard_error) == unbiased


def test_d_mcl_1_plench_is_unbounded_and_pushes_the_excluded_label_up():
    # q = 5, gap 6, one class excluded and believed: the released formula runs away
    logits = torch.tensor([[6.0, 0, 0, 0, 0]], dtype=double, requires_grad=True)
    sets = torch.tensor([[False, True, True, True, True]])
    slopes = {}
    for name, loss in (("fixed", mcl.loss_gce), ("plench", mcl.loss_gce_plench)):
        value = loss(logits, sets)
        (gradient,) = torch.autograd.grad(value.sum(), logits)
        slopes[name] = gradient[0, 0].item()
        assert (value.item() < -100) == (name == "plench")
    assert slopes["fixed"] > 0 > slopes["plench"]  # descent lowers it; descent raises it


class _Page:
    """Just enough of a stack and a batch to call a page's function."""

    def __init__(self, logits, sets):
        self.net = lambda x: type("Out", (), {"logits": logits})
        self.x, self.candidates = None, sets
        self.q, self.dtype = logits.shape[-1], logits.dtype


def cavl_targets(variant, logits, sets):
    page = _Page(torch.tensor(logits), torch.tensor(sets))
    return algorithm("CAVL", variant).stages[0].after(page, page)["target"]


def test_d_cavl_1_fixed_never_leaves_the_candidates_and_plench_does():
    # every candidate's activation value is negative, so multiplying by the mask prefers the zeros
    logits, sets = [[[-1.0, -2.0, 4.0, -0.5]]], [[[True, True, False, False]]]
    fixed, plench = (cavl_targets(v, logits, sets) for v in ("fixed", "plench"))
    assert fixed.tolist() == [[[1, 0, 0, 0]]]
    assert plench.tolist() == [[[0, 0, 1, 0]]]


def test_d_proden_1_weights_follow_the_model_after_the_update():
    stack = advance(make_stack(toy(), "PRODEN"), 3)
    batch = stack.next_batches()[0]
    update(stack)
    logits = torch.stack([stack.logits(k, batch.data_rows.view(3, -1)[k]) for k in range(3)])
    p = softmax(logits, -1) * batch.candidates
    rows = stack.rows["weights"].gather(1, batch.ids[..., None].expand(-1, -1, stack.q))
    torch.testing.assert_close(rows, p / p.sum(-1, keepdim=True))


def test_d_proden_1_pre_uses_the_logits_from_before_the_update():
    stack = advance(make_stack(toy(), "PRODEN:pre"), 3)
    batch = stack.next_batches()[0]
    with torch.no_grad():
        p = softmax(stack.net(batch.x).logits, -1) * batch.candidates
    update(stack)
    rows = stack.rows["weights"].gather(1, batch.ids[..., None].expand(-1, -1, stack.q))
    torch.testing.assert_close(rows, p / p.sum(-1, keepdim=True))


# complementary labels


@pytest.mark.parametrize("priors", [UNEQUAL, [0.2] * 5], ids=["unequal", "equal"])
def test_d_nn_1_over_drawn_labels_fixed_is_unbiased_and_plench_only_with_equal_priors(priors):
    y, sets, logits = complementary_draws((400, 256), priors)
    supervised = -logits.log_softmax(-1).gather(-1, y[..., None])[..., 0].mean(-1)
    prior = prior_of(priors).expand(400, Q)
    for risks in (nn.class_risks, nn.class_risks_plench):
        error = risks(logits, sets, prior).sum(-1) - supervised
        bias, standard_error = error.mean().abs(), error.std() / math.sqrt(400)
        biased = risks is nn.class_risks_plench and priors is UNEQUAL
        assert (bias > 4 * standard_error) == biased


def test_d_nn_1_plench_is_off_where_fixed_is_the_supervised_risk_exactly():
    y, sets, logits = every_complementary_label()
    prior = (~sets).to(double).mean(0)
    supervised = -logits.log_softmax(-1).gather(-1, y[:, None]).mean()
    torch.testing.assert_close(nn.class_risks(logits, sets, prior).sum(), supervised)
    off = (nn.class_risks_plench(logits, sets, prior).sum() - supervised).abs()
    assert off > 0.05 * supervised


@pytest.mark.parametrize("name", ["NN", "GA"])
def test_d_nn_1_reaches_the_objective_of_both(name):
    # one update from equal parameters on equal batches
    fixed, plench = (advance(make_stack(toy(), n), 1) for n in (name, f"{name}:plench"))
    assert not torch.equal(fixed.loss_sum, plench.loss_sum)


def pair_losses(logits, sets):
    """Every loss that averages over pairs, and NN and GA, by name."""
    risks = nn.class_risks(logits, sets, PRIOR.to(logits.dtype))
    losses = {name: loss(logits, sets) for name, loss in PER_BATCH.items()}
    return losses | {"NN": nn.loss(risks), "GA": ga.loss(risks, sets)}


@pytest.mark.parametrize("name", PER_BATCH)
def test_d_cll_1_an_example_weighs_as_many_times_as_it_has_complementary_labels(name):
    logits, sets = make_batch(rows=2)[0], torch.tensor([[True] * 4 + [False], [True] + [False] * 4])
    few, many = (PER_BATCH[name](logits[i : i + 1], sets[i : i + 1]) for i in (0, 1))
    torch.testing.assert_close(PER_BATCH[name](logits, sets), (few + 4 * many) / 5)


@pytest.mark.parametrize("name", [*PER_BATCH, "NN", "GA"])
def test_d_cll_1_a_batch_without_a_pair_is_0_where_a_mean_over_none_is_nan(name):
    full = torch.ones(4, Q, dtype=torch.bool)
    logits = make_batch(rows=4)[0].requires_grad_()
    assert logits.softmax(-1)[~full].mean().isnan()  # of the pairs, gathered first
    value = pair_losses(logits, full)[name]
    assert value.item() == 0
    (slope,) = torch.autograd.grad(value, logits)
    assert not slope.any()


@pytest.mark.parametrize("q", [2, 5, 30])
def test_d_cll_2_forward_is_scl_nl_plus_a_constant(q):
    logits, sets = make_batch(q=q, size=1.0)
    assert logits.softmax(-1).max() < 0.99
    difference = forward.loss(logits, sets) - scl_nl.loss(logits, sets)
    assert difference.item() == pytest.approx(math.log(q - 1), abs=1e-4)


def test_d_cll_2_scl_nl_lets_go_where_forward_keeps_pushing():
    sets = torch.tensor([[False, True, True]])
    for gap, slope in ((10.0, 1.0), (30.0, 0.0)):
        logits = torch.tensor([[gap, 0, 0]], dtype=double, requires_grad=True)
        (pushed,) = torch.autograd.grad(scl_nl.loss(logits, sets), logits)
        assert pushed[0, 0].item() == pytest.approx(slope, abs=0.02)
        (kept,) = torch.autograd.grad(forward.loss(logits, sets), logits)
        assert kept[0, 0].item() == pytest.approx(1, abs=1e-3)
    assert scl_nl.loss(logits, sets).item() == pytest.approx(-math.log(1e-6), abs=1e-4)


# where float32 gives out


def released_cc(logits, sets):
    return -(softmax(logits, -1) * sets).sum(-1).log()


def released_forward(logits, sets):
    q = logits.shape[-1]
    uniform = (1 - torch.eye(q)) / (q - 1)
    return -(softmax(logits, -1) @ uniform).log()[~sets].mean()


def released_proden(logits, sets):
    """The cross-entropy after a refresh of the weights from the same logits."""
    weights = (softmax(logits, -1) * sets).detach()
    weights = weights / weights.sum(-1, keepdim=True)
    return -(weights * logits.log_softmax(-1)).sum(-1)


def our_proden(logits, sets):
    return cross_entropy(masked_softmax(logits.detach(), sets), logits)


@pytest.mark.parametrize(
    ("ours", "released", "expected"),
    [
        (cc.loss, released_cc, 120 - math.log(2)),
        (forward.loss, released_forward, 120),
        (our_proden, released_proden, 120),
    ],
    ids=["CC", "Forward", "PRODEN"],
)
def test_d_num_1_the_logarithm_of_an_underflowed_mass(ours, released, expected):
    sets = [[False, True, True]]
    for loss in (ours, released):  # in reach of float32 they are the same
        value = loss(torch.tensor([[20.0, 0.0, 0.0]]), torch.tensor(sets)).sum()
        assert value.item() == pytest.approx(expected - 100, rel=1e-6)
    value, slope = gradient(ours, [[120.0, 0.0, 0.0]], sets)
    assert value.item() == pytest.approx(expected, rel=1e-6)
    assert slope.isfinite().all()
    assert gradient(released, [[120.0, 0.0, 0.0]], sets)[1].isnan().any()


@pytest.mark.parametrize("gap", [20.0, 60.0, 120.0, 400.0])
def test_d_num_1_a_wrong_and_certain_model_still_learns(gap):
    # the wrong label has all the probability; 1 - p and p_S are 0 in float32
    logits, sets = [[gap, 0.0, -1.0]], [[False, True, True]]
    assert gradient(log.loss, logits, sets)[1][0, 0].item() == pytest.approx(2)
    for loss in (*PER_BATCH.values(), exp.loss, abs_mae.loss, mcl.loss_gce, mcl.loss_mse):
        value, slope = gradient(loss, logits, sets)
        assert value.isfinite()
        assert slope.isfinite().all()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_d_num_2_a_float32_trial_stays_float32_and_agrees_with_float64(name):
    single, double_ = (
        advance(make_stack(toy(), name, dtype=dtype), 3) for dtype in (torch.float32, double)
    )
    for what, tensor in tensors(single).items():
        if what != "loss_sum":  # added up in float64
            assert tensor.dtype != double, what
    torch.testing.assert_close(single.loss_sum, double_.loss_sum, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", [n for n in OF_PAGE if not n.endswith("plench")])
def test_d_num_2_a_loss_of_float32_logits_is_float32_and_that_of_float64(name):
    logits, sets = make_batch()
    value = OF_PAGE[name](logits.float(), sets)
    assert value.dtype == torch.float32
    torch.testing.assert_close(value.double(), OF_PAGE[name](logits, sets), rtol=1e-5, atol=1e-6)
