"""What ``attach`` refuses, at once and in a sentence, and what a user's loop may do."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

import candidly
from candidly import ALGORITHMS
from candidly.ground.problem import Refusal
from candidly.learn.algorithms.weighted import WEIGHTED
from candidly.learn.contract.battery import shortened
from candidly.learn.own_loop import _attach, attach, needs_of
from candidly.learn.own_loop._attach import ACCUMULATED
from learn.own_loop.loops import NAMES, SIZE, Small, made

DATA = made(dtype=torch.float32)
SETS, GIVEN = DATA.labels["candidates"], DATA.labels["given"]
HOW = {"epochs": 4, "batch_size": 16}


def loop_of(name="PRODEN", net=None, **how):
    net = Small() if net is None else net
    labels = {NAMES[read]: DATA.labels[read] for read in ALGORITHMS[name].reads}
    return attach(name, net, **{**HOW, "classes": SIZE, **labels, **how})


def adam(loop):
    return torch.optim.Adam(loop.groups(), lr=0.01)


def update(loop, optimizer, ids, x=None):
    loss = loop(DATA.x[ids] if x is None else x, torch.as_tensor(ids))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    loop.step()
    return float(loss.detach())


def batches(size=16):
    return torch.randperm(len(DATA.x), generator=torch.Generator().manual_seed(0)).split(size)


def test_candidly_has_it():
    assert candidly.attach is attach


# what it learns


def test_a_few_epochs_learn_the_classes_and_predict_and_weigh():
    torch.manual_seed(0)
    data = made(n=300, dtype=torch.float32)
    sets, truth = data.labels["candidates"], data.labels["truth"]
    loop = loop_of(candidates=sets, epochs=20)
    optimizer = adam(loop)
    for _ in range(20):
        for ids in torch.randperm(300).split(16):  # the last one has twelve rows
            update(loop, optimizer, ids, data.x[ids])
    assert loop.done
    assert loop.epoch == 20
    assert (loop.predict(data.x).argmax(1).numpy() == truth).mean() > 0.8
    weights = loop.weights(np.arange(len(truth))).numpy()
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-5)
    assert not weights[~sets].any()
    assert (weights.argmax(1) == truth).mean() > 0.8


def test_what_is_suspicious_are_wrong_labels():
    torch.manual_seed(0)
    loop = loop_of("elr", epochs=40, inputs=DATA.x)
    optimizer = adam(loop)
    for _ in range(40):
        for ids in batches():
            update(loop, optimizer, ids)
    doubt, wrong = loop.suspicion(), DATA.labels["truth"] != GIVEN
    assert doubt.shape == wrong.shape
    above = doubt[wrong][:, None] > doubt[~wrong]
    assert above.mean() > 0.7  # the area under the curve


def test_the_network_is_left_in_the_mode_that_it_was_in():
    net = Small()
    loop = loop_of("seal", net, inputs=DATA.x, epochs=12)
    optimizer = loop.drive(adam(loop))
    net.norm.eval()  # frozen by the user
    before = net.norm.running_mean.clone()
    for _ in range(12):
        for ids in batches():
            update(loop, optimizer, ids)
    loop.predict(DATA.x)
    assert net.training
    assert not net.norm.training
    assert torch.equal(net.norm.running_mean, before)


def test_a_watch_sees_every_row_of_every_batch_once():
    torch.manual_seed(0)
    watch = candidly.detectors.Watch(probs=True)
    loop = loop_of("ce", epochs=30)
    loop.watch(watch)
    optimizer, slow = adam(loop), np.zeros((2, len(GIVEN)))
    means = torch.zeros(len(GIVEN), SIZE)
    for _ in range(30):
        for ids in batches():  # the last one is shorter
            with torch.no_grad():
                net = loop._stack.net.users[0]
                kept = net.norm.running_mean.clone(), net.norm.running_var.clone()
                logits = net(DATA.x[ids])  # in training, as the update sees them
                net.norm.running_mean.copy_(kept[0])
                net.norm.running_var.copy_(kept[1])
            own = torch.from_numpy(GIVEN)[ids][:, None]
            others = logits.scatter(1, own, -torch.inf).amax(1)
            slow[0, ids] += (logits.gather(1, own)[:, 0] - others).double().numpy() / 30
            slow[1, ids] += logits.softmax(1).gather(1, own)[:, 0].double().numpy() / 30
            means[ids] += logits.softmax(1).detach() / 30
            update(loop, optimizer, ids)
    record = watch.record()
    assert (record.visits == 30).all()
    np.testing.assert_allclose(record.margin[0], slow[0], atol=1e-5)
    np.testing.assert_allclose(record.own[0], slow[1], atol=1e-6)
    own = torch.from_numpy(GIVEN)[:, None]
    ratio = means.gather(1, own)[:, 0] / means.scatter(1, own, 0).amax(1)
    np.testing.assert_allclose(record.probs_margin[0], ratio.log(), atol=1e-5)
    wrong = DATA.labels["truth"] != GIVEN
    doubt = candidly.detectors.mean_probs(record).score
    assert (doubt[wrong][:, None] > doubt[~wrong]).mean() > 0.7


def test_a_watch_of_candidate_sets_is_refused():
    loop = loop_of()
    loop.watch(candidly.detectors.Watch())
    with pytest.raises(Refusal, match="PRODEN learns from no single label a row"):
        update(loop, adam(loop), torch.arange(16))


@pytest.mark.parametrize("name", ["PRODEN", "PiCO", "ldam"])
def test_a_compiled_network_trains_as_it_is(name):
    losses = []
    for compiled in (False, True):
        torch.manual_seed(0)
        net = torch.compile(Small(), backend="aot_eager") if compiled else Small()
        loop = loop_of(name, net, make=Small)
        optimizer = adam(loop)
        losses.append([update(loop, optimizer, ids) for ids in batches()])
    np.testing.assert_allclose(*losses, atol=1e-5)


def test_inputs_in_double_precision_are_those_of_a_network_in_single():
    inputs = np.asarray(DATA.x, dtype=np.float64)
    loop = loop_of("seal", inputs=inputs, epochs=12)
    assert loop._stack.whole(0).logits.dtype == torch.float32
    other = loop_of("seal", loop._stack.net.users[0], inputs=lambda ids: inputs[ids])
    assert other._stack.whole(0).logits.shape == (68, 16)


# lengths of batches


def test_a_queue_holds_the_rows_that_there_were():
    loop = loop_of("PiCO", epochs=3, queue=40, warm_up=0)
    optimizer = adam(loop)
    seen = 0
    for _ in range(3):
        for ids in batches():
            update(loop, optimizer, ids)
            seen += len(ids)
            written = loop._stack.memory["queue"][0].norm(dim=-1) > 0
            assert int(written.sum()) == min(seen, 40)


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_last_batches_may_be_shorter(name):
    needs = needs_of(ALGORITHMS[name])
    given = {read: DATA.labels[read] for read in NAMES}
    loop = attach(
        name,
        Small(),
        candidates=given["candidates"],
        labels=given["given"],
        votes=given["votes"],
        truth=given["truth"],
        classes=SIZE,
        epochs=3,
        batch_size=16,
        inputs=DATA.x,
        **shortened(ALGORITHMS[name]),
    )
    optimizer = loop.drive(adam(loop))
    while not loop.done:
        for ids in loop.batch_sampler() if needs.sampler else batches():
            assert np.isfinite(update(loop, optimizer, torch.as_tensor(ids)))
    assert loop.predict(DATA.x).isfinite().all()


# small batches in place of a large one


class Plain(nn.Module):
    """Without batch norm, which makes small batches something else by itself."""

    def __init__(self):
        super().__init__()
        self.last = nn.Linear(SIZE, SIZE)

    def forward(self, x):
        return self.last(x)


def apart(name):
    """How far four small batches an update end from one large one: parameters and tables."""
    torch.manual_seed(0)
    first, second = Plain().double(), Plain().double()
    second.load_state_dict(first.state_dict())
    x = DATA.x.double()
    how = {"epochs": 3, "batches": 4, "inputs": x, "make": Plain}
    how |= shortened(ALGORITHMS[name])
    if name == "supervised-oracle":
        how["truth"] = DATA.labels["truth"]
    large = loop_of(name, first, **how)
    small = loop_of(name, second, **{**how, "batches": 16, "batch_size": 4, "accumulate": 4})
    one, other = (loop.drive(torch.optim.SGD(loop.groups(), lr=0.1)) for loop in (large, small))
    for _ in range(3):
        for ids in batches()[:4]:
            update(large, one, ids, x[ids])
            for part in ids.split(4):
                (small(x[part], part) / 4).backward()
            other.step()
            other.zero_grad()
            small.step()
    here, there = ({**loop._stack.rows, "net": loop._stack.net.flat} for loop in (small, large))
    return max(float((here[what].double() - there[what].double()).abs().max()) for what in here)


@pytest.mark.parametrize("name", sorted(ACCUMULATED))
def test_four_small_batches_are_one_large_one(name):
    assert apart(name) < 1e-12


@pytest.mark.parametrize("name", sorted(WEIGHTED - ACCUMULATED))
def test_what_counts_a_batch_is_not_accumulated(name, monkeypatch):
    monkeypatch.setattr(_attach, "ACCUMULATED", WEIGHTED)
    assert apart(name) > 1e-6


def test_small_batches_are_refused_where_they_are_not_one_large_one():
    with pytest.raises(Refusal, match="4 small batches are not one large one"):
        loop_of("co-teaching", accumulate=4)


# mixed precision


def test_rows_that_are_learned_do_not_see_what_a_scaler_multiplies():
    tables = []
    for scale in (1.0, 1024.0):
        torch.manual_seed(0)
        loop = loop_of("sop", epochs=8)
        optimizer = adam(loop)
        scaler = torch.amp.GradScaler("cpu", init_scale=scale)
        for _ in range(8):
            for ids in batches():
                scaler.scale(loop(DATA.x[ids], ids)).backward()
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
                loop.step()
        tables.append(loop.table("u"))
    torch.testing.assert_close(*tables)
    assert tables[0].abs().max() > 0


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_under_autocast_every_method_trains(name):
    loop = attach(
        name,
        Small(),
        candidates=SETS,
        labels=GIVEN,
        votes=DATA.labels["votes"],
        truth=DATA.labels["truth"],
        classes=SIZE,
        epochs=2,
        batch_size=16,
        inputs=DATA.x,
        **shortened(ALGORITHMS[name]),
    )
    optimizer = loop.drive(adam(loop))
    while not loop.done:
        for ids in loop.batch_sampler() if loop.needs.sampler else batches():
            ids = torch.as_tensor(ids)
            with torch.autocast("cpu", torch.bfloat16):
                loss = loop(DATA.x[ids], ids)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            loop.step()
            assert loss.isfinite()
            assert loss.dtype == torch.float32


# refused at attach


class Half(Small):
    def __init__(self):
        super().__init__()
        self.last.half()


class Bare(nn.Module):
    """Without a linear layer."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(SIZE, SIZE, 1)

    def forward(self, x):
        return self.first(x[..., None])[..., 0]


class Own(Small):
    """With a parameter that nothing can start anew."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(16))


@pytest.mark.parametrize(
    ("name", "net", "how", "said"),
    [
        ("PRODEN", Small, {"candidates": None}, "PRODEN learns from `candidates`, and none are"),
        ("ce", Small, {"labels": None}, "ce learns from `labels`, and none are given"),
        ("ce", Small, {"labels": GIVEN, "classes": None}, "Give `classes`"),
        ("ce", Small, {"labels": GIVEN - 1}, "has label -1 at row"),
        ("ce", Small, {"labels": GIVEN / 2}, "one whole number a row"),
        ("PRODEN", Small, {"candidates": SETS & False}, "has no label at row 0"),
        ("PRODEN", Small, {"batch_size": 100}, "68 rows are fewer than a batch"),
        ("PRODEN", Small, {"epochs": 0}, "epochs is 0"),
        ("PRODEN", Small, {"power": 2}, "PRODEN has no hyper-parameter 'power'"),
        ("PRODEN", Small, {"head": "fc"}, "no part `head='fc'`; its parts: first, last, norm"),
        ("PRODEN", Half, {}, "last.weight is torch.float16; its parameters have to be float32"),
        ("PiCO", Bare, {}, "no layer of it is an nn.Linear. Name the layer .* with `head`"),
        ("co-teaching", Own, {}, "Give `make`, a function that returns a new network"),
        ("peer", Small, {}, "Give `inputs`, a function of ids"),
        (
            "PiCO",
            Small,
            {"views": {"weak": lambda x: x}},
            "the view 'strong', and `views` has weak",
        ),
    ],
)
def test_what_is_missing_is_said_at_attach(name, net, how, said):
    with pytest.raises(ValueError, match=said):
        loop_of(name, net(), **how)


def test_a_function_is_no_network():
    with pytest.raises(Refusal, match="`net` is a function; give"):
        attach("PRODEN", lambda x: x, candidates=SETS, **HOW)


# refused in the loop

IDS = torch.arange(16)
CALLS = {
    "`ids` has 68; there are 68 rows": (DATA.x[:16], IDS + 53),
    "`ids` has -1": (DATA.x[:16], IDS - 1),
    "row 0 is in the batch more than once": (DATA.x[:16], IDS // 2),
    "`ids` is torch.float32": (DATA.x[:16], IDS.float()),
    "plain has 16 rows, and `ids` 15": (DATA.x[:16], IDS[:15]),
    "the batch has 20 rows, and `batch_size=16`": (DATA.x[:20], torch.arange(20)),
}


@pytest.mark.parametrize("said", CALLS)
def test_ids_that_cannot_be_are_refused(said):
    loop = loop_of()
    with pytest.raises(Refusal, match=said):
        loop(*CALLS[said])


def test_a_sampler_with_replacement_is_allowed_where_it_is_said():
    loop = loop_of(repeats=True)
    assert np.isfinite(update(loop, adam(loop), IDS // 2))


def test_a_net_with_other_outputs_is_refused():
    loop = loop_of(net=Small(classes=7))
    with pytest.raises(Refusal, match=r"returned \(16, 7\) .* `classes=16`"):
        loop(DATA.x[:16], IDS)


def test_a_net_that_returns_a_tuple_is_refused():
    class Two(Small):
        def forward(self, x):
            return super().forward(x), x

    with pytest.raises(Refusal, match="returned a tuple; logits"):
        loop_of(net=Two())(DATA.x[:16], IDS)


@pytest.mark.parametrize("how", ["double", "half"])
def test_a_net_that_was_moved_is_refused(how):
    net = Small()
    loop = loop_of(net=net)
    getattr(net, how)()
    with pytest.raises(Refusal, match="the network was moved or cast behind attach"):
        loop(DATA.x[:16], IDS)


def test_an_optimiser_without_the_parameters_of_the_method_is_refused():
    net = Small()
    loop = loop_of("co-teaching", net)
    with pytest.raises(Refusal, match=r"does not move 6 of 12 .* method.groups\(\)"):
        update(loop, torch.optim.Adam(net.parameters()), IDS)


def test_a_step_of_the_optimiser_that_is_left_out_is_refused():
    loop = loop_of(epochs=10)
    with pytest.raises(Refusal, match="no parameter has moved in 20 updates"):  # noqa: PT012
        for _ in range(10):
            for ids in batches():
                loop(DATA.x[ids], ids).backward()
                loop.step()


def test_a_forgotten_step_and_one_too_many_are_refused():
    loop = loop_of()
    with pytest.raises(Refusal, match="called twice, or before"):
        loop.step()
    loop(DATA.x[:16], IDS)
    with pytest.raises(Refusal, match=r"method.step\(\) was left out"):
        loop(DATA.x[:16], IDS)


def test_more_updates_than_were_said_are_refused():
    loop = loop_of(epochs=1)
    optimizer = adam(loop)
    for ids in batches():
        update(loop, optimizer, ids)
    with pytest.raises(Refusal, match="all 5 updates are done"):
        loop(DATA.x[:16], IDS)


def test_an_optimiser_that_is_to_be_driven_is_asked_for():
    loop = loop_of("sgd-ema")
    with pytest.raises(Refusal, match=r"call method.drive\(optimizer\) before the loop"):
        loop(DATA.x[:16], IDS)


def test_rows_that_a_method_did_not_choose_are_refused():
    loop = loop_of("pes", inputs=DATA.x, **shortened(ALGORITHMS["pes"]))
    optimizer = loop.drive(adam(loop))
    chosen = ""
    while not loop.done:
        for ids in loop.batch_sampler():
            try:
                update(loop, optimizer, torch.as_tensor(ids).flip(0))
            except Refusal as error:
                chosen = str(error)
                update(loop, optimizer, torch.as_tensor(ids))
    assert "chooses the rows of its batches itself at this stage" in chosen


def test_a_pass_over_chosen_batches_ends_where_rows_are_chosen_anew():
    loop = loop_of("pes", inputs=DATA.x, epochs=6, **shortened(ALGORITHMS["pes"]))
    optimizer, ends = loop.drive(adam(loop)), []
    stages = loop._stack.stages
    while not loop.done:
        fetched = list(loop.batch_sampler())  # all at once, as workers that are ahead
        assert len(fetched) == len(loop.batch_sampler())
        for ids in fetched:
            update(loop, optimizer, torch.as_tensor(ids))
        ends.append(loop._stack.t)
    epoch = loop._stack.E
    assert ends == sorted({*range(epoch, loop.updates + 1, epoch), *stages.ends[:-1]})


def test_pictures_without_their_views_are_refused():
    class Flat(Small):
        def forward(self, x):
            return super().forward(x.flatten(1))

    loop = loop_of("PiCO", Flat())
    with pytest.raises(Refusal, match="asks for the view 'strong' of inputs that are no table"):
        loop(DATA.x[:16].view(16, 1, 4, 4), IDS)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"name": "RC"}, "the state is of algorithm RC, and what is attached here has .* PRODEN"),
        ({"epochs": 5}, "of updates 25, and what is attached here has updates 20"),
        ({"seed": 1}, "of seed 1"),
    ],
)
def test_a_state_of_something_else_is_refused(how, said):
    with pytest.raises(Refusal, match=said):
        loop_of().load_state_dict(loop_of(**how).state_dict())


def test_a_state_is_not_taken_within_an_update():
    loop = loop_of()
    loop(DATA.x[:16], IDS)
    with pytest.raises(Refusal, match="save behind"):
        loop.state_dict()


def test_what_a_method_does_not_keep_is_refused():
    with pytest.raises(Refusal, match="ce keeps no weights of rows; of each row it keeps nothing"):
        loop_of("ce").weights([0])
