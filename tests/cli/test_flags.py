"""Messages name no option that their command does not have."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from candidly import cli

SRC = Path(cli.__file__).parent
FILES = {  # what says things in the name of one command alone
    "validate/__init__.py": "validate",
    "stability.py": "stability",
    "crowd/__init__.py": "crowd consensus",
    "crowd/sets.py": "crowd sets",
    "crowd/read.py": "crowd read",
}


def options(command: str) -> set[str]:
    noun, *words = command.split()
    found = cli.command(noun)
    for word in words:
        found = found.commands[word]
    return {name for option in found.params for name in option.opts}


def named(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    words = " ".join(text for text in texts if isinstance(text, str))
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", words))


@pytest.mark.parametrize("file", FILES)
def test_a_file_names_options_of_its_command(file):
    assert named(SRC / file) <= options(FILES[file])


def test_validate_names_its_own_options(candidly, tmp_path):
    (tmp_path / "answers.csv").write_text("item,person,answer\n0,ann,given\n0,bob,both\n")
    labels = {
        "two.csv": "a,b\n1,2\n3,4\n",
        "half.csv": "label\n0.5\n1.5\n",
        "empty.csv": "",
    }
    for name, text in labels.items():
        (tmp_path / name).write_text(text)
    np.save(tmp_path / "matrix.npy", np.ones((2, 2)))
    for name in (*labels, "matrix.npy", "none.npy", "labels.txt"):
        status, out, err = candidly("validate", "--votes", "answers.csv", "--labels", name)
        assert (status, out) == (2, ""), name
        assert err.count("\n") == 1, err
        assert set(re.findall(r"--[a-z-]+", err)) <= options("validate"), err
        for internal in ("`", "infer_schema", "polars", "Traceback", "None", "_"):
            assert internal not in err, err
    (tmp_path / "names.csv").write_text("label\ncat\ndog\n")
    again = ("--labels", "names.csv", "--classes", "cat,dog")
    assert candidly("validate", "--votes", "answers.csv", *again)[0] == 0
