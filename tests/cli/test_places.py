"""What goes wrong in somebody's own file is told with its place, and with how it was called."""

from __future__ import annotations

import json

import pytest

PAGE = """import torch
import candidly
from candidly.learn import Algorithm, Stage, cross_entropy, masked_softmax, uniform_over


def rows(s):
    return {{"weights": {rows}}}


def step(s, b):
    loss = cross_entropy(b.weights, s.net(b.x).logits).mean(-1)
    return {step}


def after(s, b):
    return {{{after}: masked_softmax(s.net(b.x).logits, b.candidates)}}


candidly.register("algorithm", Algorithm("own", (Stage(step, after),), rows=rows))
"""
RIGHT = {"rows": "uniform_over(s.candidates, s.dtype)", "step": "loss", "after": '"weights"'}


@pytest.fixture
def own(tmp_path, plugins_as_they_were):
    def write(**changed):
        (tmp_path / "own.py").write_text(PAGE.format(**(RIGHT | changed)))
        return "own.py"

    return write


def checked(candidly, file):
    status, out, err = candidly("algorithms", "check", file)
    return status, " ".join(word for word in out.split() if word != "own"), err


BROKEN = [
    ({"step": "loss @ torch.ones(5, dtype=s.dtype)"}, "line 12 of .*own.py, in step"),
    ({"rows": "s.candidate"}, "line 7 of .*own.py, in rows"),
    ({"step": "None"}, "the step of own returns NoneType; it has to return the objective of each"),
    ({"step": "loss.mean()"}, r"returns torch.float\\d+ of shape \(\); it has to return"),
    ({"step": "(loss, 3)"}, "returns a tuple with a int; it has to return"),
    ({"after": '"weigths"'}, "own updates 'weigths', which is no row table, memory or network"),
    ({"rows": "uniform_over(s.candidates, s.dtype)[0]"}, "a trial's has shape"),
]


@pytest.mark.parametrize("changed", [changed for changed, _ in BROKEN])
def test_the_check_names_line_or_contract_and_nothing_that_ran(candidly, own, changed):
    status, out, err = checked(candidly, own(**changed))
    assert status == 1
    assert "never ran" not in out
    assert "AttributeError: 'NoneType'" not in out
    assert "breaks 1 of 1 rules" in err


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        (BROKEN[0][0], "return loss @ torch.ones(5"),  # while it trains
        ({"step": "loss * s.net.one(b.x)"}, "return loss * s.net.one"),
        (
            {"step": "loss if s.dtype == torch.float64 else loss @ 3"},
            "else loss @ 3",
        ),  # of one rule
    ],
)
def test_the_check_shows_tracebacks_if_asked(candidly, own, changed, line):
    file = own(**changed)
    assert "Traceback" not in candidly("algorithms", "check", file)[2]
    status, out, err = candidly("algorithms", "check", file, "--json", "--debug")
    assert status == 1
    assert "Traceback" in err
    assert line in err
    assert json.loads(out)[0].keys() == {"algorithm", "rule", "problem"}


def test_the_check_says_how_it_was_called(candidly, own):
    _, out, _ = checked(candidly, own(**BROKEN[0][0]))
    assert "line 12 of" in out
    assert "in step, called with K = 3 trials, a batch of 16 of 68 rows, q = 7 classes" in out


def test_the_check_says_how_tables_were_asked_for(candidly, own):
    _, out, _ = checked(candidly, own(**BROKEN[1][0]))
    assert "in rows, called with n = 68 rows and q = 7 classes" in out


def test_a_rule_that_is_broken_is_told_in_words(candidly, own):
    status, out, _ = checked(candidly, own(step="loss + loss.mean()"))
    assert status == 1
    assert "it differs in" in out
    assert "AssertionError" not in out
    assert "('" not in out


TRAIN = ["train", "digits", "--labels", "flip:rate=0.3", "--out", "m.safetensors", "--steps", "2"]
RUN = "bench run --dataset digits --labels flip:rate=0.3 --out it --steps 2 --configs 1 --splits 2"


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_training_names_the_line(candidly, own, workers):
    file = own(step="loss @ torch.ones(5)")
    line = [*TRAIN, "--algorithm", "own"]
    if workers is not None:
        line = [*RUN.split(), "--workers", workers, "--algorithms", "own"]
    status, _, err = candidly(*line, "--import", file, "--debug")
    assert status == 2
    last = err.splitlines()[-1]
    assert "RuntimeError: " in last
    assert "at line 12 of" in last
    assert "own.py, in step, called with K = " in last
    assert "has no name" not in err
    assert "Traceback" in err
    assert "return loss @ torch.ones(5)" in err  # --debug, from another process, too


def test_a_network_of_ones_own_names_the_line(candidly, tmp_path):
    (tmp_path / "net.py").write_text(
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.a = torch.nn.Linear(3, 10)\n\n"
        "    def forward(self, x):\n        return self.a(x)\n\n\n"
        "def make(shape, classes):\n    return Net()\n"
    )
    status, _, err = candidly(*TRAIN, "--net", "net.py:make")
    assert status == 2
    assert "of inputs (2, 64) its forward failed: RuntimeError: " in err
    assert "at line 10 of" in err
    assert "net.py, in forward" in err
