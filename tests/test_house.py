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
        "labelled": "_checks _convert _inputs _stored describe labelled storage votes",
        "ground": "_arrays _compiled _device _files grid _label_text _names _numbers _process"
        " _tables _version seeds",
        "train": "batches moving stack suspicion train",
        "criteria": "_flip_rate _logits _transition",
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
        "nets": "ground",
        "optim": "",
        "algorithms": "ground nets",
        "examples": "ground inputs labelled",
        "train": "ground nets optim algorithms examples",
        "checkpoint": "ground train",
        "evaluate": "labelled criteria train",
        "model": "ground labelled nets algorithms examples train",
        "crossval": "ground inputs labelled ingest nets algorithms examples train model",
        "crowd": "ground labelled",
        "errors": "ground ingest stats crossval",
        "validation": "ground labelled ingest stats crowd",
        "detectors": "ground inputs labelled stats nets algorithms examples train crossval errors",
        "stability": "ground stats criteria validation",
        "imperfect": "ground inputs labelled ingest",
        "sources": "ground labelled ingest validation",
        "sweep": "ground labelled stats criteria nets algorithms examples train checkpoint "
        "evaluate",
        "report": "ground ingest stats crowd errors validation stability sweep",
        "review": "ground labelled ingest stats validation",
        "web": "ground ingest report review",
        "checking": "ground inputs labelled ingest crossval errors sources report",
        "_benchmark": "ground labelled ingest imperfect sources sweep",
        "cli": "ground labelled ingest algorithms crossval crowd errors validation detectors "
        "stability imperfect sources sweep report review web checking _benchmark",
        "__main__": "cli",
    }.items()
}


def room(path: Path) -> str:
    name = path.relative_to(SRC).parts[0].removesuffix(".py")
    return ROOM_OF.get(name, name)


def imported_rooms(path: Path) -> set[str]:
    """Rooms of the package that a file names in imports, wherever they stand."""
    package = ("candidly", *path.relative_to(SRC).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
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


FILES = sorted(p for p in SRC.rglob("*.py") if room(p) != "__init__")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_imports_go_one_way(path):
    mine = room(path)
    assert mine in MAY, f"say in MAY what {mine} may import"
    known = {room(p) for p in FILES}
    assert imported_rooms(path) & known - {mine} <= MAY[mine]


def test_the_directions_have_no_cycle():
    done: set[str] = set()
    left = dict(MAY)
    while left:
        free = [n for n, others in left.items() if others <= done]
        assert free, f"a cycle among {sorted(left)}"
        done |= set(free)
        left = {n: o for n, o in left.items() if n not in done}


# circles between files


def imported_files(root: Path) -> dict[str, set[str]]:
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

    files = {name_of(path): path for path in root.rglob("*.py")}
    found = {}
    for name, path in files.items():
        face = path.name == "__init__.py"
        package = name.split(".")[: None if face else -1]
        tree = ast.parse(path.read_text())
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


def test_no_files_import_each_other_in_a_circle():
    assert circles(imported_files(SRC)) == set()


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
    assert circles(imported_files(tmp_path / "p")) == expected


def test_there_is_no_room_that_is_not_there():
    assert set(MAY) == {room(p) for p in FILES}


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


def test_no_pickle_and_no_eval():
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {a.name for a in node.names} | {getattr(node, "module", "") or ""}
                assert not names & {"pickle", "dill", "joblib", "shelve", "marshal"}, path
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("eval", "exec", "torch.load", "torch.save"), path
                for keyword in node.keywords:
                    if keyword.arg == "allow_pickle":
                        assert ast.unparse(keyword.value) == "False", path
