"""``candidly build ask``: a project in which people say which categories a benchmark can use."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...ground.bounds import MOST_PEOPLE
from ...ground.numbers import count_of
from .._print import AsJson
from .._stopping import stoppable
from .._types import whole
from ..review.project import Folder, by, check_installed, opened
from .articles import CategoryAt, EventAt, Keep, MoreThan, TableColumns, read, told, wanted

if TYPE_CHECKING:
    from ...compare.corpora.votes import CategoryQuestion, CategoryVotes

EVENTS, COMMON_SENSE = "events", "common-sense"
People = Annotated[int, whole("People who are asked about each category.", 1, MOST_PEOPLE)]
Agree = Annotated[int, whole("How many of them must say yes.", 1, MOST_PEOPLE)]
GUIDELINES = {
    EVENTS: """\
You see the name of a category of instructions, what is above it, and some of its steps.

Is it an event? Say yes where the name says what somebody does or goes through, definite enough to
guess it from a step: Losing Weight, Dog Grooming. Say no where it names a topic (Nutrition), or so
much that its steps have nothing in common (Selling).

For two categories: are they hard to tell apart? Say yes where the steps of one could as well stand
in the other.
""",
    COMMON_SENSE: """\
You see the name of a category of instructions, what is above it, and some of its steps.

Is it common sense? Say yes where people know without training what such steps are for. Say no where
it takes somebody who knows the field, as for Dog Grooming.
""",
}


def ask(
    articles: Annotated[
        Path, typer.Argument(metavar="ARTICLES", help="A folder of saved pages, or a table.")
    ],
    folder: Folder,
    about: Annotated[
        str,
        typer.Option(
            help="events: which categories name one, and which are hard to tell apart; "
            "common-sense: which classes are."
        ),
    ] = EVENTS,
    votes: Annotated[
        Path | None,
        typer.Option(
            metavar="VOTES",
            help="With common-sense: what people said about events; says which "
            "categories are classes.",
        ),
    ] = None,
    category: CategoryAt = None,
    event: EventAt = None,
    columns: TableColumns = None,
    keep: Keep = None,
    more_than: MoreThan = 300,
    people: People = 3,
    agree: Agree = 3,
    as_json: AsJson = False,
) -> None:
    """Have people say which categories are events, or which classes are common sense.

    Makes a review project; candidly review serve shows it in the browser, and candidly build
    noisywikihow takes it with --votes, or --common-sense.

    Examples:

      candidly build ask pages events-vote

      candidly review serve events-vote --person ann --person bob --person cy

      candidly build noisywikihow pages --out mine --votes events-vote
    """
    check_installed()
    if about not in GUIDELINES:
        raise ValueError(f"--about is {about!r}; it is {' or '.join(GUIDELINES)}.")
    if votes is not None and about == EVENTS:
        raise ValueError("--votes says which categories are classes; leave it out with events.")
    from ...compare.corpora.builder import BuildSettings, chosen_events
    from ...compare.corpora.votes import event_questions, sense_questions
    from ...people.review.project import check_free

    check_free(folder)
    settings = BuildSettings(more_than=more_than, people=people, agree=agree)
    with stoppable(lambda: "stopped; nothing was made."), ExitStack() as steps:
        found = read(articles, category, event, columns)
        said = None if votes is None else votes_at(votes)
        left, _ = chosen_events(found, settings, wanted(keep, found), said, watch=told(steps))
    asked = (event_questions if about == EVENTS else sense_questions)(found, left)
    if not asked:
        raise ValueError(
            f"no category has more than {more_than} events behind the filters, so there is nothing "
            "to ask about. Lower --more-than, or bring more articles."
        )
    _make(folder, asked, about, people, agree)
    if as_json:
        print(json.dumps({"folder": str(folder), "questions": len(asked), "people": people}))
        return
    option = "votes" if about == EVENTS else "common-sense"
    print(f"{count_of(len(asked), 'question')} to {count_of(people, 'person', 'people')} each")
    print(f"next: candidly review serve {folder} --person NAME, once for each")
    print(f"then: candidly build noisywikihow {articles} --out FOLDER --{option} {folder}")
    print(f"wrote {folder}", file=sys.stderr)


def votes_at(place: Path) -> CategoryVotes:
    """Votes of a project, or of a table."""
    from ...compare.corpora.votes import COLUMNS, count_votes, read_votes

    if not place.is_dir():
        return read_votes(place)
    with opened(place) as project:
        from ...people.review import votes

        return count_votes(votes(project).select(COLUMNS).iter_rows())


def _make(
    folder: Path, asked: Sequence[CategoryQuestion], about: str, people: int, agree: int
) -> None:
    """A project of these questions, in their order."""
    import polars as pl

    from ...people.review import PRESETS, Item, looks_of_rows, make_project

    kinds = tuple(dict.fromkeys(one.asks for one in asked))
    rules = replace(
        PRESETS["yes or no"],
        classes=kinds,
        title="Categories",
        guidelines=GUIDELINES[about],
        people=people,
        threshold=agree,
        gold_every=0,
        repeat_every=0,
    )
    items = [
        Item(
            row=row,
            name=one.name,
            asks=kinds.index(one.asks),
            shown=looks_of_rows(pl.DataFrame([dict(one.shown)]))(0),
        )
        for row, one in enumerate(asked)
    ]
    make_project(folder, items, rules, by=by()).close()
