"""Small data, small stacks, for tests."""

from __future__ import annotations

import torch

from candidly.learn.contract.battery import (
    advance as advance,
)
from candidly.learn.contract.battery import (
    make_stack as make_stack,
)
from candidly.learn.contract.battery import (
    member as member,
)
from candidly.learn.contract.battery import (
    shortened as shortened,
)
from candidly.learn.contract.battery import (
    toy as toy,
)
from candidly.learn.engine.examples import make_examples
from candidly.learn.engine.recipe import ADAM
from candidly.learn.engine.stack import Stack
from candidly.learn.engine.start import start
from candidly.learn.nets import mlp

torch.set_num_threads(1)


def stack_of(
    page, trials=(0, 1, 2), data=None, dtype=torch.float64, steps=60, recipe=ADAM, **hyper
):
    """A stack of a page that is no entry of the table."""
    data = data or toy()
    examples = make_examples(data, page.reads, dtype=dtype)
    members = [member(data, k, page, examples, **hyper) for k in trials]
    return start(page, mlp(12, data.q, 20), examples, members, steps, recipe)


def few(s):
    """Twenty rows, fewer than a batch."""
    return (torch.arange(s.n) < 20).expand(s.K, -1)


def tensors(stack: Stack) -> dict[str, torch.Tensor]:
    """What changes in a stack, by name, with the trials' axis first."""
    return stack.changing()
