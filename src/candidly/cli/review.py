"""``candidly review``: people check labels; projects, how far they are, answers in and out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._help import whole
from ._issues import check_place, read_classes
from ._review import as_dict, print_status
from ._review_demo import demo
from ._review_export import EXPORTS, Wanted
from ._review_project import check_installed, opened
from ._review_serve import serve

if TYPE_CHECKING:
    from ..review import Item, Looks, Project, Rules

app = typer.Typer(
    no_args_is_help=True,
    help="People check labels: make a project, see how far it is, take answers in and out.",
)

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The project's folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


@app.command()
def new(
    folder: Folder,
    issues: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ask about what candidly errors find --out wrote."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Ask about a data set: its name, or a file."),
    ] = None,
    votes: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take a released .json file of votes, answers and all."),
    ] = None,
    index: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --votes: file names in order of the data set."),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            help="verdict (given, other, both or neither), candidates (all labels that fit), "
            "single (one label), yes or no."
        ),
    ] = "verdict",
    classes: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Names of the classes: a text file, or cat,dog."),
    ] = None,
    media: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="What items look like: a folder of images or sounds named by id or row (from 0), "
            "an .npy of images, or a file of texts.",
        ),
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Training data, for examples of the classes."),
    ] = None,
    people: Annotated[int | None, whole("Different people per item.", least=1)] = None,
    threshold: Annotated[
        int | None, whole("People that make a verdict, or say yes.", least=1)
    ] = None,
    batch: Annotated[int | None, whole("Items handed out at once.", least=1)] = None,
    limit: Annotated[int | None, whole("Items per person, at most.", least=1)] = None,
    adaptive: Annotated[
        bool, typer.Option("--adaptive", help="Stop when an item's category cannot change.")
    ] = False,
    goal: Annotated[
        str, typer.Option(help="Order: random, or quality (the most suspicious first).")
    ] = "random",
    sample: Annotated[int | None, whole("Ask about so many, drawn at random.", least=1)] = None,
    gold: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Known answers: a .csv with the columns name, answer."),
    ] = None,
    title: Annotated[str, typer.Option(help="Shown on every page.")] = "",
    guidelines: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A text for those who answer.")
    ] = None,
    seed: Annotated[
        int | None,
        whole(
            "The same orders each time, for tests: who knows it can work out known items."
            " (default: 128 bits are drawn)"
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="postgresql://user@host/database instead of a file."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """A new project from flagged labels, a data set, or released votes.

    Examples:

      candidly review new check --issues issues.parquet --classes cat,dog --media images

      candidly review new sets --data digits --preset candidates --sample 1000

      candidly review new study --votes cifar10_mturk.json
    """
    check_installed()
    from .._names import lookup
    from ..review import PRESETS, make_project, new_seed, plan_cost, progress
    from ..review.project import check_free
    from ..review.rules import check_new

    sources = {"--issues": issues, "--data": data, "--votes": votes}
    named = [option for option, value in sources.items() if value is not None]
    if len(named) != 1:
        raise ValueError(
            f"{' and '.join(named) or 'nothing'} to ask about; give one of --issues, --data and"
            " --votes."
        )
    others = {"--classes": classes, "--media": media, "--train": train, "--gold": gold}
    for option, value in {**others, "--sample": sample}.items():
        if votes is not None and value is not None:
            raise ValueError(f"{option} does nothing with --votes; leave it out, or give --issues.")
    check_free(folder)
    usual = lookup(PRESETS, preset, "preset")[1]
    asked = people or usual.people
    if threshold is None and usual.threshold is not None and people is not None:
        threshold = asked // 2 + 1
    rules = replace(
        usual,
        people=asked,
        threshold=threshold or usual.threshold,
        batch=batch or usual.batch,
        limit=limit,
        adaptive=adaptive,
        goal=goal,
        title=title,
        guidelines="" if guidelines is None else guidelines.read_text(encoding="utf-8"),
        seed=new_seed() if seed is None else seed,
    )
    if votes is not None:
        project = _from_votes(folder, votes, index, rules, url)
    else:
        check_new(rules)  # before media are copied
        items, rules = _items(folder, issues, data, rules, classes, media, sample)
        project = make_project(
            folder,
            items,
            rules,
            gold=None if gold is None else _gold(gold),
            examples=None if train is None else _load(train),
            url=url,
        )
    with project:
        found = progress(project)
        about = {
            "folder": str(folder),
            "question": project.rules.question,
            "items": found.items,
            "gold": len(project.golds),
            "people": project.rules.people,
            "answers": found.answers,
            "wanted": found.wanted,
            "verdicts": project.rules.decides,
        }
        golds = len(project.golds)
        planned = plan_cost(found.items, project.rules, seconds_per_batch=1, golds=golds).answers
    if as_json:
        print(json.dumps(about, indent=1))
        return
    print(f"{folder}: {about['items']:,} items, {about['people']} people each, {rules.question}")
    checks = planned - found.wanted
    more = f"; about {checks:,} more go to known and repeated items" if checks else ""
    print(f"{found.wanted:,} answers are wanted{more}")
    if not project.rules.decides:
        kind = "crowd" if rules.question == "one label" else "votes"
        print(
            f"{rules.question!r} collects labels and comes to no verdicts; take them out with"
            f" candidly review export {folder} --as {kind}"
        )


app.command()(serve)
app.command()(demo)


@app.command()
def status(folder: Folder, as_json: AsJson = False) -> None:
    """How far a project is: items, verdicts, agreement, people. Works while people answer.

    Example:  candidly review status check
    """
    with opened(folder) as project:
        about = as_dict(project)
    if as_json:
        print(json.dumps(about, indent=1, allow_nan=False))
        return
    print_status(about)


@app.command()
def export(
    folder: Folder,
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Where to write it; of a gallery, a folder.")
    ],
    what: Annotated[
        str,
        typer.Option(
            "--as",
            help="votes (a row per answer: .csv .parquet .json), all (the same with what does not "
            "count), crowd (one label a person, for candidly crowd: .csv .parquet), "
            "totals (the released files' layout: .json), corrected (.npz .npy .csv "
            ".parquet), label-studio (.json), argilla (.json), log (.jsonl), gallery (a folder of "
            "pages that needs no server).",
        ),
    ] = "votes",
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For corrected: all labels of the data set."),
    ] = None,
    reading: Annotated[str, typer.Option(help="For corrected: exact or seen.")] = "exact",
    codes: Annotated[
        bool, typer.Option("--codes", help="For a gallery: say who gave which answer.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Answers as votes, counts, corrected labels, for other programs, or as a log to merge.

    Examples:

      candidly review export check --out votes.csv

      candidly review export check --as corrected --labels labels.npy --out corrected.npz

      candidly review export check --as gallery --out pages
    """
    from .._names import lookup

    what, (endings, write) = lookup(EXPORTS, what, "kind of export")
    if endings:
        check_place(out, "--out", endings)
    if (what == "corrected") != (labels is not None):
        raise ValueError("--labels are what --as corrected corrects; give both or neither.")
    if codes and what != "gallery":
        raise ValueError("--codes is for --as gallery; the other files say who answered anyway.")
    with opened(folder) as project:
        number = write(project, Wanted(out, labels, reading, codes))
    if as_json:
        print(json.dumps({"folder": str(folder), "as": what, "out": str(out), "rows": number}))
        return
    print(f"wrote {out}: {number:,} {'items' if what == 'gallery' else 'rows'}", file=sys.stderr)


@app.command()
def merge(
    folder: Folder,
    others: Annotated[
        list[Path],
        typer.Argument(
            metavar="OTHER...",
            help="Copies of the project, logs of such (.jsonl), or answers (.csv .parquet).",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Take in answers that were given elsewhere. Nothing comes twice, whatever the order.

    Example:  candidly review merge check laptop/check answers.jsonl
    """
    check_installed()
    from ..review import import_answers, merge_log, open_project
    from ..review import merge as merge_projects

    added = {}
    with opened(folder) as project:
        for other in others:
            if other.is_dir():
                with open_project(other) as copy:
                    added[str(other)] = merge_projects(project, copy)
            elif other.suffix == ".jsonl":
                added[str(other)] = merge_log(project, other)
            else:
                added[str(other)] = import_answers(project, other)
    if as_json:
        print(json.dumps({"folder": str(folder), "added": added}))
        return
    for name, number in added.items():
        print(f"{name}: {number:,} new entries")


def _load(name: str) -> Any:
    from ..sources import load
    from . import _progress

    with _progress.reading() as watch:
        return load(name, None, watch=watch)


def _items(
    folder: Path,
    issues: Path | None,
    data: str | None,
    rules: Rules,
    classes: str | None,
    media: Path | None,
    sample: int | None,
) -> tuple[Sequence[Item], Rules]:
    from ..review import (
        MEDIA_FOLDER,
        items_of_data,
        items_of_issues,
        looks_of,
        looks_of_files,
        no_looks,
        sampled,
        seed_of,
    )

    if issues is not None:
        from .._tables import read_table

        names = read_classes(classes)
        looks: Looks = no_looks if media is None else looks_of_files(media, folder / MEDIA_FOLDER)
        with _watched(looks, sample or len(read_table(issues))) as looks:
            items, known = items_of_issues(
                issues, names, sample=sample, seed=seed_of(rules), looks=looks
            )
        return items, replace(rules, classes=known)
    assert data is not None
    if rules.decides:
        raise ValueError(
            "--data is for --preset candidates or single; verdicts need guesses: find them with"
            " candidly errors find --out and give --issues."
        )
    loaded = _load(data)
    if media is None:
        looks = looks_of(loaded, folder / MEDIA_FOLDER)
    else:
        looks = looks_of_files(media, folder / MEDIA_FOLDER, loaded.n, loaded.ids)
    rows = sampled(loaded.n, sample, seed_of(rules))
    with _watched(looks, len(rows)) as looks:
        return items_of_data(loaded, rows, looks=looks), replace(rules, classes=loaded.classes)


@contextmanager
def _watched(looks: Looks, total: int) -> Iterator[Looks]:
    """The same function, telling how many items have been copied."""
    from . import _progress

    done = 0
    with _progress.reading("copying", "copied") as watch:

        def look(row: int) -> Any:
            nonlocal done
            done += 1
            watch(done, total)
            return looks(row)

        yield look


def _from_votes(
    folder: Path, path: Path, index: Path | None, rules: Rules, url: str | None
) -> Project:
    from ..review import import_votes, items_of_tally, make_project
    from ..validation import SetTally, read_released

    tally = read_released(path, index)
    if isinstance(tally, SetTally):
        rules = replace(rules, question="yes or no", people=tally.people)
    else:
        rules = replace(rules, question="verdict", offered=tally.offered)
    rules = replace(rules, classes=tally.classes or ())
    project = make_project(folder, items_of_tally(tally), rules, url=url)
    import_votes(project, tally)
    return project


def _gold(path: Path) -> dict[str, str]:
    from .._tables import read_table

    table = read_table(path, ("name", "answer"))
    return {str(name): str(answer) for name, answer in table.select("name", "answer").rows()}
