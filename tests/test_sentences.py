"""No sentence says more than its evidence: of strings in the package, and of the pages."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
WIDE = re.compile(r"\blooks? wrong\b|\blooking wrong\b", re.IGNORECASE)
# who says it of one row, or of something else than a label
MAY = {
    "src/candidly/data/ingest/_text.py",  # letters of a file that was read in another encoding
    "src/candidly/learn/algorithms/data_parameters.py",  # rows to a network that is being trained
    "docs/algorithms.md",  # the same, there
    "src/candidly/compare/challenge/entries/knn-vote/vote.py",  # a row to its neighbours
    "src/candidly/compare/challenge/entries/el2n/manifest.json",  # a strangers' entry about itself
}
OF_PEOPLE = sorted(
    str(path.relative_to(ROOT))
    for path in [
        *ROOT.glob("src/candidly/**/*"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("docs/**/*.ipynb"),
        ROOT / "README.md",
    ]
    if path.suffix in (".py", ".html", ".js", ".json", ".md", ".ipynb", ".toml")
)


def texts(path):
    """The strings of a module; of another file all of it, in one line."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".py"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.JoinedStr):
                parts = (str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
                yield " ".join("".join(parts).split())
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield " ".join(node.value.split())
    else:
        yield " ".join(text.split())


def test_nothing_says_that_labels_look_wrong():
    found = {path for path in OF_PEOPLE if any(map(WIDE.search, texts(path)))}
    assert found == MAY


def test_the_search_finds_it(tmp_path):
    (tmp_path / "one.py").write_text('n = 3\nprint(f"{n} labels\\nlook wrong")\n')
    assert any(WIDE.search(text) for text in texts(str(tmp_path / "one.py")))
