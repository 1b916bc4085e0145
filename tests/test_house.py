"""The structure, walked: imports go one way, heavy ones wait, names stay public."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import candidly

SRC = Path(candidly.__file__).parent

# files of the package's top folder that are one room together
ROOM_OF = {
    name: room
    for room, names in {
        "labelled": "_splits _stored describe labelled storage votes",
        "ground": "_arrays _checks _cluster _compiled _convert _device _escapes _files _grid_cells"
        " _label_text _layout _logits _names _net_folders _net_text _numbers _policy _process _seen"
        " _spread _tables _version _view_text grid metrics plugins seeds",
        "criteria": "_flip_rate _noisy_accuracy criteria",
    }.items()
    for name in names.split()
}

MAY = {  # who may import whom
    room: set(names.split())
    for room, names in {
        "ground": "",
        "inputs": "ground",
        "labelled": "ground inputs",
        "ingest": "ground inputs labelled",
        "stats": "",
        "criteria": "ground",
        "nets": "ground inputs",
        "algorithms": "ground nets",
        "views": "ground",
        "examples": "ground",
        "engine": "ground inputs labelled criteria nets algorithms views",
        "model": "ground inputs labelled ingest criteria nets algorithms engine",
        "contract": "ground labelled nets algorithms engine",
        "crossval": "ground inputs labelled ingest nets algorithms engine model",
        "estimators": "ground labelled criteria model crossval errors",
        "crowd": "ground labelled ingest",
        "errors": "ground ingest stats crossval",
        "validation": "ground labelled ingest stats crowd",
        "detectors": "ground inputs labelled stats nets algorithms engine crossval errors",
        "stability": "ground stats validation",
        "imperfect": "ground inputs labelled ingest",
        "sources": "ground inputs labelled ingest validation",
        "sweep": "ground inputs labelled stats criteria nets algorithms engine",
        "tracking": "ground sweep",
        "report": "ground labelled ingest stats crowd errors validation stability sweep challenge "
        "build",
        "review": "ground labelled ingest stats validation",
        "web": "ground ingest report review",
        "challenge": "ground labelled stats errors model crossval detectors",
        "checking": "ground inputs labelled ingest crossval errors sources report",
        "build": "ground inputs labelled ingest validation imperfect crossval",
        "benchmarking": "ground labelled ingest imperfect sources sweep",
        "cli": "ground inputs labelled ingest algorithms views engine model crossval crowd errors "
        "validation detectors stability imperfect sources sweep report review web checking "
        "benchmarking challenge build tracking contract examples",
        "__main__": "cli",
    }.items()
}


def room(path: Path) -> str:
    name = path.relative_to(SRC).parts[0].removesuffix(".py")
    return ROOM_OF.get(name, name)


Trees = dict[Path, ast.Module]


def trees_of(root: Path) -> Trees:
    """Every Python file under a folder, parsed."""
    return {path: ast.parse(path.read_text()) for path in sorted(root.rglob("*.py"))}


@pytest.fixture(scope="module")
def sources() -> Trees:
    return trees_of(SRC)


def imported_rooms(path: Path, tree: ast.Module) -> set[str]:
    """Rooms of the package that a file names in imports, wherever they stand."""
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
                found.add(ROOM_OF.get(parts[1], parts[1]))
    return found


def test_imports_go_one_way(sources):
    rooms = {path: room(path) for path in sources if room(path) != "__init__"}
    assert set(MAY) == set(rooms.values())  # MAY says what each may import, and has no others
    wrong = {}
    for path, mine in rooms.items():
        named = imported_rooms(path, sources[path]) & MAY.keys() - {mine}
        if not named <= MAY[mine]:
            wrong[path.relative_to(SRC).as_posix()] = named - MAY[mine]
    assert wrong == {}


def test_the_directions_have_no_cycle():
    done: set[str] = set()
    left = dict(MAY)
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


def private_imports(root: Path, room_of: dict[str, str], trees: Trees) -> set[str]:
    """Private names that a file of a package takes from another room, as ``FILE: NAME``.

    A name is private if a part of it begins with one underscore. The files of the ground are
    everybody's, whatever their names; what is private in them is not. ``room_of`` gives the room of
    files in the top folder that are not rooms themselves.
    """
    found = set()
    for path, tree in trees.items():
        inside = path.relative_to(root)
        mine = inside.parts[0].removesuffix(".py")
        mine = room_of.get(mine, mine)
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
            room = room_of.get(parts[0], parts[0])
            if room == "ground":
                parts = parts[1:]
            if room != mine and any(part[0] == "_" != part[:2][1:] for part in parts):
                found.add(f"{inside.as_posix()}: {name}")
    return found


def test_no_room_takes_another_rooms_private_names(sources):
    assert private_imports(SRC, ROOM_OF, sources) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from .._ground import f", set()),
        ("from .._ground import _f", {"q/a.py: p._ground._f"}),
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
    plant(root, {"q/a": text, "_ground": "", "_top": "", "r/_b": ""})
    assert private_imports(root, {"_ground": "ground", "_top": "top"}, trees_of(root)) == expected


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


def test_every_public_name_is_there():
    for name in candidly.__all__:
        assert getattr(candidly, name) is not None
    assert set(candidly.__all__) <= set(dir(candidly))
    with pytest.raises(AttributeError, match="no attribute"):
        _ = candidly.benchmrk


def test_no_function_hides_behind_a_module_of_its_name():
    # importing candidly.benchmark, were there such a module, would replace candidly.benchmark
    for name in candidly.__all__:
        module = (SRC / f"{name}.py").exists() or (SRC / name).is_dir()
        assert module == isinstance(getattr(candidly, name), type(ast)), name


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
