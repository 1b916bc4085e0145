"""Several processes that train together end with the numbers of one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from learn.algorithms.battery import NAMES
from learn.own_loop.two_processes import run

TESTS = Path(__file__).parents[2]
# sets, tables, memory, learned rows, several networks, a second head, own rows, mixed rows
FEW = ("PRODEN", "PiCO", "ABLE", "sop", "co-teaching", "ldam", "pes", "dividemix")


def spread(names, folder):
    """Run two processes; what they end with lies in the folder."""
    script = Path(__file__).with_name("two_processes.py")
    path = {"PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, str(script), str(folder), *names]
    done = subprocess.run(command, env=os.environ | path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def check(names, folder):
    spread(names, folder)
    for name in names:
        first, second = (torch.load(folder / f"{name} {rank}.pt") for rank in range(2))
        assert isinstance(first, dict), (name, first)
        alone = run(name)
        for what, tensor in alone.items():
            assert torch.equal(first[what], second[what]), (name, what)
            torch.testing.assert_close(
                first[what], tensor, rtol=1e-6, atol=1e-6, msg=f"{name} {what}"
            )


def test_two_processes_agree_with_one(tmp_path):
    check(FEW, tmp_path)


def test_with_batch_norm_the_processes_agree_with_each_other(tmp_path):
    spread(["normed"], tmp_path)
    first, second = (torch.load(tmp_path / f"normed {rank}.pt") for rank in range(2))
    assert any(what.startswith("buffers/") for what in first)
    for what, tensor in first.items():
        assert torch.equal(tensor, second[what]), what


@pytest.mark.slow
def test_two_processes_agree_with_one_for_every_third_algorithm(tmp_path):
    """The others keep what they know in the same ways as one of these or of the few above."""
    check([name for name in NAMES if name not in FEW][::3], tmp_path)
