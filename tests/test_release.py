"""What is uploaded: built, looked through, installed into an empty environment, and run there."""

from __future__ import annotations

import io
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from check_release import ROOT, Installed, Release, Unfit, build, check_contents, copy_sources

FILES = ("pyproject.toml", "src/candidly/__init__.py", "src/candidly/py.typed", "tests/test_a.py")


@pytest.mark.slow
@pytest.mark.timeout(1800)  # four minutes where nothing else runs
def test_the_release_works_where_nothing_else_of_candidly_is(tmp_path):
    release = build(copy_sources(ROOT, tmp_path / "tree"), tmp_path / "dist")
    check_contents(release)
    installed = Installed(release, tmp_path, borrow=Path(sysconfig.get_path("purelib")))
    installed.check_it_is_the_wheels()
    installed.run_commands()
    ended = installed.run_tests("tests/cli", "-n", "2", "--timeout=900", "-m", "not slow")
    assert " passed" in ended


def packed(folder: Path, wheel: dict[str, str], sdist: dict[str, str]) -> Release:
    """A release of a tree that has FILES, and two that an sdist leaves out."""
    for name in (*FILES, ".ci/run", "bench/results/kill.json", "studies/mnist/results/report.json"):
        (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "tree" / name).touch()
    with zipfile.ZipFile(folder / "a-1-py3-none-any.whl", "w") as archive:
        for name, text in wheel.items():
            archive.writestr(name, text)
    with tarfile.open(folder / "a-1.tar.gz", "w:gz") as archive:
        for name, text in sdist.items():
            member = tarfile.TarInfo(f"a-1/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return Release(folder / "tree", folder / "a-1.tar.gz", folder / "a-1-py3-none-any.whl")


WHEEL = {
    "candidly/__init__.py": "",
    "candidly/py.typed": "",
    "a-1.dist-info/METADATA": "Name: a\n\n[a page](https://example.org)\n",
}
SDIST = dict.fromkeys((*FILES, "PKG-INFO"), "")


def test_what_has_all_files_and_no_others_passes(tmp_path):
    check_contents(packed(tmp_path, WHEEL, SDIST))


@pytest.mark.parametrize(
    ("wheel", "sdist", "said"),
    [
        ({"candidly/py.typed": None}, {}, "not in the wheel: candidly/py.typed"),
        ({"tests/test_a.py": ""}, {}, "in the wheel, and not among the sources: tests/test_a.py"),
        ({"candidly/a.pyc": ""}, {}, "in the wheel, and not among the sources: candidly/a.pyc"),
        ({}, {"tests/test_a.py": None}, "not in the sdist: tests/test_a.py"),
        (
            {},
            {"studies/mnist/results/report.json": ""},
            "not among the sources: studies/mnist/results/report.json",
        ),
        ({"a-1.dist-info/METADATA": "Name: a\n\n[a](docs/a.md)"}, {}, r"nowhere: \]\(docs/a.md\)"),
        ({"candidly/__init__.py": bytes(range(256)) * 12_000}, {}, "the wheel has 3.1 MB"),
    ],
)
def test_what_a_release_lacks_or_has_too_much_is_named(tmp_path, wheel, sdist, said):
    def changed(all_of_them, some):
        return {k: v for k, v in (all_of_them | some).items() if v is not None}

    with pytest.raises(Unfit, match=said):
        check_contents(packed(tmp_path, changed(WHEEL, wheel), changed(SDIST, sdist)))
