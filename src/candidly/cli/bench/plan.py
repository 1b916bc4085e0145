"""``candidly bench plan``: what a run trains, what it takes, and the command that starts it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from ...ground.jsons import to_json
from ...ground.numbers import count_of
from ...learn.written.nets import of_tokens
from ...show.grid import Column, Grid
from ...show.words import hyper_text
from .. import _progress
from .._print import AsJson, grid_of, print_text, show
from .._shared import typed
from .._words import said
from .options import RunOptions, asked_for, imported

if TYPE_CHECKING:
    from ...compare.sweep.hours import Hours, Timed
    from ...compare.sweep.plan import Plan

Measured = Annotated[
    bool,
    typer.Option(
        "--measure/--no-measure",
        help="Time a few updates on the device, for at most some twenty seconds, to say how many "
        "hours a run takes.",
    ),
]
MISSING = (
    "Without these files nothing can be run; the sizes above are the published ones, or those that "
    "the directory has kept."
)
NOT_OF_RUN = ("measure", "as_json")  # parameters that say nothing of the run


@asked_for
def plan(
    context: typer.Context,
    asked: RunOptions,
    measure: Measured = True,
    as_json: AsJson = False,
) -> None:
    """Say what a run would train, how long that takes, and how to start it, without training.

    The hours are those of this machine: a few updates are timed on --device. Data that is not
    here is planned from its published sizes.

    Examples:

      candidly bench plan --dataset lost --algorithms PRODEN,CC --configs 4

      candidly bench plan --preset plench-images --device cuda
    """
    from ...compare.benchmarking import foresee

    folder = asked.folder
    with _progress.reading("preparing data", "of the data prepared") as watch:
        found = foresee(
            asked.settings,
            **asked.where,
            watch=watch,
            folder=folder,
            accept_code=asked.accept_code,
        )
    made, taken = found.plan, None
    if measure:
        with _progress.reading("measuring", "measured") as watch:
            taken = found.hours(asked.device, asked.workers, asked.stack, watch)
    command = _command(context, str(folder))
    if as_json:
        about = {"hours": None if taken is None else taken.as_dict(), "command": command}
        print(to_json(found.as_dict() | about))
        return
    count = len(made.trials)
    title = count_of(count, "run")
    show(grid_of(title, found.rows), "algorithms: " + ", ".join(made.versions))
    for note in found.notes:
        show(note)
    if made.settings.validation == "train-oracle":
        print("oracle: the validation rows are among the training rows, with their true labels")
    nets = {trial.dataset: trial.net for trial in made.examples}
    if made.settings.as_published:
        show(_each_method(made))
    elif set(nets.values()) != {"mlp"}:
        print_text(f"net: {_by_dataset(nets)}")
    recipes = {trial.dataset: trial.recipe for trial in made.examples}
    if made.settings.as_published is None and set(recipes.values()) != {"adam"}:
        print_text(f"recipe: {_by_dataset(recipes)}")
    if (searched := made.settings.search) is not None:
        print_text(f"search: {searched}")
    if taken is not None:
        print_text(_taken(taken))
        if "prune=" in (searched or ""):
            print("  Runs that the search stops early make it less.")
    if found.missing:
        print()
        show(*map(said, found.missing.values()), MISSING)
    print_text(f"\nStart it with:\n\n  {command}")


def _command(context: typer.Context, folder: str) -> str:
    """The command that runs what was planned: with every option that was given, and a folder."""
    left_out = (*NOT_OF_RUN, "out")
    names = [one.name for one in context.command.params if one.name and one.name not in left_out]
    return shlex.join(["candidly", "bench", "run", *imported(), *typed(*names), "--out", folder])


def _each_method(made: Plan) -> Grid:
    """What each method is trained with, as it was published."""
    rows = {(trial.label, trial.net, trial.recipe, trial.steps): trial for trial in made.trials}
    columns = (Column("method", "name"), Column("net"), Column("recipe", "text"),
               Column("updates", form=","), Column("hyper-parameters", "text"))  # fmt: skip
    return Grid("", columns, [(*key, hyper_text(one.hyper)) for key, one in rows.items()])


def _by_dataset(values: Mapping[str, str]) -> str:
    several = len(values) > 1 and len(set(values.values())) == 1
    every = next(iter(values.values()))
    return every if several else ", ".join(f"{one} for {name}" for name, one in values.items())


def _taken(taken: Hours) -> str:
    """What is left takes, as lines for people."""
    if not taken.runs:
        return "\nEverything is trained."
    lines = [
        ("runs", f"{taken.runs:,} to do"),
        ("updates", f"{taken.updates:,}"),
        *map(_measured, _by_network(taken.timed)),
        ("other algorithms", _multiples(taken.multiples)),
        ("one worker", _time(taken.work_s)),
        (f"{taken.workers} workers", _time(taken.wall_s)),
        ("memory", f"about {taken.memory_bytes / 1e9:.1f} GB a worker"),
    ]
    lines = [(name, text) for name, text in lines if text and name != "1 workers"]
    wide = max(len(name) for name, _ in lines) + 2
    body = "\n".join(f"  {name:<{wide}}{text}" for name, text in lines)
    return f"\nWhat it takes on {taken.device}, from updates measured here:\n{body}"


def _by_network(timed: Iterable[Timed]) -> list[list[Timed]]:
    """Measured updates of one network on one kind of input together."""
    groups: dict[tuple[object, ...], list[Timed]] = {}
    for one in timed:
        groups.setdefault((one.net, one.shape, one.algorithm), []).append(one)
    return list(groups.values())


def _measured(group: list[Timed]) -> tuple[str, str]:
    first = group[0]
    size = " × ".join(map(str, first.shape)) + " features" * (len(first.shape) == 1)
    if of_tokens(first.net):
        size = f"texts of up to {first.shape[0]} tokens"
    each = ", ".join(
        f"{_short(one.seconds)} for {one.batch}{' (scaled)' * one.scaled}" for one in group
    )
    return f"update of {first.algorithm}", f"{each} examples; {first.net}, {size}"


def _multiples(multiples: Mapping[str, float]) -> str:
    """How long the others take: the shortest and the longest."""
    if not multiples:
        return ""
    least, most = (pick(multiples, key=multiples.__getitem__) for pick in (min, max))
    longest = f"{multiples[most]:.1f} times as long ({most})"
    if multiples[least] == multiples[most]:
        return longest
    return f"{multiples[least]:.1f} ({least}) to {longest}"


def _short(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.2g} ms"


def _time(seconds: float) -> str:
    hours = seconds / 3600
    if hours < 1:
        return f"{max(1, round(seconds / 60))} min" if seconds >= 60 else "under a minute"
    days = f" ({hours / 24:,.0f} days)" if hours >= 48 else ""
    return f"{hours:,.0f} hours{days}" if hours >= 10 else f"{hours:.1f} hours"
