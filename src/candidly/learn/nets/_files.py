"""Networks that a user's file makes: loaded when the user names it, once for each content."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.abc import InspectLoader
from importlib.util import decode_source, module_from_spec, spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from ...ground.imported import beside
from ...ground.plugins import ignoring
from ...ground.problem import said_of
from ..written.nets import NetText, digest_of, digests_beside, source_of

_LOADED: dict[str, ModuleType] = {}  # by digest, as sys.modules has modules by name
_USED: dict[str, str] = {}  # modules that such files have imported: name -> digest of the source


class FileLoader(InspectLoader):
    """Runs bytes that were read, so that what is run is what the digest is of."""

    def __init__(self, path: Path, source: bytes):
        self.path, self.source = path, source

    def get_source(self, fullname: str) -> str:
        return decode_source(self.source)

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.source, str(self.path))


def function_of(asked: NetText) -> Callable[..., Any]:
    """The function that a text names; its file is run where its content has not been yet.

    Raises:
        FileNotFoundError: no such file.
        ValueError: running it fails, it has no such function, or it is not what ``asked.digest``
            says and that was not loaded before.
    """
    assert asked.file is not None
    module = _LOADED.get(asked.digest)
    if module is None:
        module = _module(asked.file, asked.digest)
    make = getattr(module, asked.function, None)
    if not callable(make):
        there = [
            name
            for name, value in vars(module).items()
            if callable(value) and getattr(value, "__module__", "") == module.__name__
        ]
        raise ValueError(
            f"{asked.file} has no function {asked.function!r}; it has "
            f"{', '.join(there) or 'none'}. Name the one that makes it."
        )
    return make


def _module(path: Path, digest: str) -> ModuleType:
    """The file, run."""
    source = source_of(path)
    found = digest_of(path, source)
    if digest and digest != found:
        raise ValueError(
            f"{path} is not the file that was used (its SHA-256 begins with {found}, and not with "
            f"{digest}): it was edited, or is another. Restore it."
        )
    if found in _LOADED:
        return _LOADED[found]
    loader = FileLoader(path, source)
    spec = spec_from_loader(f"candidly_net_{found}", loader, origin=str(path.absolute()))
    assert spec is not None
    spec.has_location = True  # so that it knows its __file__
    module = module_from_spec(spec)
    sys.modules[module.__name__] = module  # where dataclasses and torch look for it
    _forget_old(path)
    try:
        with _importable(path.absolute().parent), ignoring():
            loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise ValueError(f"{path} could not be run: {said_of(error)}.") from error
    _LOADED[found] = module
    return module


def _forget_old(path: Path) -> None:
    """Have what a file imports run as it is now, which its digest is of."""
    now = digests_beside(path)
    if any(name in sys.modules and _USED.get(name) != one for name, one in now.items()):
        for name in now:
            sys.modules.pop(name, None)
    _USED.update(now)


def loaded_source(digest: str) -> bytes:
    """The bytes of a file that was loaded.

    Raises:
        KeyError: it was not.
    """
    spec = _LOADED[digest].__spec__
    assert spec is not None
    assert isinstance(spec.loader, FileLoader)
    return spec.loader.source


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))


def neighbours_of(path: Path) -> list[str]:
    """Modules of nobody's package that a file imports, by name: what a copy of it would lack."""
    return sorted({name.partition(".")[0] for name in beside(path).modules})
