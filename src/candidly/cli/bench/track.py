"""``candidly bench track``, and what ``bench run --track`` does."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

To = Annotated[str, typer.Option(metavar="TRACKER:WHERE", help="Such as tensorboard:FOLDER.")]
Track = Annotated[
    str | None,
    typer.Option(
        metavar="TRACKER:WHERE",
        help="Send records while they come, such as to tensorboard:FOLDER.",
    ),
]


def track(
    folder: Annotated[Path, typer.Argument(metavar="{DIR}", help="A results directory.")],
    to: To,
    follow: Annotated[
        bool,
        typer.Option("--follow", help="Go on until the run that trains there has ended."),
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Send what was sent before, too.")] = False,
) -> None:
    """Send records to a tracker: all that were not sent before. The journal stays as it is.

    Examples:

      candidly bench track runs/lost --to tensorboard:runs/board

      candidly bench track runs/lost --to tensorboard:runs/board --follow
    """
    from ...compare.sweep.lock import is_locked
    from ...compare.tracking import follow as follow_records
    from ...compare.tracking import make_sink

    sink, memory = make_sink(to), memory_of(folder, to)
    if again:
        memory.unlink(missing_ok=True)
    number = follow_records(folder, sink, memory, until=lambda: not (follow and is_locked(folder)))
    print(f"{to}: {number:,} records sent")


@contextmanager
def tracked(folder: Path, to: str | None) -> Iterator[None]:
    """Sends records while the block trains; what fails is a note behind it."""
    if to is None:
        yield
        return
    from ...compare.tracking import following, make_sink

    with following(folder, make_sink(to), memory_of(folder, to)) as failed:
        yield
    for error in failed:
        print(
            f"note: not all records were sent to {to}: {error}. They are in {folder}; "
            f"`candidly bench track {folder} --to {to}` sends the rest.",
            file=sys.stderr,
        )


def memory_of(folder: Path, to: str) -> Path:
    """The file that remembers what was sent to a tracker."""
    return folder / "tracked" / f"{zlib.crc32(to.encode()):08x}.json"
