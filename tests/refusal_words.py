"""Which options a text names, and of which commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from candidly import cli

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OTHERS = re.compile(r"`(ray|pip) [^`]*`|pip install --no-deps")  # what is typed into other programs
ELSEWHERE = re.compile(r"candidly ([a-z]+)(?: ([a-z]+))?((?:(?!, |\. |\.$|[;`)]).)*)")
TOP = {"--import", "--debug", "--help", "--version"}


def commands() -> dict[tuple[str, ...], object]:
    """Every command, by the words that one types."""
    found: dict[tuple[str, ...], object] = {}
    for noun in cli.NOUNS:
        whole = cli.command(noun)
        verbs = getattr(whole, "commands", None)
        found |= {(noun, verb): one for verb, one in verbs.items()} if verbs else {(noun,): whole}
    return found


COMMANDS = commands()
OPTIONS = {
    words: {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | TOP
    for words, command in COMMANDS.items()
}
ALL = set().union(*OPTIONS.values()) - TOP


def command_in(words) -> tuple[str, ...] | None:
    """The command that a line calls, where it is one."""
    words = [word for word in map(str, words) if word != "--debug"]
    return next((tuple(words[:k]) for k in (2, 1) if tuple(words[:k]) in OPTIONS), None)


def strange(text: str, command: tuple[str, ...]) -> Iterator[str]:
    """Options that a text names and its command lacks, or the one that it names itself."""
    text = OTHERS.sub("", text)
    for found in ELSEWHERE.finditer(text):
        other = command_in([found[1], found[2]])
        if other is not None:
            yield from set(OPTION.findall(found[3])) - OPTIONS[other]
            text = text.replace(found[0], "")
    yield from set(OPTION.findall(text)) - OPTIONS[command]
