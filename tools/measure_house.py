"""The structure of the house in numbers: lines, floors, private names that cross rooms, calls.

    python tools/measure_house.py [--json]

Lines are counted as they stand in the files. A floor of rooms (or of files) is one step of the
longest chain of imports, wherever in a file they stand; files that import one another count as one.
A call is traced in a process of its own, after one call that loads everything.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src" / "candidly"
Graph = dict[str, set[str]]


def lines_of(folder: Path) -> int:
    """The lines of every Python file of a folder."""
    return sum(len(path.read_text().splitlines()) for path in folder.rglob("*.py"))


def kinds_of_lines(trees: dict[Path, ast.Module]) -> Counter[str]:
    """How many lines are code, docstrings, blank, comments, imports or raises."""
    count: Counter[str] = Counter()
    for path, tree in trees.items():
        kind: dict[int, str] = {}
        for node in ast.walk(tree):
            name = ""
            if isinstance(node, ast.Import | ast.ImportFrom):
                name = "imports"
            elif isinstance(node, ast.Raise):
                name = "raises"
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                name = "docstrings"
            if name:
                kind |= dict.fromkeys(
                    range(node.lineno, (node.end_lineno or node.lineno) + 1), name
                )
        for at, line in enumerate(path.read_text().splitlines(), 1):
            bare = line.strip()
            plain = "blank" if not bare else "comments" if bare.startswith("#") else "code"
            count[kind.get(at, plain)] += 1
    return count


def module_of(path: Path, root: Path, package: str) -> str:
    """The dotted name of a file."""
    parts = [package, *path.relative_to(root).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def taken(tree: ast.Module, module: str, package: bool) -> Iterable[tuple[str, str]]:
    """(module, name) of everything that a file imports; the name is empty for a whole module."""
    here = module.split(".") if package else module.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            named = ".".join((*base, *([node.module] if node.module else [])))
            yield from ((named, alias.name) for alias in node.names)


def room_of(module: str) -> str:
    """The folder in a wing that a module belongs to; else the wing; the package's own files: ''."""
    _, *inner = module.split(".")
    if not inner:
        return ""
    folder = len(inner) > 1 and inner[0] != "cli" and (SRC / inner[0] / inner[1]).is_dir()
    return "/".join(inner[:2]) if folder else inner[0]


def floors(graph: Graph) -> int:
    """The number of nodes on the longest chain; a circle counts as one node."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    height: dict[str, int] = {}
    done: set[str] = set()

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
            if other not in done:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            ring = set(stack[stack.index(node) :])
            del stack[stack.index(node) :]
            done.update(ring)
            below = [height[other] for one in ring for other in graph[one] - ring]
            height.update(dict.fromkeys(ring, 1 + max(below, default=0)))

    sys.setrecursionlimit(10_000)
    for node in graph:
        if node not in index:
            visit(node)
    return max(height.values())


def graphs(trees: dict[Path, ast.Module]) -> tuple[Graph, Graph]:
    """Which file imports which, and which room knows which; faces and the top are left out."""
    modules = {module_of(path, SRC, "candidly"): path for path in trees}
    wings = {path.parent.name for path in SRC.glob("*/__init__.py")}
    faces = {"candidly", "candidly.__main__", *(f"candidly.{wing}" for wing in wings)}
    files: Graph = {module: set() for module in modules if module not in faces}
    for module in files:
        path = modules[module]
        for named, name in taken(trees[path], module, path.name == "__init__.py"):
            for target in (f"{named}.{name}", named):
                if target in files and target != module:
                    files[module].add(target)
                    break
    rooms: Graph = {}
    for module, others in files.items():
        rooms.setdefault(room_of(module), set()).update(map(room_of, others))
    return files, {room: others - {room} for room, others in rooms.items()}


def private_crossings(trees: dict[Path, ast.Module], root: Path, package: str) -> set[str]:
    """Private modules and names that a file takes of a room of candidly that is not its own.

    Tests of a room stand in a folder of the same name, and are of that room.
    """
    crossing = set()
    for path, tree in trees.items():
        module = module_of(path, root, package)
        own = room_of(module)
        for named, name in taken(tree, module, path.name == "__init__.py"):
            whole = f"{named}.{name}" if name else named
            if not whole.startswith("candidly.") or room_of(whole) == own:
                continue
            if any(part.startswith("_") and part[:2] != "__" for part in whole.split(".")):
                crossing.add(whole)
    return crossing


def traced(call: Callable[[], object]) -> dict[str, int]:
    """Files, functions and the deepest nesting of candidly's own code in one call."""
    seen: set[tuple[str, str, int]] = set()
    depth, deepest = 0, 0
    home = f"{SRC}/"

    def watch(frame, event, argument) -> None:
        nonlocal depth, deepest
        code = frame.f_code
        own = code.co_filename.startswith(home)
        if not own or (code.co_name.startswith("<") and code.co_name != "<lambda>"):
            return
        if event == "call":
            depth += 1
            deepest = max(deepest, depth)
            seen.add((code.co_filename, code.co_name, code.co_firstlineno))
        elif event == "return":
            depth -= 1

    call()  # loads what is loaded on first use
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    files = {file for file, _, _ in seen}
    return {"files": len(files), "functions": len(seen), "deepest": deepest}


def find() -> Callable[[], object]:
    """`errors.find` of labels and probabilities in arrays."""
    import numpy as np

    from candidly import errors

    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 200)
    probs = rng.dirichlet(np.ones(3), 200)
    return lambda: errors.find(labels, probs)


def fit() -> Callable[[], object]:
    """`fit` of an estimator of partial labels on a small table."""
    import numpy as np

    from candidly.learn import PartialLabelClassifier

    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 4)).astype(np.float32)
    sets = np.eye(3, dtype=bool)[rng.integers(0, 3, 60)] | (rng.random((60, 3)) < 0.3)
    return lambda: PartialLabelClassifier("proden", steps=4).fit(x, sets)


def check() -> Callable[[], object]:
    """`candidly check` of a small CSV file."""
    import numpy as np

    from candidly.cli import main

    rng = np.random.default_rng(0)
    folder = Path(tempfile.mkdtemp())
    kind = rng.integers(0, 3, 120)
    x = rng.normal(size=(120, 3)) + kind[:, None]
    rows = [",".join(map(str, (*row, "abc"[k]))) for row, k in zip(x.round(3), kind, strict=True)]
    (folder / "pets.csv").write_text("\n".join(["a,b,c,label", *rows]) + "\n")

    def call() -> None:
        sys.argv = ["candidly", "check", "pets.csv"]
        os.chdir(folder)  # where it writes what it found
        with (
            contextlib.suppress(SystemExit),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            main()

    return call


CALLS = {"errors.find(arrays)": find, "fit": fit, "check(pets.csv)": check}


def in_own_process(name: str) -> dict[str, int]:
    """A traced call, in a process that has loaded nothing else."""
    done = subprocess.run(
        [sys.executable, __file__, "--call", name], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)


def measured() -> dict[str, object]:
    """Every figure, by its name."""
    trees = {path: ast.parse(path.read_text()) for path in sorted(SRC.rglob("*.py"))}
    tests = {path: ast.parse(path.read_text()) for path in sorted((ROOT / "tests").rglob("*.py"))}
    files, rooms = graphs(trees)
    inner = private_crossings(trees, SRC, "candidly")
    outer = private_crossings(tests, ROOT / "tests", "tests")
    wings = sorted(path.parent for path in SRC.glob("*/__init__.py"))
    counted = ("src", "tests", "bench", "studies", "tools")
    return {
        "lines": {name: lines_of(ROOT / name) for name in counted if (ROOT / name).is_dir()},
        "lines of src by wing": {wing.name: lines_of(wing) for wing in wings},
        "kinds of lines in src": dict(kinds_of_lines(trees).most_common()),
        "files of src": len(trees),
        "arrows between files": sum(map(len, files.values())),
        "longest chain of files": floors(files),
        "rooms": len(rooms),
        "arrows between rooms": sum(map(len, rooms.values())),
        "floors of rooms": floors(rooms),
        "private names across rooms in src": len(inner),
        "private names taken by tests": len(outer),
        "calls": {name: in_own_process(name) for name in CALLS},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="for scripts")
    parser.add_argument("--call", choices=CALLS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.call:
        print(json.dumps(traced(CALLS[given.call]())))
        return
    figures = measured()
    if given.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        shown = value if not isinstance(value, dict) else ""
        print(f"{name}: {shown}".rstrip())
        if isinstance(value, dict):
            for part, number in value.items():
                print(f"    {part}: {number}")


if __name__ == "__main__":
    main()
