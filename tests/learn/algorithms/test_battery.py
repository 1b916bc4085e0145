"""What every algorithm and every variant must do. A new page is tested by being listed."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import ALGORITHMS, algorithm
from candidly.learn.contract import reached
from candidly.learn.contract.battery import train_reference
from candidly.learn.engine.train import update
from learn.algorithms.battery import (
    NAMES,
    check_alone,
    check_bits,
    check_buried,
    check_looking,
    check_resumed,
    check_rows,
    missed,
    modules,
    reference,
)

from toys import advance, make_stack, shortened, toy


@pytest.fixture(scope="module", params=NAMES)
def run(request):
    """A whole short training; tests of the same algorithm follow one another, and share it."""
    return reference(request.param)


def test_stack_equals_single_runs(run):
    check_alone(run)


def test_d_state_1_save_load_continue_equals_uninterrupted(run):
    check_resumed(run)


def test_a_trial_that_turns_nan_leaves_its_neighbours_alone(run):
    check_buried(run)


def test_d_prot_2_looking_touches_nothing(run):
    check_looking(run)


def test_rows_outside_the_batch_are_untouched(run):
    check_rows(run)


def test_in_float32_the_bits_do_not_depend_on_stack_mates(run):
    # stronger than the contract, and what lets a changed stack size end with the same table
    check_bits(run.name)


# what a training must reach

CONTRACT = {
    "_algorithm",
    "_protocol",
    "_space",
    "_rates",
    "_views",
    "clean_labels",
    "costs",
    "_published",
    "_published_texts",
    "published",
}  # tested on their own
# By module: what a short training does not reach, and the test that does.
ELSEWHERE = {
    "_tensors": (
        "longest = max(part.shape[-1]",
        "for part in parts], dim)",
        "spread never ran",  # it is for plug-ins
        "spread.<locals>.<genexpr> never ran",
        "test_batches_of_two_lengths_are_joined_behind_padding",
    ),
    "_mixture": (
        "if not bool(low < high < math.inf):",
        "return torch.ones_like(x)",
        "test_equal_losses_tell_nothing_apart",
    ),
    "_fmix": ("never ran", "test_a_mask_is_where_a_slow_grey_picture_is_brightest"),
    "apl": ("normalised_loss never ran", "test_symmetric_losses_add_up_to_a_constant_over_labels"),
    "pes": (
        'if "late" in net.parts',
        "return net",
        "test_the_last_stage_of_a_residual_network_is_renewed_with_the_head",
    ),
    "promix": (
        "fmix never ran",
        "fmix.<locals>.mix never ran",
        "if x.dim() > 4",
        "pairs.append(fmix",
        "test_on_pictures_the_objective_and_its_gradient_are_the_text",
    ),
    "sce": ("reverse_loss never ran", "test_symmetric_losses_add_up_to_a_constant_over_labels"),
}


@pytest.mark.parametrize("module", [m for m in modules() if m not in CONTRACT])
def test_every_line_and_branch_of_a_page_runs_in_a_short_training(module):
    *allowed, _ = ELSEWHERE.get(module, ("",))
    left = [line for line in missed(module) if not any(one in line for one in allowed)]
    assert not left, "shorten what leads there (Algorithm.shortened):\n" + "\n".join(left)


@pytest.mark.parametrize("page", ALGORITHMS.values(), ids=ALGORITHMS.keys())
def test_what_shortens_a_page_is_a_possible_value_of_its_hyper_parameters(page):
    pages = [page, *(page.as_variant(variant) for variant in page.variants)]
    assert set(page.shortened) <= {name for one in pages for name in one.settings()}
    for one in pages:
        for name, value in shortened(one).items():
            one.settings()[name].check(name, value)


# Algorithms whose row tables are written between epochs alone.
BY_EPOCH = {"gce:truncated"}
BY_EPOCH |= {
    name for name in NAMES if name.startswith(("cal", "dividemix", "promix", "seal", "pes"))
}
# Those that first write them in their last stage.
LATER = {name for name in NAMES if name.startswith(("PiCO", "RECORDS"))}


@pytest.mark.parametrize("name", [n for n in NAMES if algorithm(n).rows or algorithm(n).learned])
def test_an_update_changes_a_row_table(name):
    stack = make_stack(toy(), name)
    # not the first: POP:plench stores its weights then; and PiCO leaves them in its warm-up
    advance(stack, max(1, *stack.stages.ends[:-1]) if name in LATER else 1)
    before = {what: table.clone() for what, table in stack.rows.items()}
    momenta = {what: table.clone() for what, table in stack.learned.momenta.items()}
    update(stack)
    assert all(not torch.equal(stack.learned.momenta[what], v) for what, v in momenta.items())
    changed = any(not torch.equal(table, before[what]) for what, table in stack.rows.items())
    assert changed == (name not in BY_EPOCH)


# What an algorithm must reach on the toy data; 0.7 unless there is a reason.
REACH = {
    # GA's ascent and descent do not balance under Adam: it comes to 0.67-0.77 here, by the seed,
    # and on Lost ends at a test accuracy of 0. Its loss is held by test_losses.py.
    "GA": 0.4,
}


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith(":plench")])
def test_learns(name):
    data = toy(n=600, spread=1.5)
    stack = advance(make_stack(data, name, [0], steps=100, dtype=torch.float32, lr=6e-3), 100)
    unseen = np.setdiff1d(np.arange(data.n), stack.index[0].numpy())
    predicted = stack.logits(0, torch.from_numpy(unseen)).argmax(1).numpy()
    # the given label is right 74 % of the time; chance is 14 %
    assert (predicted == data.truth[unseen]).mean() > REACH.get(name, 0.7)


def test_where_branches_are_not_known_the_lines_that_ran_are(monkeypatch):
    monkeypatch.setattr(reached, "BRANCHES", False)  # as with other versions of Python
    ran = dict(reached.on_import.__wrapped__("valen"))
    for name in ("VALEN", "VALEN:plench"):
        for key, steps in train_reference(name).ran.items():
            ran.setdefault(key, set()).update(steps)
    assert reached.never_ran(reached.FOLDER / "valen.py", ran) == []
    gone = {key: steps for key, steps in ran.items() if key[1] != "begin_plench"}
    [left] = reached.never_ran(reached.FOLDER / "valen.py", gone)
    assert "begin_plench never ran" in left
