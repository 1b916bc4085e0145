"""The losses of candidate sets and complementary labels, against the definitions in plain Python.

The definitions are in ``slow.py``. Then gradients, axes, and cases worked by hand; identities and
unbiasedness are in ``test_identities.py``, what tells ``fixed`` and ``plench`` apart in
``test_defects.py``.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
import torch

from candidly.learn.algorithms import (
    abs_mae,
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
from candidly.learn.engine.train import update
from learn.algorithms.slow import (
    OF_PAGE,
    PAIRS,
    PER_BATCH,
    PRIOR,
    ROWS,
    by_pair,
    by_row,
    double,
    gradient,
    make_batch,
    slow_op_w,
    slow_pc,
    slow_risks,
)

from toys import advance, make_stack, tensors, toy


@pytest.fixture
def batch():
    return make_batch()


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


RISKS = {"fixed": nn.class_risks, "plench": nn.class_risks_plench}


@pytest.mark.parametrize("name", [*OF_PAGE, "NN", "NN:plench", "GA", "GA:plench"])
def test_each_page_trains_on_its_own_loss(name):
    stack = advance(make_stack(toy(), name), 3)
    batch = stack.next_batches()[0]
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
    logits, q = make_batch(q=50)[0][None], 50  # of one trial
    sets = (torch.arange(q) < members).expand(logits.shape)
    with _Watch() as seen:
        pc.loss(logits.requires_grad_(), sets).backward()
    assert seen.largest == logits.numel()
    assert seen.sigmoids == rounds


def test_rc_is_proden_by_another_name():
    rc, proden = (advance(make_stack(toy(), name), 30) for name in ("RC", "PRODEN"))
    for what, tensor in tensors(rc).items():
        assert torch.equal(tensor, tensors(proden)[what]), what


def test_mcl_plench_lives_through_a_full_set_as_the_released_program_does_in_float64():
    logits, sets = [[1.0, 2, 3]], [[True, True, True]]
    value, slope = gradient(mcl.loss_mse_plench, logits, sets)
    assert value.item() == pytest.approx(-2e20, rel=1e-6)
    torch.testing.assert_close(slope, gradient(mcl.loss_mse, logits, sets)[1])


def test_op_w_in_float32_where_1_over_b_is_1e18():
    # two classes share the least b exactly, and the third is far away
    for gap in (5.0, 30.0, 41.0, 60.0, 200.0):
        value, slope = gradient(op_w.loss, [[gap, gap, 0.0]], [[False, True, True]])
        expected = slow_op_w([gap, gap, 0.0], 0)
        assert value.item() == pytest.approx(expected, rel=2e-2 if gap == 41 else 1e-5)
        assert slope.isfinite().all()
