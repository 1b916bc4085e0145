"""What the training loop must do where the benchmark's released program does not: the right
behaviour alone, because what hangs, hides errors or depends on the device is not reproduced.
"""

from __future__ import annotations

import pytest
import torch

from candidly.learn.algorithms import Algorithm, Stage
from candidly.learn.engine.examples import make_examples
from candidly.learn.engine.start import start
from candidly.learn.engine.train import train, update
from candidly.learn.nets import mlp

from needs import DEVICES
from toys import make_stack, member, toy


def test_d_prot_4_an_error_in_fetching_a_batch_is_raised_and_does_not_end_the_epoch():
    stack = make_stack(toy(), "CC")
    gather = stack.feed.gather

    def broken(name, *places):
        if stack.t == 5:
            raise OSError("a row cannot be read")
        return gather(name, *places)

    stack.feed.gather = broken
    with pytest.raises(OSError, match="a row cannot be read"):
        list(train(stack, (10, 20)))
    assert stack.t == 5


def visits(device):
    """Two trials of a page that counts how often each row was in a batch."""
    page = Algorithm(
        "visits",
        (
            Stage(
                lambda s, b: s.net(b.x).logits.square().mean((-1, -2)),
                lambda s, b: {"visits": b.visits + 1},
            ),
        ),
        rows=lambda s: {"visits": torch.zeros(1, s.n, dtype=s.dtype)},
    )
    data = toy()
    examples = make_examples(data, page.reads, device=device)
    members = [member(data, k, page, examples) for k in range(2)]
    return start(page, mlp(examples.inputs.shape[1], data.q, 8), examples, members, 60)


@pytest.mark.parametrize("device", DEVICES)
def test_d_pop_2_what_a_method_writes_is_there_at_the_rows_next_visit(device):
    stack = visits(device)
    seen = torch.zeros(2, stack.n)
    for _ in range(3 * stack.E):
        seen.scatter_add_(1, stack.next_batches()[0].ids.cpu(), torch.ones(2, stack.B))
        update(stack)
    assert seen.max() == 3
    assert torch.equal(stack.rows["visits"].cpu(), seen.to(stack.dtype))
