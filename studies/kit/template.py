"""Pages as Markdown with slots: the words in ``page.md``, the numbers from Python.

A slot is Jinja's: ``{{ lost|percent(1) }} points``. Every value that is given has a slot and every
slot a value, so that no sentence is left with a number that nobody computes any more.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Undefined, meta

from candidly.show.words import listed, percent
from studies.kit.words import fixed, in_points, minus, prose

VERBATIM = ("|", "#", "<", "![", "```", "    ")  # how blocks begin whose lines stay as they are
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
Value = object


def rendered(template: Path, values: Mapping[str, Value]) -> str:
    """The page with its slots filled and its paragraphs wrapped.

    Args:
        template: Markdown with slots.
        values: numbers, texts, tables in Markdown and functions that give one, by name.

    Raises:
        ValueError: a name that only the template or only ``values`` has.
        jinja2.UndefinedError: a slot for something that a value does not have.
    """
    words = environment(template.parent)
    named = meta.find_undeclared_variables(words.parse(template.read_text(encoding="utf-8")))
    if apart := named ^ set(values):
        raise ValueError(f"only one of {template} and its values names {listed(sorted(apart))}.")
    return wrapped(words.get_template(template.name).render(values))


def wrapped(page: str) -> str:
    """Paragraphs and lists in lines of at most 100 characters; other blocks as they are."""
    return "\n\n".join(map(_filled, _blocks(page))) + "\n"


def _blocks(page: str) -> Iterator[str]:
    """Fences of code, and between them what empty lines separate."""
    for place, part in enumerate(FENCE.split(page)):
        if place % 2:
            yield part
        elif "```" in part:
            raise ValueError(f"a fence of code is not closed: {part.strip()!r}.")
        else:
            yield from (block.strip("\n") for block in re.split(r"\n\s*\n", part) if block.strip())


def _filled(block: str) -> str:
    if block.startswith(VERBATIM):
        return block
    if block.startswith("* "):
        points = re.split(r"^\* ", block, flags=re.MULTILINE)[1:]
        return "\n".join("* " + textwrap.indent(prose(one), "  ").lstrip() for one in points)
    return prose(block)


def _slot(value: Value) -> Value:
    method = callable(value) and not isinstance(value, Undefined)  # `one.clear` of a dictionary
    if value is None or method:
        raise ValueError(f"a slot has no value: {value!r}.")
    return value


def capital(text: str) -> str:
    """With a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def code(names: str | list[str]) -> str | list[str]:
    """A name, or each of some, as code."""
    return f"`{names}`" if isinstance(names, str) else [f"`{name}`" for name in names]


FILTERS: dict[str, Callable[..., Value]] = {
    "capital": capital,
    "code": code,
    "fixed": fixed,
    "in_points": in_points,
    "listed": listed,
    "minus": minus,
    "percent": percent,
}


def environment(folder: Path) -> Environment:
    """What fills slots; templates may import those of the kit and of other studies."""
    made = Environment(
        loader=FileSystemLoader([folder, Path(__file__).parents[1]]),
        undefined=StrictUndefined,
        finalize=_slot,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= FILTERS
    return made
