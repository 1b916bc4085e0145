"""Which code an algorithm's numbers come from: a hash of what it computes.

Read from the source files, so that neither planning nor reading runs anything. What counts are the
definitions that the method reaches, in its own file and in the files of algorithms that it takes
names from. Comments, docstrings, the layout of lines and texts about the algorithm do not count,
and neither do networks, optimisers and the training loop.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ...ground.plugins import KINDS

FOLDER = Path(__file__).parents[2] / "learn" / "algorithms"
WORDS = {  # of a method, and of a hyper-parameter, which move no number
    "Algorithm": set(KINDS["algorithm"].words),
    "Setting": {"exponents", "choices"},
}
LEFT_OUT = {"ctx", "kind", "type_comment", "type_params", "annotation", "returns"}
PLACE = re.compile(r"([a-z0-9_]+):([A-Za-z_][A-Za-z0-9_]*)")

Definition = ast.stmt | tuple[str, str]  # a statement, or the file and name that it is taken from


def code_of(place: str) -> str | None:
    """16 hex digits that stand for the code of the method at ``place``, ``proden:PRODEN``.

    Equal digits: the same code. None where there is no such method, or no source to read.

    >>> code_of("cc:CC") == code_of("cc:CC") != code_of("proden:PRODEN")
    True
    """
    found = PLACE.fullmatch(place)
    if found is None:
        return None
    reached: dict[tuple[str, str], str] = {}
    try:
        _reach(found[1], found[2], reached)
    except (OSError, SyntaxError, ValueError):
        return None
    if not reached:
        return None
    text = "\n".join(f"{file}:{name} {reached[file, name]}" for file, name in sorted(reached))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _reach(file: str, name: str, reached: dict[tuple[str, str], str]) -> None:
    """Note what a name of a file stands for, and everything that this needs."""
    if (file, name) in reached:
        return
    known = _definitions(FOLDER / f"{file}.py")
    what = known.get(name)
    if isinstance(what, tuple):
        _reach(*what, reached)
    # the classes of private files are the contract with the loop, which tests hold
    if not isinstance(what, ast.stmt) or (isinstance(what, ast.ClassDef) and file[0] == "_"):
        return
    plain = _without_words(what)
    reached[file, name] = _plain(plain)
    for node in ast.walk(plain):
        if isinstance(node, ast.Name) and node.id in known:
            _reach(file, node.id, reached)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = known.get(node.value.id)
            if isinstance(module, tuple) and not module[1]:
                _reach(module[0], node.attr, reached)


@cache
def _definitions(path: Path) -> dict[str, Definition]:
    """What the names of a file stand for; those from elsewhere than these files are left out."""
    found: dict[str, Definition] = {}
    for statement in ast.parse(path.read_bytes()).body:
        if isinstance(statement, ast.ImportFrom) and statement.level == 1:
            for alias in statement.names:
                mine = alias.asname or alias.name
                found[mine] = (statement.module or alias.name, alias.name * bool(statement.module))
        elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
            found[statement.name] = statement
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for node in (node for target in targets for node in ast.walk(target)):
                if isinstance(node, ast.Name):
                    found[node.id] = statement
    return found


def _without_words(node: ast.AST) -> ast.AST:
    """The same without a method's texts about itself and what searches know of its space."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            words = WORDS.get(call.func.id, set())
            call.keywords = [one for one in call.keywords if one.arg not in words]
    return node


def _plain(node: ast.AST) -> str:
    """A tree as text, the same for every version of Python; no docstrings, no annotations."""
    return f"{type(node).__name__}({','.join(_parts(node))})"


def _parts(node: ast.AST) -> Iterator[str]:
    for name, value in ast.iter_fields(node):
        if name in LEFT_OUT or value is None or value == []:
            continue
        if name == "body" and isinstance(value, list) and _is_text(value[0]):
            value = value[1:]
        values = value if isinstance(value, list) else [value]
        texts = (_plain(one) if isinstance(one, ast.AST) else repr(one) for one in values)
        yield f"{name}={' '.join(texts)}"


def _is_text(statement: ast.AST) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
