"""``candidly review new``: a project from a table, a data set, flagged labels or released votes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..data.ingest import Roles
from ..data.ingest.texts import read_text
from ..data.labels.kinds import ALL_OF
from ..ground.bounds import MOST_PEOPLE
from ..ground.jsons import to_json
from ..ground.problem import Refusal
from . import _column_options as columns
from ._review_items import items_of_file, items_of_rows, read_rows
from ._review_project import AsJson, Folder, by, check_installed
from ._types import random_seed, whole

if TYPE_CHECKING:
    from ..data.labels.labelled import Labelled
    from ..people.review import Project, Rules


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
    from ..data.ingest.unused import RolesUsed, refuse_unused
    from ..ground.files import undone
    from ..ground.names import lookup
    from ..people.review import PRESETS, make_project, new_seed
    from ..people.review.project import check_free
    from ..people.review.rules import check_new

    if where is not None and data is not None:
        raise ValueError(f"{where} and --data {data} both say what to ask about; give one.")
    where = where or data
    _check_sources(where, issues, votes, rows, sample)
    if where is None:
        refuse_unused(
            roles, RolesUsed(f"{issues or votes}", ("classes",), "name the FILE that it is about")
        )
        if rows:
            raise ValueError("--rows is about the rows of a FILE; name it.")
    names = roles.declared
    others = {"--classes": names, "--media": media, "--train": train, "--gold": gold}
    for option, said in {**others, "--sample": sample}.items():
        if votes is not None and said is not None:
            raise ValueError(f"{option} does nothing with --votes; leave it out, or give --issues.")
    check_free(folder)
    all_of = roles.label_kind == ALL_OF
    usual = lookup(PRESETS, preset or ("tags" if all_of else "verdict"), "preset")[1]
    if where is None and usual.question == "all labels":
        raise ValueError(
            f"{issues or votes} says which rows, and not all labels of these; name the FILE, too."
        )
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
        goal=goal or "random",
        title=title,
        guidelines="" if guidelines is None else read_text(guidelines),
        seed=new_seed() if seed is None else seed,
    )
    with undone(folder):
        if votes is not None:
            project = _from_votes(folder, votes, index, rules, url)
        else:
            check_new(rules)  # before media are copied
            read = None if where is None else read_rows(where, roles, rules, issues)
            if read is None:
                assert issues is not None
                items, rules = items_of_file(folder, issues, rules, names, media, sample)
            else:
                _check_kind(read.data, rules)
                items = items_of_rows(
                    folder, read, rules, issues, rows, media, sample, roles.label_separator
                )
                rules = replace(rules, classes=read.data.classes)
                if goal is None and any(item.score is not None for item in items):
                    rules = replace(rules, goal="quality")
            examples = (
                None if train is None else read_rows(train, replace(roles, classes=rules.classes))
            )
            project = make_project(
                folder,
                items,
                rules,
                gold=None if gold is None else _gold(gold),
                examples=None if examples is None else examples.data,
                example_looks=None if examples is None else examples.looks(folder, "example-"),
                origin=None if read is None else read.origin,
                url=url,
                by=by(),
            )
    with project:
        _tell(project, folder, as_json)


def _check_kind(data: Labelled, rules: Rules) -> None:
    """Refuse verdicts about one label of rows of which several hold, and the reverse."""
    if data.label_kind == ALL_OF and rules.decides:
        raise Refusal(
            f"{data.source} has rows of which several labels hold, and a verdict is about one.",
            "ask which hold with `preset='tags'`",
        )


def _check_sources(
    where: str | None, issues: Path | None, votes: Path | None, rows: str | None, sample: int | None
) -> None:
    if where is None and issues is None and votes is None:
        raise ValueError(
            "nothing to ask about; name a FILE, or give --issues or --votes (released answers)."
        )
    if votes is not None and (where or issues):
        other = where or "--issues"
        raise ValueError(f"{other} and --votes to ask about; give one of them.")
    given = {"--issues": issues, "--rows": rows, "--sample": sample}
    picked = [option for option, value in given.items() if value is not None]
    if "--rows" in picked and len(picked) > 1:
        raise ValueError(f"{' and '.join(picked)} say which rows to ask about; give one of them.")


def _from_votes(
    folder: Path, path: Path, index: Path | None, rules: Rules, url: str | None
) -> Project:
    from ..people.review import import_votes, items_of_tally, make_project
    from ..people.validation import SetTally, read_released

    tally = read_released(path, index)
    if isinstance(tally, SetTally):
        rules = replace(rules, question="yes or no", people=tally.people)
    else:
        rules = replace(rules, question="verdict", offered=tally.offered)
    rules = replace(rules, classes=tally.classes or ())
    project = make_project(folder, items_of_tally(tally), rules, url=url, by=by())
    import_votes(project, tally)
    return project


def _gold(path: Path) -> dict[str, str]:
    from ..data.ingest import read_frame
    from ..data.ingest.table_checks import about, check_columns

    table = read_frame(path).frame
    with about(path):
        check_columns(table.columns, ("name", "answer"))
    return {str(name): str(answer) for name, answer in table.select("name", "answer").rows()}


def _tell(project: Project, folder: Path, as_json: bool) -> None:
    from ..people.review import plan_cost, progress

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
    people = "1 person" if rules.people == 1 else f"{rules.people:,} people"
    print(f"{folder}: {found.items:,} items, {people} each, {rules.question}")
    planned = plan_cost(found.items, rules, seconds_per_batch=1, golds=golds).answers
    checks = planned - found.wanted
    more = f"; about {checks:,} more go to known and repeated items" if checks else ""
    print(f"{found.wanted:,} answers are wanted{more}")
    if not rules.decides:
        kinds = {"one label": "crowd", "all labels": "corrected"}
        kind = kinds.get(rules.question, "votes")
        print(
            f"{rules.question!r} collects labels and comes to no verdicts; take them out with"
            f" candidly review export {folder} --as {kind}"
        )
