"""The command line: nouns, then verbs. What is heavy is imported inside the commands."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, Any

import typer

from . import algorithms, bench, crowd, data, demo, errors, review, stability, validate

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Candid evaluation with candidate labels: benchmark learning algorithms whose labels are "
    "partial, noisy or wrong.",
    epilog="Start with  candidly demo  or  candidly bench run --dataset digits --labels "
    "flip:rate=0.3 --algorithms PRODEN,CC --configs 2 --splits 3",
)
app.command("demo")(demo.demo)
app.add_typer(data.app, name="data")
app.add_typer(data.labels_app, name="labels")
app.add_typer(algorithms.app, name="algorithms")
app.add_typer(bench.app, name="bench")
app.add_typer(errors.app, name="errors")
app.command("stability")(stability.stability)
app.command("validate")(validate.validate)
app.add_typer(crowd.app, name="crowd")
app.add_typer(review.app, name="review")


def _version(asked: bool) -> None:
    if asked:
        from .. import __version__

        typer.echo(f"candidly {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line. What went wrong is one sentence on stderr and exit status 2.

    With CANDIDLY_TRACEBACK set in the environment it is the whole traceback instead.
    """
    from .._process import tune_memory

    tune_memory()
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _warn
        try:
            _run()
        finally:
            _flush()


def _run() -> None:
    from .._names import UnknownName

    try:
        app()
    except (ValueError, UnknownName, OSError, RuntimeError, FloatingPointError) as error:
        if os.environ.get("CANDIDLY_TRACEBACK"):
            raise
        _say(f"error: {_sentence(error)}")
        sys.exit(2)


def _flush() -> None:
    """Hand on what was printed; a reader that has left makes status 1, and no noise."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error)


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    _say(f"warning: {message}")


def _say(text: str) -> None:
    print(f"candidly: {text}", file=sys.stderr)
