"""``candidly bench``: plan, run, look, resume."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..grid import Column, Grid
from . import _bench_table, _progress
from ._bench_table import Where, print_tables, results_of
from ._column_options import (
    ROLES,
    Annotator,
    Drop,
    Id,
    Image,
    Item,
    Label,
    Separator,
    Text,
    roles_of,
)
from ._hyper import Hyper, hyper_of
from ._network_options import Net, Training
from ._print import show
from ._stopping import stoppable

if TYPE_CHECKING:
    from ..ingest import Roles
    from ..labelled import Labelled
    from ..sweep.plan import Plan
    from ..sweep.records import Results

app = typer.Typer(
    no_args_is_help=True,
    help="Benchmarks: plan, run (and resume), status, table, report, compact.",
)

File = Annotated[
    Path | None,
    typer.Option("--settings", metavar="TOML", help="Settings from the table `bench` of a file."),
]
Datasets = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset", metavar="NAMES", help="Names or files; repeat it, or separate with commas."
    ),
]
Algorithms = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES", help="Names, such as PRODEN,CC or CAVL:plench; repeat, or use commas."
    ),
]
Configs = Annotated[
    int | None, typer.Option(help="Configurations; the first is the defaults. (default: 20)")
]
Splits = Annotated[int | None, typer.Option(help="Train/validation/test splits. (default: 5)")]
Steps = Annotated[
    int | None, typer.Option(help="Updates per run. (default: the data set's own, else 10000)")
]
EvalEvery = Annotated[int | None, typer.Option(help="Updates between records. (default: 1000)")]
Seed = Annotated[int | None, typer.Option(help="Seed of the first split. (default: 0)")]
Labels = Annotated[
    str | None,
    typer.Option(metavar="SPEC", help="Make labels imperfect first, such as flip:rate=0.3."),
]
Variant = Annotated[
    str | None,
    typer.Option(
        help="fixed, or plench: the released program's algorithms, scaling, record times "
        "and standard deviation. (default: fixed)"
    ),
]
Scaling = Annotated[
    str | None,
    typer.Option(
        help="train, plench (statistics over all rows; of pictures constants) or none; for "
        "pictures cifar10 or cifar100, too. (default: the variant's)"
    ),
]
Validation = Annotated[
    str | None,
    typer.Option(
        help="tune: choose models on the validation rows; train-oracle: train on their true "
        "labels instead. (default: tune)"
    ),
]
SplitBy = Annotated[
    str | None,
    typer.Option(
        help="random: a share of the rows is for testing; official: the test set that the data "
        "came with. (default: random)"
    ),
]
TestShare = Annotated[float | None, typer.Option(help="Rows for testing. (default: 0.1)")]
ValidationShare = Annotated[
    float | None, typer.Option(help="Share of the rest for validation. (default: 0.1)")
]
Root = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="Folder to look for files in, first.")
]
Device = Annotated[
    str,
    typer.Option(
        metavar="NAMES",
        help="cpu, cuda, cuda:1; or several GPUs, which workers take in turn: cuda:0,cuda:1.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(help="Processes, one thread each. (default: one per core, or one per GPU)"),
]
StackSize = Annotated[
    int | None,
    typer.Option("--stack", help="Runs trained as one at most. (default: what suits the device)"),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Results directory; resumed if it exists. (default: runs/DATASET)"),
]
AcceptCode = Annotated[
    bool,
    typer.Option(
        "--accept-code",
        help="Go on in a directory although the code of an algorithm has changed since; tables "
        "then name it.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


@app.command()
def plan(
    settings: File = None,
    dataset: Datasets = None,
    algorithms: Algorithms = None,
    configs: Configs = None,
    splits: Splits = None,
    steps: Steps = None,
    eval_every: EvalEvery = None,
    seed: Seed = None,
    labels: Labels = None,
    variant: Variant = None,
    scaling: Scaling = None,
    validation: Validation = None,
    split: SplitBy = None,
    test_share: TestShare = None,
    validation_share: ValidationShare = None,
    net: Net = None,
    recipe: Training = None,
    hyper: Hyper = None,
    data: Root = None,
    label: Label = None,
    separator: Separator = None,
    id: Id = None,
    text: Text = None,
    image: Image = None,
    annotator: Annotator = None,
    item: Item = None,
    drop: Drop = None,
    out: Out = None,
    accept_code: AcceptCode = False,
    as_json: AsJson = False,
) -> None:
    """Say what a run would train, and what its directory holds already, without training.

    Example:  candidly bench plan --dataset lost --algorithms PRODEN,CC --configs 4
    """
    from ..sweep.plan import extended, read_plan, training_rows
    from ..sweep.run import finished_keys, recorded_steps

    made, _ = _prepared(**_asked(locals()))
    folder = out or _usual_folder(made)
    if old := read_plan(folder):
        made = extended(folder, old, made, accept_code)
    done = finished_keys(made, recorded_steps(folder))
    oracle = made.settings.validation == "train-oracle"
    rows = [
        {
            "dataset": name,
            "n": facts.n,
            "features": facts.d,
            "classes": facts.q,
            "train": training_rows(facts, made.settings),
            "validation": 0 if oracle else facts.n_validation,
            "test": facts.n_test,
            "runs": sum(trial.dataset == name for trial in made.trials),
            "done": sum(t.dataset == name and t.key in done for t in made.trials),
            "steps": facts.steps,
        }
        for name, facts in made.facts.items()
    ]
    if as_json:
        about = {"settings": made.settings.model_dump(mode="json"), "datasets": rows}
        print(json.dumps(about | {"trials": [trial.key for trial in made.trials]}, indent=1))
        return
    count = len(made.trials)
    title = f"{count} run{'s' * (count != 1)}"
    show(_grid(title, rows), "algorithms: " + ", ".join(made.versions))
    if oracle:
        print("oracle: the validation rows are among the training rows, with their true labels")
    nets = {trial.dataset: trial.net for trial in made.trials}
    if set(nets.values()) != {"mlp"}:
        print("net: " + ", ".join(f"{net} for {name}" for name, net in nets.items()))
    recipes = {trial.dataset: trial.recipe for trial in made.trials}
    if set(recipes.values()) != {"adam"}:
        print("recipe: " + ", ".join(f"{recipe} for {name}" for name, recipe in recipes.items()))


@app.command()
def run(
    settings: File = None,
    dataset: Datasets = None,
    algorithms: Algorithms = None,
    configs: Configs = None,
    splits: Splits = None,
    steps: Steps = None,
    eval_every: EvalEvery = None,
    seed: Seed = None,
    labels: Labels = None,
    variant: Variant = None,
    scaling: Scaling = None,
    validation: Validation = None,
    split: SplitBy = None,
    test_share: TestShare = None,
    validation_share: ValidationShare = None,
    net: Net = None,
    recipe: Training = None,
    hyper: Hyper = None,
    data: Root = None,
    label: Label = None,
    separator: Separator = None,
    id: Id = None,
    text: Text = None,
    image: Image = None,
    annotator: Annotator = None,
    item: Item = None,
    drop: Drop = None,
    device: Device = "cpu",
    workers: Workers = None,
    stack: StackSize = None,
    out: Out = None,
    accept_code: AcceptCode = False,
    as_json: AsJson = False,
) -> None:
    """Train what the directory does not hold yet, then print the tables.

    Stop it whenever you like, with Ctrl-C or harder: the same command goes on from the last
    checkpoint and ends with the same numbers.

    Examples:

      candidly bench run --dataset digits --labels flip:rate=0.3 --algorithms PRODEN,CC --configs 2

      candidly bench run --dataset lost --data ~/pll --algorithms PRODEN,CC --configs 4 --splits 5
    """
    given = locals()
    with stoppable(lambda: "stopped before training began."):
        from ..sweep.run import run_plan

        made, loaded = _prepared(**_asked(given))
        folder = out or _usual_folder(made)
    with stoppable(lambda: f"stopped; {_count(folder)}. The same command goes on."):
        with _progress.shown() as watch:
            run_plan(
                made,
                loaded,
                folder,
                device=device,
                workers=workers,
                stack=stack,
                watch=watch,
                accept_code=accept_code,
            )
        results = results_of(folder)
    print_tables(results, "json" if as_json else "text")
    print(f"Results are in {folder}.  Page:  candidly bench report {folder}", file=sys.stderr)


@app.command()
def status(folder: Where, as_json: AsJson = False) -> None:
    """How far a directory is.

    Example:  candidly bench status runs/lost
    """
    from ..sweep.lock import is_locked

    results = results_of(folder)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for one in results.runs:
        row = rows.setdefault(
            (one.dataset, one.algorithm),
            {"dataset": one.dataset, "algorithm": one.algorithm}
            | dict.fromkeys(("complete", "begun", "planned", "diverged"), 0),
        )
        row["planned"] += 1
        row["complete"] += one.complete
        row["begun"] += bool(one.records) and not one.complete
        row["diverged"] += one.diverged_at is not None
    busy = is_locked(folder)
    if as_json:
        about = {"running": busy, "rows": list(rows.values()), "notes": list(results.notes)}
        print(json.dumps(about, indent=1))
        return
    show(_grid(f"{folder}: {_count(folder)}{', running' if busy else ''}", list(rows.values())))
    _print_notes(results)


app.command()(_bench_table.table)


@app.command()
def report(
    folder: Where,
    out: Annotated[Path | None, typer.Option(help="The page. (default: DIR/report.html)")] = None,
) -> None:
    """One self-contained HTML page: tables, box plots, learning curves, choices, cost.

    Example:  candidly bench report runs/lost
    """
    from ..report import write_report

    path = out or folder / "report.html"
    write_report(results_of(folder), path)
    print(path)


@app.command()
def compact(
    folder: Where,
    force: Annotated[
        bool,
        typer.Option("--force", help="Delete files with unreadable lines too, not only the rest."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make one small file of a directory's journal, to keep or to send. It can still be resumed.

    Example:  candidly bench compact runs/lost
    """
    from ..sweep.compact import compact as make_compact

    done = make_compact(folder, force)
    for note in done.notes:
        print(f"note: {note}", file=sys.stderr)
    if as_json:
        print(json.dumps(asdict(done), indent=1))
    elif not done.records:
        print(f"{folder}: no record yet, so there is nothing to do")
    else:
        print(
            f"{folder}: {done.records:,} records, {done.bytes_before:,} bytes in "
            f"{done.files_before} files before, {done.bytes_after:,} bytes now "
            f"({done.bytes_after / done.records:.0f} a record)"
        )
        for name in done.kept:
            print(f"kept {name}, because of lines that cannot be read; --force deletes it")


def _grid(title: str, rows: Sequence[Mapping[str, Any]]) -> Grid:
    columns = (
        Column(name, "name") if name in ("dataset", "algorithm") else Column(name)
        for name in rows[0]
    )
    return Grid(title, tuple(columns), [list(row.values()) for row in rows])


def _usual_folder(plan: Plan) -> Path:
    return Path("runs", "-".join(Path(name).stem for name in plan.facts))


def _asked(values: dict[str, Any]) -> dict[str, Any]:
    """The settings among a command's parameters."""
    from ..sources import names_in
    from ..sweep.settings import Settings

    names = {"dataset": "datasets", **{name: name for name in Settings.model_fields}}
    asked = {names[k]: v for k, v in values.items() if k in names}
    if asked["datasets"]:
        asked["datasets"] = tuple(names_in(asked["datasets"]))
    if asked["algorithms"]:
        parts = [part.strip() for text in asked["algorithms"] for part in text.split(",")]
        asked["algorithms"] = tuple(part for part in parts if part)
    if asked["hyper"]:
        asked["hyper"] = hyper_of(asked["hyper"])
    roles = roles_of(**{name: values[name] for name in ROLES})
    return asked | {"file": values["settings"], "root": values["data"], "roles": roles}


def _prepared(
    file: Path | None, root: Path | None, roles: Roles, **asked: Any
) -> tuple[Plan, dict[str, Labelled]]:
    from ..benchmarking import prepare
    from ..sweep.settings import make_settings, read_settings

    with _options():
        settings = read_settings(file, **asked) if file else make_settings(**asked)
    with _progress.reading("preparing data", "of the data prepared") as watch:
        return prepare(settings, root, watch=watch, roles=roles)


@contextmanager
def _options() -> Iterator[None]:
    """Errors about settings, said of the command line's options."""
    from ..sweep.settings import Settings

    try:
        yield
    except ValueError as error:
        text = str(error)
        for name in Settings.model_fields:
            option = "dataset" if name == "datasets" else name.replace("_", "-")
            text = text.replace(f"`{name}`", f"--{option}")
        raise ValueError(text) from None


def _count(folder: Path) -> str:
    if not (folder / "plan.json").exists():  # stopped before it was written
        return "nothing is trained yet"
    runs = results_of(folder).runs
    return f"{sum(one.complete for one in runs)} of {len(runs)} runs complete"


def _print_notes(results: Results) -> None:
    for note in results.notes:
        print(f"note: {note}", file=sys.stderr)
