"""Defects planted in pages and in the engine, one at a time: the battery must catch each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from torch import Tensor

from candidly.ground.seeds import draw
from candidly.learn.algorithms import ALGORITHMS, Stage, algorithm
from candidly.learn.contract import battery as contract
from candidly.learn.contract.battery import STEPS
from candidly.learn.engine import checkpoint, divergence, start, train, writing
from candidly.learn.engine.batches import Feed, Samplers
from candidly.learn.engine.moving import LearnedRows, Movers
from candidly.learn.engine.stack import Stack
from candidly.learn.nets import Module
from learn.algorithms import battery, test_on_logits

LATE = STEPS - 5  # updates done; every warm-up is over


@dataclass(frozen=True)
class Planted:
    """A defect: the page that shows it, how it is planted, and the check that has to fail."""

    name: str
    plant: Any
    check: Any


DEFECTS: dict[str, Planted] = {}


def defect(name: str, check: Any):
    """List a function (monkeypatch) that plants a defect, under its own name."""

    def listed(plant):
        DEFECTS[plant.__name__] = Planted(name, plant, check)
        return plant

    return listed


def trained(check):
    """A check of a training, which is run with the defect in place."""
    return lambda name: check(battery.train_reference(name))


ALONE, RESUMED = trained(battery.check_alone), trained(battery.check_resumed)
BURIED, LOOKING = trained(battery.check_buried), trained(battery.check_looking)
ROWS = trained(battery.check_rows)


def reaches(name: str) -> None:
    assert not battery.missed(battery.home(name))


def shuffled(name: str) -> None:
    test_on_logits.test_shuffling_the_batch_changes_nothing(name)


def relabelled(name: str) -> None:
    test_on_logits.test_relabelling_the_classes_relabels_the_result(name)


def finite(name: str) -> None:
    test_on_logits.test_finite_for_any_set_and_any_logits(name, "mixed")


def change(patch, name: str, number: int = -1, **functions) -> None:
    """Have a stage's functions, ``function=(original) -> another``, of a page and all variants."""
    page = ALGORITHMS[name]
    stages = list(page.stages)
    made = {what: how(getattr(stages[number], what)) for what, how in functions.items()}
    stages[number] = replace(stages[number], **made)
    patch.setitem(ALGORITHMS, name, replace(page, stages=tuple(stages)))


def without(patch, kind: str) -> None:
    """Leave some of what changes out of saved states."""
    whole = Stack.changing

    def changing(self):
        return {what: t for what, t in whole(self).items() if not what.startswith(kind)}

    patch.setattr(checkpoint, "state_of", lambda stack: _state(stack, changing))
    patch.setattr(contract, "state_of", lambda stack: _state(stack, changing))
    patch.setattr(contract, "restore", lambda stack, state: _restored(stack, state, changing))


saving, restoring = checkpoint.state_of, checkpoint.restore


def _state(stack, changing):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stack, "changing", changing)
        return saving(stack)


def _restored(stack, state, changing):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stack, "changing", changing)
        return restoring(stack, state)


# leaks from trial to trial


@defect("POP", ALONE)
def a_row_table_takes_something_of_another_trial_late(patch):
    def leaking(after):
        def late(s, b):
            new = after(s, b)["weights"]
            return {"weights": new + 1e-6 * new.roll(1, 0) * (s.t >= LATE)}

        return late

    change(patch, "POP", after=leaking)


@defect("t-revision", ALONE)
def a_trials_loss_weighs_anothers_in_the_last_stage(patch):
    def leaking(step):
        def late(s, b):
            objective = step(s, b)
            return objective * (1 + 1e-3 * objective.detach().roll(1, 0))

        return late

    change(patch, "t-revision", step=leaking)


@defect("CC", ALONE)
def an_objective_is_divided_by_the_mean_over_trials(patch):
    change(patch, "CC", step=lambda step: lambda s, b: (v := step(s, b)) / v.detach().mean())


@defect("LWS", ALONE)
def weights_are_normalised_over_all_trials(patch):
    def over_all(after):
        def shared(s, b):
            weights = after(s, b)["weights"]
            return {"weights": weights / weights.square().sum()}

        return shared

    change(patch, "LWS", after=over_all)


@defect("FREDIS", ALONE)
def memory_takes_the_first_trials_value_after_the_warm_up(patch):
    def first(whole):
        def shared(s):
            new = whole(s)
            if "delta" in new and s.t >= LATE:
                new["delta"] = new["delta"][:1].expand_as(new["delta"]).clone()
            return new

        return shared

    change(patch, "FREDIS", whole=first)


@defect("gce", ALONE)
def a_hyper_parameter_is_the_first_trials(patch):
    own = start.hyper_parameters

    def shared(*what):
        hp = own(*what)
        hp.power = hp.power[:1].expand_as(hp.power)
        return hp

    patch.setattr(start, "hyper_parameters", shared)


@defect("CC", ALONE)
def a_learning_rate_is_the_first_trials(patch):
    patch.setattr(Movers, "_made", _with_first_rate(Movers._made))


def _with_first_rate(made):
    def shared(self, *what):
        optimiser = made(self, *what)
        optimiser.rates = [(optimiser.rates[0][0], decay) for _, decay in optimiser.rates]
        optimiser.lr = optimiser.lr[:1].expand_as(optimiser.lr).clone()
        return optimiser

    return shared


@defect("CC", ALONE)
def scaling_is_the_first_trials(patch):
    own = start._scaling

    def shared(*what):
        pairs = own(*what)
        return pairs and tuple(part[:1].expand_as(part).clone() for part in pairs)

    patch.setattr(start, "_scaling", shared)


@defect("CC", ALONE)
def all_trials_have_the_first_ones_order(patch):
    def shared(self, number):
        orders = uniform(self, number)
        orders.seeds = [orders.seeds[0]] * len(orders.seeds)
        return orders

    uniform = Samplers.uniform
    patch.setattr(Samplers, "uniform", shared)


@defect("dividemix", ALONE)
def a_view_has_the_first_trials_random_numbers(patch):
    own = Feed.change

    class Shared:
        def __init__(self, s):
            self.s = s

        def rng(self, name):
            return [draw(self.s.seeds[0], name, self.s.t) for _ in self.s.seeds]

        def __getattr__(self, name):
            return getattr(self.s, name)

    patch.setattr(Feed, "change", lambda self, s, *rest: own(self, Shared(s), *rest))


@defect("mixup", ALONE)
def a_draw_depends_on_the_place_in_the_stack(patch):
    def placed(self, name):
        return [draw(seed + k, name, self.t) for k, seed in enumerate(self.seeds)]

    patch.setattr(Stack, "rng", placed)


@defect("sop", ALONE)
def suspicion_is_the_first_trials(patch):
    page = ALGORITHMS["sop"]
    patch.setitem(ALGORITHMS, "sop", replace(page, suspicion=lambda s, k: page.suspicion(s, 0)))


@defect("CC", battery.check_bits)
def the_last_bit_depends_on_the_place_in_the_stack(patch):
    own = train.move

    def placed(stack, batch):
        own(stack, batch)
        if stack.dtype == torch.float32:
            stack.net.flat[1:] *= 1 + torch.finfo(torch.float32).eps

    patch.setattr(train, "move", placed)


# what is lost or not in time


@defect("PRODEN", RESUMED)
def a_row_table_is_not_saved(patch):
    without(patch, "rows/")


@defect("FREDIS", RESUMED)
def memory_is_not_saved(patch):
    without(patch, "memory/")


@defect("DIRK", RESUMED)
def a_queue_is_not_saved(patch):
    without(patch, "memory/queue")


@defect("DIRK", RESUMED)
def a_network_beside_the_trained_one_is_not_saved(patch):
    without(patch, "networks/teacher")


@defect("CC", RESUMED)
def moments_are_not_saved(patch):
    without(patch, "moments/")


@defect("data-parameters", RESUMED)
def the_momentum_of_learned_rows_is_not_saved(patch):
    without(patch, "momenta/")


@defect("bbn", RESUMED)
def an_epochs_drawn_rows_are_not_saved(patch):
    without(patch, "orders/")


@defect("CC", RESUMED)
def the_optimisers_count_starts_again(patch):
    def forgetting(stack, state):
        stack = restoring(stack, state)
        for optimiser in stack.movers.optimisers.values():
            optimiser.count.zero_()
        return stack

    patch.setattr(contract, "restore", forgetting)


@defect("mixup", RESUMED)
def a_draw_comes_from_a_generator_with_a_state(patch):
    made: dict[int, Any] = {}

    def stateful(self, name):
        return made.setdefault(id(self), [draw(seed, name) for seed in self.seeds])

    patch.setattr(Stack, "rng", stateful)


@defect("PRODEN", ALONE)
def a_network_says_what_it_said_before_it_moved(patch):
    patch.setattr(Module, "forget", lambda self: None)


@defect("bbn", LOOKING)
def looking_draws_an_epochs_rows_again(patch):
    own = Stack.logits

    def drawing(self, *arguments):
        self.feed.samplers.draws = {}
        return own(self, *arguments)

    patch.setattr(Stack, "logits", drawing)


# wrong rows


@defect("PRODEN", ROWS)
def the_row_after_the_batchs_is_written(patch):
    own = writing._write_rows

    def beside(stack, name, table, new, batch):
        batch.table_rows = (batch.table_rows + 1) % (stack.K * stack.n)
        own(stack, name, table, new, batch)

    patch.setattr(writing, "_write_rows", beside)


@defect("data-parameters", ROWS)
def learned_rows_move_outside_the_batch(patch):
    own = LearnedRows.step

    def everywhere(self, name, batch):
        for momentum in self.momenta.values():
            momentum.mul_(0.9)
        return own(self, name, batch)

    patch.setattr(LearnedRows, "step", everywhere)


@defect("PRODEN", shuffled)
def labels_are_those_of_the_row_before(patch):
    own = Feed.gather

    def beside(self, s, name, batch):
        value = own(self, s, name, batch)
        return value.roll(1, 1) if name == "candidates" else value

    patch.setattr(Feed, "gather", beside)


# divergence


@defect("PRODEN", BURIED)
def a_trial_that_is_nan_goes_on(patch):
    def noted_only(stack, dead: Tensor):
        for k in dead.nonzero().flatten().tolist():
            stack.diverged_at[k] = stack.t
        stack.alive = stack.alive & ~dead

    patch.setattr(divergence, "bury", noted_only)


@defect("CC", BURIED)
def one_nan_buries_every_trial(patch):
    own = divergence.bury
    every = lambda stack, dead: own(stack, torch.ones_like(dead) & stack.alive)  # noqa: E731
    patch.setattr(divergence, "bury", every)


@defect("PRODEN", BURIED)
def tables_are_cleaned_of_nan_by_their_mean_over_trials(patch):
    def cleaned(after):
        def mixed(s, b):
            new = after(s, b)["weights"]
            return {"weights": new if s.everyone else (new + 1e-6 * new.nanmean(0)).nan_to_num()}

        return mixed

    change(patch, "PRODEN", after=cleaned)


# formulas


@defect("CC", relabelled)
def the_first_class_is_favoured(patch):
    def favouring(step):
        return lambda s, b: step(s, b) - 1e-3 * s.net(b.x).logits[..., 0].mean(-1)

    change(patch, "CC", step=favouring)


@defect("CC", finite)
def the_logarithm_of_a_probability_that_underflows(patch):
    def naive(step):
        def underflowing(s, b):
            probs = s.net(b.x).logits.softmax(-1)
            return -(probs * b.candidates).sum(-1).log().mean(-1)

        return underflowing

    change(patch, "CC", step=naive)


# what never runs


@defect("POP", reaches)
def a_warm_up_that_is_not_shortened_hides_what_comes_after(patch):
    patch.setitem(ALGORITHMS, "POP", replace(ALGORITHMS["POP"], shortened={}))


@defect("VALEN", reaches)
def a_stage_begins_without_its_first_step(patch):
    change(patch, "VALEN", begin=lambda begin: None)


@defect("FREDIS", reaches)
def one_side_of_a_condition_is_never_taken(patch):
    shortened = dict(ALGORITHMS["FREDIS"].shortened) | {"interval": 1}
    patch.setitem(ALGORITHMS, "FREDIS", replace(ALGORITHMS["FREDIS"], shortened=shortened))


@pytest.fixture
def afresh():
    """No reference of an unharmed page in place of the harmed one's, nor the other way round."""
    battery.reference.cache_clear()
    yield
    battery.reference.cache_clear()


@pytest.mark.parametrize("planted", DEFECTS.values(), ids=DEFECTS.keys())
def test_a_planted_defect_is_caught(planted, monkeypatch, afresh):
    with monkeypatch.context() as patch:
        planted.plant(patch)
        with pytest.raises(AssertionError):
            planted.check(planted.name)


@pytest.mark.slow  # the battery does the same checks on the same pages
@pytest.mark.parametrize("name", sorted({one.name for one in DEFECTS.values()}))
def test_without_a_defect_the_same_checks_pass(name):
    for check in {one.check for one in DEFECTS.values() if one.name == name}:
        check(name)
    assert isinstance(algorithm(name).stages[-1], Stage)
