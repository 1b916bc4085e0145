"""What is refused is told in the words of the command that runs, by candidly alone, and once."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

import candidly as library
from candidly import cli
from candidly.cli._words import CALLED, words_of
from refusal_words import ALL, COMMANDS, OPTION, OPTIONS, strange

SRC = Path(library.__file__).parent
FILES = [path for path in sorted(SRC.rglob("*.py")) if "cli" not in path.parts]
OTHER_PROGRAMS = {"_bubblewrap.py"}  # whose options these are
REFUSING = {"Refusal", "refused", "Problem"}


def texts(path: Path) -> list[str]:
    """The constants of a file, docstrings left out; those of an f-string with { for each value."""
    tree = ast.parse(path.read_text())
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    notes = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, kinds) and node.body and isinstance(node.body[0], ast.Expr)
    }
    plain = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes
    ]
    made = [
        "".join(part.value if isinstance(part, ast.Constant) else "{" for part in node.values)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
    ]
    return plain + made


def test_no_module_outside_the_command_line_names_an_option():
    named = {
        (path.name, option)
        for path in FILES
        if path.name not in OTHER_PROGRAMS
        for text in texts(path)
        for option in (*(set(OPTION.findall(text)) & ALL), *re.findall(r"(?<![\w-])--{", text))
    }
    assert named == set()


def remedies() -> set[str]:
    """What the ways out of every refusal name, between backticks."""
    found: set[str] = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") in REFUSING):
                continue
            for part in node.args[1:]:
                for one in ast.walk(part):
                    if isinstance(one, ast.Constant) and isinstance(one.value, str):
                        found |= set(re.findall(r"`([a-z][\w.]*)(?:=[^`]*)?`", one.value))
                    elif isinstance(one, ast.Call) and getattr(one.func, "id", "") == "passed":
                        found.add(one.args[0].value)
    return found


REMEDIES = remedies()


def test_remedies_name_what_some_command_has():
    options = {one.name for command in COMMANDS.values() for one in command.params}
    assert len(REMEDIES) > 20
    assert {"label", "drop", "classes", "root", "out", "imperfect.apply"} <= REMEDIES
    only_in_python = {"labelled.given_to_candidates", "one_coin", "workers"}
    only_in_python |= {"sample_weight", "class_weight"}
    only_in_python |= {"accumulate", "batches", "head", "inputs", "make", "views"}  # of attach
    only_in_python |= {"order"}  # of krippendorff
    only_in_python |= {"void"}  # of make_checked; in files a column
    assert options | set(CALLED) | only_in_python >= REMEDIES


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_remedy_names_options_of_the_command_that_runs(words):
    say = words_of(COMMANDS[words])
    for name in sorted(REMEDIES | set(CALLED)):
        for value in (None, "True", "'x y'", "3", "('a', 'b')"):
            told = say(name, value) or ""
            assert not set(strange(told, words)), (name, told)
            if option := next((one for one in COMMANDS[words].params if one.name == name), None):
                assert option.param_type_name == "argument" or option.opts[0] in told


def test_the_command_line_names_options_that_there_are():
    """Of each file of ``cli``: some command has them."""
    named = {
        option
        for path in (SRC / "cli").glob("*.py")
        for text in texts(path)
        for option in OPTION.findall(text)
    }
    assert named <= set().union(*OPTIONS.values())


COPY = "a,given,copy\n" + "".join(f"{k},{c},{c}\n" for k, c in enumerate(["cat", "dog"] * 10))
TOLD = {  # a command line, what it says to do and what it does not
    "data describe copy.csv": ("Leave it out with --drop copy,", None),
    "errors probs copy.csv --out p.npz": ("Leave it out with --drop copy,", None),
    "errors compare other.csv": ("Say which column holds the labels with --label", None),
    "train other.csv --out m.safetensors": ("Say which column holds the labels with --label", None),
    "bench run --dataset other.csv --algorithms CC": ("with --label, or call", None),
    "bench run --dataset digits --algorithms CC --configs 2 --validation train-oracle": (
        "--configs is 2, and with validation = train-oracle the validation rows are trained on: "
        "nothing is left to choose a configuration with. Use --configs 1.",
        "`",
    ),
    "bench run --settings s.toml": ("`configs` is 2, and with", None),
    "review new f cifar10n --preset candidates": ("set CANDIDLY_DATA to its folder", "--data"),
    "data describe cifar10n": ("or name its folder with --data, or set CANDIDLY_DATA", "`"),
    "errors probs far.csv --out p.npz": ("name them with --classes.", "`classes`"),
    "data describe far.csv": ("name them with --classes.", "`classes`"),
    "check far.csv": ("name them with --classes.", "`classes`"),
    "check line.csv": ("call them column_1 and so on with --header no", "`header"),
    "data describe photos --damaged never": ("--damaged is 'never'; give skip", "`damaged"),
    "data describe photos --label kind": (
        "--label says nothing of photos, a folder without a table",
        "`label",
    ),
    "example birds --into there": ("or replace it with --overwrite.", "`"),
    "bench run --dataset digits --algorithms CC": ("Make some with --labels flip:rate=0.3", "`imp"),
}


@pytest.fixture
def written(candidly, tmp_path):
    (tmp_path / "copy.csv").write_text(COPY)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n2,3\n")
    (tmp_path / "far.csv").write_text("a,given\n" + "".join(f"{k},w{k}\n" for k in range(60)))
    (tmp_path / "line.csv").write_text("1.5,2\n3,4\n")
    for name in ("cat", "dog"):
        (tmp_path / "photos" / name).mkdir(parents=True)
        for k in range(3):
            Image.new("L", (4, 4), 40 * k).save(tmp_path / "photos" / name / f"{k}.png")
    text = 'datasets = ["digits"]\nalgorithms = ["CC"]\nconfigs = 2\nvalidation = "train-oracle"\n'
    (tmp_path / "s.toml").write_text(f"[bench]\n{text}")
    assert candidly("example", "birds", "--into", "there")[0] == 0
    for path in (tmp_path / "there").iterdir():
        path.write_text("other")
    return candidly


@pytest.mark.parametrize("line", TOLD)
def test_each_command_words_the_remedy_for_itself(written, line):
    status, _, err = written(*line.split())
    there, absent = TOLD[line]
    assert status == 2
    assert there in err
    assert absent is None or absent not in err


def test_python_words_it_for_itself(tmp_path, monkeypatch):
    monkeypatch.delenv("CANDIDLY_DATA", raising=False)
    (tmp_path / "copy.csv").write_text(COPY)
    with pytest.raises(
        ValueError, match="Leave it out with `drop='copy'`, or take it out"
    ) as raised:
        library.load(tmp_path / "copy.csv")
    assert "--" not in str(raised.value)
    with pytest.raises(FileNotFoundError, match="or name its folder with `root`, or set"):
        library.load("cifar10n", root=tmp_path)


def run(*words, **how):
    line = [sys.executable, "-m", "candidly", *words]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, **how)


@pytest.mark.parametrize(
    "words", [("--debug", "data", "show", "x"), ("data", "show", "x", "--debug")]
)
def test_debug_shows_the_traceback_above_the_sentence(candidly, words):
    status, out, err = candidly(*words)
    assert (status, out) == (2, "")
    assert err.startswith("Traceback")
    assert err.splitlines()[-1].startswith("candidly: error: no data set named 'x'")
    assert "Traceback" not in candidly("data", "show", "x")[2]


@pytest.mark.parametrize(
    "what", ["json.loads('{')", "np.zeros(3)[7]", "{}['k']", "1 / 0", "open('none').x", "int('x')"]
)
def test_sentences_of_other_libraries_reach_nobody(candidly, monkeypatch, what):
    import json

    import numpy as np

    theirs = {"json": json, "np": np}
    source = f"def fails(*_, **__):\n    {what}\n"
    exec(compile(source, json.__file__, "exec"), theirs)  # as if it stood in a library
    monkeypatch.setattr("candidly.cli.data.common.load", theirs["fails"])
    status, out, err = candidly("data", "describe", "digits")
    assert (status, out, err.count("\n")) == (2, "", 1)
    if what.startswith("open"):
        assert err == "candidly: error: No such file or directory: none\n"
        return
    assert re.search(r"something went wrong that has no name \(\w+Error at line \d+ of ", err)
    assert "--debug" in err
    for theirs in ("Expecting property", "out of bounds", "division", "invalid literal"):
        assert theirs not in err
    assert "Traceback" in candidly("data", "describe", "digits", "--debug")[2]


def test_own_sentences_from_other_processes_are_told(candidly, monkeypatch):
    from concurrent.futures import ProcessPoolExecutor

    def of(work):
        def fails(*_, **__):
            with ProcessPoolExecutor(1) as pool:
                pool.submit(work, "nothing").result()

        monkeypatch.setattr("candidly.cli.data.common.load", fails)
        return candidly("data", "describe", "digits")[2]

    assert "no data set named 'nothing'" in of(library.load)
    assert "has no name (ValueError" in of(int)


def test_warnings_are_told_once_and_only_candidlys(candidly, monkeypatch):
    import warnings

    from candidly.data import sources

    said = ["the same", "the same", "name it with `label`", "another"]

    def load(*_, **__):
        for _ in said:
            exec(compile("warnings.warn(_)", sources.__file__, "exec"))
        exec(compile("warnings.warn('of a library')", warnings.__file__, "exec"))
        return library.load("digits")

    monkeypatch.setattr("candidly.cli.data.common.load", load)
    _, _, err = candidly("data", "describe", "digits")
    assert [line for line in err.splitlines() if "warning" in line] == [
        f"candidly: warning: {text}" for text in ("the same", "name it with --label", "another")
    ]


def test_warnings_name_classes_and_not_their_numbers(candidly, tmp_path):
    import numpy as np

    rng = np.random.default_rng(0)
    labels = np.array([0, 1] * 100 + [2] * 3)
    probs = rng.dirichlet(np.ones(4), len(labels))
    np.save(tmp_path / "l.npy", labels)
    np.save(tmp_path / "p.npy", probs)
    files = ("--labels", "l.npy", "--probs", "p.npy", "--classes", "ant,bee,cow,dog")
    out, err = candidly("errors", "health", *files, "--json")[1:]
    assert "class 'cow' was given 3 times only" in out
    assert "classes that nobody was given can never be proposed: 'dog'" in err
    assert err.count("can never be proposed") == 1


def test_the_top_has_the_option():
    assert "--debug" in run("--help").stdout
    assert cli.command("data").commands
