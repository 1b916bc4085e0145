"""``candidly review gallery``: pages of many files of votes, without a project or a server."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...ground.jsons import to_json
from .. import _progress
from .._print import AsJson
from .project import check_installed

if TYPE_CHECKING:
    from ...people.review import Looks, Shown
    from ...people.validation.votes_read import VotesRead


def gallery(
    votes: Annotated[
        list[Path],
        typer.Option(
            metavar="PATH",
            help="A released .json file of votes, or a folder of them, such as a copy of the "
            "released repository; several times for several.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to write the pages.")],
    media: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SET[=PATH]",
            help="What the items of a set look like: PATH as for candidly review new --media, "
            "named by the row in the data set; SET alone: a data set that candidly knows by this "
            "name. Several times for several sets.",
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="Shown on every page.")] = "Label errors",
    as_json: AsJson = False,
) -> None:
    """One gallery over many data sets that people checked: pages that open from disk.

    Examples:

      candidly review gallery --votes label-errors --media mnist --media cifar10 --out pages

      candidly review gallery --votes cats_mturk.json --votes dogs_mturk.json --out pages
    """
    check_installed(("sqlalchemy", "starlette"))
    from ...people.validation.votes_read import read_votes
    from ...people.web import write_sets_gallery

    read = [one for path in votes for one in read_votes(path)]
    sets = [one.checked() for one in read]
    looks = {}
    for said in media or []:
        name, _, path = said.partition("=")
        one = next((one for one in read if one.name == name), None)
        if one is None:
            known = ", ".join(one.name for one in read)
            raise ValueError(f"--media {said}: there are no votes on {name!r}; there are {known}.")
        looks[name] = _looks_of(one, path)
    with _progress.reading("writing pages", "written") as watch:
        number = write_sets_gallery(sets, out, title=title, looks=looks, watch=watch)
    if as_json:
        about = {
            one.name: {"items": len(one.items), **one.about["errors"]["exact"]} for one in sets
        }
        print(to_json({"out": str(out), "items": number, "sets": about}, None))
        return
    print(f"wrote {out}: {number:,} items of {len(sets)} sets", file=sys.stderr)


def _looks_of(one: VotesRead, path: str) -> Callable[[Path], Looks]:
    """What the items of a set look like, by row."""
    from ...people.review import looks_of_files

    if len(one.votes) and (one.votes.item < 0).all():
        raise ValueError(
            f"{one.path}: which rows of {one.name} the votes are about is not known, as they go by"
            " file names; so nothing of --media can be found. Give the folder of the released"
            " files with its index, or leave this set out of --media."
        )
    if path:
        return lambda folder: looks_of_files(Path(path), folder, gaps=True)
    return _looks_of_known(one)


def _looks_of_known(one: VotesRead) -> Callable[[Path], Looks]:
    """Rows of the official test part of a data set that candidly knows, if it is the right one.

    Raises:
        ValueError: its labels are not those that the votes are about.
    """
    import numpy as np

    from ...data.sources import load
    from ...people.review import looks_of
    from ...people.validation import SetTally

    with _progress.reading() as watch:
        data = load(one.name, None, watch=watch)
    test = np.arange(data.n) if data.official_test is None else np.flatnonzero(data.official_test)
    rows = one.votes.item
    if rows.max(initial=-1) >= len(test):
        raise ValueError(
            f"{one.path}: there are votes on row {rows.max():,} of {one.name}, but {len(test):,}"
            " test examples. Leave this set out of --media."
        )
    if not isinstance(one.votes, SetTally) and data.truth is not None:
        placed = rows >= 0
        differs = data.truth[test[rows[placed]]] != one.votes.given[placed]
        if differs.any():
            row = rows[placed][differs.argmax()]
            raise ValueError(
                f"{one.path}: row {row} of {one.name} has another label than the votes are about."
                " The pictures are in another order; give them with --media"
                f" {one.name}=PATH."
            )

    def make(folder: Path) -> Looks:
        look = looks_of(data, folder)

        def shown(row: int) -> Shown:
            return look(int(test[row]))

        return shown

    return make
