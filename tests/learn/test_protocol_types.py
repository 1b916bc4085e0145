"""The types that methods are written with: the engine's own have all of it, and slips are found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
def test_a_slip_in_a_method_is_found_before_it_runs(tmp_path):
    """One run of mypy reads the package once for all of them."""
    pytest.importorskip("mypy")
    (tmp_path / "as_meant.py").write_text(PAGE)
    for k, (right, wrong) in enumerate(SLIPS):
        (tmp_path / f"slip_{k}.py").write_text(PAGE.replace(right, wrong))
    words = ["-m", "mypy", "--check-untyped-defs", "--follow-imports=silent", str(tmp_path)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    faults = {Path(line.partition(":")[0]).stem for line in done.stdout.splitlines()[:-1]}
    assert faults == {f"slip_{k}" for k in range(len(SLIPS))}, done.stdout
