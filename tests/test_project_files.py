"""Files around the code: what they say of versions, dependencies, targets and checks agrees."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import candidly
from long_description import NOTE, long_description

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
FOR_DEVELOPERS = {"dev", "docs"}  # extras that no feature of the package needs


def name_of(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", requirement)[0]).lower()


def recipe(target: str) -> list[str]:
    """A target's commands, without the folder of the environment's programs."""
    body = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert body, target
    return [line.strip().removeprefix("$(BIN)/") for line in body[1].splitlines()]


# versions


def test_every_file_that_names_the_version_names_the_same():
    version = PROJECT["project"]["version"]
    assert candidly.__version__ == version
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version
    sections = re.findall(r"^## \[(\S+)\] - ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert sections[0] == version


# dependencies


def third_party() -> dict[str, list[str]]:
    """Top modules that the package imports and that are neither Python's nor its own: where."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "src" / "candidly").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in names:
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names and top != "candidly":
                    found.setdefault(top, []).append(path.relative_to(ROOT).as_posix())
    return found


BROUGHT = {"pydantic-core": "pydantic"}  # pins it to one version, so that it is no choice of ours


def test_what_the_package_imports_is_declared():
    declared = {name_of(r) for r in PROJECT["project"]["dependencies"]}
    for extra in EXTRAS.keys() - FOR_DEVELOPERS:
        declared |= {name_of(r) for r in EXTRAS[extra]}
    distributions = importlib.metadata.packages_distributions()
    for module, where in third_party().items():
        names = {name_of(name) for name in distributions.get(module, [module])}
        names |= {BROUGHT[name] for name in names & BROUGHT.keys()}
        assert names & declared, (module, where)


def test_messages_and_pages_name_extras_that_exist():
    pages = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    for page in pages:
        text = page.read_text()
        named = [*re.findall(r"install '[^'\n]*\[([a-z,]+)\]'", text)]
        named += re.findall(r"\binstall\(['\"]([a-z]+)['\"]\)", text)
        for extras in named:
            assert set(extras.split(",")) <= EXTRAS.keys(), page


def test_all_is_every_extra_of_a_feature():
    (whole,) = EXTRAS["all"]
    named = set(whole.removeprefix("candidly[").removesuffix("]").split(","))
    assert named == EXTRAS.keys() - FOR_DEVELOPERS - {"all"}


def test_every_dependency_has_a_pin():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {name_of(line) for line in lines if "==" in line}
    asked = [
        PROJECT["project"]["dependencies"],
        *EXTRAS.values(),
        PROJECT["build-system"]["requires"],
    ]
    names = {name_of(requirement) for group in asked for requirement in group}
    assert names - pinned - {"candidly"} == set()


# what an index shows


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[docs/a.md](docs/a.md)", "`docs/a.md`"),
        ("[docs/a.md](docs/a.md#b)", "`docs/a.md`"),
        ("[the page](docs/a.md#b)", "the page (`docs/a.md`)"),
        ("[below](#more)", "below"),
        ("[a](https://example.org/b.md)", "[a](https://example.org/b.md)"),
        ("![Two rows](docs/a.png)", "*(Picture: Two rows.)*"),
        ("![Two rows](https://example.org/a.png)", "![Two rows](https://example.org/a.png)"),
        ("```text\n[a](b.md)\n```\n[a](b.md)", "```text\n[a](b.md)\n```\na (`b.md`)"),
    ],
)
def test_links_and_pictures_that_lead_nowhere_become_text(text, expected):
    assert long_description(f"# Title\n\n{text}\n") == f"# Title\n\n{NOTE}\n\n{expected}\n"


def test_the_readme_on_an_index_leads_nowhere_wrong():
    shown = long_description((ROOT / "README.md").read_text())
    assert re.findall(r"\]\((?!https?:|mailto:)[^)]*\)", shown) == []
    assert shown.count("```") == (ROOT / "README.md").read_text().count("```")


# what is checked where


@pytest.fixture(scope="module")
def workflow():
    return yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())


def test_the_workflow_calls_targets_that_exist(workflow):
    (job,) = workflow["jobs"].values()
    parts = [part["targets"].split() for part in job["strategy"]["matrix"]["part"]]
    assert parts == [["check", "test"], ["test-all", "release"]]
    assert {target for part in parts for target in part} <= TARGETS
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert "make ${{ matrix.part.targets }}" in commands
    assert sum("make " in command for command in commands) == 1


def test_the_workflow_says_which_versions_are_tested(workflow):
    (job,) = workflow["jobs"].values()
    versions = job["strategy"]["matrix"]["python"]
    assert versions == ["3.11", "3.12", "3.13"]
    untested = re.findall(r"\d\.\d+", job["continue-on-error"])
    listed = [c.rpartition(" ")[2] for c in PROJECT["project"]["classifiers"]]
    listed = [version for version in listed if re.fullmatch(r"3\.\d+", version)]
    assert [version for version in versions if version not in untested] == listed
    assert PROJECT["project"]["requires-python"] == f">={versions[0]}"


def test_the_workflow_may_read_alone_and_pins_what_it_uses(workflow):
    assert workflow["permissions"] == {"contents": "read"}
    (job,) = workflow["jobs"].values()
    assert "permissions" not in job
    uses = [step["uses"] for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", action) for action in uses)
    assert workflow["env"]["CI"] == "true"


def test_a_commit_is_checked_as_by_make_check():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    (repository,) = config["repos"]
    assert repository["repo"] == "local"
    hooks = repository["hooks"]
    assert {hook["language"] for hook in hooks} == {"system"}  # nothing is downloaded
    assert not any(hook["pass_filenames"] for hook in hooks)
    assert [hook["entry"] for hook in hooks] == recipe("check")


# what the guides name


GUIDES = ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
PYTHON = [p for room in ("src", "tests", "bench", "studies") for p in (ROOT / room).rglob("*.py")]
# where paths may begin
BELOW = (
    "",
    "src/candidly",
    "src/candidly/compare/challenge",
    "src/candidly/people/web/templates",
    "tests",
    "tests/people/web",
)


@pytest.mark.parametrize("guide", GUIDES)
def test_links_of_the_guides_lead_somewhere(guide):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", (ROOT / guide).read_text()):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def spans(guide: str) -> set[str]:
    """What stands as code in a guide's sentences."""
    text = re.sub(r"^```.*?^```", "", (ROOT / guide).read_text(), flags=re.DOTALL | re.MULTILINE)
    return {" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)}


def is_there(path: str) -> bool:
    """Whether it is a file or folder of the repository; a bare name of a test is one anywhere."""
    if any(list((ROOT / base).glob(path)) for base in BELOW if (ROOT / base).exists()):
        return True
    return path.startswith("test_") and any((ROOT / "tests").rglob(path))


@pytest.mark.parametrize("guide", GUIDES[:2])
def test_files_tests_tables_and_targets_of_the_guides_are_there(guide):
    defined = "\n".join(path.read_text() for path in PYTHON)
    for span in spans(guide):
        if "NAME" in span or "FILE" in span or span in ("dist/", "site/"):
            continue  # a placeholder, or what a copy may lack
        if re.fullmatch(r"\.?[\w./*-]+(\.(py|md|toml|txt|yml|cff|html)|/)", span):
            assert is_there(span), span
        elif re.fullmatch(r"test_\w+", span):
            assert f"def {span}(" in defined, span
        elif re.fullmatch(r"_?[A-Z]+(_[A-Z]+)*", span):  # a table, or a variable of the environment
            assert re.search(rf'^{span}\b|"{span}"', defined, re.MULTILINE), span
        elif span.startswith("make "):
            assert set(span.split()[1:]) <= TARGETS, span
