"""``candidly review new``: a project from a table, a data set, flagged labels or released votes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..ingest.labels import read_classes
from ..ingest.texts import read_text
from . import _column_options as columns
from . import _progress
from ._help import whole
from ._review_project import AsJson, Folder, check_installed

if TYPE_CHECKING:
    from ..ingest import Origin, Roles
    from ..labelled import Labelled
    from ..review import Item, Looks, Project, Rules


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
    label: columns.Label = None,
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
        str | None, typer.Option(metavar="NAME", help="The same as FILE.", hidden=True)
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
    separator: columns.Separator = None,
    id: columns.Id = None,
    text: columns.Text = None,
    image: columns.Image = None,
    drop: columns.Drop = None,
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
    """A new project: labels of a table, of pictures or of a data set, for people to look at.

    Examples:

      candidly review new project pets.csv --label kind --issues issues.csv --people 1

      candidly review new project photos --preset single

      candidly review new sets digits --preset candidates --sample 1000

      candidly review new study --votes cifar10_mturk.json
    """
    check_installed()
    from .._names import lookup
    from ..review import PRESETS, make_project, new_seed
    from ..review.project import check_free
    from ..review.rules import check_new

    if where is not None and data is not None:
        raise ValueError(f"{where} and --data {data} both say what to ask about; give one.")
    where = where or data
    roles = columns.roles_of(label, separator, id, text, image, drop=drop)
    _check_sources(where, issues, votes, rows, sample)
    of_file = {"--label": label, "--id": id, "--text": text, "--image": image, "--drop": drop}
    of_file |= {"--separator": separator, "--rows": rows}
    for option, value in of_file.items():
        if where is None and value is not None:
            raise ValueError(f"{option} is about the columns or rows of a FILE; name it.")
    others = {"--classes": classes, "--media": media, "--train": train, "--gold": gold}
    for option, said in {**others, "--sample": sample}.items():
        if votes is not None and said is not None:
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
        goal=goal or "random",
        title=title,
        guidelines="" if guidelines is None else read_text(guidelines),
        seed=new_seed() if seed is None else seed,
    )
    if votes is not None:
        project = _from_votes(folder, votes, index, rules, url)
    else:
        check_new(rules)  # before media are copied
        names = read_classes(classes)
        read = None if where is None else _read(where, replace(roles, classes=names), rules, issues)
        if read is None:
            assert issues is not None
            items, rules = _of_issues(folder, issues, rules, names, media, sample)
        else:
            items = _of_data(folder, read, rules, issues, rows, media, sample)
            rules = replace(rules, classes=read.data.classes)
            if goal is None and any(item.score is not None for item in items):
                rules = replace(rules, goal="quality")
        examples = None if train is None else _read(train, replace(roles, classes=rules.classes))
        project = make_project(
            folder,
            items,
            rules,
            gold=None if gold is None else _gold(gold),
            examples=None if examples is None else examples.data,
            example_looks=None if examples is None else examples.looks(folder, "example-"),
            origin=None if read is None else read.origin,
            url=url,
        )
    with project:
        _tell(project, folder, as_json)


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


@dataclass(frozen=True, eq=False)
class _Read:
    """What is asked about: its labels, and of a table the columns that people see."""

    data: Labelled
    shown: Any = None  # a polars frame
    origin: Origin | None = None

    def looks(self, folder: Path, prefix: str = "") -> Looks:
        """What a row looks like; see ``review.looks_of``."""
        from ..review import MEDIA_FOLDER, looks_of, looks_of_rows

        if self.shown is not None:
            return looks_of_rows(self.shown)
        return looks_of(self.data, folder / MEDIA_FOLDER, prefix)


def _read(
    where: str, roles: Roles, rules: Rules | None = None, issues: Path | None = None
) -> _Read:
    """A table, a folder of pictures or a known data set.

    Raises:
        ValueError: it cannot be read, or the question needs a guess that nothing makes.
    """
    if rules is not None and rules.decides and issues is None:
        raise ValueError(
            f"verdicts need guesses: find them with candidly check {where}, and give what it writes"
            " with --issues; or ask for labels with --preset single or candidates."
        )
    from .. import ingest
    from ..sources import load

    with _progress.reading() as watch:
        path = Path(where)
        if not ingest.is_table(path):
            if path.exists():
                return _Read(load(path, None, watch=watch, roles=roles))
            found = load(where, None, watch=watch, roles=replace(roles, classes=None))
            return _Read(_renamed(found, roles.classes))
        sheet = ingest.read_frame(path, roles.separator)
        data = ingest.read(sheet, roles, watch)
        origin = ingest.origin_of(sheet, ingest.label_column(sheet, roles))
    shown = None
    if data.kind in ("table", "columns"):
        shown = sheet.frame.select(ingest.shown_columns(sheet, roles))
    return _Read(data, shown, origin)


def _renamed(data: Labelled, classes: Sequence[str] | None) -> Labelled:
    """A known data set under other names of its classes, where there are any."""
    if classes is None or tuple(classes) == data.classes:
        return data
    if len(classes) != data.q:
        raise ValueError(f"--classes has {len(classes)} names; {data.source} has {data.q} classes.")
    return replace(data, classes=tuple(classes))


def _of_data(
    folder: Path,
    read: _Read,
    rules: Rules,
    issues: Path | None,
    rows: str | None,
    media: Path | None,
    sample: int | None,
) -> Sequence[Item]:
    from ..review import (
        MEDIA_FOLDER,
        items_of_data,
        items_of_issues,
        looks_of_files,
        of_data,
        sampled,
        seed_of,
    )

    data = read.data
    if media is None:
        looks = read.looks(folder)
    else:
        looks = looks_of_files(media, folder / MEDIA_FOLDER, data.n, list(data.ids))
    if issues is not None:
        items, _ = items_of_issues(issues, data.classes, sample=sample, seed=seed_of(rules))
        items = of_data(items, data)
        with _watched(looks, len(items)) as looks:
            return [replace(item, shown=looks(item.row)) for item in items]
    chosen = sampled(data.n, sample, seed_of(rules)) if rows is None else _numbers(rows)
    with _watched(looks, len(chosen)) as looks:
        return items_of_data(data, chosen, looks=looks)


def _of_issues(
    folder: Path,
    issues: Path,
    rules: Rules,
    classes: Sequence[str] | None,
    media: Path | None,
    sample: int | None,
) -> tuple[Sequence[Item], Rules]:
    from ..review import MEDIA_FOLDER, items_of_issues, looks_of_files, no_looks, seed_of

    looks: Looks = no_looks if media is None else looks_of_files(media, folder / MEDIA_FOLDER)
    with _watched(looks, sample or _length(issues)) as looks:
        items, known = items_of_issues(
            issues, classes, sample=sample, seed=seed_of(rules), looks=looks
        )
    return items, replace(rules, classes=known)


def _length(issues: Path) -> int:
    from ..ingest import read_frame

    return len(read_frame(issues).frame)


def _numbers(rows: str) -> list[int]:
    """Rows from a list with commas, or from a text file with one a line."""
    path = Path(rows)
    words = read_text(path).split("\n") if path.is_file() else rows.split(",")
    found = [word.strip() for word in words if word.strip()]
    for word in found:
        if not (word.isascii() and word.isdigit()):
            raise ValueError(f"--rows has {word!r}, which is no row; rows are numbers from 0.")
    if not found:
        raise ValueError(f"--rows is {rows!r}, in which there is no row.")
    return [int(word) for word in found]


@contextmanager
def _watched(looks: Looks, total: int) -> Iterator[Looks]:
    """The same function, telling how many items have been copied."""
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
    from .._tables import about, check_columns
    from ..ingest import read_frame

    table = read_frame(path).frame
    with about(path):
        check_columns(table.columns, ("name", "answer"))
    return {str(name): str(answer) for name, answer in table.select("name", "answer").rows()}


def _tell(project: Project, folder: Path, as_json: bool) -> None:
    from ..review import plan_cost, progress

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
        print(json.dumps(about, indent=1))
        return
    print(f"{folder}: {about['items']:,} items, {about['people']} people each, {rules.question}")
    planned = plan_cost(found.items, rules, seconds_per_batch=1, golds=golds).answers
    checks = planned - found.wanted
    more = f"; about {checks:,} more go to known and repeated items" if checks else ""
    print(f"{found.wanted:,} answers are wanted{more}")
    if not rules.decides:
        kind = "crowd" if rules.question == "one label" else "votes"
        print(
            f"{rules.question!r} collects labels and comes to no verdicts; take them out with"
            f" candidly review export {folder} --as {kind}"
        )
