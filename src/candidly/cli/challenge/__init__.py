"""``candidly challenge``: learning with wrong labels, or finding them, as a competition."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...compare.challenge.sets import given_sets
from ...ground.bounds import LARGE, MOST_EPOCHS, MOST_TIMES, MOST_WORKERS
from ...ground.jsons import to_json
from .. import _progress
from .._print import AsJson, Form, check_form, print_text, show
from .._stopping import stoppable
from .._types import number, random_seed, whole
from ..data.common import Data

if TYPE_CHECKING:
    from ...compare.challenge import Result

app = typer.Typer(
    no_args_is_help=True,
    help="A challenge of learning with wrong labels or finding them: new, example, submit, run, "
    "score, rank, report.",
)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the challenge.")]


@app.callback()
def _noun() -> None:
    pass


@app.command()
def new(
    folder: Folder,
    sets: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="SET",
            help="A label set, [[DATA_SET/]NAME=]DATA[+PROCESS]: a known name or a file, and how "
            "its labels are made wrong if they are right. Again for more.",
        ),
    ],
    test: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="Where the test rows are: those of its official test set, or all. (default: the "
            "label set's own official test set, or a fifth of its rows)",
        ),
    ] = None,
    rows: Annotated[
        int | None, whole("Learn from at most so many rows, drawn at random.", least=10)
    ] = None,
    test_rows: Annotated[int | None, whole("Test on at most so many rows.", least=1)] = None,
    seeds: Annotated[int, whole("Runs of each submission on a label set.", 1, MOST_TIMES)] = 5,
    seed: Annotated[
        int | None, random_seed("Of rows and of the runs' seeds. (default: one nobody can guess)")
    ] = None,
    subset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Test rows of a run: bootstrap, as many as there are, with replacement; or a "
            "number such as 8000, without.",
        ),
    ] = "bootstrap",
    factor: Annotated[
        float, number("Time of a run, times the baseline's training.", 0, LARGE, open=True)
    ] = 10.0,
    net: Annotated[
        str | None, typer.Option(metavar="NAME", help="Network of the baseline.")
    ] = None,
    recipe: Annotated[
        str | None, typer.Option(metavar="TEXT", help="How the baseline is trained.")
    ] = None,
    epochs: Annotated[int, whole("Epochs of the baseline.", 1, MOST_EPOCHS)] = 20,
    votes: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="Answers of annotators about the same rows, such as cifar10n: adds the track "
            "annotators.",
        ),
    ] = None,
    side: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who labelled what, in which batch and for how long, of a label set of CIFAR-N "
            "such as cifar100n: for the track annotators, too.",
        ),
    ] = None,
    features: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Features of the rows to learn from, .npy (n, d), as from a pre-trained network: "
            "adds the track features. With --test-features.",
        ),
    ] = None,
    test_features: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The same of the test rows.")
    ] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Of the challenge.")] = "",
    memory: Annotated[float, number("GB that a run may take.", 0, LARGE, open=True)] = 8.0,
    processes: Annotated[int, whole("Processes that a run may have.", 4, MOST_WORKERS)] = 64,
    root: Data = None,
    as_json: AsJson = False,
) -> None:
    """Make a challenge of label sets: what runs see, and the truth that they do not.

    Examples:

      candidly challenge new cifar --set cifar10n-aggre --set cifar10n-rand1 --set cifar10n-worst
      --test cifar10 --net resnet34 --epochs 100

      candidly challenge new small --set easy=digits+symmetric:rate=0.2 --set
      hard=digits+pair:rate=0.4
    """
    from ...compare.challenge import Baseline, Bounds, make_challenge

    with _progress.reading("reading", "read") as watch:
        made = given_sets(sets, test, votes, features, test_features, root, watch, side)
    protocol = make_challenge(
        folder,
        made,
        title=title,
        seeds=seeds,
        seed=seed,
        rows=rows,
        test_rows=test_rows,
        subset=subset,
        factor=factor,
        baseline=Baseline(net, recipe, epochs),
        bounds=Bounds(memory_gb=memory, processes=processes),
    )
    if as_json:
        _print_json({"folder": str(folder), "sets": [vars(one) for one in protocol.sets]})
        return
    for one in protocol.sets:
        print(
            f"{one.name}: {one.rows:,} rows to learn from, {one.tested:,} to be tested on, "
            f"{one.classes} classes ({one.source})"
        )
    print(f"tracks: {', '.join(protocol.tracks)}; {len(protocol.seeds)} runs on each label set")
    print(f"next: candidly challenge submit {folder} SUBMISSION")


@app.command()
def example(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Of an example; without, all are listed.")
    ] = None,
    to: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Copy it here, to change it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the submissions that come with candidly, or copy one as a beginning.

    Examples:

      candidly challenge example

      candidly challenge example elr my-method
    """
    from ...compare.challenge import copy_example, examples_there

    if name is not None:
        if to is None:
            raise ValueError("name a folder to copy it to: candidly challenge example NAME FOLDER")
        copy_example(name, to)
        print(f"{to} is a copy of {name}; change it, and its name in manifest.json")
        return
    rows = [
        {"name": one.name, "task": one.task, "summary": one.summary}
        for one in examples_there().values()
    ]
    if as_json:
        _print_json(rows)
        return
    for row in rows:
        print(f"{row['name']:20} {row['task']:10} {row['summary']}")


@app.command()
def submit(
    folder: Folder,
    given: Annotated[
        list[str],
        typer.Argument(metavar="SUBMISSION...", help="Folders; or names of examples."),
    ],
    replace: Annotated[
        bool, typer.Option("--replace", help="In place of an earlier one, whose runs are dropped.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take submissions in: check their manifests, copy their files, say what they are like.

    Examples:

      candidly challenge submit cifar my-method

      candidly challenge submit cifar elr sop confident-learning
    """
    from ...compare.challenge import read_protocol
    from ...compare.challenge import submit as taken_in

    protocol = read_protocol(folder)
    found = []
    for one in given:
        found.append(taken_in(folder, protocol, _place(one), replace))
    if as_json:
        _print_json([{"name": s.name, "digest": s.digest, "alike": s.alike} for s in found])
        return
    for taken in found:
        alike = f"; nearly identical to {', '.join(taken.alike)}" if taken.alike else ""
        print(f"{taken.name}: {taken.manifest.task}, track {taken.manifest.track}{alike}")
    print(f"next: candidly challenge run {folder}")


@app.command()
def run(
    folder: Folder,
    given: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SUBMISSION...]", help="Take these in first."),
    ] = None,
    install: Annotated[
        bool,
        typer.Option("--install", help="Ask the network for what requirements.txt files name."),
    ] = False,
    way: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How runs are shut off: bubblewrap, unshare or 'limits alone'. (default: the best "
            "that works here)",
        ),
    ] = None,
    devices: Annotated[
        list[str] | None,
        typer.Option(
            "--device-file",
            metavar="FILE",
            help="A graphics processor that runs may use, such as /dev/nvidia0; again for more, "
            "/dev/nvidiactl and /dev/nvidia-uvm among them. The baseline is timed without it.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Time the baseline, do all runs that are not done, score, rank, and write the report.

    A run ends with its program, or when its time is up, and what it has answered until then
    counts. Stopped at any moment, the same command goes on.

    Examples:

      candidly challenge run cifar

      candidly challenge run small cross-entropy elr knn-vote
    """
    from ...compare.challenge import read_protocol, run_challenge, score_challenge

    if given:
        submit(folder, given, as_json=False)
    protocol = read_protocol(folder)
    with stoppable(lambda: f"stopped; `candidly challenge run {folder}` goes on."):
        run_challenge(
            folder, protocol, install=install, way=way, devices=devices or (), watch=_told()
        )
    _finish(folder, score_challenge(folder, protocol), as_json)


@app.command()
def score(folder: Folder, as_json: AsJson = False, form: Form = "text") -> None:
    """Score the runs that are over.

    Examples:

      candidly challenge score cifar
    """
    from ...compare.challenge import read_protocol, score_challenge
    from ...compare.challenge.document import runs_grid
    from ...compare.challenge.result_numbers import summary_of

    check_form(form)
    result = score_challenge(folder, read_protocol(folder))
    if as_json:
        _print_json(summary_of(result))
        return
    show(*(runs_grid(contest) for contest in result.contests), *result.notes, form=form)


@app.command()
def rank(folder: Folder, as_json: AsJson = False, form: Form = "text") -> None:
    """Rank submissions: points by label set, and their sum.

    Examples:

      candidly challenge rank cifar --format markdown
    """
    from ...compare.challenge import read_protocol, score_challenge
    from ...compare.challenge.document import standings_grid
    from ...compare.challenge.result_numbers import summary_of

    check_form(form)
    result = score_challenge(folder, read_protocol(folder))
    if as_json:
        _print_json(summary_of(result)["contests"])
        return
    show(*(standings_grid(contest) for contest in result.contests), *result.notes, form=form)


@app.command()
def report(
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option(metavar="PAGE", help="The page. (default: report.html in DIR)"),
    ] = None,
) -> None:
    """Write one self-contained page, and beside it scores.csv and scores.json.

    Examples:

      candidly challenge report cifar --out cifar.html
    """
    from ...compare.challenge import read_protocol, score_challenge
    from ...compare.challenge.document import write_challenge_report

    result = score_challenge(folder, read_protocol(folder))
    for path in write_challenge_report(result, out or folder / "report.html"):
        print(path)


def _place(given: str) -> Path:
    """The folder of a submission, or of the example of that name.

    Raises:
        UnknownName: there is neither.
    """
    from ...compare.challenge.examples import example
    from ...ground.names import UnknownName

    if Path(given).is_dir():
        return Path(given)
    try:
        return example(given)
    except UnknownName as error:
        raise UnknownName(f"there is no folder {given}, and {error}") from None


def _finish(folder: Path, result: Result, as_json: bool) -> None:
    from ...compare.challenge.document import standings_grid, write_challenge_report
    from ...compare.challenge.result_numbers import summary_of

    paths = write_challenge_report(result, folder / "report.html")
    if as_json:
        _print_json(summary_of(result))
        return
    show(*(standings_grid(contest) for contest in result.contests), *result.notes)
    print_text(f"wrote {', '.join(map(str, paths))}")


def _told() -> Any:
    """Says on stderr what is run, and how much time that may take yet."""
    times, last = _progress.Times(), [-1]
    begun = time.monotonic()

    def watch(done: int, total: int, what: str) -> None:
        if last[0] < 0:
            last[0] = done
        times.note(done - last[0], total - last[0])
        if what == "done" and time.monotonic() - begun < _progress.QUIET_S:
            return
        print(f"{done} of {total} runs · {what} · {times}", file=sys.stderr, flush=True)

    return watch


def _print_json(value: Any) -> None:
    print(to_json(value))
