"""DIRK against loops over its pool, with views that differ, and on sets that are odd."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import _contrast, algorithm, dirk
from candidly.learn.algorithms._tensors import masked_softmax
from candidly.learn.algorithms._views import View
from candidly.learn.engine.train import update
from learn.algorithms import slow_contrast
from learn.algorithms.picture_battery import stack_of as of_pictures
from learn.algorithms.test_on_logits import chosen, on_logits

from toys import advance, make_stack, stack_of, toy

double = torch.float64
NOISE = {"weak": View(noise=0.3), "strong": View(noise=0.9), "distill": View(noise=0.6)}


def apart(name: str, batch=5, **how):
    """A table has one view alone, so it is given three that differ."""
    return stack_of(replace(algorithm(name), views=NOISE), data=toy(n=84), batch=batch, **how)


# the rectified distribution


def by_hand(p, inside, guard):
    """R of one row, from the formulas; p a list of probabilities."""
    classes = range(len(p))
    mass = sum(p[j] for j in classes if inside[j])
    rest = sum(p[j] for j in classes if not inside[j]) + guard
    c = [p[j] / mass if inside[j] else 0.0 for j in classes]
    n = [0.0 if inside[j] else p[j] / rest if rest else 0.0 for j in classes]
    ratio = max(n) / mass
    a = ratio / (ratio + min(c[j] for j in classes if inside[j])) or 1.0
    return [a * c[j] + (1 - a) * n[j] for j in classes]


def some_sets(rows=300, classes=6, seed=0):
    g = torch.Generator().manual_seed(seed)
    logits = 4 * torch.randn(rows, classes, generator=g, dtype=double)
    sets = torch.rand(rows, classes, generator=g) < torch.linspace(0.1, 1, rows)[:, None]
    return logits, sets.scatter(1, torch.randint(classes, (rows, 1), generator=g), True)


@pytest.mark.parametrize(
    ("rectify", "guard"), [(dirk.rectified, 0.0), (dirk.rectified_plench, 1e-20)]
)
def test_the_rectified_distribution_is_the_definition(rectify, guard):
    logits, sets = some_sets()
    assert sets.all(1).any()
    assert (sets.sum(1) == 1).any()
    p = logits.softmax(-1).tolist()
    expected = [by_hand(*row, guard) for row in zip(p, sets.tolist())]
    torch.testing.assert_close(
        rectify(logits, sets), torch.tensor(expected, dtype=double), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("scale", [1, 10, 200])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_rectified_distribution_sums_to_1_and_has_no_other_class_above_a_candidate(
    scale, dtype
):
    logits, sets = some_sets()
    r = dirk.rectified(scale * logits.to(dtype), sets)
    assert (r >= 0).all()
    torch.testing.assert_close(r.sum(-1), torch.ones(len(r), dtype=dtype))
    least = r.masked_fill(~sets, torch.inf).amin(-1)
    most = r.masked_fill(sets, 0).amax(-1)
    close = torch.finfo(dtype)  # equal where the set has all the mass, up to exp's rounding
    assert (least * (1 + 1e4 * close.eps) + close.tiny >= most).all()
    full = sets.all(-1)
    torch.testing.assert_close(r[full], (scale * logits.to(dtype))[full].softmax(-1))


def test_the_surer_the_teacher_of_a_lone_candidate_the_more_the_others_get():
    sets = torch.tensor([[True, False, False]])
    told = [dirk.rectified(torch.tensor([[z, 0.0, 0.0]]), sets)[0] for z in (-30.0, 0.0, 30.0)]
    for r, expected in zip(told, ([1.0, 0.0, 0.0], [0.6, 0.2, 0.2], [1 / 3] * 3)):
        torch.testing.assert_close(r, torch.tensor(expected))


def test_d_dirk_1_a_certain_teacher_tells_all_it_knows_and_next_to_nothing_in_plench():
    logits, sets = torch.tensor([[70.0, 3.0, 2.0, 0.0]]), torch.tensor([[True, False, True, False]])
    assert logits.softmax(-1)[0, 1] < 1e-25
    for dtype in (torch.float32, double):
        fixed = dirk.rectified(logits.to(dtype), sets)
        torch.testing.assert_close(fixed.sum(-1), torch.ones(1, dtype=dtype))
        assert fixed[0, 0] > 0.99
    sets = torch.tensor([[True, False, False, False]])
    assert dirk.rectified(logits, sets).sum() == pytest.approx(1)
    assert dirk.rectified_plench(logits, sets).sum() < 1e-6
    # of a moderate one both tell the same
    torch.testing.assert_close(
        dirk.rectified(logits / 7, sets), dirk.rectified_plench(logits / 7, sets)
    )


def test_d_num_1_dirk_rectifies_where_the_candidates_mass_underflows():
    logits, sets = torch.tensor([[0.0, 200.0, 1.0]]), torch.tensor([[True, False, True]])
    p = logits.softmax(-1)
    assert (p * sets / (p * sets).sum(-1, keepdim=True)).isnan().any()  # the released quotient
    for rectify in (dirk.rectified, dirk.rectified_plench):
        torch.testing.assert_close(rectify(logits, sets), masked_softmax(logits, sets))


# whole updates


class SlowQueue:
    """Of one trial: rows in the order in which they came, each written over the oldest."""

    def __init__(self, stack, k):
        self.size, self.came = stack.hp.queue, 0
        self.rows = [None] * self.size
        if stack.algorithm.variant == "plench":  # a random row's set meets every other
            for a, (f, r) in enumerate(
                zip(stack.memory["queue"][k], stack.memory["queue_told"][k])
            ):
                self.rows[a] = (f.clone(), r.clone(), [True] * stack.q)

    def held(self):
        return [row for row in self.rows if row is not None]

    def push(self, rows):
        for row in rows:
            self.rows[self.came % self.size] = row
            self.came += 1


def slow_step(s, b, k, queue):
    """Of trial k: the objective, and the rows that enter the queue."""
    sets, count = b.candidates[k].tolist(), s.B
    z = s.net(b.view("distill")).logits[k]
    f = s.net.head(s.net.trunk(b.view("strong")), "projection")[k]
    with torch.no_grad():
        taught = s.teacher(b.view("distill")).logits[k].softmax(-1).tolist()
        keys = s.teacher.head(s.teacher.trunk(b.view("weak")), "projection")[k]
    guard = 1e-20 if s.algorithm.variant == "plench" else 0.0
    told = [torch.tensor(by_hand(*row, guard), dtype=double) for row in zip(taught, sets)]
    new = list(zip(keys, told, sets))
    feature_t, told_t = float(s.hp.feat_temperature[k]), float(s.hp.dist_temperature[k])
    others = queue.held()
    if s.t < s.hp.warm_up:
        contrast = slow_contrast.info_nce(f, keys, [row[0] for row in others], feature_t).mean()
    else:
        pool = [*zip(f, told, sets), *new, *others]
        features = torch.stack([row[0] for row in pool])
        contrast = 0.0
        for i in range(count):
            weights = {}
            for a, (_, r, candidates) in enumerate(pool):
                meet = any(x and y for x, y in zip(sets[i], candidates))
                if a != i and meet and int(r.argmax()) == int(told[i].argmax()):
                    cosine = r @ told[i] / (r.norm() * told[i].norm())
                    weights[a] = float((cosine / told_t).exp())
            for a, weight in weights.items():
                share = slow_contrast.log_share(f, features, i, a, feature_t)
                contrast -= weight / sum(weights.values()) * share / count
        contrast = feature_t / 0.07 * contrast
    fitted = sum(-(r * row.log_softmax(0)).sum() for r, row in zip(told, z)) / count
    return fitted + float(s.hp.weight[k]) * contrast, new


def slope_of(stack, objective):
    stack.net.begin(stack.t)
    objective.sum().backward()
    return stack.net.grad.clone()


@pytest.mark.parametrize("name", ["DIRK", "DIRK:plench"])
def test_updates_are_those_of_the_loops_over_the_pool(name):
    """Of two trials, through the warm-up and a queue that is no multiple of the batch."""
    stack = apart(name, trials=(0, 1), size=4, queue=12, warm_up=2)
    assert len(set(stack.hp.dist_temperature[:, 0].tolist())) == 2
    queues = [SlowQueue(stack, k) for k in range(2)]
    for _ in range(5):
        (b,) = stack.next_batches()
        each = [slow_step(stack, b, k, queue) for k, queue in enumerate(queues)]
        expected = torch.stack([objective for objective, _ in each])
        wanted = slope_of(stack, expected)
        objective, _ = stack.stage.step(stack, b)
        torch.testing.assert_close(objective, expected, rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(slope_of(stack, objective), wanted, rtol=1e-9, atol=1e-9)
        update(stack)
        for k, (queue, (_, new)) in enumerate(zip(queues, each)):
            queue.push(new)
            held = [_contrast.held(stack, name)[k] for name in stack.memory]
            if stack.algorithm.variant == "plench":
                held = [tensor[k] for tensor in stack.memory.values()]
            features, told, labels = held
            assert len(features) == len(queue.held())
            for a, (f, r, _) in enumerate(queue.held()):
                torch.testing.assert_close(features[a], f, rtol=1e-9, atol=1e-9)
                torch.testing.assert_close(told[a], r / r.norm(), rtol=1e-9, atol=1e-9)
                assert labels[a] == r.argmax()


def test_the_teacher_starts_by_itself_and_follows_the_student_without_gradient():
    stack = apart("DIRK", trials=(0, 1))
    assert not torch.equal(stack.teacher.flat, stack.net.flat)
    assert stack.teacher.grad is None
    for _ in range(3):
        before = stack.teacher.flat.clone()
        update(stack)
        m = stack.hp.momentum
        torch.testing.assert_close(stack.teacher.flat, m * before + (1 - m) * stack.net.flat)
    assert stack.algorithm.predicts == "net"


@pytest.mark.parametrize(("name", "of_teacher"), [("DIRK", 0), ("DIRK:plench", 6)])
def test_on_pictures_each_network_has_two_passes_and_the_students_move_statistics(name, of_teacher):
    stack = advance(of_pictures(name), 3)
    counts = [m.buffers["norm.num_batches_tracked"] for m in (stack.net, stack.teacher)]
    assert (counts[0] == 6).all()
    assert (counts[1] == of_teacher).all()
    (b,) = stack.next_batches()
    x = b.view("weak")
    ours = stack.teacher.trunk(x)[:, :3]
    stack.teacher.forget()
    assert not torch.allclose(ours, stack.teacher.trunk(x[:, :3].clone()))  # norms of the batch


def test_d_dirk_2_random_rows_are_negatives_in_plench_alone():
    fixed, plench = (apart(name, trials=(0,), queue=40) for name in ("DIRK", "DIRK:plench"))
    assert _contrast.held(fixed, "queue").shape[1] == 0
    torch.testing.assert_close(plench.memory["queue"][0].norm(dim=0), torch.ones(8, dtype=double))
    told = plench.memory["queue_told"][0]
    assert (told < 0).any()
    assert torch.equal(plench.memory["queue_labels"][0], told.argmax(-1))
    for stack, alone in ((fixed, True), (plench, False)):
        (b,) = stack.next_batches()
        objective, _ = stack.stage.step(stack, b)
        r = dirk.rectified(stack.teacher(b.view("distill")).logits.detach(), b.candidates)
        fitted = -(r * stack.net(b.view("distill")).logits.log_softmax(-1)).sum(-1).mean()
        # with nothing to tell the key from, the contrast is 0
        assert (abs(float((objective - fitted).detach())) < 1e-12) == alone


def test_a_trial_that_turns_nan_writes_no_slot():
    """Of a queue that is longer than the training, so that nothing is written over."""
    stack, beside = (
        advance(make_stack(toy(n=84), "DIRK", batch=8, queue=500), 3) for _ in range(2)
    )
    stack.net.flat[1], stack.teacher.flat[1] = torch.nan, torch.nan
    advance(stack, 2)
    advance(beside, 2)
    assert stack.diverged_at == [None, 3, None]
    for name, queue in stack.memory.items():
        assert queue.isfinite().all(), name
        assert torch.equal(queue[[0, 2]], beside.memory[name][[0, 2]]), name


@pytest.mark.parametrize("warm_up", [0, 1])
def test_of_equal_entries_a_candidate_is_the_label(warm_up):
    """Of a lone candidate and a certain teacher, R has the same for it and another class."""
    own = np.eye(5, dtype=bool)[np.full(60, 4)]
    logits = np.random.default_rng(0).normal(size=own.shape) + 50 * own
    r = dirk.rectified(torch.tensor(logits), torch.tensor(own))
    assert (r.argmax(-1) != 4).any()
    stack = on_logits("DIRK", logits, chosen(own), warm_up=warm_up, queue=60, size=4)
    assert (stack.memory["queue_labels"] == 4).all()


def test_on_a_table_the_views_are_one_and_each_network_is_asked_once():
    stack = make_stack(toy(n=84), "DIRK", [0], batch=8)
    asked = []
    for name, module in stack.modules.items():
        trunk = module.trunk
        module.trunk = lambda x, name=name, trunk=trunk: asked.append(name) or trunk(x)
    update(stack)
    assert sorted(asked) == ["net", "teacher"]


@pytest.mark.parametrize("name", ["DIRK", "DIRK:plench"])
@pytest.mark.parametrize(
    "sets",
    [
        lambda data: np.ones((data.n, data.q), bool),  # all full
        lambda data: np.arange(data.q) == (data.truth[:, None] + 1) % data.q,  # without the truth
        lambda data: np.tile(np.arange(data.q) < 2, (data.n, 1)),  # five classes never predicted
        lambda data: np.arange(data.q) == np.arange(data.n)[:, None] % data.q,  # labels that differ
    ],
)
@pytest.mark.parametrize("batch", [1, 4, 16])
def test_odd_sets_and_small_batches_are_learned_from(name, sets, batch):
    """Four rows are fewer than the classes; one alone has its key as the only positive."""
    data = toy(n=84)
    stack = make_stack(replace(data, candidates=sets(data)), name, [0, 1], batch=batch, steps=12)
    advance(stack, 12)
    assert stack.diverged_at == [None, None]
    for tensor in stack.changing().values():
        assert tensor.isfinite().all()


@pytest.mark.parametrize("temperature", [0.01, 0.2, 50.0])
def test_weights_of_positives_are_a_softmax_at_any_temperature(temperature):
    g = torch.Generator().manual_seed(0)
    told, others = (dirk.length_1(torch.rand(1, n, 5, generator=g)) for n in (4, 9))
    keys, queue = torch.eye(4)[None], torch.zeros(1, 9, 4)
    labels, queue_labels = torch.tensor([[0, 1, 1, 3]]), torch.arange(9)[None] % 3
    t = torch.full((1, 1, 1), temperature)
    own, toward = dirk.positives(told, labels, keys, (queue, others, queue_labels), t)
    assert own.isfinite().all()
    assert toward.isfinite().all()
    # row 3 has nobody but its key, which weighs 1; of the others, some weight is the queue's
    torch.testing.assert_close(toward[0, 3], torch.eye(4)[3])
    assert (own.sum(-1) + toward.sum(-1) <= 1 + 1e-6).all()
