"""From a source tree to a release that has been tried: built, looked through, installed and run.

``make release`` calls it. The sdist is built from what git has and the wheel from the sdist; the
wheel is installed into an empty environment, and there run the demo and the command line's tests,
which come from the sdist, without its sources. ``tests/test_release.py`` does the same without a
network, with the dependencies of the environment that it runs in.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from email import message_from_string
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOT_SHIPPED = (
    r"\.ci/",
    "bench/results/",
    r"studies/\w+/results/",
)  # in pyproject.toml: excluded from the sdist
LEFT = (".git", ".venv", "dist", "site", "__pycache__", ".*_cache", "*.egg-info", "candidly-*")
LARGEST_MB = {"wheel": 3.0, "sdist": 6.0}  # a file above it is a mistake until somebody says why
TEST_TOOLS = ("pytest", "pytest-timeout", "pytest-xdist")


@dataclass(frozen=True)
class Release:
    """What is uploaded, and the tree that it was built from."""

    tree: Path
    sdist: Path
    wheel: Path


class Unfit(Exception):
    """What is built cannot be released; the text says why."""


def say(what: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {what}", flush=True)


def copy_sources(root: Path, into: Path) -> Path:
    """The files that git has or would add, as they lie; without git all that are not made."""
    if not (root / ".git").exists():
        return Path(shutil.copytree(root, into, ignore=shutil.ignore_patterns(*LEFT)))
    listed = ["git", "-C", str(root), "ls-files", "-z", "-c", "-o", "--exclude-standard"]
    names = subprocess.run(listed, capture_output=True, check=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (root / name).is_file():  # not deleted since
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, into / name)
    return into


def build(tree: Path, dist: Path) -> Release:
    """The sdist of the tree, and the wheel of that sdist."""
    _run([sys.executable, "-m", "build", "--no-isolation", "--outdir", dist, tree])
    (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
    _run([sys.executable, "-m", "twine", "check", "--strict", sdist, wheel])
    return Release(tree, sdist, wheel)


def check_contents(release: Release) -> None:
    """Raises Unfit where a file is missing or too much, or the index's page leads nowhere."""
    tree = {
        path.relative_to(release.tree).as_posix()
        for path in release.tree.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with tarfile.open(release.sdist) as archive:
        packed = {m.name.partition("/")[2] for m in archive.getmembers() if m.isfile()}
    shipped = {name for name in tree if not any(re.match(place, name) for place in NOT_SHIPPED)}
    _same("sdist", packed, shipped, {"PKG-INFO"})
    with zipfile.ZipFile(release.wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        (metadata,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        page = message_from_string(archive.read(metadata).decode()).get_payload()
    package = {name.removeprefix("src/") for name in tree if name.startswith("src/")}
    _same("wheel", names, package, set())
    if nowhere := re.findall(r"\]\((?!https?:|mailto:)[^)]*\)", str(page)):
        raise Unfit(f"on an index these lead nowhere: {', '.join(nowhere)}")
    for kind, file in (("wheel", release.wheel), ("sdist", release.sdist)):
        size = file.stat().st_size / 1e6
        say(f"{file.name}: {size:.1f} MB, {len(names if kind == 'wheel' else packed)} files")
        if size > LARGEST_MB[kind]:
            raise Unfit(f"the {kind} has {size:.1f} MB, more than {LARGEST_MB[kind]:.0f}")


def _same(kind: str, found: set[str], expected: set[str], beside: set[str]) -> None:
    if missing := sorted(expected - found):
        raise Unfit(f"not in the {kind}: {', '.join(missing)}")
    if more := sorted(found - expected - beside):
        raise Unfit(f"in the {kind}, and not among the sources: {', '.join(more)}")


class Installed:
    """An environment that has the wheel and nothing else of candidly, and an empty home.

    Args:
        release: what is installed.
        folder: where the environment and all that is run there lie.
        borrow: a site-packages folder to take dependencies from; without it pip brings them, by
            the pins of constraints.txt.
    """

    def __init__(self, release: Release, folder: Path, borrow: Path | None = None) -> None:
        self.release, self.borrow = release, borrow
        self.environment, self.home = folder / "environment", folder / "home"
        self.empty, self.copy = folder / "empty", folder / "copy"
        for made in (self.home, self.empty, self.copy):
            made.mkdir(parents=True)
        bare = ["--without-pip"] if borrow else []
        _run([sys.executable, "-m", "venv", *bare, self.environment])
        if borrow:
            # a .pth file inside a folder that a .pth file names is not read: no editable candidly
            (packages,) = self.environment.glob("lib/python3*/site-packages")
            (packages / "borrowed.pth").write_text(f"{borrow}\n")
            pip = [sys.executable, "-m", "pip", "--python", self.environment / "bin" / "python"]
            _run([*pip, "install", "--quiet", "--no-deps", "--no-index", release.wheel])
        else:
            self.pip(str(release.wheel))
        with tarfile.open(release.sdist) as archive:
            archive.extractall(self.copy, filter="data")
        (inside,) = self.copy.iterdir()
        self.copy = inside
        shutil.rmtree(inside / "src")

    def pip(self, *wanted: str) -> None:
        """Installs by the pins that are tested."""
        pins = {"PIP_CONSTRAINT": str(self.release.tree / "constraints.txt")}
        quiet = ("--quiet", "--disable-pip-version-check")
        self.run("python", "-m", "pip", "install", *quiet, *wanted, more=pins)

    def run(
        self, *command: str, inside: Path | None = None, more: dict[str, str] | None = None
    ) -> str:
        """What a program of the environment prints, run in an empty folder or ``inside`` one."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "CANDIDLY_", "PYTEST_", "VIRTUAL_ENV"))
        }
        programs = self.environment / "bin"
        kept |= {"HOME": str(self.home), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            kept.pop(name, None)
        program, *rest = command
        return _run([programs / program, *rest], cwd=inside or self.empty, env=kept | (more or {}))

    def check_it_is_the_wheels(self) -> None:
        """Raises Unfit where another candidly than the wheel's is imported."""
        for folder in (self.empty, self.copy):
            where = self.run(
                "python", "-c", "import candidly; print(candidly.__file__)", inside=folder
            ).strip()
            if not Path(where).is_relative_to(self.environment):
                raise Unfit(f"not the wheel's candidly is imported, but {where}")

    def run_commands(self) -> None:
        """The first things that somebody types, the demo among them."""
        version = self.run("candidly", "--version").split()[-1]
        if f"candidly-{version}-" not in self.release.wheel.name:
            raise Unfit(f"{self.release.wheel.name} says that it is {version}")
        if "candidly demo" not in self.run("candidly", "--help"):
            raise Unfit("candidly --help does not name the demo")
        out = self.run("candidly", "demo")
        if "Chosen by OA:" not in out or "supervised-oracle" not in out:
            raise Unfit(f"the demo ends without its tables: {out[-2000:]}")
        if not (self.empty / "candidly-demo" / "report.html").is_file():
            raise Unfit("the demo ends without its report")

    def run_tests(self, *wanted: str) -> str:
        """The last line of pytest; what it is given are paths and options."""
        command = ("-m", "pytest", "-p", "no:cacheprovider", *wanted)
        return self.run("python", *command, inside=self.copy).strip().splitlines()[-1]


def _run(
    command: Sequence[str | Path], cwd: Path | None = None, env: dict[str, str] | None = None
) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unfit(f"{' '.join(words)}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}")
    return done.stdout


def changed(root: Path) -> str:
    """Files of git with changes that are not committed, a line each."""
    status = ["git", "-C", str(root), "status", "--porcelain", "--untracked-files=no"]
    return _run(status).strip() if (root / ".git").exists() else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where files go: emptied")
    dist = parser.parse_args().dist.resolve()
    if there := changed(ROOT):
        sys.exit(f"A release is made of what is committed. Not committed:\n{there}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="candidly-release-") as folder:
        work = Path(folder)
        say("building")
        shutil.rmtree(dist, ignore_errors=True)
        release = build(copy_sources(ROOT, work / "tree"), dist)
        check_contents(release)
        say("installing")
        installed = Installed(release, work)
        installed.check_it_is_the_wheels()
        say("the demo, with the dependencies that everybody gets")
        installed.run_commands()
        say("installing every extra, and what tests need")
        installed.pip(f"{release.wheel}[all]", *TEST_TOOLS)
        say("the command line's tests")
        say(installed.run_tests("tests/cli", "-n", "auto", "--timeout=900"))
    say(f"fit for release after {(time.monotonic() - began) / 60:.1f} minutes; files in {dist}")


if __name__ == "__main__":
    try:
        main()
    except Unfit as error:
        sys.exit(f"not fit for release: {error}")
