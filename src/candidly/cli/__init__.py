"""The command line: nouns, then verbs. What is heavy is imported inside the commands."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import Annotated, Any

import typer

from ._help import Commands, dressed
from ._words import debugged, forget, print_traceback, said, sentence, warned_by_another

# noun -> module, what it is called there, and the first paragraph of its help
NOUNS = {
    "demo": (
        "demo",
        "demo",
        "Benchmark five algorithms and an oracle on handwritten digits with flipped candidates.",
    ),
    "example": ("example", "example", "Write files of made-up data to try candidly with."),
    "check": (
        "check",
        "check",
        "How many labels of a file are wrong, and which rows to look at?",
    ),
    "stability": (
        "stability",
        "stability",
        "Does a ranking of models survive the errors in the labels?",
    ),
    "rank": (
        "rank",
        "rank",
        "Is the order of models by their scores on items more than chance?",
    ),
    "validate": (
        "validate",
        "validate",
        "What people's answers say about labels: errors, how sure that is, and what to put "
        "instead.",
    ),
    "data": (
        "data",
        "app",
        "Data sets by name, and files of your own: list, show, describe, convert, features, join.",
    ),
    "labels": (
        "data",
        "labels_app",
        "Make imperfect labels from true ones, and describe what came out.",
    ),
    "train": (
        "train",
        "train",
        "Train a model on candidate sets or noisy labels, and say how good it is on rows held out.",
    ),
    "predict": ("predict", "predict", "Predict classes for the rows of a file with a saved model."),
    "algorithms": ("algorithms", "app", "The learning algorithms: list, show, check."),
    "new": ("new", "app", "Files to begin with: algorithm."),
    "bench": (
        "bench",
        "app",
        "Benchmarks: plan, run, status, table, records, compare, report, track, compact.",
    ),
    "cluster": ("cluster", "app", "Ray clusters: check."),
    "challenge": (
        "challenge",
        "app",
        "A challenge of learning with wrong labels or finding them: new, example, submit, run, "
        "score, rank, report.",
    ),
    "errors": (
        "errors",
        "app",
        "Wrong labels, from given labels and probabilities: probs, amount, find, health, compare.",
    ),
    "crowd": ("crowd", "app", "Answers of several annotators: consensus, sets, read."),
    "build": (
        "build",
        "app",
        "A benchmark with noise of known sources, from articles: noisywikihow, ask, corpus, data, "
        "demo.",
    ),
    "review": (
        "review",
        "app",
        "People check labels: make a project, see how far it is, take answers in and out.",
    ),
}


def _version(asked: bool) -> None:
    if asked:
        from ..ground.version import __version__

        typer.echo(f"candidly {__version__}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")
    ] = False,
    plugins: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="FILE.py",
            help="Run a plug-in first: a file, or an entry point of candidly.plugins. It may stand "
            "anywhere on the line; repeat it for several.",
        ),
    ] = None,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug",
            help="Of what goes wrong show the traceback, too, and warnings of libraries; anywhere "
            "on the line.",
        ),
    ] = False,
) -> None:
    if plugins:
        from ..ground.plugins import load

        for asked in plugins:
            load(asked)


def _top_first(args: list[str]) -> list[str]:
    """The same words, each ``--import FILE`` and ``--debug`` of them before the noun."""
    end = args.index("--") if "--" in args else len(args)
    first: list[str] = []
    rest: list[str] = []
    words = iter(args[:end])
    for word in words:
        if word == "--import":
            first += [word, *([] if (value := next(words, None)) is None else [value])]
        else:
            of_top = word == "--debug" or word.startswith("--import=")
            (first if of_top else rest).append(word)
    return [*first, *rest, *args[end:]]


class _Nouns(Commands):
    """Holds a line of help for each noun, and imports the one that is asked for."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _top_first(args))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        return name, name and command(name), rest

    def invoke(self, ctx: Any) -> Any:
        from ..ground.files import keeping_inputs

        with keeping_inputs():
            return super().invoke(ctx)


def _empty(kind: type[Commands]) -> typer.Typer:
    made = typer.Typer(
        cls=kind,
        no_args_is_help=True,
        rich_markup_mode=None,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Candid evaluation with candidate labels: benchmark learning algorithms whose labels "
        "are partial, noisy or wrong.",
        epilog="Start with  candidly demo  or  candidly bench run --dataset digits --labels "
        "flip:rate=0.3 --algorithms PRODEN,CC --configs 2 --splits 3",
    )
    made.callback()(_top)
    return made


def command(noun: str) -> Any:
    """The command or group of a noun, imported now."""
    module, called, _ = NOUNS[noun]
    found = getattr(import_module(f".{module}", __name__), called)
    whole = _empty(Commands)
    if isinstance(found, typer.Typer):
        whole.add_typer(found, name=noun, cls=Commands)
    else:
        whole.command(noun)(found)
    group: Any = typer.main.get_command(whole)
    return dressed(group.commands[noun])


app = _empty(_Nouns)
for _noun, (_, _, _text) in NOUNS.items():
    app.command(_noun, help=_text)(lambda: None)


def main() -> None:
    """Run the command line. What went wrong is one sentence on stderr and exit status 2.

    With ``--debug`` the traceback stands above it.
    """
    from ..ground.process import tune_memory

    tune_memory()
    forget()
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _Warned()
        try:
            app()
        except Exception as error:
            if debugged():
                print_traceback(error)
            _say(f"error: {sentence(error)}")
            sys.exit(2)
        finally:
            _flush()


def _flush() -> None:
    """Hand on what was printed; a reader that has left makes status 1, and no noise."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


class _Warned:
    """Tells of each warning of candidly once."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def __call__(self, message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        from ._print import warned

        text = warned(said(str(message)), category)
        if text not in self._told and (debugged() or not warned_by_another()):
            self._told.add(text)
            _say(text)


def _say(text: str) -> None:
    print(f"candidly: {text}", file=sys.stderr)
