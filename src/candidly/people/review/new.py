"""A new project from what people have: a table, a data set, flagged labels or released votes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...data import ingest
from ...data.ingest import Origin, Roles
from ...data.ingest.table_checks import about, check_columns
from ...data.ingest.texts import read_text
from ...data.ingest.unused import RolesUsed, as_read, refuse_unused
from ...data.labels.kinds import ALL_OF
from ...data.labels.labelled import Labelled
from ...data.sources import is_known, load
from ...ground.bounds import MOST
from ...ground.files import undone
from ...ground.names import lookup
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ...ground.spec import integer
from ...stats.checked import RowsToCheck
from ..validation import SetTally, read_released
from ..validation.drawn import read_drawn
from ._items import (
    Item,
    items_of_data,
    items_of_issues,
    items_of_tags,
    items_of_tally,
    of_data,
    sampled,
)
from ._media import MEDIA_FOLDER, Looks, looks_of, looks_of_files, looks_of_rows, no_looks
from ._orders import new_seed, seed_of
from .load import import_votes
from .project import Project, check_free, make_project
from .rules import PRESETS, Rules, check_new

Watching = Callable[[str], Any]  # a context manager that gives what to call with done and in all


@contextmanager
def unseen(doing: str) -> Iterator[OnProgress]:
    """Nobody watches."""
    yield lambda done, total: None


def new_project(
    folder: Path | str,
    where: Path | str | None = None,
    *,
    issues: Path | str | None = None,
    rows: str | None = None,
    sample: int | None = None,
    votes: Path | str | None = None,
    index: Path | str | None = None,
    preset: str | None = None,
    media: Path | str | None = None,
    train: str | None = None,
    people: int | None = None,
    threshold: int | None = None,
    batch: int | None = None,
    limit: int | None = None,
    adaptive: bool = False,
    goal: str | None = None,
    gold: Path | str | None = None,
    title: str = "",
    guidelines: Path | str | None = None,
    seed: int | None = None,
    url: str | None = None,
    roles: Roles | None = None,
    by: str = "",
    watching: Watching = unseen,
) -> Project:
    """A project that asks people about the labels of a table, of pictures or of a data set.

    Args:
        folder: the folder of the project, which must not be there.
        where: a table, a folder of pictures, or the name of a data set.
        issues: the labels that ``candidly check`` or ``candidly errors find`` wrote: what they
            propose, and of ``where`` the most suspicious first.
        rows: these rows, from 0: ``3,17,40``, or the name of a file with one a line.
        sample: so many, drawn at random; the first so many of rows that ``issues`` drew for a
            count, whose verdicts then say how many of all labels are wrong.
        votes: a released ``.json`` file of votes, answers and all. index: file names in order of
            the data set, for it.
        preset: a name of ``PRESETS``; by default verdict, and tags where rows hold several labels.
        media: what items look like: see ``looks_of_files``.
        train: a data set of which people see examples of the classes.
        people, threshold, batch, limit, adaptive, goal, title: see ``Rules``.
        gold: known answers, a table with the columns ``name`` and ``answer``.
        guidelines: a text for those who answer.
        seed: the seed of orders, for tests; by default 128 bits are drawn.
        url: the address of a database of PostgreSQL, in place of a file.
        roles: which column of ``where`` is what.
        by: who makes it, for the record.
        watching: tells of what takes long.

    Raises:
        FileNotFoundError, ValueError: what is wrong, by name; nothing is left in the folder.
    """
    roles = roles or Roles()
    folder, where = Path(folder), None if where is None else str(where)
    issues, votes, index, media, gold, guidelines = (
        None if place is None else Path(place)
        for place in (issues, votes, index, media, gold, guidelines)
    )
    _check_sources(where, issues, votes, rows, sample)
    if where is None:
        source = RolesUsed(f"{issues or votes}", ("classes",), "name the table that it is about")
        refuse_unused(roles, source)
        if rows is not None:
            raise ValueError("`rows` is about the rows of a table or a data set; name it.")
    names = roles.declared
    others = {"classes": names, "media": media, "train": train, "gold": gold, "sample": sample}
    for name, said in others.items():
        if votes is not None and said is not None:
            raise ValueError(f"`{name}` does nothing with `votes`; leave it out, or give `issues`.")
    check_free(folder)
    all_of = roles.label_kind == ALL_OF
    usual = lookup(PRESETS, preset or ("tags" if all_of else "verdict"), "preset")[1]
    if where is None and usual.asked.all_hold:
        raise ValueError(
            f"{issues or votes} says which rows, and not all labels of these; name the table, too."
        )
    if threshold is None and usual.threshold is not None and people is not None:
        threshold = people // 2 + 1
    rules = replace(
        usual,
        people=usual.people if people is None else people,
        threshold=usual.threshold if threshold is None else threshold,
        batch=usual.batch if batch is None else batch,
        limit=limit,
        adaptive=adaptive,
        goal=goal or "random",
        title=title,
        guidelines="" if guidelines is None else read_text(guidelines),
        seed=new_seed() if seed is None else seed,
    )
    with undone(folder):
        if votes is not None:
            return _from_votes(folder, votes, index, rules, url, by)
        check_new(rules)  # before media are copied
        drawn = None if issues is None else read_drawn(issues)
        if drawn is not None and sample is not None:
            drawn = drawn.first(sample)
        read = None if where is None else read_rows(where, roles, rules, issues, watching)
        if read is None:
            assert issues is not None
            items, rules = _items_of_file(
                folder, issues, rules, names, media, sample, drawn, watching
            )
        else:
            _check_kind(read.data, rules)
            items = _items_of_rows(
                folder,
                read,
                rules,
                issues,
                rows,
                media,
                sample,
                drawn,
                roles.label_separator,
                watching,
            )
            rules = replace(rules, classes=read.data.classes)
            if goal is None and any(item.score is not None for item in items):
                rules = replace(rules, goal="quality")
        examples = None
        if train is not None:
            # a known data set has names of its own: renamed by what people say alone
            named = roles if is_known(train) else replace(roles, classes=rules.classes)
            examples = read_rows(train, named, watching=watching)
        return make_project(
            folder,
            items,
            rules,
            gold=None if gold is None else _gold(gold),
            examples=None if examples is None else examples.data,
            example_looks=None if examples is None else examples.looks(folder, "example-"),
            origin=None if read is None else read.origin,
            drawn=drawn,
            url=url,
            by=by,
        )


@dataclass(frozen=True, eq=False)
class RowsRead:
    """What is asked about: its labels, and of a table the columns that people see."""

    data: Labelled
    shown: Any = None  # a polars frame
    origin: Origin | None = None

    def looks(self, folder: Path, prefix: str = "") -> Looks:
        """What a row looks like; see ``review.looks_of``."""
        if self.shown is not None:
            return looks_of_rows(self.shown)
        return looks_of(self.data, folder / MEDIA_FOLDER, prefix)


def read_rows(
    where: str,
    roles: Roles,
    rules: Rules | None = None,
    issues: Path | None = None,
    watching: Watching = unseen,
) -> RowsRead:
    """A table, a folder of pictures or a known data set.

    Raises:
        ValueError: it cannot be read, or the question needs a guess that nothing makes.
    """
    if rules is not None and "guessed" in rules.asked.classes and issues is None:
        raise ValueError(
            f"verdicts need guesses: find them with candidly check {where}, and give what it writes"
            " with `issues`; or ask for labels with `preset='single'` or candidates."
        )
    with watching("") as watch:
        path = Path(where)
        if not ingest.is_table(path):
            if path.exists():
                return RowsRead(load(path, None, watch=watch, roles=roles))
            found = load(
                where, None, watch=watch, roles=replace(roles, classes=None), as_given=True
            )
            return RowsRead(_renamed(found, roles.classes))
        refuse_unused(roles, as_read(path))
        sheet = ingest.read_frame(path, roles.separator, roles.table(), roles.sheet, roles.reads)
        data = ingest.read(sheet, replace(roles, ask_kind=True), watch)
        label = roles.label or ingest.label_column(sheet, roles)
        origin = ingest.origin_of(sheet, label, roles.label_separator, roles.merge_labels)
        sheet = replace(sheet, frame=ingest.one_column(sheet.frame, roles))
    shown = None
    if data.kind.named:
        shown = sheet.frame.select(ingest.shown_columns(sheet, roles))
    return RowsRead(data, shown, origin)


def _renamed(data: Labelled, classes: Sequence[str] | None) -> Labelled:
    """A known data set under other names of its classes, where there are any."""
    if classes is None or tuple(classes) == data.classes:
        return data
    if len(classes) != data.q:
        raise ValueError(f"`classes` has {len(classes)} names; {data.source} has {data.q} classes.")
    return replace(data, classes=tuple(classes))


def _items_of_rows(
    folder: Path,
    read: RowsRead,
    rules: Rules,
    issues: Path | None,
    rows: str | None,
    media: Path | None,
    sample: int | None,
    drawn: RowsToCheck | None,
    separator: str,
    watching: Watching,
) -> Sequence[Item]:
    data = read.data
    if media is None:
        looks = read.looks(folder)
    else:
        looks = looks_of_files(media, folder / MEDIA_FOLDER, data.n, list(data.ids))
    if issues is not None and data.label_kind == ALL_OF:
        seed = seed_of(rules)
        with _watched(looks, _length(issues) if sample is None else sample, watching) as looks:
            return items_of_tags(
                issues, data, separator=separator, sample=sample, seed=seed, looks=looks
            )
    if issues is not None:
        items, _ = items_of_issues(
            issues, data.classes, sample=sample, seed=seed_of(rules), drawn=drawn
        )
        items = of_data(items, data)
        with _watched(looks, len(items), watching) as looks:
            return [replace(item, shown=looks(item.row)) for item in items]
    chosen = sampled(data.n, sample, seed_of(rules)) if rows is None else _row_numbers(rows)
    with _watched(looks, len(chosen), watching) as looks:
        return items_of_data(data, chosen, looks=looks)


def _items_of_file(
    folder: Path,
    issues: Path,
    rules: Rules,
    classes: Sequence[str] | None,
    media: Path | None,
    sample: int | None,
    drawn: RowsToCheck | None,
    watching: Watching,
) -> tuple[Sequence[Item], Rules]:
    looks: Looks = no_looks if media is None else looks_of_files(media, folder / MEDIA_FOLDER)
    with _watched(looks, _length(issues) if sample is None else sample, watching) as looks:
        items, known = items_of_issues(
            issues, classes, sample=sample, seed=seed_of(rules), drawn=drawn, looks=looks
        )
    return items, replace(rules, classes=known)


def _length(issues: Path) -> int:
    return len(ingest.read_frame(issues).frame)


def _row_numbers(rows: str) -> list[int]:
    """Rows from a list with commas, or from a text file with one a line."""
    path = Path(rows)
    words = read_text(path).split("\n") if path.is_file() else rows.split(",")
    found = [word.strip() for word in words if word.strip()]
    if not found:
        raise ValueError(f"`rows` is {rows!r}, in which there is no row.")
    return [int(integer(0, MOST)(word, "a row of `rows`")) for word in found]


@contextmanager
def _watched(looks: Looks, total: int, watching: Watching) -> Iterator[Looks]:
    """The same function, telling how many items have been copied."""
    done = 0
    with watching("copying") as watch:

        def look(row: int) -> Any:
            nonlocal done
            done += 1
            watch(done, total)
            return looks(row)

        yield look


def _check_kind(data: Labelled, rules: Rules) -> None:
    """Refuse verdicts about one label of rows of which several hold, and the reverse."""
    if data.label_kind == ALL_OF and rules.decides:
        raise Refusal(
            f"{data.source} has rows of which several labels hold, and a verdict is about one.",
            "ask which hold with `preset='tags'`",
        )


def _check_sources(
    where: str | None,
    issues: Path | None,
    votes: Path | None,
    rows: str | None,
    sample: int | None,
) -> None:
    if where is None and issues is None and votes is None:
        raise Refusal(
            "there is nothing to ask about.",
            "name a table, a folder or a data set",
            "give `issues`, or `votes` that were released",
        )
    if votes is not None and (where or issues):
        other = where or "`issues`"
        raise ValueError(f"{other} and `votes` to ask about; give one of them.")
    given = {"`issues`": issues, "`rows`": rows, "`sample`": sample}
    picked = [name for name, value in given.items() if value is not None]
    if "`rows`" in picked and len(picked) > 1:
        raise ValueError(f"{' and '.join(picked)} say which rows to ask about; give one of them.")


def _from_votes(
    folder: Path, path: Path, index: Path | None, rules: Rules, url: str | None, by: str
) -> Project:
    tally = read_released(path, index)
    if isinstance(tally, SetTally):
        rules = replace(rules, question="yes or no", people=tally.people)
    else:
        rules = replace(rules, question="verdict", offered=tally.offered)
    rules = replace(rules, classes=tally.classes or ())
    project = make_project(folder, items_of_tally(tally), rules, url=url, by=by)
    import_votes(project, tally)
    return project


def _gold(path: Path) -> dict[str, str]:
    table = ingest.read_frame(path).frame
    with about(path):
        check_columns(table.columns, ("name", "answer"))
    return {str(name): str(answer) for name, answer in table.select("name", "answer").rows()}
