"""What every algorithm must do on chosen logits and sets: stay finite, and prefer no class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.data.labels.labelled import Labelled
from candidly.learn.algorithms import ALGORITHMS, algorithm, configuration
from candidly.learn.contract.battery import votes_about
from candidly.learn.engine.examples import Examples, label_tensor, make_examples
from candidly.learn.engine.stack import Member
from candidly.learn.engine.start import start
from candidly.learn.nets import Net, affine, mlp
from learn.algorithms.battery import NAMES

from toys import advance, member, shortened, tensors, toy

FIXED = [name for name in NAMES if not name.endswith(":plench")]
OF_SETS = {name for name in NAMES if "candidates" in algorithm(name).reads}

every_fixed = pytest.mark.parametrize("name", FIXED)


@pytest.fixture(scope="module")
def data():
    return toy()


# pages on chosen logits: a linear net on one-hot inputs, so that row i's logits are row i of w


def linear(rows: int, classes: int) -> Net:
    shapes = {"w": (rows, classes), "b": (1, classes)}
    return Net(
        shape=(rows,),
        width=rows,
        shapes=shapes,
        init=lambda rng: {name: np.zeros(shape) for name, shape in shapes.items()},
        trunk=lambda p, x: x,
        heads={"head": lambda p, x: affine(x, p["w"], p["b"])},
        parts={"head": ("w", "b")},
    )


def on_logits(name, logits, data, order=None, dtype=torch.float64, updates=1, **hyper):
    """Updates of a page whose batch is the whole of ``data``, from these logits.

    Args:
        logits: (n, q), or (K, n, q) for as many trials.
    """
    page = algorithm(name)
    logits = torch.as_tensor(logits, dtype=dtype).reshape(-1, *logits.shape[-2:])
    _, n, q = logits.shape
    order = np.arange(n) if order is None else order
    examples = Examples(
        torch.eye(n, dtype=dtype),
        {read: label_tensor(data, read) for read in page.reads},
        np.zeros(n),
        np.ones(n),
        q,
        dtype,
    )
    values = configuration(page.settings(), 0, 0) | {"batch_size": n} | hyper
    members = [Member(0, order, values) for _ in logits]
    stack = start(page, linear(n, q), examples, members, 10)
    parameters = {what: leaf.data for what, leaf in stack.net.parameters.items()}
    # a head on several copies of the inputs has the logits for each
    copies = parameters["w"].shape[-2] // n
    # and several networks have them all
    parameters["w"][:] = logits.repeat(1, copies, 1).repeat_interleave(page.networks, 0)
    if "b" in parameters:
        parameters["b"].zero_()
    if "teacher" in stack.modules:  # which starts by itself, and of equal logits tells nothing
        stack.teacher.parameters["w"].data[:] = logits.repeat_interleave(page.networks, 0)
    return advance(stack, updates)


def late_on_logits(name, logits, data, **how):
    """The same with every warm-up over: three updates, which are epochs, from logits that stay."""
    page = algorithm(name)
    hyper = shortened(page) | {"lr": 0.0}
    if "warm_up" in page.settings():
        hyper["warm_up"] = 0
    return on_logits(name, logits, data, updates=3, **hyper, **how)


def chosen(candidates, covered=True, seed=0):
    """Sets with a label each, which is one of its candidates or, not ``covered``, none of them."""
    candidates = np.asarray(candidates, dtype=bool)
    g = np.random.default_rng(seed)
    truth = np.array([g.choice(np.flatnonzero(row == covered)) for row in candidates])
    return Labelled(
        inputs=np.zeros((len(truth), 1)),
        classes=tuple(map(str, range(candidates.shape[1]))),
        candidates=candidates,
        given=truth,
        votes=votes_about(truth, candidates.shape[1], 0.3, g),
        truth=truth,
    )


SETS = {
    "singletons": np.eye(5)[[0, 1, 2, 3, 4, 0]],
    "full": np.ones((6, 5)),
    "all but one": 1 - np.eye(5)[[0, 1, 2, 3, 4, 0]],
    "mixed": [[1, 0, 0, 1, 0], [1] * 5, [0, 1, 0, 0, 0], [0, 1, 1, 1, 0], [1, 1, 0, 0, 0], [1] * 5],
    "two classes": [[1, 0], [0, 1], [1, 1], [1, 0], [0, 1], [1, 1]],
    "a class that is never complementary": 1 - np.eye(5)[[0, 1, 2, 3, 3, 0]],
    "without the truth": np.eye(5)[[0, 1, 2, 3, 4, 0]] + np.eye(5)[[1, 2, 3, 4, 0, 2]],
}


# what reads one label an example does not know of the sets around it
CASES = [
    (name, sets)
    for name in FIXED
    for sets in (SETS if name in OF_SETS else ("singletons", "two classes"))
]


@pytest.mark.parametrize(("name", "sets"), CASES)
def test_finite_for_any_set_and_any_logits(name, sets):
    data = chosen(SETS[sets], covered=sets != "without the truth")
    signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(data.n, data.q))
    towards = np.eye(data.n, data.q)
    shapes = np.stack([signs, towards, -towards])
    logits = np.concatenate([0 * signs[None], shapes, 200 * shapes])
    for run in (on_logits, late_on_logits):
        stack = run(name, logits, data, dtype=torch.float32)
        assert stack.diverged_at == [None] * len(logits)
        assert stack.net.grad.isfinite().all()
        assert all(tensor.isfinite().all() for tensor in tensors(stack).values())


@pytest.mark.parametrize("name", sorted(OF_SETS))
@pytest.mark.parametrize("bad", ["full", "singletons", "without the truth"])
def test_a_trial_of_bad_sets_leaves_its_neighbours_alone(name, bad, data):
    # the middle trial has the last third of the rows to itself, and those are bad
    rows = np.arange(data.n).reshape(3, -1)[[0, 2, 1]]
    sets = np.array(data.candidates)
    truth = np.eye(data.q, dtype=bool)[data.truth[rows[1]]]
    sets[rows[1]] = {"full": truth | True, "singletons": truth, "without the truth": ~truth}[bad]
    data = Labelled(
        inputs=data.inputs,
        classes=data.classes,
        candidates=sets,
        given=data.given,
        truth=data.truth,
    )
    page = algorithm(name)
    examples = make_examples(data, page.reads, dtype=torch.float64)
    hyper = configuration(page.settings(), 0, 0) | shortened(page) | {"batch_size": 32}
    members = [Member(k, rows[k], hyper) for k in range(3)]

    def trained(some):
        return advance(start(page, mlp(12, data.q, 20), examples, some, 9), 9)

    together = tensors(trained(members))
    for what, tensor in tensors(trained(members[::2])).items():
        assert together[what][::2].isfinite().all(), what
        torch.testing.assert_close(together[what][::2], tensor, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", [n for n in NAMES if "given" in algorithm(n).reads])
def test_a_trial_of_one_label_leaves_its_neighbours_alone(name, data):
    # the middle trial has the last third of the rows to itself, and one class is all it hears of
    rows = np.arange(data.n).reshape(3, -1)[[0, 2, 1]]
    given = np.array(data.given)
    given[rows[1]] = 3
    page = algorithm(name)
    examples = make_examples(replace(data, given=given), page.reads, dtype=torch.float64)

    def trained(some):
        members = [member(data, k, page, examples) for k in some]
        members = [replace(m, rows=rows[k]) for k, m in zip(some, members)]
        return tensors(advance(start(page, mlp(12, data.q, 20), examples, members, 30), 9))

    together = trained([0, 1, 2])
    assert all(tensor.isfinite().all() for tensor in together.values())
    for what, tensor in trained([0, 2]).items():
        torch.testing.assert_close(together[what][::2], tensor, rtol=1e-10, atol=1e-12)


@every_fixed
def test_relabelling_the_classes_relabels_the_result(name):
    g = np.random.default_rng(2)
    logits, data = g.normal(size=(6, 5)), chosen(SETS["mixed"])
    new = g.permutation(5)  # class j is called new[j]
    moved_logits, moved_sets = np.empty_like(logits), np.empty_like(data.candidates)
    moved_logits[:, new], moved_sets[:, new] = logits, data.candidates
    moved = Labelled(
        inputs=data.inputs,
        classes=data.classes,
        candidates=moved_sets,
        votes=replace(data.votes, labels=new[data.votes.labels]),
        given=new[data.given],
        truth=new[data.truth],
    )
    for run in (on_logits,) if name in DRAWS | TIES else (on_logits, late_on_logits):
        before, after = run(name, logits, data), run(name, moved_logits, moved)
        torch.testing.assert_close(before.loss_sum, after.loss_sum)
        torch.testing.assert_close(
            before.net.parameters["w"].grad, after.net.parameters["w"].grad[..., new]
        )
        for what, table in before.rows.items():
            has_classes = (table.dim() == 3 or what == "target") and table.shape[-1] == 5
            other = after.rows[what]
            other = other[..., new] if has_classes else other
            table = torch.from_numpy(new)[table] if what in LABELS else table
            near = 1e-6 if what in before.algorithm.learned else 1e-7  # these start at random
            torch.testing.assert_close(table, other, rtol=1e-7, atol=near)


# Row tables that hold a class for each row.
LABELS = {"distilled", "corrected"}
# Draws per example and class, or per entry: who is moved draws other numbers. The parts without
# draws are compared all the same, in the stage before.
DRAWS = {"VALEN", "VALEN:table8", "sop", "sop+"}
DRAWS |= {name for name in FIXED if name.startswith(("pes", "promix"))}
# Take the first of equal classes: without a warm-up, all prototypes are 0.
TIES = {name for name in FIXED if name.startswith(("PiCO", "ALIM"))}
# Draw by the place in the batch or the trial: who is shuffled draws other numbers.
PLACED = {name for name in FIXED if name.startswith(("dividemix", "mixup", "peer", "f-div"))}
PLACED |= {name for name in FIXED if name.startswith(("bbn", "pes", "promix", "decoupling-"))}
PLACED |= {
    name for name in FIXED if name.startswith(("ALIM", "PiCO+", "elr+", "disc", "cores*", "SoLar"))
}


@every_fixed
def test_shuffling_the_batch_changes_nothing(name):
    logits, data = np.random.default_rng(3).normal(size=(6, 5)), chosen(SETS["mixed"])
    at_once = (
        "mixup",
        "elr+",
        "elr+:many-classes",
        "sop+",
        "disc",
        "peer:ramp",
        "bbn",
        "ALIM",
        "ALIM:estimated",
    )
    early = () if name in at_once else (on_logits,)
    for run in early if name in DRAWS | PLACED else (on_logits, late_on_logits):
        straight = run(name, logits, data)
        shuffled = run(name, logits, data, order=np.array([3, 1, 5, 0, 2, 4]))
        torch.testing.assert_close(straight.loss_sum, shuffled.loss_sum)
        torch.testing.assert_close(
            straight.net.parameters["w"].grad, shuffled.net.parameters["w"].grad
        )


DIFFERENCES = {
    # variant: a set-up on which it differs from the default
    "PiCO:plench": "the warm-up: random rows are among the negatives",
    "PiCO+:plench": "behind the warm-up: no target moves, no row is unreliable",
    "PiCO+:estimated": "the first epoch behind the warm-up: another number of rows is reliable",
    "ALIM:plench": "the first update: another contrast",
    "ALIM:estimated": "the first epoch behind the start: another trade-off",
    "RECORDS:corr": "any batch: two views, and the non-candidates are avoided",
    "PRODEN:pre": "any batch: the weights come from before the update",
    "CAVL:plench": "candidates with negative activation values",
    "ABS-GCE:plench": "a probability that underflows in float32",
    "EXP:plench": "a full candidate set",
    "MCL-GCE:plench": "a set of more than one candidate, a probability that underflows",
    "MCL-MSE:plench": "a set of more than one candidate",
    "NN:plench": "complementary labels that are not equally frequent",
    "GA:plench": "complementary labels that are not equally frequent",
    "POP:plench": "a label that has left the set",
    "POP:window": "an epoch that is no multiple of the window",
    "FREDIS:plench": "a label that has left the set",
    "gce:truncated": "a probability below the threshold",
    "label-smoothing:negative": "another default",
    "elr+:many-classes": "any label that is mixed",
    "eps-softmax:released": "a label far less probable than the predicted class",
    "cores2:released": "a probability far below the guard",
    "cores2:epochs": "the second epoch: the learning rate is divided",
    "peer:epochs": "any update behind the warm-up: nobody else counts yet",
    "co-teaching:epochs": "the first epoch: nothing is forgotten yet",
    "forward-t:counts": "an estimate that is no softmax",
    "forward-t:symmetric": "another noise rate than the estimate's",
    "forward-t:oracle": "given labels that are all right",
    "backward-t:counts": "an estimate that is no softmax",
    "backward-t:symmetric": "another noise rate than the estimate's",
    "backward-t:oracle": "given labels that are all right",
    "peer:one-pass": "a row drawn that is not the batch's own",
    "peer:ramp": "the warm-up: others count from the second update on",
    "f-div:js": "any two probabilities",
    "f-div:kl": "any two probabilities",
    "f-div:pearson": "any two probabilities",
    "VALEN:table8": "the defaults: its warm-up lasts 5,000 updates",
    "co-teaching:released": "the first epoch: nothing is forgotten yet",
    "co-teaching:noisywikihow": "the first epoch: nothing is forgotten yet",
    "co-teaching:estimated": "the first epoch: nothing is forgotten yet",
    "co-teaching+:estimated": "the first epoch: nothing is forgotten yet",
    "jocor:estimated": "the first epoch: nothing is forgotten yet",
    "cnlcu-soft:estimated": "the first epoch: nothing is forgotten yet",
    "cnlcu-hard:estimated": "the first epoch: nothing is forgotten yet",
    "cores*:epochs": "the first phase: it lasts three epochs, and its rate is divided",
    "cal:epochs": "the first phase: it lasts two epochs, and alpha grows within them",
    "seal:carried": "the second round: no new network",
    "pes:deep": "any batch: another network",
    "pes-semi:deep": "any batch: another network",
    "promix:released": "rows that are not chosen, two ramps later",
    "sgd-ema:swa": "the second update: no mean yet",
    "ldam:drw": "classes of two sizes, late",
    "decoupling-ncm:euclidean": "any two classes: other offsets",
    "decoupling-ncm:normalised": "any two classes: other offsets",
    "dividemix:asymmetric": "any batch of the warm-up",
    "LWS:plench": "a side of next to no mass",
    "IDGP:plench": "a probability that underflows",
    "CRDPLL:plench": "a non-candidate of probability 1",
    "ABLE:plench": "weights that are not uniform: the order of the batch is not the table's",
    "DIRK:plench": "the warm-up: random rows are among the negatives",
    "VALEN:plench": "more than one update after the warm-up: the encoder rests",
}


# Variants that differ where two networks, several epochs or a trunk do, or at one probability:
# shown in the tests of their page, or in test_guards.py.
ELSEWHERE = {"OP-W:plench", "co-teaching:averaged", "cnlcu-soft:epoch", "cnlcu-hard:epoch"}
ELSEWHERE |= {"pes-semi:frozen"}


@pytest.mark.parametrize("page", ALGORITHMS.values(), ids=ALGORITHMS.keys())
def test_each_variant_says_in_a_sentence_what_it_changes(page):
    assert set(page.differences) == set(page.variants)
    assert all(sentence.endswith(".") for sentence in page.differences.values())


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(ALGORITHMS) - ELSEWHERE))
def test_each_variant_differs_from_the_default_on_a_stated_set_up(name):
    assert name in DIFFERENCES, "state where the variant differs"
    logits = np.array([[-1.0, -2.0, 200.0], [-1.0, -0.5, 0.2]])
    data = chosen([[1, 1, 0], [1, 1, 1]])
    base = name.partition(":")[0]
    updates = 6 if algorithm(base).shortened else 1

    def trained(label):
        short = shortened(algorithm(label))
        short |= {"warm_up": 1} if short.get("warm_up", 0) >= 1 else {}
        return on_logits(label, logits, data, dtype=torch.float32, updates=updates, **short)

    default, variant = trained(base), trained(name)
    same_state = all(
        torch.equal(a, b) for a, b in zip(tensors(default).values(), tensors(variant).values())
    )
    same_defaults = configuration(algorithm(name).settings(), 0, 0) == configuration(
        algorithm(base).settings(), 0, 0
    )
    assert not (same_state and same_defaults and default.diverged_at == variant.diverged_at)
