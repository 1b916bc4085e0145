"""Where a machine lacks what is usual: no home, nowhere for temporary files, nowhere to write."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from needs import program

COMMANDS = {  # what is written goes to {}
    "data describe": ["digits"],
    "check": ["t.csv", "--out", "{}/t-check.csv", "--html", "{}/t-check.html"],
    "train": ["t.csv", "--steps", "5", "--out", "{}/m.safetensors"],
    "errors probs": ["t.csv", "--out", "{}/p.npz"],
    "errors find": ["--labels", "l.npy", "--probs", "p.npy", "--workers", "2", "--on",
                    "processes"],
    "bench run": ["--dataset", "digits", "--labels", "symmetric:rate=0.2", "--algorithms", "ce",
                  "--configs", "1", "--splits", "1", "--steps", "2", "--workers", "2", "--out",
                  "{}/runs"],
    "review new": ["{}/project", "t.csv", "--preset", "single"],
    "challenge example": ["elr", "{}/challenge"],
}  # fmt: skip
FULL = "mount -t tmpfs -o size=8k none full; dd if=/dev/zero of=full/fill bs=1k count=64 2>&-; "
POOR = {  # how a machine is made so, in the shell
    "no home": "unset HOME; ",
    "a home that is not there": "export HOME=/nonexistent/home; ",
    "no folder for temporary files": "export TMPDIR=/nonexistent/tmp; ",
    "a full folder for temporary files": f"{FULL} export TMPDIR=$PWD/full; ",
}


def in_a_mount_namespace() -> list[str] | None:
    """What lets a shell mount for itself alone; None where nobody may."""
    line = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if program("unshare") is None:
        return None
    mounts = subprocess.run([*line, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True)
    return None if mounts.returncode else line


NAMESPACE = in_a_mount_namespace()
can_mount = pytest.mark.skipif(NAMESPACE is None, reason="nobody may mount here")


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 80)
    rows = [f"{x:.3f},{'ab'[label]}" for x, label in zip(rng.normal(3 * labels, 1), labels)]
    (tmp_path / "t.csv").write_text("\n".join(["x,label", *rows]) + "\n")
    np.save(tmp_path / "l.npy", labels)
    np.save(tmp_path / "p.npy", np.column_stack([labels * 0.6 + 0.2, 0.8 - labels * 0.6]))
    for name in ("full", "bare", "out"):
        (tmp_path / name).mkdir()
    return tmp_path


def run(folder, before: str, command: str, words: list[str]) -> subprocess.CompletedProcess:
    line = [sys.executable, "-P", "-m", "candidly", *command.split(), *words]
    shell = ["sh", "-c", f'{before} exec "$@"', "sh", *line]
    return subprocess.run(
        [*(NAMESPACE or ()), *shell], cwd=folder, capture_output=True, text=True, timeout=280
    )


@can_mount
def test_a_folder_that_cannot_be_written_is_said_before_anything_is_done(folder):
    bare = "mount -t tmpfs none bare; mount -o remount,ro bare; cd bare; "
    done = run(folder, bare, "check", ["../t.csv"])
    assert done.returncode == 2
    assert "--out is t-check.csv, and nothing can be written in" in done.stderr
    assert "say another place with --out" in done.stderr
    assert "done" not in done.stderr  # no progress
    done = run(folder, bare, "check", ["../t.csv", "--out", "../o.csv", "--html", "../o.html"])
    assert done.returncode == 0, done.stderr


@can_mount
@pytest.mark.slow
@pytest.mark.parametrize("poor", POOR)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_works_on_a_poor_machine(folder, command, poor):
    words = [word.format("out") for word in COMMANDS[command]]
    done = run(folder, POOR[poor], command, words)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
