"""Virtual environments of submissions, made by pip without a network."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from candidly.compare.challenge import environment
from candidly.compare.challenge.confine import Limits, run_confined, ways
from candidly.compare.challenge.environment import CannotInstall, environment_for

SCRIPT = "import tiny, sys, numpy, candidly; print(tiny.WORD, tiny.__file__, sys.prefix)"


def wheel(folder: Path, word: str = "found", extra: dict[str, str] | None = None) -> None:
    """A wheel of one module, with a command, made by hand."""
    about = "tiny-1.0.dist-info"
    files = {
        "tiny.py": f"WORD = {word!r}\ndef main(): print('command', WORD)\n",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n"
        "Requires-Dist: numpy\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": "[console_scripts]\ntiny = tiny:main\n",
        **(extra or {}),
    }
    files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(folder / "tiny-1.0-py3-none-any.whl", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    folder = tmp_path / "submission"
    folder.mkdir()
    folder.chmod(0o755)
    return folder


def asks_for(submission: Path, text: str) -> Path:
    (submission / "requirements.txt").write_text(text)
    return submission


def run(virtual: Path, *command: str) -> str:
    ended = run_confined(
        lambda places: command, readable={}, wanted=(), limits=Limits(20), virtual=virtual
    )
    return ended.log.decode()


@pytest.mark.parametrize("text", [None, "", "\n  \n# nothing\n   # at all\n"])
def test_who_asks_for_nothing_gets_nothing(submission, tmp_path, text):
    if text is not None:
        asks_for(submission, text)
    assert environment_for(submission, tmp_path / "at", install=False) is None
    assert not (tmp_path / "at").exists()


@pytest.mark.slow
def test_what_is_asked_for_is_there_and_nowhere_else(submission, tmp_path):
    wheel(submission)
    asks_for(submission, "# mine\n./tiny-1.0-py3-none-any.whl\n")
    at = environment_for(submission, tmp_path / "all" / "at", install=False)
    assert at == tmp_path / "all" / "at"
    word, where, prefix = run(at, "python", "-c", SCRIPT).split()
    assert word == "found"
    assert Path(where).is_relative_to(at)
    assert Path(prefix) == at
    assert run(at, "tiny") == "command found\n"
    assert sorted(path.name for path in submission.iterdir()) == [
        "requirements.txt",
        "tiny-1.0-py3-none-any.whl",
    ]
    # made once ...
    made = (at / "made.txt").stat().st_mtime_ns
    assert environment_for(submission, at, install=False) == at
    assert (at / "made.txt").stat().st_mtime_ns == made
    # ... and again where it was cut off
    (at / "made.txt").unlink()
    (at / "installed" / "left").touch()
    wheel(submission, "another")
    environment_for(submission, at, install=False)
    assert not (at / "installed" / "left").exists()
    assert run(at, "python", "-c", SCRIPT).startswith("another ")


@pytest.mark.slow
def test_what_needs_a_network_is_refused_without(submission, tmp_path):
    asks_for(submission, "no-such-package-of-candidly==9\n")
    said = r"(?s)it had no network, as nobody asked for one\):\n.*No matching distribution found"
    at = tmp_path / "at"
    with pytest.raises(CannotInstall, match=said):
        environment_for(submission, at, install=False)
    asks_for(submission, "numpy\n")  # which is here
    assert environment_for(submission, at, install=False) == at


@pytest.mark.slow
@pytest.mark.skipif(ways()[0] == "limits alone", reason="needs namespaces")
def test_pip_sees_the_submission_alone(submission, tmp_path):
    secret = tmp_path / "truth.whl"
    secret.write_text("truth")
    asks_for(submission, f"{secret}\n")
    with pytest.raises(CannotInstall, match="looks like a filename, but the file does not exist"):
        environment_for(submission, tmp_path / "at", install=False)


def test_requirements_are_a_regular_file(submission, tmp_path):
    (submission / "requirements.txt").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match="cannot be read: a symbolic link, not a regular file"):
        environment_for(submission, tmp_path / "at", install=False)


def test_what_a_stranger_wrote_is_copied_as_files_and_links(tmp_path):
    source, target, outside = tmp_path / "source", tmp_path / "target", tmp_path / "outside"
    (source / "bin").mkdir(parents=True)
    target.mkdir()
    outside.write_text("outside")
    (source / "bin" / "python").symlink_to(outside)
    (source / "text").write_text("text")
    environment._copy(source, target, 100)
    assert os.readlink(target / "bin" / "python") == str(outside)
    assert (target / "text").read_text() == "text"
    os.mkfifo(source / "pipe")
    (tmp_path / "again").mkdir()
    with pytest.raises(ValueError, match="a named pipe"):
        environment._copy(source, tmp_path / "again", 100)
    (source / "pipe").unlink()
    (source / "text").write_text("t" * 60)
    (source / "more").write_text("t" * 60)  # 120 bytes together
    (tmp_path / "third").mkdir()
    with pytest.raises(ValueError, match="60 bytes, and at most 40 are allowed"):
        environment._copy(source, tmp_path / "third", 100)
