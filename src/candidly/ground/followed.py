"""A hash of the code of a plug-in's thing, of every kind, as it may have no source file.

Made of the compiled functions that it holds and of what these reach: functions, classes,
modules and objects of its author, containers of them, values that they close over, modules that
they import when they run. Of another library its name counts alone. Another Python compiles
otherwise, and so has another hash. What cannot be followed is in ``Followed.left``.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import sys
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from .problem import OTHERS, OWN, of_another

PLAIN = (str, bytes, int, float, complex, range, slice, bytearray, type(None), type(...))
UNSEEN = {"eval", "exec", "__import__", "import_module"}  # who calls these reaches what none sees
BY_NAME = {"getattr", "vars", "globals"}  # the same, of a module
OF_CLASSES = {"__dict__", "__weakref__", "__doc__", "__module__", "__annotations__"}
OF_CLASSES |= {"__dataclass_fields__", "__abstractmethods__", "_abc_impl", "__firstlineno__"}


@dataclass(frozen=True)
class Followed:
    """What was found.

    Attributes:
        digest: 16 hex digits that stand for what it computes. Equal digits: the same code.
        left: what of it is not part of the digest, in words.
    """

    digest: str
    left: tuple[str, ...] = ()


def followed(value: Any, home: Path | None = None, words: Collection[str] = ()) -> Followed:
    """All that a value reaches.

    Args:
        home: the folder of a plug-in, whose files count even where it is installed.
        words: fields of the value that move no number.
    """
    digest = hashlib.sha256(repr(sys.version_info[:2]).encode())
    walk = _Walk(None if home in OTHERS else home)
    for part in walk.parts(value, frozenset(words)):
        digest.update(part.encode() + b"\n")
    return Followed(digest.hexdigest()[:16], tuple(sorted(walk.left)))


class _Walk:
    """Through what a value consists of, as texts in a fixed order, each thing once."""

    def __init__(self, home: Path | None) -> None:
        self.left: set[str] = set()
        self._seen: dict[Any, Any] = {}  # by id; keeps them alive, as an id is given out again
        self._home = home

    def parts(self, value: Any, words: Set[str] = frozenset()) -> Iterator[str]:
        if isinstance(value, PLAIN):
            yield repr(value)
            return
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        yield type(value).__name__
        if isinstance(value, FunctionType):
            yield from self._function(value)
        elif isinstance(value, MethodType):
            yield from self._all(value.__func__, value.__self__)
        elif isinstance(value, functools.partial):
            yield from self._all(value.func, value.args, value.keywords)
        elif isinstance(value, classmethod | staticmethod):
            yield from self.parts(value.__func__)
        elif isinstance(value, property | functools.cached_property):
            made = [getattr(value, one, None) for one in ("fget", "fset", "fdel", "func")]
            yield from self._all(*made)
        elif isinstance(value, CodeType):
            yield from self._compiled(value)
        elif isinstance(value, Mapping):
            for name, one in value.items():
                yield from self._all(name, one)
        elif isinstance(value, set | frozenset):
            yield from self._all(*sorted(value, key=_name_of))
        elif isinstance(value, list | tuple):
            yield from self._all(*value)
        elif isinstance(value, type):
            yield from self._class(value)
        elif hasattr(value, "__wrapped__"):  # such as what functools.cache has made
            yield from self.parts(value.__wrapped__)
        else:
            yield from self._object(value, words)

    def _all(self, *values: Any) -> Iterator[str]:
        for value in values:
            yield from self.parts(value)

    def _function(self, function: FunctionType) -> Iterator[str]:
        code = function.__code__
        another = self._another(function.__module__, code.co_filename)
        if another:
            yield f"{_place(function.__module__)}.{function.__qualname__}"
        else:
            yield from self._compiled(code, function.__doc__)
        yield from self._all(function.__defaults__, function.__kwdefaults__ or {})
        yield from self._all([_content(cell) for cell in function.__closure__ or ()])
        if another:
            return
        named = _named(code)
        for name in sorted(named):
            if name in function.__globals__:
                yield name
                yield from self._reached(function.__globals__[name], named)
        for name in _imported(code):
            yield from self._import(name, function.__globals__, named)
        if used := sorted(UNSEEN & named - set(function.__globals__)):
            self.left.add(f"what {function.__qualname__} reaches by {', '.join(used)}")

    def _reached(self, value: Any, named: Set[str]) -> Iterator[str]:
        """A value by its name, and of a module what these names may take from it."""
        if not isinstance(value, ModuleType):
            yield from self.parts(value)
            return
        if self._another(value.__name__, getattr(value, "__file__", None)):
            yield _place(value.__name__)
            return
        if used := sorted(BY_NAME & named):
            self.left.add(f"what is taken from {value.__name__} by {', '.join(used)}")
        for name in sorted(named & vars(value).keys()):
            key = (id(value), name)
            if key not in self._seen:
                self._seen[key] = value
                yield f"{value.__name__}.{name}"
                yield from self._reached(vars(value)[name], named)

    def _import(self, name: str, near: Mapping[str, Any], named: Set[str]) -> Iterator[str]:
        """A module that is imported when a function runs."""
        try:
            spec = find_spec(name, near.get("__package__"))
            if spec is None or self._another(name.lstrip("."), spec.origin):
                return
            yield from self._reached(import_module(name, near.get("__package__")), named)
        except Exception:  # whatever running it runs into, here and then
            self.left.add(f"the module {name}, which cannot be imported now")

    def _class(self, made: type) -> Iterator[str]:
        module = sys.modules.get(made.__module__)
        yield f"{_place(made.__module__)}.{made.__qualname__}"
        if self._another(made.__module__, getattr(module, "__file__", None)):
            return
        yield from self._all(*made.__bases__)
        for name in sorted(vars(made).keys() - OF_CLASSES):
            yield name
            yield from self.parts(vars(made)[name])

    def _object(self, value: Any, words: Set[str]) -> Iterator[str]:
        yield from self.parts(type(value))
        if is_dataclass(value):
            for field in fields(value):
                if field.name not in words:
                    yield field.name
                    yield from self.parts(getattr(value, field.name))
        elif hasattr(value, "__array__"):
            yield from self._array(value)
        elif (kept := getattr(value, "__dict__", None)) is not None:
            yield from self.parts(dict(kept))
        else:
            text = str(getattr(value, "__qualname__", None) or repr(value))
            where = str(getattr(value, "__module__", None) or type(value).__module__)
            yield "" if " at 0x" in text else f"{_place(where)} {text}"
            if not self._another(where, None):  # compiled by its author, such as a .so
                self.left.add(f"{where}.{text}")

    def _array(self, value: Any) -> Iterator[str]:
        try:
            held = value.detach().cpu() if hasattr(value, "detach") else value
            array = held.__array__()
            yield f"{array.dtype} {array.shape} {hashlib.sha256(array.tobytes()).hexdigest()}"
        except Exception:
            self.left.add(f"a value of {type(value).__module__}.{type(value).__qualname__}")

    def _compiled(self, code: CodeType, doc: str | None = None) -> Iterator[str]:
        constants = [one for one in code.co_consts if doc is None or one != doc]
        yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars}"
        yield from self.parts(constants)

    def _another(self, module: str | None, file: str | None) -> bool:
        """Whether this is of another library than its author's, candidly among them."""
        first = str(module).partition(".")[0]
        file = file or getattr(sys.modules.get(str(module)), "__file__", None)
        if file is None:
            return first in sys.stdlib_module_names or first not in sys.modules
        if Path(file).is_relative_to(OWN):
            return True
        at_home = self._home is not None and Path(file).is_relative_to(self._home)
        return of_another(file) and not at_home


def _name_of(value: Any) -> str:
    """By which what is in a set is put in order."""
    if isinstance(value, (*PLAIN, tuple)):
        return repr(value)
    return str(getattr(value, "__qualname__", type(value).__qualname__))


def _place(module: str | None) -> str:
    """A module's name; of candidly's its file alone, which keeps its name where folders move.

    A plug-in's is left out: it is the digest of its source.
    """
    first, _, rest = str(module).partition(".")
    if first.startswith("candidly_plugin_"):
        return "plug-in"
    return f"{first}.{rest.rpartition('.')[2]}" if first == "candidly" and rest else str(module)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing in it yet
        return None


def _named(code: CodeType) -> set[str]:
    """Names that a function and those inside it look up."""
    inside = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*(_named(one) for one in inside))


def _imported(code: CodeType) -> list[str]:
    """Modules that a function and those inside it import when they run."""
    inside = [one for one in code.co_consts if isinstance(one, CodeType)]
    mine = {str(one.argval) for one in dis.get_instructions(code) if one.opname == "IMPORT_NAME"}
    return sorted(mine.union(*(_imported(one) for one in inside)))
