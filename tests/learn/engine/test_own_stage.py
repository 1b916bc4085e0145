"""When a method's own stage begins: of every method with a warm-up, and as it trains."""

from __future__ import annotations

import pytest
import torch

from candidly.learn.algorithms import ALGORITHMS, algorithm
from candidly.learn.engine.own_stage import INSIDE, own_stage_from

from toys import advance, make_stack, tensors, toy

# released programs that do not read it: one stays in its warm-up (D-ALIM-1), one has none
NEVER = {"ALIM:plench", "PiCO+:plench"}


def variants():
    for name in ALGORITHMS:
        base = algorithm(name)
        for variant in ("fixed", *base.variants):
            yield algorithm(name, variant)


def test_every_method_with_a_warm_up_in_its_one_stage_says_when_it_is_over():
    inside = {m.label: m.name for m in variants() if len(m.stages) == 1 and "warm_up" in m.space}
    assert inside
    for label, name in inside.items():
        assert (label in INSIDE or name in INSIDE) != (label in NEVER)
    assert INSIDE.keys() <= {*inside, *inside.values()}


@pytest.mark.parametrize("name", ["forward-t", "pes", "dividemix"])
def test_of_several_stages_the_first_is_a_warm_up(name):
    stack = make_stack(toy(), name)
    (begins,) = set(own_stage_from(stack))
    assert 0 < begins < stack.T
    before, behind = (stack.stages.at(t) for t in (begins - 1, begins))
    assert before is stack.algorithm.stages[0]
    assert behind is not before


def test_without_a_warm_up_a_method_is_itself_from_the_beginning():
    for name in ("ce", "PRODEN", "gce"):
        assert set(own_stage_from(make_stack(toy(), name))) == {0}


@pytest.mark.parametrize("name", sorted(INSIDE))
def test_a_condition_in_a_stage_is_where_the_objective_changes(name):
    """Two trainings that differ in their warm-up part at the first update behind the shorter."""
    data = toy()

    def stack_of(warm_up):
        return make_stack(data, name, (0,), warm_up=warm_up)

    short, long = map(stack_of, (1, 2))
    begins, later = own_stage_from(short)[0], own_stage_from(long)[0]
    assert 0 < begins < later
    apart = None
    for t in range(1, later + 3):
        for stack in (short, long):
            advance(stack, 1)
        one, other = map(tensors, (short, long))
        if any(not torch.equal(one[key], other[key]) for key in one):
            apart = t
            break
    # what an epoch's end prepares is there at once, and IDGP's condition is strict
    assert apart is not None
    assert begins <= apart <= begins + 2
