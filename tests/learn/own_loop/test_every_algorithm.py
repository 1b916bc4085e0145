"""Every algorithm and variant in a user's loop ends with the engine's numbers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import algorithm
from learn.algorithms.battery import NAMES
from learn.own_loop.loops import (
    UPDATES,
    Conv,
    Data,
    advance,
    attached,
    by_engine,
    check_equal,
    made,
    saved,
)

DATA = made()
CUT = 14  # updates done, within an epoch


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_engine_through_all_stages_and_when_saved_and_loaded(name):
    run = by_engine(name, DATA)

    def x(run, t):
        return DATA.x[run.ids[t]]

    loop, net, optimizer = attached(name, run, DATA)
    losses = advance(loop, optimizer, run, range(CUT), x)
    states = saved(loop, optimizer)
    loop, net, optimizer = attached(name, run, DATA)  # elsewhere, from other numbers
    for parameter in net.parameters():
        parameter.data.fill_(0.5)
    order = [(optimizer, states[1]), (loop, states[0])]
    for part, state in order if len(name) % 2 else order[::-1]:  # either order
        part.load_state_dict(state)
    losses += advance(loop, optimizer, run, range(CUT, UPDATES), x)
    check_equal(run, loop, losses, 1e-9)
    assert loop.done


WITH_VIEWS = [name for name in NAMES if algorithm(name).views and "pes" not in name]
OWN_ROWS = ("dividemix", "cores*", "ALIM")  # which ask for views of further rows


@pytest.mark.parametrize("name", [n for n in WITH_VIEWS if not n.startswith(OWN_ROWS)])
def test_on_pictures_with_views_from_the_loader_it_is_the_engine(name):
    rng = np.random.default_rng(1)
    pixels = torch.from_numpy(rng.integers(0, 256, (len(DATA.x), 8, 8, 3)).astype(np.uint8))
    plain = (pixels.permute(0, 3, 1, 2).double() - 127.0) / 60.0
    data = Data(plain, DATA.labels)
    run = by_engine(name, data, Conv, pixels)
    loop, _, optimizer = attached(name, run, data, Conv)

    def x(run, t):
        own = plain[run.ids[t]]
        return {"plain": own, **dict.fromkeys(loop.needs.views, own), **run.views[t]}

    losses = advance(loop, optimizer, run, range(UPDATES), x)
    check_equal(run, loop, losses, 1e-7)
