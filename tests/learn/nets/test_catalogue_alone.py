"""A network of the catalogue in a stack is what it is alone, and what it is when resumed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import algorithm
from candidly.learn.engine.checkpoint import restore, state_of
from candidly.learn.engine.examples import make_examples
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.stack import Stack
from candidly.learn.engine.start import start
from candidly.learn.nets import network
from learn.algorithms.picture_battery import BATCH, CHANNELS, SIDE, pictures

from toys import advance, member, tensors

STEPS = 2


def stack_of(text: str, trials) -> Stack:
    """On pictures of 16 x 16, the smallest that a VGG takes."""
    data, page = pictures(), algorithm("ce")
    data = replace(data, inputs=np.asarray(data.inputs).repeat(2, 1).repeat(2, 2))
    examples = make_examples(data, page.reads)
    members = [member(data, k, page, examples, batch=BATCH) for k in trials]
    net = network(text, (CHANNELS, 2 * SIDE, 2 * SIDE), data.q)
    return start(page, net, examples, members, STEPS, recipe("adam:views=weak"))


@pytest.mark.parametrize(
    "text",
    [
        "densenet22:growth=1",
        "mobilenet-v2:width=1",
        "googlenet:width=2",
        "vgg11:width=1",
        "resnet50:width=1",
        "preact-resnet18:width=1",
        "wide-resnet28-10:width=1",
    ],
)
def test_alone_in_a_stack_and_resumed_a_trial_is_the_same(text):
    ends = tensors(advance(stack_of(text, (0, 1)), STEPS))
    alone = advance(stack_of(text, (1,)), STEPS // 2)
    halfway = alone.net.flat.clone()
    state = {what: value.copy() for what, value in state_of(alone).items()}
    alone = advance(restore(stack_of(text, (1,)), state), STEPS - STEPS // 2)
    assert any(what.startswith("buffers/net/") for what in ends)
    for what, tensor in tensors(alone).items():
        assert torch.equal(tensor[0], ends[what][1]), what
    assert not torch.equal(halfway, alone.net.flat)
