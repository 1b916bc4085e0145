"""How the help looks at 80 columns."""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.core import TyperGroup

from ._given import filled
from ._words import running

PLACE = {"int": "N", "float": "NUMBER", "str": "TEXT", "path": "PATH"}  # for a value, by its type
UNBROKEN = "\N{NON-BREAKING HYPHEN}"
_Plain: Any = typer.Context.formatter_class


class _Formatter(_Plain):
    """Help in which no line ends at the hyphen of a word that is to be typed."""

    def write_text(self, text: str) -> None:
        super().write_text(text.replace("-", UNBROKEN))

    def write_dl(self, rows: Any, *args: Any, **how: Any) -> None:
        rows = [(_without_type(name), text.replace("-", UNBROKEN)) for name, text in rows]
        super().write_dl(rows, *args, **how)

    def getvalue(self) -> str:
        text: str = super().getvalue()
        return text.replace(UNBROKEN, "-")


class _Context(typer.Context):
    formatter_class = _Formatter

    def __enter__(self) -> Any:
        running(self)
        return super().__enter__()


def _without_type(name: str) -> str:
    """``--seed <int>`` as ``--seed N``, and an argument ``DIR <path>`` as ``DIR``."""
    if not name.startswith("-"):
        return re.sub(r" <[^>]*>$", "", name)
    return re.sub(r"<([^<>]*)>$", lambda found: PLACE.get(found[1], "TEXT"), name)


def dressed(command: Any) -> Any:
    """A command, or a group and its commands: help as here, and nothing given is empty."""
    command.context_class = _Context
    for parameter in getattr(command, "params", ()):
        filled(parameter)
    for one in getattr(command, "commands", {}).values():
        dressed(one)
    return command


class Commands(TyperGroup):
    """A group whose help says of each command all of its first paragraph, not its beginning."""

    context_class = _Context

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, first_paragraph(c)) for name, c in commands if c and not c.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def first_paragraph(command: Any) -> str:
    """What a command says of itself first, in one line."""
    return " ".join((command.help or "").split("\n\n")[0].split())
