"""Plug-ins: what somebody else's file or package adds to the explicit tables, by name.

A plug-in is a file that calls ``register`` once for each thing it adds. It is run only when a
person names it: ``--import my.py``, ``plugins.load("my.py")``, or by the name of an entry point of
the group ``candidly.plugins``. Its source is read once, hashed, and what was hashed is what is
run. Loads no torch by itself.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.metadata import entry_points
from importlib.util import decode_source, find_spec, module_from_spec, spec_from_loader
from itertools import chain
from pathlib import Path
from types import CodeType
from typing import Any

from .followed import Followed, followed
from .names import lookup, same, shortened
from .problem import Refusal, said_of
from .spec import DIGITS

GROUP = "candidly.plugins"  # of entry points


@dataclass(frozen=True)
class PluginKind:
    """A kind of thing that may be added.

    Attributes:
        room: module that holds the table, as seen from candidly.
        table: its name there.
        made_with: class of the room that a value has to be of; '' for a function.
        beside: another table there whose names are taken; '' for none.
        kept: what the table holds of a value.
        words: fields of a value that move no number.
        digest: the room's function of what the table holds, where that is no code but names some.
    """

    room: str
    table: str
    made_with: str = ""
    beside: str = ""
    kept: Callable[[Any], Any] = lambda value: value
    words: tuple[str, ...] = ()
    digest: str = ""

    @property
    def entries(self) -> MutableMapping[str, Any]:
        """The table itself; loads its room."""
        entries: MutableMapping[str, Any] = getattr(self._module, self.table)
        return entries

    def taken(self, name: str) -> str | None:
        """The name in its tables that means the same; None where there is none."""
        tables = [self.entries, *([getattr(self._module, self.beside)] if self.beside else [])]
        return same(chain.from_iterable(tables), name)

    def check(self, kind: str, value: Any) -> None:
        """Refuse a value of another kind.

        Raises:
            ValueError: says what makes one.
        """
        if not self.made_with:
            if not callable(value):
                raise ValueError(f"{_who(kind)} is a {type(value).__name__}; give a function.")
        elif not isinstance(value, getattr(self._module, self.made_with)):
            raise ValueError(
                f"{_who(kind)} is a {type(value).__name__}; make it with "
                f"candidly.{self.room.partition('.')[0]}.{self.made_with}(...)."
            )

    def code(self, value: Any, home: Path | None) -> Followed:
        """What the code of what the table holds is known by; see ``code``."""
        if self.digest:
            found: Followed = getattr(self._module, self.digest)(value)
            return found
        return followed(value, home, self.words)

    @property
    def _module(self) -> Any:
        return import_module(f"candidly.{self.room}")


def _as_net_text(make: Any) -> str:
    """How a function that makes a network is written: ``FILE.py:make``."""
    if not _RUNNING:
        raise ValueError(
            "a network is registered by a file, which a results directory keeps a copy of. Put "
            "its function into one, and import that."
        )
    return f"{_RUNNING[-1][0]}:{make.__name__}"


KINDS: dict[str, PluginKind] = {
    "algorithm": PluginKind(
        "learn.algorithms",
        "ALGORITHMS",
        "Algorithm",
        words=("paper", "kind", "summary", "differences"),
    ),
    "process": PluginKind("data.imperfect", "PROCESSES", "Process"),
    "criterion": PluginKind("compare.sweep.select", "CRITERIA", "Criterion"),
    "metric": PluginKind("stats.metrics", "METRICS", "Metric"),
    "network": PluginKind(
        "learn.written.nets", "REGISTERED", beside="KNOWN", kept=_as_net_text, digest="code_of_net"
    ),
    "dataset": PluginKind("data.sources", "SOURCES", "Source"),
    "detector": PluginKind("errors.detectors", "DETECTORS", "Detector"),
    "aggregator": PluginKind("people.crowd", "METHODS"),
}


@dataclass(frozen=True)
class Plugin:
    """A file that was run.

    Attributes:
        file: where it was read.
        digest: 16 hex digits of the SHA-256 of its source.
        source: the bytes that were run.
        added: (kind, name) of what it registered.
    """

    file: Path
    digest: str
    source: bytes
    added: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """How a plan names it: ``my.py@0123456789abcdef``."""
        return f"{self.file.name}@{self.digest}"


class PluginLoader(InspectLoader):
    """Runs bytes that were read, so that what is run is what the digest is of."""

    def __init__(self, path: Path, source: bytes):
        self.path, self.source = path, source

    def get_source(self, fullname: str) -> str:
        return decode_source(self.source)

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.source, str(self.path))


_LOADED: dict[str, Plugin] = {}  # by digest
_OWNER: dict[tuple[str, str], str] = {}  # (kind, name) -> digest; '' where no file was loaded
_IGNORING: list[bool] = []
_RUNNING: list[tuple[Path, str, list[tuple[str, str]]]] = []  # the file being run, its additions


def register(kind: str, value: Any, name: str | None = None) -> Any:
    """Add a thing to candidly's table of its kind.

    Args:
        kind: a name of ``plugins.KINDS``, such as ``"algorithm"``.
        value: an ``Algorithm``, ``Process``, ``Criterion``, ``Metric``, ``Source`` or ``Detector``;
            for an aggregator a function as in ``crowd.METHODS``, and for a network one of the file
            that takes (shape, classes), as behind ``FILE.py:``.
        name: what people write; by default the value's own ``name``.

    Returns:
        the value.

    Raises:
        ValueError: the name is taken or impossible, or the value is of another kind.
        UnknownName: no such kind.
    """
    kind, found = lookup(KINDS, kind, "kind of plug-in")
    if _IGNORING:
        return value
    found.check(kind, value)
    own = getattr(value, "name", None)
    called = own if name is None else name
    if not isinstance(called, str) or not called.strip() or set(called) & set(":,= "):
        raise ValueError(
            f"{_who(kind)} has the name {shortened(called)}; give name= a text without spaces, "
            "commas, colons and equals signs."
        )
    if isinstance(own, str) and own != called:
        raise ValueError(f"{_who(kind)} is named {own!r} and {called!r}; leave name= out.")
    entries = found.entries
    taken = found.taken(called)
    if taken is not None:
        holder = _LOADED.get(_OWNER.get((kind, taken), ""))
        raise ValueError(
            f"{_who(kind)} {called!r} has a name that is taken by "
            f"{holder.text if holder else 'candidly'} ({taken}); give it another name."
        )
    entries[called] = found.kept(value)
    _OWNER[kind, called] = _RUNNING[-1][1] if _RUNNING else ""
    if _RUNNING:
        _RUNNING[-1][2].append((kind, called))
    return value


@contextmanager
def ignoring() -> Iterator[None]:
    """While a file is run again for the network that it makes: what it adds is not needed."""
    _IGNORING.append(True)
    try:
        yield
    finally:
        _IGNORING.pop()


def load(asked: str | Path, digest: str = "") -> Plugin:
    """Run a plug-in's file, once for each content.

    Args:
        asked: a file, or the name of an entry point of ``candidly.plugins``.
        digest: the digest of the source that is wanted; '' for any.

    Raises:
        FileNotFoundError: no such file or entry point.
        ValueError: it cannot be run, adds nothing, a rule of ``register`` is broken, or it is of
            another source. Nothing of it is added then.
    """
    path = Path(asked).absolute() if str(asked).endswith(".py") else _file_of_entry(str(asked))
    if not path.is_file():
        raise FileNotFoundError(f"there is no plug-in {path}. Name a file that ends in .py.")
    source = path.read_bytes()
    found = hashlib.sha256(source).hexdigest()[:DIGITS]
    if digest and found != digest:
        raise ValueError(
            f"the plug-in {path} is not the one that was used (its SHA-256 begins with {found}, "
            f"and not with {digest}): it was edited. Restore it."
        )
    if found not in _LOADED:
        _LOADED[found] = _run(path, source, found)
    return _LOADED[found]


def plugin_of(kind: str, name: str) -> Plugin | None:
    """The plug-in file that added this; None for what is candidly's, or of no file."""
    return _LOADED.get(_OWNER.get((kind, name), ""))


def code(kind: str, name: str, value: Any = None) -> Followed:
    """What the code of a thing of any kind is known by: of all that it reaches.

    Equal digests: the same code, in the file and in modules that it uses. Of candidly and other
    libraries the names alone count. Of a network it is that of ``FILE.py`` (``code_of_net``).

    Args:
        value: in place of what the table has of that name, such as a variant of it.

    Raises:
        KeyError: no such thing.
    """
    plugin, found = plugin_of(kind, name), KINDS[kind]
    held = found.entries[name] if value is None else value
    return found.code(held, None if plugin is None else plugin.file.parent)


def code_to_keep(kind: str, name: str, value: Any = None) -> Followed:
    """The same, for whoever stores or compares numbers that are made with it.

    Warns:
        UserWarning: something of the code cannot be followed.
    """
    found = code(kind, name, value)
    if found.left:
        warnings.warn(
            f"{name}: not seen of its code: {'; '.join(found.left)}. When that changes, old and new"
            " runs are not told apart.",
            stacklevel=2,
        )
    return found


def is_added(kind: str, name: str) -> bool:
    """Whether somebody registered it, in a file or not."""
    return (kind, name) in _OWNER


def unload(plugin: Plugin) -> None:
    """Take what a plug-in added out of the tables again."""
    _remove(plugin.added)
    _LOADED.pop(plugin.digest, None)
    sys.modules.pop(_module_name(plugin.digest), None)


def needs_a_file(kind: str, name: str) -> bool:
    """Whether this was registered by no file, so that other processes cannot have it."""
    return _OWNER.get((kind, name)) == ""


def _run(path: Path, source: bytes, digest: str) -> Plugin:
    name = _module_name(digest)
    spec = spec_from_loader(name, PluginLoader(path, source), origin=str(path.absolute()))
    assert spec is not None
    assert spec.loader is not None
    spec.has_location = True  # so that it knows its __file__
    module = module_from_spec(spec)
    added: list[tuple[str, str]] = []
    sys.modules[name] = module  # where dataclasses look
    _RUNNING.append((path, digest, added))
    try:
        spec.loader.exec_module(module)
        if not added:
            raise ValueError("it calls candidly.register for nothing; register what it adds")
    except (Exception, SystemExit) as error:
        _remove(added)
        del sys.modules[name]
        why = str(error) if type(error) in (ValueError, Refusal) else said_of(error)
        raise ValueError(f"the plug-in {path} could not be loaded: {why.rstrip('.')}.") from error
    finally:
        _RUNNING.pop()
    return Plugin(path, digest, source, tuple(added))


def _remove(added: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> None:
    for kind, name in added:
        KINDS[kind].entries.pop(name, None)
        _OWNER.pop((kind, name), None)


def _module_name(digest: str) -> str:
    return f"candidly_plugin_{digest}"


def _who(kind: str) -> str:
    return f"{_RUNNING[-1][0]}: the {kind}" if _RUNNING else f"the {kind}"


def _file_of_entry(name: str) -> Path:
    """The file of an entry point; nothing of it is run yet but the packages above it."""
    known = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in known:
        there = ", ".join(known) or "none is installed"
        raise FileNotFoundError(
            f"there is no plug-in named {name!r}: it is no file that ends in .py, and no entry "
            f"point of {GROUP} ({there})."
        )
    spec = find_spec(known[name].module)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"the plug-in {name!r} names {known[name].module}, without a file.")
    return Path(spec.origin)
