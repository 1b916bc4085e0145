"""A hash of the code of an algorithm that is not candidly's own, as it may have no source file.

Made of the compiled functions that the page holds, of those of its author that they call, and of
the values that they close over. Another Python compiles otherwise, and so has another hash.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType
from typing import Any

from .code import WORDS

PLAIN = (str, bytes, int, float, complex, type(None), type(...))
Seen = dict[int, Any]  # values by id, which keeps them alive: an id is given out again


def own_code_of(page: Any) -> str:
    """16 hex digits that stand for what the page computes. Equal digits: the same code."""
    digest = hashlib.sha256(repr(sys.version_info[:2]).encode())
    for part in _parts(page, {}, WORDS["Algorithm"]):
        digest.update(part.encode() + b"\n")
    return digest.hexdigest()[:16]


def _parts(value: Any, seen: Seen, words: Set[str]) -> Iterator[str]:
    """What a value consists of, as texts in a fixed order."""
    if isinstance(value, PLAIN):
        yield repr(value)
        return
    if id(value) in seen:
        return
    seen[id(value)] = value
    yield type(value).__name__
    if isinstance(value, FunctionType):
        yield from _function(value, seen)
    elif isinstance(value, functools.partial):
        yield from _parts((value.func, value.args, value.keywords), seen, frozenset())
    elif isinstance(value, CodeType):
        yield from _compiled(value, seen)
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield repr(name)
            yield from _parts(one, seen, frozenset())
    elif isinstance(value, set | frozenset):
        yield from sorted(repr(one) for one in value)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _parts(one, seen, frozenset())
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.name not in words:
                yield field.name
                yield from _parts(getattr(value, field.name), seen, frozenset())
    else:
        yield str(getattr(value, "__qualname__", ""))


def _function(function: FunctionType, seen: Seen) -> Iterator[str]:
    yield from _compiled(function.__code__, seen, function.__doc__)
    kept = [function.__defaults__, function.__kwdefaults__ or {}]
    yield from _parts(
        kept + [_content(cell) for cell in function.__closure__ or ()], seen, frozenset()
    )
    for name in sorted(_named(function.__code__)):
        value = function.__globals__.get(name)
        theirs = str(getattr(value, "__module__", "")).partition(".")[0]
        if isinstance(value, FunctionType) and theirs in ("candidly", "torch", "numpy"):
            where = value.__module__ if theirs != "candidly" else f"{theirs}.{_file(value)}"
            yield f"{where}.{value.__qualname__}"
        elif isinstance(value, (FunctionType, tuple, *PLAIN)):
            yield name
            yield from _parts(value, seen, frozenset())


def _file(function: FunctionType) -> str:
    """The file of a function of candidly's, which keeps its name where folders move."""
    return function.__module__.rpartition(".")[2]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing in it yet
        return None


def _compiled(code: CodeType, seen: Seen, doc: str | None = None) -> Iterator[str]:
    constants = [one for one in code.co_consts if doc is None or one != doc]
    yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars}"
    yield from _parts(constants, seen, frozenset())


def _named(code: CodeType) -> set[str]:
    """Names that a function and those inside it look up."""
    inside = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*(_named(one) for one in inside))
