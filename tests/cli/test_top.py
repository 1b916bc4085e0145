"""The command line as a whole: help, errors, streams, and how fast it starts."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from candidly import __version__, cli

COMMAND = [sys.executable, "-m", "candidly"]


def commands() -> list[tuple[str, ...]]:
    """Every command there is, as the words one types."""
    group = typer.main.get_command(cli.app)
    found = []
    for name, command in group.commands.items():
        verbs = getattr(command, "commands", None)
        found += [(name, verb) for verb in verbs] if verbs else [(name,)]
    return found


def run(*arguments: str, **how) -> subprocess.CompletedProcess:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=120, **how
    )


def test_the_commands_are_the_public_ones():
    assert {"demo"} <= {words[0] for words in commands()}
    bench = {verb for noun, *verbs in commands() for verb in verbs if noun == "bench"}
    assert bench == {"plan", "run", "status", "table", "report", "compact"}


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_has_help_with_an_example_of_itself(candidly, words):
    status, out, err = candidly(*words, "--help")
    assert (status, err) == (0, "")
    _, _, example = out.partition("Example")
    alias = ("data", *words[1:]) if words[0] == "labels" else words  # one command, two nouns
    assert any(f"candidly {' '.join(them)}" in example for them in (words, alias))


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_nothing_of_the_help_is_lost_to_markup(candidly, words):
    """Rich takes ``[word]`` for a style and prints nothing; what is written must be shown."""
    group = typer.main.get_command(cli.app)
    command = group.commands[words[0]]
    command = command.commands[words[1]] if len(words) == 2 else command
    shown = " ".join(candidly(*words, "--help")[1].replace("│", " ").split())
    for parameter in command.params:
        for word in (getattr(parameter, "help", None) or "").split():
            assert word in shown, f"{word!r} of {parameter.name} is not in the help"


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
        "heavy = ('torch', 'sklearn', 'scipy', 'polars', 'matplotlib', 'pandas', 'pydantic')\n"
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr.strip() == "[]"


def test_results_go_to_stdout_and_errors_to_stderr_with_status_2(tmp_path):
    good = run("algorithms", "list", "--json", cwd=tmp_path)
    assert (good.returncode, good.stderr) == (0, "")
    bad = run("algorithms", "show", "PRODENN", cwd=tmp_path)
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("candidly: error: no algorithm named 'PRODENN'; did you mean 'PR")
    assert bad.stderr.count("\n") == 1


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    writer = subprocess.Popen(
        [*COMMAND, "algorithms", "list", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    writer.stdout.close()  # before it has written anything
    assert writer.stderr.read() == ""
    assert writer.wait(60) == 1
    writer.stderr.close()
