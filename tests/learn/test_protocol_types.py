"""The types that methods are written with: the engine's own have all of it, and slips are found."""

from __future__ import annotations

import subprocess
import sys

import pytest

from candidly.learn import Batch, Trials

from toys import make_stack, toy

PAGE = """
from candidly.learn import Batch, OneTrial, Trials

def rows(s: OneTrial):
    return {"weights": s.candidates / s.candidates.sum(-1, keepdim=True)}

def step(s: Trials, b: Batch):
    noise = s.rng("mine")[0].normal()
    return (b.weights * s.net(b.x).logits).sum(-1).mean(-1) + s.memory["offset"] * noise
"""
SLIPS = (
    ('s.memory["offset"]', 's.memroy["offset"]'),
    ('s.rng("mine")[0].normal()', 's.rng("mine").normal()'),
    (".logits", ".logit"),
    ("b.weights", "b.view(3)"),
)


def names_of(protocol):
    return {*protocol.__annotations__, *vars(protocol)} - {
        name for name in vars(protocol) if name.startswith("_")
    }


def test_what_methods_get_has_all_that_the_types_promise():
    stack = make_stack(toy(), "PRODEN")
    [batch] = stack.next_batches()
    for asked, protocol in ((stack, Trials), (batch, Batch)):
        names = names_of(protocol)
        assert len(names) > 5
        assert not [name for name in names if not hasattr(asked, name)]


@pytest.mark.slow
@pytest.mark.parametrize(("right", "wrong"), [("", ""), *SLIPS])
def test_a_slip_in_a_method_is_found_before_it_runs(tmp_path, right, wrong):
    pytest.importorskip("mypy")
    path = tmp_path / "method.py"
    path.write_text(PAGE.replace(right, wrong) if right else PAGE)
    words = ["-m", "mypy", "--check-untyped-defs", "--follow-imports=silent", str(path)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert (done.returncode == 0) == (not right), done.stdout
