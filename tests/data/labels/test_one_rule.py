"""Labels become classes and numbers in one place; who calls it is a door, and is listed here."""

from __future__ import annotations

import ast
from pathlib import Path

import candidly

SRC = Path(candidly.__file__).parent
RULE = "data.labels.reading"
DOORS = {  # modules that hand labels to the rule, and what comes in there
    "compare/stability/_case.py": "labels and predictions of models",
    "data/ingest/_pictures.py": "classes of folders of pictures",
    "data/ingest/_targets.py": "columns of tables",
    "data/ingest/labels.py": "files of labels alone",
    "data/labels/building.py": "arrays, lists and series",
    "learn/estimators/_labels.py": "what scikit-learn's users have",
    "people/crowd/_answers.py": "answers of annotators",
}


def imports(path: Path) -> set[str]:
    """Names of the package that a file imports, as ``module.name``, without ``candidly.``."""
    package = path.relative_to(SRC).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *(node.module or "").split(".")]).removeprefix("candidly.")
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


TAKEN = {path.relative_to(SRC).as_posix(): imports(path) for path in SRC.rglob("*.py")}


def test_labels_are_read_at_the_doors_that_are_listed():
    doors = {file for file, names in TAKEN.items() if f"{RULE}.read_labels" in names}
    assert doors == DOORS.keys()


def test_only_the_rule_takes_text_apart():
    parsing = {f"data.labels.text.{name}" for name in ("labels_in", "label_in", "check_name")}
    assert {file for file, names in TAKEN.items() if names & parsing} == {"data/labels/reading.py"}


def test_only_the_rule_makes_names_of_numbers():
    """Nobody else writes that classes are called "0", "1", … for as many as there are labels."""
    makers = set()
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            text = ast.unparse(node) if isinstance(node, ast.Call | ast.GeneratorExp) else ""
            if "range(" in text and ".max()" in text and "str(" in text and len(text) < 120:
                makers.add(path.relative_to(SRC).as_posix())
    assert makers <= {"people/review/_items.py"}  # numbers that errors find wrote
