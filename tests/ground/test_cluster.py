"""What a cluster says, without one."""

from __future__ import annotations

import os
import sys

import pytest

from candidly.ground.cluster import LOST, SILENT, Node, _stdout_kept, check_nodes


def node(problem):
    return Node("10.0.0.2 (abc)", 4, 0, 10**9, None, problem)


def test_a_worker_that_was_killed_or_is_slow_is_not_called_another_candidly():
    with pytest.raises(ValueError, match="did not say what it has: its worker was lost") as caught:
        check_nodes([node(f"{LOST}: WorkerCrashedError")])
    assert "no candidly that works" not in str(caught.value)
    with pytest.raises(ValueError, match="did not say what it has: it did not answer") as caught:
        check_nodes([node(f"{SILENT} within 300 s")])
    assert "no candidly that works" not in str(caught.value)
    with pytest.raises(ValueError, match="has no candidly that works: ModuleNotFoundError"):
        check_nodes([node("ModuleNotFoundError: no module named candidly")])


def test_what_others_print_goes_to_stderr(capfd):
    print("before")
    with _stdout_kept():
        os.write(1, b"(raylet) a node is gone\n")  # as Ray's own processes do
    print("after")
    sys.stdout.flush()
    out, err = capfd.readouterr()
    assert out == "before\nafter\n"
    assert err == "(raylet) a node is gone\n"
