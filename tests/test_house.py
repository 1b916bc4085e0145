"""The structure, walked: imports go one way, heavy ones wait, names stay public."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import candidly

SRC = Path(candidly.__file__).parent

FACES = ("data", "people", "learn", "errors", "compare")  # wings whose __init__ is for users

# the wings, in the order in which imports run down, and which of those before it each may know
MAY = {
    wing: set(names.split())
    for wing, names in {
        "ground": "",
        "stats": "ground",
        "show": "ground stats",
        "data": "ground",
        "people": "ground stats show data",
        "learn": "ground stats data",
        "errors": "ground stats show data learn",
        "compare": "ground stats show data people learn errors",
        "cli": "ground show data people learn errors compare",
    }.items()
}
WINGS = tuple(MAY)
TOP = {"__init__", "__main__"}  # files that are in no wing


def wing_of(parts: Sequence[str]) -> str:
    return parts[0].removesuffix(".py")


def room_of(parts: Sequence[str], root: Path = SRC) -> str:
    """The folder in a wing that a file or a dotted name belongs to; else the wing itself."""
    wing = wing_of(parts)
    inside = len(parts) > 1 and wing != "cli" and (root / wing / parts[1]).is_dir()
    return f"{wing}/{parts[1]}" if inside else wing


Trees = dict[Path, ast.Module]


def trees_of(root: Path) -> Trees:
    """Every Python file under a folder, parsed."""
    return {path: ast.parse(path.read_text()) for path in sorted(root.rglob("*.py"))}


@pytest.fixture(scope="module")
def sources() -> Trees:
    return trees_of(SRC)


def imported(path: Path, tree: ast.Module) -> set[tuple[str, ...]]:
    """Names of the package that a file takes in imports, wherever they stand, by their parts."""
    package = ("candidly", *path.relative_to(SRC).parent.parts)
    found = set()
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *((node.module or "").split(".") if node.module else ())))
            names = [f"{module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "candidly" and len(parts) > 1:
                found.add(tuple(parts[1:]))
    return found


def test_everything_is_in_a_wing():
    top = {path.name for path in SRC.iterdir()} - {"__pycache__"}
    assert top == {*WINGS, *(f"{name}.py" for name in TOP), "py.typed"}
    assert len(top) <= 12
    for place, wing in enumerate(WINGS):
        assert MAY[wing] <= set(WINGS[:place]), wing


def test_imports_run_down(sources):
    wrong, known = {}, {wing: set() for wing in WINGS}
    for path, tree in sources.items():
        file = path.relative_to(SRC)
        if (mine := wing_of(file.parts)) in TOP or is_face(file):
            continue
        named = {wing_of(parts) for parts in imported(path, tree)} & MAY.keys() - {mine}
        known[mine] |= named & MAY[mine]
        if beyond := named - MAY[mine]:
            wrong[file.as_posix()] = beyond
    assert wrong == {}
    assert known == MAY  # which promises nothing that nobody needs


def is_face(file: Path) -> bool:
    """Whether a file is what users import of a wing: names from its rooms, loaded on first use."""
    return len(file.parts) == 2 and file.parts[1] == "__init__.py" and file.parts[0] in FACES


def test_nothing_within_takes_a_name_from_a_face(sources):
    # which would load on first use what stands above it, and be one name more for the same thing
    wrong = set()
    for path, tree in sources.items():
        file = path.relative_to(SRC)
        if wing_of(file.parts) in TOP or "entries" in file.parts:
            continue
        for wing, *rest in imported(path, tree):
            place = SRC / wing / rest[0] if rest else SRC
            if wing in FACES and not (place.is_dir() or place.with_suffix(".py").exists()):
                wrong.add(f"{file.as_posix()}: candidly.{wing}.{rest[0]}")
    assert wrong == set()


def test_rooms_of_a_wing_have_no_cycle(sources):
    knows: dict[str, set[str]] = {}
    for path, tree in sources.items():
        file = path.relative_to(SRC)
        if wing_of(file.parts) in TOP or is_face(file):
            continue
        mine = room_of(file.parts)
        others = {room_of(name) for name in imported(path, tree)}
        knows.setdefault(mine, set()).update(others - {mine})
    for wing in WINGS:
        left = {
            room: {other for other in others if other.split("/")[0] == wing}
            for room, others in knows.items()
            if room.split("/")[0] == wing
        }
        done: set[str] = set()
        while left:
            free = [n for n, others in left.items() if others <= done]
            assert free, f"a cycle among {sorted(left)}"
            done |= set(free)
            left = {n: o for n, o in left.items() if n not in done}


# circles between files


def imported_files(root: Path, trees: Trees) -> dict[str, set[str]]:
    """Which file of a package names which other in an import, by dotted names.

    Imports count wherever they stand: in a function and under TYPE_CHECKING, too. What names a
    module means its file. Any other name means the ``__init__`` that it is taken from, so a file
    that takes a name from its own package is in a circle with it, if that imports the file. An
    ``__init__`` that calls ``import_module`` imports every file of its folder that it has in a
    string.
    """

    def name_of(path: Path) -> str:
        return ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        )

    files = {name_of(path): path for path in trees}
    found = {}
    for name, path in files.items():
        face = path.name == "__init__.py"
        package = name.split(".")[: None if face else -1]
        tree = trees[path]
        named = set()
        by_string = face and "import_module" in ast.unparse(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                base = package[: len(package) - node.level + 1] if node.level else []
                module = ".".join([*base, *([node.module] if node.module else [])])
                inside = {f"{module}.{alias.name}" for alias in node.names}
                named |= inside & files.keys()
                named |= {module} if inside - files.keys() else set()
            elif by_string and isinstance(node, ast.Constant):
                named.add(f"{name}.{node.value}")
        found[name] = named & files.keys() - {name}
    return found


def circles(imports: dict[str, set[str]]) -> set[tuple[str, ...]]:
    """Files that reach each other by imports, and so themselves: one tuple a circle, sorted."""
    reached = {}
    for name in imports:
        seen: set[str] = set()
        left = [name]
        while left:
            new = imports[left.pop()] - seen
            seen |= new
            left += new
        reached[name] = seen
    return {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in imports
        if name in reached[name]
    }


def test_no_files_import_each_other_in_a_circle(sources):
    assert circles(imported_files(SRC, sources)) == set()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a": "from . import b", "b": "import os"}, set()),
        ({"a": "from . import b", "b": "from .a import f"}, {("p.a", "p.b")}),
        ({"a": "from p.b import f", "b": "def f():\n    import p.a"}, {("p.a", "p.b")}),
        (
            {"a": "from .b import C", "b": "if TYPE_CHECKING:\n    from .a import D"},
            {("p.a", "p.b")},
        ),
        (
            {"a": "from .b import f", "b": "from .c import f", "c": "from .a import f"},
            {("p.a", "p.b", "p.c")},
        ),
        ({"__init__": "from .a import f", "a": "from .b import f", "b": ""}, set()),
        ({"__init__": "from .a import f", "a": "from . import b", "b": ""}, set()),
        ({"__init__": "from .a import f", "a": "from . import g"}, {("p", "p.a")}),
        ({"__init__": "import_module('.' + 'a')", "a": "from p import g"}, {("p", "p.a")}),
        ({"__init__": "'a'", "a": "from p import g"}, set()),
    ],
)
def test_circles_are_found(tmp_path, files, expected):
    for name, text in files.items():
        (tmp_path / "p").mkdir(exist_ok=True)
        (tmp_path / "p" / f"{name}.py").write_text(text)
    (tmp_path / "p" / "__init__.py").touch()
    assert circles(imported_files(tmp_path / "p", trees_of(tmp_path / "p"))) == expected


# names


def doubled_classes(root: Path, trees: Trees) -> dict[str, list[str]]:
    """Class names that a package defines more than once, and the files that do."""
    files: dict[str, list[str]] = {}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                files.setdefault(node.name, []).append(path.relative_to(root).as_posix())
    return {name: where for name, where in files.items() if len(where) > 1}


def test_no_two_classes_share_a_name(sources):
    assert doubled_classes(SRC, sources) == {}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a": "class A: ...", "b": "class B: ..."}, {}),
        ({"a": "class A: ...", "b": "from .a import A"}, {}),
        ({"a": "class A: ...", "b": "class A: ..."}, {"A": ["a.py", "b.py"]}),
        ({"a": "class A: ...", "r/b": "class A: ..."}, {"A": ["a.py", "r/b.py"]}),
        ({"a": "class A: ...\ndef f():\n    class A: ..."}, {"A": ["a.py", "a.py"]}),
        ({"a": "class A: ...", "b": "class B:\n    class A: ..."}, {"A": ["a.py", "b.py"]}),
    ],
)
def test_doubled_classes_are_found(tmp_path, files, expected):
    plant(tmp_path, files)
    assert doubled_classes(tmp_path, trees_of(tmp_path)) == expected


def private_imports(root: Path, trees: Trees, files: Path | None = None) -> set[str]:
    """Private names that a file takes from another room of a package, as ``FILE: NAME``.

    A name is private if a part of it begins with one underscore. ``files``: the folder of the
    files, where that is another one with the same rooms.
    """
    found = set()
    for path, tree in trees.items():
        inside = path.relative_to(files or root)
        mine = room_of(inside.parts, root)
        package = (root.name, *inside.parent.parts)
        taken, modules = set(), {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                taken |= {alias.name for alias in node.names}
                modules |= {alias.asname: alias.name for alias in node.names if alias.asname}
            elif isinstance(node, ast.ImportFrom):
                base = package[: len(package) - node.level + 1] if node.level else ()
                module = ".".join((*base, *([node.module] if node.module else [])))
                taken |= {f"{module}.{alias.name}" for alias in node.names}
                modules |= {a.asname or a.name: f"{module}.{a.name}" for a in node.names}
        for node in ast.walk(tree):  # what is taken from a module that was imported: module._name
            if isinstance(node, ast.Attribute):
                first, *rest = ast.unparse(node).split(".")
                if first in modules and modules[first].startswith(root.name):
                    taken.add(".".join([modules[first], *rest]))
        for name in taken:
            top, *parts = name.split(".")
            if top != root.name or not parts:
                continue
            room = room_of(parts, root)
            if room != mine and any(part[0] == "_" != part[:2][1:] for part in parts):
                found.add(f"{inside.as_posix()}: {name}")
    return found


def test_no_room_takes_another_rooms_private_names(sources):
    assert private_imports(SRC, sources) == set()


# what tests of another room may look at: there is no public way to the same
LOOKED_AT = {
    "cli._hyper",
    "cli._words",
    "data.ingest.media._bare_sounds",
    "data.ingest.media._squares",
    "data.sources._cifar_names",
    "errors.checking._opened",
    "errors.confident._labels",
    "errors.confident._work",
    "errors.crossval._duplicates",
    "learn.algorithms._algorithm",
    "learn.algorithms._rates",
    "learn.nets.hf._folder",
    "learn.nets.hf._names",
    "learn.written.views._SOURCES",
    "people.review._cards",
    "people.review._orders",
    "people.web._looks",
    "plugins._LOADED",
    "plugins._OWNER",
    "plugins._remove",
}


def test_no_test_takes_private_names_of_a_room_that_it_is_not_of():
    """Tests of a room stand in a folder of the same name, and may look into that room."""
    tests = Path(__file__).parent
    taken = private_imports(SRC, trees_of(tests), tests)
    names = {re.match(r".*?: candidly\.(.*?\b_\w+)", one)[1] for one in taken}
    assert names == LOOKED_AT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from .b import _f", set()),
        ("from . import _b", set()),
        ("from ..r import f", set()),
        ("from ..r import __version__", set()),
        ("from ..r import _f", {"q/a.py: p.r._f"}),
        ("from ..r import _f as f", {"q/a.py: p.r._f"}),
        ("from ..r._b import f", {"q/a.py: p.r._b.f"}),
        ("from .. import _top", {"q/a.py: p._top"}),
        ("from .._top import f", {"q/a.py: p._top.f"}),
        ("def f():\n    from p.r._b import g", {"q/a.py: p.r._b.g"}),
        ("if TYPE_CHECKING:\n    from ..r._b import G", {"q/a.py: p.r._b.G"}),
        ("import p.r._b", {"q/a.py: p.r._b"}),
        ("from .. import r\nr._f()", {"q/a.py: p.r._f"}),
        ("from ..r import C\nC._make()", {"q/a.py: p.r.C._make"}),
        ("import numpy._core", set()),
    ],
)
def test_private_imports_are_found(tmp_path, text, expected):
    root = tmp_path / "p"
    plant(root, {"q/a": text, "_top": "", "r/_b": ""})
    assert private_imports(root, trees_of(root)) == expected


def plant(root: Path, files: dict[str, str]) -> None:
    """Files of a package by name, with their text."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / f"{name}.py").write_text(text)


def python(code: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize(
    "code", ["import candidly", "import candidly.cli", "import candidly; candidly.load"]
)
def test_heavy_imports_wait(code):
    heavy = ("torch", "numba", "sklearn", "matplotlib", "pandas", "scipy", "polars", "sqlalchemy")
    done = python(f"{code}\nimport sys\nprint([m for m in {heavy} if m in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("code", ["import candidly.errors", "from candidly.errors import Network"])
def test_label_errors_load_no_learner(code):
    heavy = ("torch", "sklearn", "matplotlib", "pandas", "polars")
    done = python(f"{code}\nimport sys\nprint([m for m in {heavy} if m in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


def test_the_version_is_the_packages():
    from importlib.metadata import version

    assert candidly.__version__ == version("candidly")


def test_no_pickle_and_no_eval(sources):
    for path, tree in sources.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {a.name for a in node.names} | {getattr(node, "module", "") or ""}
                if names == {"joblib", "Parallel", "delayed"}:  # processes, and no files
                    continue
                assert not names & {"pickle", "dill", "joblib", "shelve", "marshal"}, path
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("eval", "exec", "torch.save"), path
                if called == "torch.load":  # which runs nothing, then
                    assert "weights_only=True" in ast.unparse(node), path
                for keyword in node.keywords:
                    if keyword.arg == "allow_pickle":
                        assert ast.unparse(keyword.value) == "False", path


NUMBER = re.compile(r"^(int|float)\b(?!\[)|\| (int|float)\b|Annotated\[(Any|int|float)\b")


def fallbacks(tree: ast.AST):
    """``number or something`` where it is a value, and not a condition: a parameter of numbers."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        numbers = {
            one.arg
            for one in arguments
            if one.annotation is not None and NUMBER.search(ast.unparse(one.annotation))
        }
        tests = {
            node.test
            for node in ast.walk(function)
            if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert)
        }
        for node in ast.walk(function):
            if (
                isinstance(node, ast.BoolOp)
                and isinstance(node.op, ast.Or)
                and node not in tests
                and isinstance(node.values[0], ast.Name)
                and node.values[0].id in numbers
                and not (isinstance(last := node.values[-1], ast.Constant) and last.value == 0)
            ):
                yield node.lineno, ast.unparse(node)


def test_zero_is_a_number_that_was_given(sources):
    """No number gives way by ``or`` to what is usual: 0 is refused, or does what it says."""
    planted = (
        "def f(n: int | None, k: float = 1.0):\n    if n or k:\n        pass\n    return n or 3"
    )
    assert [*fallbacks(ast.parse(planted))] == [(4, "n or 3")]
    found = {path: [*fallbacks(tree)] for path, tree in sources.items()}
    assert {path: places for path, places in found.items() if places} == {}


def test_the_codes_own_words_are_few_and_are_said_in_one_place():
    """Beside those of the glossary, which users read, too."""
    docs = Path(__file__).parents[1] / "docs"
    section = re.search(r"## Words\n(.*?)\n## ", (docs / "design.md").read_text(), re.S)[1]
    rows = re.findall(r"^\| ([a-z][^|]*?) \| ", section, re.M)[1:]
    own = [word for row in rows for word in row.split(", ")]
    glossary = (docs / "glossary.md").read_text()
    terms = {
        word.lower()
        for row in re.findall(r"^\*\*(.+?)\.\*\*", glossary, re.M)
        for word in row.split(", ")
    }
    assert 10 < len(rows) < 25
    assert not set(own) & terms
