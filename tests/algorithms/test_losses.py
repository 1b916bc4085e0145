"""The losses of candidate sets and complementary labels, against the definitions in plain Python.

Slow versions write out every class and every (example, complementary label) pair, in float64.
Identities and unbiasedness follow. A test named ``d_...`` tells ``fixed`` and ``plench`` apart.
"""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.nn.functional import one_hot

from candidly.algorithms import (
    abs_gce,
    abs_mae,
    cc,
    exp,
    forward,
    ga,
    l_w,
    log,
    mcl,
    nn,
    op_w,
    pc,
    scl_exp,
    scl_nl,
)
from candidly.train import update

from toys import advance, make_stack, tensors, toy

Q, A = 5, 0.7
double = torch.float64


def make_batch(seed=0, rows=9, q=Q, size=2.0):
    """Logits and sets: one full, one singleton, the others mixed."""
    g = np.random.default_rng(seed)
    sets = g.random((rows, q)) < 0.4
    sets[np.arange(rows), g.integers(0, q, rows)] = True
    sets[0] = True
    sets[1] = np.arange(q) == 0
    return torch.tensor(g.normal(size=(rows, q)) * size), torch.tensor(sets)


@pytest.fixture
def batch():
    return make_batch()


def softmax(z):
    e = [math.exp(v - max(z)) for v in z]
    return [v / sum(e) for v in e]


def by_row(each, logits, sets):
    """each(z, S) for every row, S a list of class numbers."""
    return [
        each(z, [j for j in range(len(z)) if s[j]]) for z, s in zip(logits.tolist(), sets.tolist())
    ]


def by_pair(each, logits, sets):
    """The mean of each(z, j) over all (example, complementary label) pairs."""
    values = [
        each(z, j)
        for z, s in zip(logits.tolist(), sets.tolist())
        for j in range(len(z))
        if not s[j]
    ]
    return sum(values) / len(values)


# the definitions


def slow_abs_mae(z, inside):
    p = softmax(z)
    return sum(sum(abs(p[k] - (k == j)) for k in range(len(z))) for j in inside) / len(inside)


def slow_log(z, inside):
    q, s, p = len(z), len(inside), softmax(z)
    return 0.0 if s == q else -(q - 1) / (q - s) * math.log(sum(p[j] for j in inside))


def slow_exp(z, inside):
    q, s, p = len(z), len(inside), softmax(z)
    return 0.0 if s == q else (q - 1) / (q - s) * math.exp(-sum(p[j] for j in inside))


def slow_gce(z, j):
    return (1 - softmax(z)[j] ** A) / A


def slow_mse(z, j):
    return sum((p - (k == j)) ** 2 for k, p in enumerate(softmax(z)))


def slow_mcl(label_loss):
    def each(z, inside):
        s, outside = len(inside), [j for j in range(len(z)) if j not in inside]
        first = sum(label_loss(z, j) for j in inside)
        if not outside:
            return first
        return first - (s - 1) / len(outside) * sum(label_loss(z, j) for j in outside)

    return each


def slow_mcl_plench(label_loss):
    def each(z, inside):
        s, outside = len(inside), [j for j in range(len(z)) if j not in inside]
        below = len(outside) * sum(label_loss(z, j) for j in outside) + 1e-20
        return sum(label_loss(z, j) for j in inside) - (s - 1) / below

    return each


def slow_pc(logits, sets):
    q = logits.shape[-1]
    wins = by_pair(
        lambda z, j: sum(1 / (1 + math.exp(z[k] - z[j])) for k in range(q)), logits, sets
    )
    return (q - 1) * wins - q * (q - 1) / 2 + (q - 1)


def slow_l_w(z, j):
    u = [1 - p for p in softmax(z)]
    return -(1 + u[j] / (len(z) - 1)) * math.log(softmax(u)[j])


def slow_op_w(z, j):
    a = [p + 1e-18 for p in softmax(z)]
    b = [p + 1e-18 for p in softmax([-v for v in z])]
    w = softmax([1 / v + 1 for v in b])
    return -(a[j] * w[j] + 1e-6) * math.log(b[j])


def slow_risks(logits, sets, prior, plench=False):
    """v_k from the matrix m_jk, written out."""
    q = logits.shape[-1]
    m, counts = np.zeros((q, q)), np.zeros(q)
    for z, s in zip(logits.tolist(), sets.tolist()):
        for j in range(q):
            if not s[j]:
                counts[j] += 1
                m[j] -= np.log(softmax(z))
    m /= np.maximum(counts, 1)[:, None]
    v = []
    for k in range(q):
        first = sum((prior[k] if plench else prior[j]) * m[j, k] for j in range(q))
        v.append(first - (q - 1) * prior[k] * m[k, k])
    return np.array(v), counts


ROWS = {
    "ABS-MAE": (abs_mae.loss, slow_abs_mae),
    "ABS-GCE": (
        abs_gce.loss,
        lambda z, inside: sum(slow_gce(z, j) for j in inside) / len(inside),
    ),
    "LOG": (log.loss, slow_log),
    "EXP": (exp.loss, slow_exp),
    "MCL-GCE": (mcl.loss_gce, slow_mcl(slow_gce)),
    "MCL-MSE": (mcl.loss_mse, slow_mcl(slow_mse)),
    "MCL-GCE:plench": (mcl.loss_gce_plench, slow_mcl_plench(slow_gce)),
    "MCL-MSE:plench": (mcl.loss_mse_plench, slow_mcl_plench(slow_mse)),
}
PAIRS = {
    "SCL-EXP": (scl_exp.loss, lambda z, j: math.exp(softmax(z)[j])),
    "SCL-NL": (scl_nl.loss, lambda z, j: -math.log(1 - softmax(z)[j] + 1e-6)),
    "L-W": (l_w.loss, slow_l_w),
    "OP-W": (op_w.loss, slow_op_w),
}
PER_BATCH = {name: loss for name, (loss, _) in PAIRS.items()} | {
    "PC": pc.loss,
    "Forward": forward.loss,
}
PRIOR = torch.tensor([0.4, 0.25, 0.2, 0.1, 0.05], dtype=double)


def risk_losses(logits, sets, prior):
    risks = nn.class_risks(logits, sets, prior)
    return {"NN": nn.loss(risks), "GA": ga.loss(risks, sets)}


@pytest.mark.parametrize("name", ROWS)
def test_each_example_is_the_definition(name, batch):
    loss, slow = ROWS[name]
    expected = torch.tensor(by_row(slow, *batch), dtype=double)
    # tight enough to notice a weight that was formed in float32
    torch.testing.assert_close(loss(*batch), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", PAIRS)
def test_each_batch_is_the_mean_over_its_pairs(name, batch):
    loss, slow = PAIRS[name]
    assert loss(*batch).item() == pytest.approx(by_pair(slow, *batch), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("q", [2, 3, 5, 12])
def test_pc_is_the_definition(q, seed):
    logits, sets = make_batch(seed, q=q)
    assert pc.loss(logits, sets).item() == pytest.approx(slow_pc(logits, sets), rel=1e-9)


@pytest.mark.parametrize("plench", [False, True])
@pytest.mark.parametrize("sets_of", ["mixed", "one label never complementary"])
def test_class_risks_are_the_definition(sets_of, plench, batch):
    logits, sets = batch
    if sets_of != "mixed":
        sets = sets.clone()
        sets[:, 3] = True
    ours = (nn.class_risks_plench if plench else nn.class_risks)(logits, sets, PRIOR)
    v, counts = slow_risks(logits, sets, PRIOR.tolist(), plench)
    torch.testing.assert_close(ours, torch.tensor(v))
    assert nn.loss(ours).item() == pytest.approx(sum(max(x, 0) for x in v))
    parts = counts * v
    expected = -sum(min(x, 0) for x in parts) if min(parts) < 0 else sum(v)
    assert ga.loss(ours, sets).item() == pytest.approx(expected)


def test_ga_chooses_its_branch_trial_by_trial():
    _, sets = make_batch()
    risks = torch.tensor([[1.0, 2, 3, 4, 5], [1.0, -2, 3, -4, 5]], dtype=double)
    counts = (~sets).sum(0).tolist()
    both = ga.loss(risks, torch.stack([sets, sets]))
    assert both.tolist() == [15, 2 * counts[1] + 4 * counts[3]]


@pytest.mark.parametrize("name", [*ROWS, *PER_BATCH, "NN", "GA"])
def test_gradients_are_those_of_the_values(name, batch):
    # a detached weight, or an error in PC's own backward, would show here
    logits, sets = batch
    if name.endswith("plench"):
        logits, sets = logits[1:], sets[1:]  # a full set's 1e21 drowns every difference
    logits = logits.clone().requires_grad_()
    if name in ("NN", "GA"):
        assert torch.autograd.gradcheck(lambda z: risk_losses(z, sets, PRIOR)[name], logits)
    else:
        loss = PER_BATCH[name] if name in PER_BATCH else ROWS[name][0]
        assert torch.autograd.gradcheck(lambda z: loss(z, sets), logits)


def test_leading_axes_are_trials_of_their_own(batch):
    logits, sets = batch
    other, others = make_batch(1)
    many = torch.ones_like(sets)  # no pair at all
    for name, loss in (PER_BATCH | {name: loss for name, (loss, _) in ROWS.items()}).items():
        stacked = loss(torch.stack([logits, other, logits]), torch.stack([sets, others, many]))
        torch.testing.assert_close(stacked[0], loss(logits, sets), msg=name)
        torch.testing.assert_close(stacked[1], loss(other, others), msg=name)
        if name in PER_BATCH:
            assert stacked[2].item() == 0, name
    priors = torch.stack([PRIOR, PRIOR.flip(0), PRIOR])
    stacked = risk_losses(
        torch.stack([logits, other, logits]), torch.stack([sets, others, many]), priors
    )
    for name, values in stacked.items():
        torch.testing.assert_close(values[0], risk_losses(logits, sets, PRIOR)[name])
        torch.testing.assert_close(values[1], risk_losses(other, others, PRIOR.flip(0))[name])
        assert values[2].item() == 0


OF_PAGE = {name: loss for name, (loss, _) in ROWS.items()} | PER_BATCH
OF_PAGE |= {"CC": cc.loss, "EXP:plench": exp.loss_plench, "ABS-GCE:plench": abs_gce.loss_plench}
RISKS = {"fixed": nn.class_risks, "plench": nn.class_risks_plench}


@pytest.mark.parametrize("name", [*OF_PAGE, "NN", "NN:plench", "GA", "GA:plench"])
def test_each_page_trains_on_its_own_loss(name):
    stack = advance(make_stack(toy(), name), 3)
    batch = stack.next_batch()
    with torch.no_grad():
        logits = stack.net(batch.x).logits
    if name in OF_PAGE:
        expected = OF_PAGE[name](logits, batch.candidates)
        expected = expected.mean(-1) if expected.dim() > 1 else expected
    else:
        base, _, variant = name.partition(":")
        risks = RISKS[variant or "fixed"](logits, batch.candidates, stack.constants["prior"])
        expected = nn.loss(risks) if base == "NN" else ga.loss(risks, batch.candidates)
    before = stack.loss_sum.clone()
    update(stack)
    torch.testing.assert_close(stack.loss_sum - before, expected)


# worked by hand: two classes at logits 0 and log 3, so p = (1/4, 3/4)

HALF = torch.tensor([[0.0, math.log(3)]], dtype=double)
FIRST = torch.tensor([[True, False]])


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (abs_mae.loss, 2 * 3 / 4),
        (log.loss, math.log(4)),
        (exp.loss, math.exp(-1 / 4)),
        (mcl.loss_gce, (1 - 0.25**0.7) / 0.7),
        (mcl.loss_mse, (3 / 4) ** 2 + (3 / 4) ** 2),
        (pc.loss, 1 / 2 + 3 / 4),
        (forward.loss, math.log(4)),
        (scl_exp.loss, math.exp(3 / 4)),
        (scl_nl.loss, -math.log(1 / 4 + 1e-6)),
        # u = (3/4, 1/4): log softmax(u)_1 = -log(1 + e^(1/2))
        (l_w.loss, (1 + 1 / 4) * math.log(1 + math.exp(1 / 2))),
        # b = (3/4, 1/4), softmax(1/b)_1 = 1 / (1 + e^(4/3 - 4))
        (op_w.loss, (3 / 4 / (1 + math.exp(4 / 3 - 4)) + 1e-6) * math.log(4)),
    ],
    ids=lambda v: v.__module__.rpartition(".")[2] if callable(v) else "",
)
def test_two_classes_by_hand(loss, expected):
    assert loss(HALF, FIRST).item() == pytest.approx(expected, rel=1e-9)


def test_nn_and_ga_by_hand():
    # the two pairs have labels 1 and 0; half and half. v_0 = (log 4 + log 2)/2 - log(2)/2
    logits = torch.cat([HALF, torch.zeros(1, 2, dtype=double)])
    sets = torch.tensor([[True, False], [False, True]])
    v = nn.class_risks(logits, sets, torch.tensor([0.5, 0.5], dtype=double))
    expected = [math.log(4) / 2, math.log(2) / 2]
    assert v.tolist() == pytest.approx(expected)
    assert nn.loss(v).item() == pytest.approx(sum(expected))
    assert ga.loss(v, sets).item() == pytest.approx(sum(expected))
    # three classes, two equal pairs with label 0, all else absent: v_0 = m - 2 m < 0
    v = nn.class_risks(
        torch.zeros(2, 3, dtype=double),
        torch.tensor([[False, True, True]] * 2),
        torch.tensor([1.0, 0, 0], dtype=double),
    )
    assert v.tolist() == pytest.approx([-math.log(3), math.log(3), math.log(3)])
    assert nn.loss(v).item() == pytest.approx(2 * math.log(3))
    assert ga.loss(v, torch.tensor([[False, True, True]] * 2)).item() == pytest.approx(
        2 * math.log(3)
    )  # c_0 = 2


def test_the_prior_is_each_labels_share_of_the_training_sets_pairs():
    sets = torch.tensor([[[True, False, True], [False, False, True], [True, True, True]]])
    prior = nn.constants(SimpleNamespace(candidates=sets, dtype=double))["prior"]
    torch.testing.assert_close(prior, torch.tensor([[1 / 3, 2 / 3, 0]], dtype=double))
    full = nn.constants(SimpleNamespace(candidates=sets | True, dtype=double))["prior"]
    assert full.tolist() == [[0, 0, 0]]


def test_a_stack_gives_each_trial_the_prior_of_its_own_rows():
    stack = make_stack(toy(), "NN")
    for k in range(3):
        outside = ~stack.examples.labels["candidates"][stack.index[k]]
        expected = outside.sum(0) / outside.sum()
        torch.testing.assert_close(
            stack.constants["prior"][k], expected.to(double), rtol=1e-6, atol=0
        )


# identities


@pytest.fixture
def singletons():
    logits = torch.randn(40, Q, dtype=double, generator=torch.Generator().manual_seed(0)) * 3
    labels = torch.arange(40) % Q
    return logits, one_hot(labels, Q).bool(), logits.softmax(-1).gather(1, labels[:, None])[:, 0]


def test_with_one_candidate_each_loss_is_its_supervised_one(singletons):
    logits, sets, p = singletons
    gce = (1 - p**A) / A
    squared = (logits.softmax(-1) - sets.to(double)).square().sum(-1)
    for loss, expected in (
        (abs_mae.loss, 2 * (1 - p)),
        (abs_gce.loss, gce),
        (mcl.loss_gce, gce),
        (mcl.loss_gce_plench, gce),
        (mcl.loss_mse, squared),
        (mcl.loss_mse_plench, squared),
        (exp.loss, (-p).exp()),
        (log.loss, -p.log()),
    ):
        torch.testing.assert_close(loss(logits, sets), expected)


def test_a_full_set_weighs_nothing_where_its_weight_would_be_infinite():
    logits = torch.randn(4, Q, dtype=double, requires_grad=True)
    full = torch.ones(4, Q, dtype=torch.bool)
    for loss in (log.loss, exp.loss):
        value = loss(logits, full)
        assert value.tolist() == [0] * 4
        (gradient,) = torch.autograd.grad(value.sum(), logits)
        assert not gradient.any()


def test_a_full_set_under_mcl_is_the_sum_over_all_labels():
    logits = torch.randn(4, Q, dtype=double)
    full = torch.ones(4, Q, dtype=torch.bool)
    p = logits.softmax(-1)
    torch.testing.assert_close(mcl.loss_gce(logits, full), ((1 - p**A) / A).sum(-1))
    torch.testing.assert_close(mcl.loss_mse(logits, full), Q - 2 + Q * p.square().sum(-1))


def test_abs_mae_is_a_function_of_the_sets_probability(batch):
    logits, sets = batch
    inside = (logits.softmax(-1) * sets).sum(-1)
    torch.testing.assert_close(abs_mae.loss(logits, sets), 2 - 2 * inside / sets.sum(-1))


def test_log_is_cc_with_weights(batch):
    logits, sets = batch[0][1:], batch[1][1:]
    weight = (Q - 1) / (Q - sets.sum(-1))
    torch.testing.assert_close(log.loss(logits, sets), weight * cc.loss(logits, sets))


@pytest.mark.parametrize("q", [2, 5, 30])
def test_forward_is_scl_nl_plus_a_constant(q):
    logits, sets = make_batch(q=q, size=1.0)
    assert logits.softmax(-1).max() < 0.99
    difference = forward.loss(logits, sets) - scl_nl.loss(logits, sets)
    assert difference.item() == pytest.approx(math.log(q - 1), abs=1e-4)


def test_scl_nl_lets_go_where_forward_keeps_pushing():
    sets = torch.tensor([[False, True, True]])
    for gap, slope in ((10.0, 1.0), (30.0, 0.0)):
        logits = torch.tensor([[gap, 0, 0]], dtype=double, requires_grad=True)
        (pushed,) = torch.autograd.grad(scl_nl.loss(logits, sets), logits)
        assert pushed[0, 0].item() == pytest.approx(slope, abs=0.02)
        (kept,) = torch.autograd.grad(forward.loss(logits, sets), logits)
        assert kept[0, 0].item() == pytest.approx(1, abs=1e-3)
    assert scl_nl.loss(logits, sets).item() == pytest.approx(-math.log(1e-6), abs=1e-4)


def test_pc_of_two_classes_is_one_comparison():
    for gap in (-30.0, -1.0, 0.0, 0.5, 30.0):
        logits = torch.tensor([[gap, 0]], dtype=double)
        value = pc.loss(logits, torch.tensor([[False, True]])).item()
        assert value == pytest.approx(1 / 2 + 1 / (1 + math.exp(-gap)), abs=1e-15)


@pytest.mark.parametrize("q", [2, 5, 219])
def test_pc_of_equal_logits_is_one_less_than_the_classes(q):
    _, sets = make_batch(q=q)
    assert pc.loss(torch.full(sets.shape, 3.0), sets).item() == q - 1


def test_pc_stays_exact_in_float32_where_its_constants_are_large():
    logits, sets = make_batch(q=219)
    exact = slow_pc(logits, sets)
    assert pc.loss(logits.float(), sets).item() == pytest.approx(exact, rel=2e-6)


class _Watch(torch.utils._python_dispatch.TorchDispatchMode):
    """The size of the largest tensor that comes out of an operation, and how many sigmoids."""

    def __init__(self):
        super().__init__()
        self.largest = self.sigmoids = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.sigmoids += "sigmoid" in str(func)
        for tensor in out if isinstance(out, tuple | list) else [out]:
            if isinstance(tensor, torch.Tensor):
                self.largest = max(self.largest, tensor.numel())
        return out


@pytest.mark.parametrize(
    ("members", "rounds"), [(1, 1), (3, 3), (25, 25), (40, 10), (49, 1), (50, 0)]
)
def test_pc_takes_rounds_of_b_q_numbers_for_the_smaller_side(members, rounds):
    logits, q = make_batch(q=50)[0], 50
    sets = (torch.arange(q) < members).expand(logits.shape)
    with _Watch() as seen:
        pc.loss(logits.requires_grad_(), sets).backward()
    assert seen.largest == logits.numel()
    assert seen.sigmoids == rounds


def test_rc_is_proden_by_another_name():
    rc, proden = (advance(make_stack(toy(), name), 30) for name in ("RC", "PRODEN"))
    for what, tensor in tensors(rc).items():
        assert torch.equal(tensor, tensors(proden)[what]), what


# unbiasedness


def label_losses(kind, logits):
    return {"gce": mcl.gce, "mse": mcl.mse, "any": lambda z: z.exp()}[kind](logits)


@pytest.mark.parametrize("kind", ["gce", "mse", "any"])
@pytest.mark.parametrize("s", range(1, 6))
def test_mcl_averages_to_the_supervised_loss_over_all_sets_of_a_size(kind, s):
    q, y = 6, 2
    logits = torch.randn(q, dtype=double, generator=torch.Generator().manual_seed(s))
    others = [j for j in range(q) if j != y]
    sets = torch.zeros(math.comb(q - 1, s - 1), q, dtype=torch.bool)
    for row, chosen in zip(sets, itertools.combinations(others, s - 1)):
        row[[y, *chosen]] = True
    losses = label_losses(kind, logits).expand(len(sets), q)
    estimate = mcl.estimate(losses, sets).mean().item()
    assert estimate == pytest.approx(losses[0, y].item(), abs=1e-12)


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


def complementary_draws(shape, priors, seed=0):
    """Labels from ``priors``, one uniform wrong label each, and logits that know a little."""
    g = np.random.default_rng(seed)
    q = len(priors)
    y = torch.tensor(g.choice(q, size=shape, p=priors))
    wrong = (y + torch.tensor(g.integers(1, q, size=shape))) % q
    logits = torch.tensor(g.normal(size=(*shape, q))) + 2 * one_hot(y, q)
    return y, ~one_hot(wrong, q).bool(), logits


UNEQUAL = [0.5, 0.2, 0.15, 0.1, 0.05]


def prior_of(labels):
    """Shares of the complementary labels when each is uniform among the wrong ones."""
    return (1 - torch.tensor(labels, dtype=double)) / (len(labels) - 1)


def test_class_risks_average_to_the_supervised_risk_over_all_complementary_labels():
    # every wrong label of every example once: the model of the paper without sampling
    y, _, logits = complementary_draws((60,), UNEQUAL)
    y, logits = y.repeat_interleave(Q - 1), logits.repeat_interleave(Q - 1, 0)
    wrong = (y + torch.arange(1, Q).repeat(60)) % Q
    sets = ~one_hot(wrong, Q).bool()
    prior = (~sets).to(double).mean(0)
    losses = -logits.log_softmax(-1)
    parts = torch.stack([(losses[:, k] * (y == k)).mean() for k in range(Q)])
    torch.testing.assert_close(nn.class_risks(logits, sets, prior), parts)
    off = (nn.class_risks_plench(logits, sets, prior).sum() - parts.sum()).abs()
    assert off > 0.05 * parts.sum()  # D-NN-1


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


@pytest.mark.parametrize("name", ["NN", "GA"])
def test_d_nn_1_reaches_the_objective_of_both(name):
    # one update from equal parameters on equal batches
    fixed, plench = (advance(make_stack(toy(), n), 1) for n in (name, f"{name}:plench"))
    assert not torch.equal(fixed.loss_sum, plench.loss_sum)


# where float32 gives out


def gradient(loss, logits, sets):
    logits = torch.tensor(logits, requires_grad=True)
    value = loss(logits, torch.tensor(sets)).sum()
    value.backward()
    return value, logits.grad


def test_d_exp_1_fixed_survives_a_full_set_and_plench_does_not():
    logits, sets = [[1.0, 2, 3], [1.0, 2, 3]], [[True, True, True], [True, False, False]]
    value, slope = gradient(exp.loss, logits, sets)
    assert value.isfinite()
    assert slope.isfinite().all()
    assert not slope[0].any()
    value, slope = gradient(exp.loss_plench, logits, sets)
    assert value.isinf()
    assert slope.isnan().any()


def test_d_gce_1_mcl_fixed_survives_an_underflow_and_plench_does_not():
    logits, sets = [[0.0, 0.0, -120.0]], [[True, True, False]]
    assert gradient(mcl.loss_gce, logits, sets)[1].isfinite().all()
    assert gradient(mcl.loss_gce_plench, logits, sets)[1].isnan().any()


def test_mcl_plench_lives_through_a_full_set_as_the_released_program_does_in_float64():
    logits, sets = [[1.0, 2, 3]], [[True, True, True]]
    value, slope = gradient(mcl.loss_mse_plench, logits, sets)
    assert value.item() == pytest.approx(-2e20, rel=1e-6)
    torch.testing.assert_close(slope, gradient(mcl.loss_mse, logits, sets)[1])


@pytest.mark.parametrize("gap", [20.0, 60.0, 120.0, 400.0])
def test_d_num_1_a_wrong_and_certain_model_still_learns(gap):
    # the wrong label has all the probability; 1 - p and p_S are 0 in float32
    logits, sets = [[gap, 0.0, -1.0]], [[False, True, True]]
    assert gradient(log.loss, logits, sets)[1][0, 0].item() == pytest.approx(2)
    for loss in (*PER_BATCH.values(), exp.loss, abs_mae.loss, mcl.loss_gce, mcl.loss_mse):
        value, slope = gradient(loss, logits, sets)
        assert value.isfinite()
        assert slope.isfinite().all()


def test_op_w_in_float32_where_1_over_b_is_1e18():
    # two classes share the least b exactly, and the third is far away
    for gap in (5.0, 30.0, 41.0, 60.0, 200.0):
        value, slope = gradient(op_w.loss, [[gap, gap, 0.0]], [[False, True, True]])
        expected = slow_op_w([gap, gap, 0.0], 0)
        assert value.item() == pytest.approx(expected, rel=2e-2 if gap == 41 else 1e-5)
        assert slope.isfinite().all()
