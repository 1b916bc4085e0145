"""What pages may ask of a stack, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.ground.seeds import draw
from candidly.learn.algorithms import Stage, View, algorithm
from candidly.learn.engine.examples import make_examples
from candidly.learn.engine.stages import Stages
from candidly.learn.engine.start import start
from candidly.learn.engine.train import update
from candidly.learn.nets import mlp
from candidly.learn.views import gaussian_noise

from toys import advance, make_stack, member, stack_of, toy


def test_samples_are_each_trials_own_and_the_same_in_any_company():
    together, alone = make_stack(toy(), "CC"), make_stack(toy(), "CC", [2])
    normal = torch.distributions.Normal(torch.zeros(4), torch.ones(4))
    drawn = together.sample("some", lambda k: normal.sample())
    assert not torch.equal(drawn[0], drawn[1])
    assert torch.equal(drawn[2], alone.sample("some", lambda k: normal.sample())[0])
    assert not torch.equal(drawn, together.sample("other", lambda k: normal.sample()))
    update(together)
    assert not torch.equal(drawn, together.sample("some", lambda k: normal.sample()))


def test_whole_and_labels_are_the_training_rows():
    data = toy()
    stack = advance(make_stack(data, "CC"), 3)
    rows = stack.index[1]
    logits, features = stack.whole(1)
    assert torch.equal(logits, stack.logits(1, rows))
    assert features.shape == (stack.n, 40)
    np.testing.assert_array_equal(stack.labels("candidates")[1], data.candidates[rows.numpy()])


def test_a_network_answers_once_until_it_has_moved():
    stack = make_stack(toy(), "CC")
    x = stack.next_batches()[0].x
    first = stack.net(x).logits
    assert stack.net(x).logits is first
    with torch.no_grad():
        assert not stack.net(x).logits.requires_grad
    stack.net.flat.mul_(2)
    stack.net.forget()
    assert not torch.equal(stack.net(x).logits, first)


def test_without_gradient_first_then_with():
    stack = make_stack(toy(), "CC")
    x = stack.next_batches()[0].x
    with torch.no_grad():
        assert not stack.net(x).logits.requires_grad
    assert stack.net(x).logits.requires_grad


def with_stages(*stages):
    stack = make_stack(toy(), "CC")
    stack.algorithm = replace(stack.algorithm, stages=stages)
    ends = [s.until(stack) if s.until else stack.T for s in stages]
    stack.stages = Stages(stages, ends, stack.T)
    return stack


def test_stages_follow_one_another_and_begin_once():
    seen = []

    def stage(name, until=None):
        return Stage(
            lambda s, b: (seen.append((name, s.t)), s.net(b.x).logits.sum((1, 2)))[1],
            begin=lambda s: (seen.append(("begin", name)), {})[1],
            until=None if until is None else lambda s: until,
        )

    # the second stage is over before it can begin
    advance(with_stages(stage("a", 2), stage("b", 1), stage("c")), 4)
    assert seen == [("begin", "a"), ("a", 0), ("a", 1), ("begin", "c"), ("c", 2), ("c", 3)]


def test_an_optimiser_of_another_kind_starts_afresh_and_one_of_the_same_goes_on():
    def step(s, b):
        return s.net(b.x).logits.square().mean((1, 2))

    sgd = Stage(step, until=lambda s: 3, optimiser="sgd")
    stack = advance(with_stages(sgd, Stage(step)), 5)
    assert int(stack.movers.optimisers["net"].count) == 2
    same = advance(with_stages(Stage(step, until=lambda s: 3), Stage(step)), 5)
    assert int(same.movers.optimisers["net"].count) == 5


def test_what_is_not_trained_does_not_move():
    def step(s, b):
        return s.net(b.x).logits.square().mean((1, 2))

    stack = with_stages(Stage(step, trains=()))
    before = stack.net.flat.clone()
    assert torch.equal(advance(stack, 2).net.flat, before)


def test_an_update_of_nothing_known_is_refused_by_name():
    stack = with_stages(Stage(lambda s, b: (s.net(b.x).logits.sum((1, 2)), {"wieghts": b.x})))
    with pytest.raises(KeyError, match="wieghts"):
        update(stack)


def test_a_static_hyper_parameter_is_common_to_a_stack():
    data, page = toy(), algorithm("VALEN")
    examples = make_examples(data, page.reads)
    members = [member(data, k, page, examples, warm_up=w) for k, w in enumerate((10, 20))]
    with pytest.raises(ValueError, match=r"warm_up is common to a stack; got \[10, 20\]"):
        start(page, mlp(12, data.q, 40), examples, members, 60)


def test_a_stack_has_no_attribute_of_any_name():
    with pytest.raises(AttributeError, match="encoder"):
        _ = make_stack(toy(), "CC").encoder


def test_rows_drawn_are_each_trials_own_training_rows_and_the_same_in_any_company():
    data = toy()
    together, alone = make_stack(data, "ce"), make_stack(data, "ce", [2])
    drawn, other = together.drawn("some"), together.drawn("other")
    assert drawn.ids.shape == (3, 32)
    assert not torch.equal(drawn.ids, other.ids)
    assert torch.equal(drawn.ids[2], alone.drawn("some").ids[0])
    assert torch.equal(drawn.x[2], alone.drawn("some").x[0])
    rows = together.index.gather(1, drawn.ids)
    np.testing.assert_array_equal(drawn.given, data.given[rows])
    raw, (shift, factor) = together.examples.inputs[rows], together.scaling
    torch.testing.assert_close(drawn.x, (raw - shift) * factor)
    update(together)
    assert not torch.equal(drawn.ids, together.drawn("some").ids)


def test_rows_drawn_have_their_rows_of_tables():
    stack = advance(make_stack(toy(), "PRODEN"), 3)
    drawn = stack.drawn("some")
    at = drawn.ids[..., None].expand(-1, -1, stack.q)
    assert torch.equal(drawn.weights, stack.rows["weights"].gather(1, at))


def test_rows_are_drawn_with_replacement_and_evenly():
    stack = make_stack(toy(n=64), "ce", [0], batch=32)
    counts = np.zeros(stack.n)
    for _ in range(300):
        counts += np.bincount(stack.drawn("some").ids[0], minlength=stack.n)
        stack.t += 1
    expected = 300 * 32 / stack.n
    assert ((counts - expected) ** 2 / expected).sum() < 1.7 * stack.n  # chi-squared, 51 cells


def test_a_network_started_anew_has_other_numbers_of_the_same_kind():
    together, alone = make_stack(toy(), "ce"), make_stack(toy(), "ce", [1])
    first, anew = together.net.flat.clone(), together.anew("net")
    assert torch.equal(together.net.flat, first)
    assert torch.equal(anew[1], alone.anew("net")[0])
    assert ((anew == first).float().mean(1) < 0.05).all()  # the padding is 0 in both
    torch.testing.assert_close(anew.std(1), first.std(1), rtol=0.1, atol=0)


def test_a_stage_may_start_its_optimiser_afresh():
    steps = [Stage(algorithm("ce").stages[0].step, until=lambda s: 3), algorithm("ce").stages[0]]
    for afresh in (False, True):
        page = replace(algorithm("ce"), stages=(steps[0], replace(steps[1], afresh=afresh)))
        data = toy()
        examples = make_examples(data, page.reads)
        some = [member(data, 0, page, examples)]
        stack = advance(start(page, mlp(12, data.q, 20), examples, some, 10), 5)
        assert stack.movers.optimisers["net"].count == (2 if afresh else 5)


def test_whole_may_be_of_changed_inputs():
    views = {"weak": View(noise=0.5)}
    page = replace(algorithm("ce"), views=views)
    stack = advance(stack_of(page), 3)
    plain = stack.whole(1)
    weak = [stack.whole(1, view="weak", which=which).logits for which in range(2)]
    assert not torch.equal(weak[0], weak[1])
    again = stack.whole(1, view="weak").logits
    assert torch.equal(again, weak[0])
    x = (stack.examples.inputs[stack.index[1]] - stack.scaling[0][1]) * stack.scaling[1][1]
    x = gaussian_noise(x, draw(stack.seeds[1], "whole weak 0", 3), 0.5)
    torch.testing.assert_close(again, stack.net.of_trial(1, x[None]).logits[0])
    torch.testing.assert_close(stack.whole(1).logits, plain.logits)
    update(stack)
    assert not torch.equal(stack.whole(1, view="weak").logits, weak[0])


def test_another_network_than_the_trained_one_may_predict():
    page = replace(
        algorithm("ce"),
        stages=(replace(algorithm("ce").stages[0], trains=("net",)),),
        modules={"other": lambda net, classes, hyper: net},
        predicts="other",
    )
    stack = stack_of(page)
    before = stack.whole(1).logits
    torch.testing.assert_close(before, stack.other.of_trial(1, inputs_of(stack, 1)).logits[0])
    advance(stack, 5)
    assert torch.equal(stack.whole(1).logits, before)
    assert torch.equal(stack.logits(1, stack.index[1]), before)


def inputs_of(stack, k):
    shift, factor = stack.scaling
    return (stack.examples.inputs[stack.index[k]] - shift[k])[None] * factor[k]


def test_what_an_epoch_costs_is_networks_times_batches():
    costs = {name: algorithm(name).cost for name in ("ce", "seal", "bbn", "IDGP", "dividemix")}
    assert costs == {"ce": 1, "seal": 1, "bbn": 2, "IDGP": 2, "dividemix": 4}
