"""The types of options: what each takes, within bounds, by the grammar of ``ground.spec``.

Every option that takes a number is made here, so none is without a smallest and a largest value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import typer

from ..ground.bounds import MOST, MOST_SEED, MOST_WORKERS
from ..ground.spec import integer
from ..ground.spec import number as real


@dataclass(frozen=True)
class Bounded:
    """A reader of numbers from ``low`` to ``high``, for an option.

    Attributes:
        read: a reader of ``ground.spec``.
        low, high: its bounds.
        words: what may stand there instead, as it is.
    """

    read: Callable[[str, str], Any]
    low: float
    high: float
    words: tuple[str, ...] = ()

    def __call__(self, text: Any) -> Any:
        if text in self.words:
            return text
        try:
            return self.read(str(text), "it")
        except ValueError as error:
            also = f" Or write {' or '.join(self.words)}." if self.words else ""
            raise typer.BadParameter(f"{error}{also}") from None


def counted(text: str, option: str, least: int = 0) -> int:
    """The whole number that an option of words or numbers holds.

    Raises:
        ValueError: none, or one beyond ``least`` to ``MOST``.
    """
    return int(integer(least, MOST)(text, option))


def whole(
    help: str,
    least: int = 0,
    most: int = MOST,
    names: tuple[str, ...] = (),
    words: tuple[str, ...] = (),
) -> Any:
    """An option that takes a whole number from ``least`` to ``most``.

    Args:
        names: the names of the option, where it has others than the parameter's.
        words: what may stand there instead.
    """
    reader = Bounded(integer(least, most), least, most, words)
    return typer.Option(*names, parser=reader, metavar="N", help=help)


def random_seed(help: str) -> Any:
    """An option that takes the number that random numbers follow from."""
    return whole(help, most=MOST_SEED)


def how_many_workers(help: str) -> Any:
    """An option that takes a number of processes or threads."""
    return whole(help, 1, MOST_WORKERS)


def number(
    help: str,
    low: float,
    high: float,
    *,
    open: bool = False,
    words: tuple[str, ...] = (),
) -> Any:
    """An option that takes a number.

    Args:
        low, high: its bounds; with ``open`` it lies between them.
        words: what may stand there instead.
    """
    reader = Bounded(real(low, high, above=open, below=open), low, high, words)
    return typer.Option(parser=reader, metavar="NUMBER", help=help)


def share(help: str, *, open: bool = False, words: tuple[str, ...] = ()) -> Any:
    """An option that takes a number from 0 to 1; with ``open`` neither of them."""
    return number(help, 0, 1, open=open, words=words)
