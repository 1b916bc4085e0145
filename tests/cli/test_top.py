"""The command line as a whole: help, errors, streams, and how fast it starts."""

from __future__ import annotations

import re
import resource
import subprocess
import sys

import pytest

from candidly import __version__, cli
from candidly.cli._help import first_paragraph

COMMAND = [sys.executable, "-m", "candidly"]


def commands() -> list[tuple[str, ...]]:
    """Every command there is, as the words one types."""
    found: list[tuple[str, ...]] = []
    for name in cli.NOUNS:
        verbs = getattr(cli.command(name), "commands", None)
        found += [(name, verb) for verb in verbs] if verbs else [(name,)]
    return found


def command_of(words: tuple[str, ...]):
    found = cli.command(words[0])
    return found.commands[words[1]] if len(words) == 2 else found


PAGES = [(), *((noun,) for noun in cli.NOUNS), *(words for words in commands() if len(words) == 2)]


def run(*arguments: str, **how) -> subprocess.CompletedProcess:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=120, **how
    )


def test_the_commands_are_the_public_ones():
    assert {"demo"} <= {words[0] for words in commands()}
    bench = {verb for noun, *verbs in commands() for verb in verbs if noun == "bench"}
    assert bench == {
        *("plan", "run", "status", "table", "report", "compare", "records", "track", "compact"),
        "published",
    }


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_has_help_with_an_example_of_itself(candidly, words):
    status, out, err = candidly(*words, "--help")
    assert (status, err) == (0, "")
    _, _, example = out.partition("Example")
    alias = ("data", *words[1:]) if words[0] == "labels" else words  # one command, two nouns
    assert any(f"candidly {' '.join(them)}" in example for them in (words, alias))


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_nothing_of_the_help_is_lost_to_markup(candidly, words):
    """What is written must be shown, with no brackets of a markup language around it."""
    command = command_of(words)
    shown = " ".join(candidly(*words, "--help")[1].split())
    assert " ".join(command.help.split()) in shown
    for parameter in command.params:
        for word in (getattr(parameter, "help", None) or "").split():
            assert word in shown, f"{word!r} of {parameter.name} is not in the help"


@pytest.mark.parametrize("words", PAGES, ids=lambda words: " ".join(words) or "top")
def test_no_help_says_a_default_twice(candidly, words):
    """In words of its own, where the option has none to show, or as the command line shows it."""
    shown = " ".join(candidly(*words, "--help")[1].split())
    assert not re.search(r"\(default:[^)]*\)\.? \[default:", shown)


@pytest.mark.parametrize("words", PAGES, ids=lambda words: " ".join(words) or "top")
def test_help_is_readable_at_80_columns(candidly, monkeypatch, words):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = candidly(*words, "--help")
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    lines = out.partition("\n\n")[2].splitlines()  # below the usage, where "..." is for "several"
    assert not [line for line in lines if line.endswith("...")], "a text is cut off"
    assert not [line for line in lines if line.endswith("-")], "a word is broken"
    for word in ("…", " range", ">=", "<=", "<", "list[", "[bold]", "[/", "\\["):
        assert word not in out


def test_the_top_says_of_each_noun_what_it_says_of_itself():
    for noun, (_, _, text) in cli.NOUNS.items():
        assert text == first_paragraph(cli.command(noun)), noun


def test_help_imports_no_command_and_a_command_no_other():
    code = (
        "import sys; from candidly import cli; sys.argv = ['candidly', *{words}, '--help']\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "print(*sorted(m for m in sys.modules if m.startswith('candidly.')), file=sys.stderr)"
    )
    names = ("faces", "files", "jsons", "names", "problem", "process")
    ground = {"ground", *(f"ground.{name}" for name in names)}
    top = {"cli", "cli._given", "cli._help", "cli._words"}
    for words, expected in (
        ((), {*ground, *top}),
        (("algorithms",), {*ground, *top, "cli._print", "cli.algorithms"}),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code.format(words=words)],
            capture_output=True,
            text=True,
            timeout=60,
        )
        mine = {name.removeprefix("candidly.") for name in done.stderr.split()}
        assert {name for name in mine if name.startswith("cli")} <= expected
        assert words or mine <= expected | {"ground.version"}


def test_help_takes_less_than_half_a_second_of_a_core():
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run("--help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.5


@pytest.mark.parametrize("number", ["-1", "1.5", "many", ""])
def test_a_number_out_of_range_is_told_in_words(candidly, number):
    status, out, err = candidly("stability", "--resamples", number)
    assert (status, out) == (2, "")
    wrong = f"it is {number!r}; give a whole number from 0 to 10,000,000."
    wrong = wrong if number else "it is empty. Give a value, or leave it out."
    assert f"Invalid value for '--resamples': {wrong}" in err
    status, _, err = candidly("review", "serve", "folder", "--port", "70000")
    assert status == 2
    assert "Invalid value for '--port': it is '70000'; give a whole number from 0 to 65,535." in err


def test_the_top_says_where_to_start(candidly):
    status, out, _ = candidly("--help")
    assert status == 0
    assert "candidly demo" in out
    assert all(noun in out for noun, *_ in commands())
    assert candidly("--version")[1] == f"candidly {__version__}\n"


def test_an_unknown_command_suggests_the_nearest(candidly):
    status, out, err = candidly("bech")
    assert (status, out) == (2, "")
    assert "Did you mean 'bench'?" in err


def test_help_starts_without_anything_heavy():
    code = (
        "import sys; from candidly import cli; sys.argv = ['candidly', '--help']\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "heavy = ('torch', 'sklearn', 'scipy', 'polars', 'matplotlib', 'pandas', 'pydantic', "
        "'numpy', 'rich')\n"
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr.strip() == "[]"


def test_results_go_to_stdout_and_errors_to_stderr_with_status_2(tmp_path):
    good = run("data", "list", "--json", cwd=tmp_path)
    assert (good.returncode, good.stderr) == (0, "")
    assert "digits" in good.stdout
    bad = run("data", "show", "digitz", cwd=tmp_path)
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("candidly: error: no data set named 'digitz'; did you mean 'digit")
    assert bad.stderr.count("\n") == 1


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    writer = subprocess.Popen(
        [*COMMAND, "data", "list", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    writer.stdout.close()  # before it has written anything
    assert writer.stderr.read() == ""
    assert writer.wait(60) == 1
    writer.stderr.close()
