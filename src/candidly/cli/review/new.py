"""``candidly review new``: a project from a table, a data set, flagged labels or released votes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...data.ingest import Roles
from ...ground.bounds import MOST_PEOPLE
from ...ground.jsons import to_json
from ...ground.numbers import count_of
from .. import _column_options as columns
from .. import _progress
from .._print import AsJson
from .._types import random_seed, whole
from .project import Folder, by, check_installed

if TYPE_CHECKING:
    from ...people.review import Project


@columns.reads(*columns.LABELS, *columns.CELLS, "id", *columns.INPUTS)
def new(
    folder: Folder,
    where: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="Ask about the rows of a table, a folder of pictures (a subfolder a class), or a "
            "data set by its name.",
        ),
    ] = None,
    roles: Roles = columns.ANY,
    issues: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ask about the labels that candidly check or candidly errors find wrote: what "
            "they propose, and of a FILE the most suspicious first.",
        ),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(metavar="ROWS", help="Ask about these rows, from 0: 3,17,40 or a text file."),
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="NAME", help="The same as FILE", hidden=True)
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
        str | None,
        typer.Option(
            help="verdict (given, other, both or neither), tags (all labels that hold), candidates "
            "(labels that could fit), single (one label), yes or no. (default: verdict; with "
            "--label-kind all-of, tags)"
        ),
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
    people: Annotated[int | None, whole("Different people per item.", 1, MOST_PEOPLE)] = None,
    threshold: Annotated[
        int | None, whole("People that make a verdict, or say yes.", 1, MOST_PEOPLE)
    ] = None,
    batch: Annotated[int | None, whole("Items handed out at once.", least=1)] = None,
    limit: Annotated[int | None, whole("Items per person, at most.", least=1)] = None,
    adaptive: Annotated[
        bool, typer.Option("--adaptive", help="Stop when an item's category cannot change.")
    ] = False,
    goal: Annotated[
        str | None,
        typer.Option(
            help="Order: random, or quality (the most suspicious first). (default: quality with "
            "FILE and --issues, else random)"
        ),
    ] = None,
    sample: Annotated[
        int | None,
        whole(
            "Ask about so many, drawn at random; of rows that candidly check drew, the first.",
            least=1,
        ),
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Known answers: a .csv with the columns name, answer."),
    ] = None,
    title: Annotated[str, typer.Option(help="Shown on every page.")] = "",
    guidelines: Annotated[
        Path | None, typer.Option(metavar="FILE", help="For those who answer: text or Markdown.")
    ] = None,
    seed: Annotated[
        int | None,
        random_seed(
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
    """A new project: labels of a table, of pictures or of a data set, for people to look at.

    Examples:

      candidly review new project pets.csv --label kind --issues issues.csv --people 1

      candidly review new project photos --preset single

      candidly review new dishes dishes.csv --label tags --label-kind all-of --issues issues.csv

      candidly review new sets digits --preset candidates --sample 1000

      candidly review new study --votes cifar10_mturk.json
    """
    check_installed()
    from ...people.review.new import new_project

    if where is not None and data is not None:
        raise ValueError(f"{where} and --data {data} both say what to ask about; give one.")
    project = new_project(
        folder,
        where or data,
        issues=issues,
        rows=rows,
        sample=sample,
        votes=votes,
        index=index,
        preset=preset,
        media=media,
        train=train,
        people=people,
        threshold=threshold,
        batch=batch,
        limit=limit,
        adaptive=adaptive,
        goal=goal,
        gold=gold,
        title=title,
        guidelines=guidelines,
        seed=seed,
        url=url,
        roles=roles,
        by=by(),
        watching=_watched,
    )
    with project:
        _tell(project, folder, as_json)


def _watched(doing: str) -> Any:
    """Progress on stderr, of files that are read or copied."""
    return _progress.reading(doing, "copied") if doing else _progress.reading()


def _tell(project: Project, folder: Path, as_json: bool) -> None:
    from ...people.review import plan_cost, progress

    found, rules, golds = progress(project), project.rules, len(project.golds)
    about = {
        "folder": str(folder),
        "question": rules.question,
        "items": found.items,
        "gold": golds,
        "people": rules.people,
        "answers": found.answers,
        "wanted": found.wanted,
        "verdicts": rules.decides,
    }
    if as_json:
        print(to_json(about))
        return
    people = count_of(rules.people, "person", "people")
    print(f"{folder}: {count_of(found.items, 'item')}, {people} each, {rules.question}")
    planned = plan_cost(found.items, rules, seconds_per_batch=1, golds=golds).answers
    checks = planned - found.wanted
    more = f"; about {checks:,} more go to known and repeated items" if checks else ""
    print(f"{found.wanted:,} answers are wanted{more}")
    if not rules.decides:
        print(
            f"{rules.question!r} collects labels and comes to no verdicts; take them out with"
            f" candidly review export {folder} --as {rules.asked.taken_out}"
        )
