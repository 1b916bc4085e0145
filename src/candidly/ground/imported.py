"""The files of modules of nobody's package that a file of somebody's own imports, in a whole tree.

Read, and not run. A network's file is known by these, as it is before anything has been run
(``learn/written/nets.py``); of what was run, ``followed.py`` says more exactly what is reached.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path

from .problem import OWN, of_another

BY_NAME = ("import_module", "__import__")  # import what a text names
UNSEEN = {"eval", "exec"}  # may import anything
OF_FILES = {"spec_from_file_location", "run_path", "run_module"}


@dataclass(frozen=True)
class Beside:
    """What a file imports.

    Attributes:
        modules: their files, by their names, in order; helpers of helpers, too.
        left: what may be imported and cannot be seen, in words.
    """

    modules: dict[str, Path]
    left: tuple[str, ...] = ()


def beside(file: Path, source: bytes | None = None) -> Beside:
    """The modules of nobody's package that a file needs.

    Args:
        source: the source of the file, where it was read already.
    """
    found: dict[str, Path] = {}
    left: set[str] = set()
    folder = file.absolute().parent
    waiting = [("", file, file.read_bytes() if source is None else source)]
    while waiting:
        package, path, text = waiting.pop()
        for name in _names(text, package, path.name, left):
            for known, spec in _chain(name, folder):
                origin = Path(spec.origin) if spec.origin else None
                if origin is None or not origin.is_file() or known in found:
                    continue
                found[known] = origin
                inside = known if spec.submodule_search_locations else known.rpartition(".")[0]
                code = origin.read_bytes() if origin.suffix == ".py" else b""
                waiting.append((inside, origin, code))
    return Beside(dict(sorted(found.items())), tuple(sorted(left)))


def _names(source: bytes, package: str, file: str, left: set[str]) -> Iterator[str]:
    """Modules that a text of Python may import; whoever runs it says so where it is none."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(above if node.level else []), *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            texts = [str(one.value) for one in node.args if isinstance(one, ast.Constant)]
            if called.endswith(BY_NAME) and texts:
                yield texts[0]
            elif called in UNSEEN or called.rpartition(".")[2] in {*BY_NAME, *OF_FILES}:
                left.add(f"what {file} takes in by {called}")


def _chain(name: str, folder: Path) -> Iterator[tuple[str, ModuleSpec]]:
    """A module's packages and itself, from the outermost on, as far as they are somebody's own."""
    first, *rest = name.split(".")
    spec = _top(first, folder) if first else None
    known = first
    while spec is not None and _is_own(spec):
        yield known, spec
        places = spec.submodule_search_locations
        if not rest or places is None:
            return
        known = f"{known}.{rest.pop(0)}"
        spec = PathFinder.find_spec(known, list(places))


def _top(name: str, folder: Path) -> ModuleSpec | None:
    try:
        return PathFinder.find_spec(name, [str(folder)]) or find_spec(name)
    except (ValueError, ImportError):
        return None


def _is_own(spec: ModuleSpec) -> bool:
    places = [spec.origin, *(spec.submodule_search_locations or ())]
    files = [Path(place) for place in places if place and Path(place).exists()]
    return bool(files) and not any(of_another(str(one)) or one.is_relative_to(OWN) for one in files)
