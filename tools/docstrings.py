"""Docstrings as the documentation site needs them: a griffe extension.

In the source several parameters may share a line, ``given, guessed: labels``, and examples stand as
``>>>`` lines between sentences, which Markdown would take for quotations. A function may have the
name of its file, as ``imperfect.flip`` has; then the function is what the package's users mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^ *>>> .*\n?(?:^ *\S.*\n?)*\n?)+", re.MULTILINE)
SHARED = re.compile(
    r"^( +)(\*{0,2}\w+)((?:,\s+\*{0,2}\w+)+)(:(?: .*)?(?:\n\1 +\S.*)*)$", re.MULTILINE
)


def fenced(text: str) -> str:
    """A docstring with its interactive examples in fences."""

    def fence(found: re.Match[str]) -> str:
        lines = found.group().rstrip("\n").splitlines()
        margin = " " * min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        return "\n".join([f"{margin}```pycon", *lines, f"{margin}```", "", ""])

    return EXAMPLE.sub(fence, text)


def one_parameter_a_line(text: str) -> str:
    """A docstring in which each name has a line of its own; the others refer to the first."""

    def lines(found: re.Match[str]) -> str:
        margin, first, others, text = found.groups()
        refer = [f"\n{margin}{name.strip()}: see `{first}`." for name in others.split(",")[1:]]
        return f"{margin}{first}{text}" + "".join(refer)

    return SHARED.sub(lines, text)


class Docstrings(griffe.Extension):
    """Changes docstrings, and what a name means that a module and a function share."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(one_parameter_a_line(obj.docstring.value))

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        for module in [pkg, *_modules(pkg)]:
            for name in module.exports or ():
                part = module.members.get(str(name))
                if isinstance(part, griffe.Module) and str(name) in part.members:
                    for other in module.members.values():
                        if isinstance(other, griffe.Alias):
                            with suppress(griffe.AliasResolutionError, griffe.CyclicAliasError):
                                other.resolve_target()
                    module.members[str(name)] = part.members[str(name)]


def _modules(package: griffe.Module) -> Iterator[griffe.Module]:
    for part in package.members.values():
        if isinstance(part, griffe.Module):
            yield part
            yield from _modules(part)
