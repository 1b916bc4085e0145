"""Taking a submission in: files are copied, the manifest checked, its likeness to others told."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...ground.files import write_json
from ...ground.problem import refused
from ._manifest import Manifest, check_against, read_manifest
from ._protocol import Protocol

MOST_BYTES = 256 << 20  # of a submission's files
MOST_FILES = 10_000
ALIKE = 0.9  # share of the runs of words in either text that both have
RUN = 5  # words
TEXT_BYTES = 1 << 20  # of a submission's texts, that are compared
ENDINGS = (".py", ".sh", ".json", ".toml", ".yaml", ".yml", ".txt", ".cfg", ".r", ".jl", ".ipynb")


@dataclass(frozen=True)
class Submission:
    """A submission that was taken in.

    Attributes:
        manifest: as it was read.
        files: the folder that holds the copy.
        digest: SHA-256 of names and contents.
        alike: names of earlier submissions that it is nearly identical to.
    """

    manifest: Manifest
    files: Path
    digest: str
    alike: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Of the submission."""
        return self.manifest.name


def submit(
    folder: Path | str, protocol: Protocol, given: Path | str, replace: bool = False
) -> Submission:
    """Take a submission into a challenge.

    Args:
        folder: the folder of the challenge.
        given: of the submission.
        replace: in place of an earlier one of that name, whose runs are dropped.

    Raises:
        ValueError: it breaks a rule; nothing was taken in.
        FileExistsError: another submission of that name is there.
    """
    folder, given = Path(folder), Path(given)
    manifest = read_manifest(given)
    check_against(manifest, protocol)
    names = sorted(_files(given))
    digest = _digest(given, names)
    at = folder / "submissions" / manifest.name
    if (at / "submission.json").is_file():
        known = read_submission(at)
        if known.digest == digest:
            return known
        if not replace:
            raise refused(
                FileExistsError,
                f"there is another submission named {manifest.name!r}.",
                "give this one another name",
                "drop that and its runs with `replace=True`",
            )
        shutil.rmtree(folder / "runs" / manifest.name, ignore_errors=True)
    shutil.rmtree(at, ignore_errors=True)
    at.mkdir(parents=True)
    for name in names:
        there = at / "files" / name
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(given / name, there)
        there.chmod(0o755 if os.access(given / name, os.X_OK) else 0o644)
    for place in (at / "files", *(at / "files").rglob("*/")):
        place.chmod(0o755)  # runs have another user than we, whatever our umask is
    mine = words_of(at / "files")
    alike = [
        other.name
        for other in submissions(folder)
        if other.name != manifest.name and likeness(mine, words_of(other.files)) >= ALIKE
    ]
    write_json({"digest": digest, "alike": alike}, at / "submission.json", again=True)
    return read_submission(at)


def read_submission(at: Path) -> Submission:
    """A submission that was taken in."""
    kept = json.loads((at / "submission.json").read_text("utf-8"))
    files = at / "files"
    return Submission(read_manifest(files), files, kept["digest"], tuple(kept["alike"]))


def submissions(folder: Path | str) -> list[Submission]:
    """All that were taken in, by name."""
    folder = Path(folder)
    places = sorted((folder / "submissions").glob("*/submission.json"))
    return [read_submission(place.parent) for place in places]


def _files(given: Path) -> Iterator[str]:
    """Names of a submission's files, relative to its folder.

    Raises:
        ValueError: a link or something else that is no file, or too much of it.
    """
    count = size = 0
    for at, folders, names in os.walk(given):
        folders[:] = [name for name in folders if name not in ("__pycache__", ".git", ".venv")]
        for name in (*folders, *names):
            path = Path(at) / name
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                raise ValueError(
                    f"{path} is a link or a special file; a submission has files and folders alone."
                )
        for name in names:
            path = Path(at) / name
            count, size = count + 1, size + path.stat().st_size
            if count > MOST_FILES or size > MOST_BYTES:
                raise ValueError(
                    f"{given} holds more than {MOST_FILES:,} files or {MOST_BYTES >> 20} MB; leave "
                    "out data and environments."
                )
            yield path.relative_to(given).as_posix()


def _digest(given: Path, names: list[str]) -> str:
    digest = hashlib.sha256()
    for name in names:
        content = (given / name).read_bytes()
        digest.update(f"{len(name)} {name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


# likeness: the rules refuse what differs in numbers alone


def words_of(files: Path) -> set[tuple[str, ...]]:
    """Runs of words of a submission's texts, without numbers, comments, spaces and its name."""
    runs: set[tuple[str, ...]] = set()
    left = TEXT_BYTES
    for path in sorted(files.rglob("*")):
        if path.suffix.lower() not in ENDINGS or path.stat().st_size > left:
            continue
        left -= path.stat().st_size
        words = list(_words(path))
        runs |= {tuple(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))}
    return runs


def _words(path: Path) -> Iterator[str]:
    if path.name == "manifest.json":
        table = json.loads(path.read_text("utf-8"))
        yield from (key for key in sorted(table.get("hyperparameters", {})))
        return
    try:
        with tokenize.open(path) as file:
            for token in tokenize.generate_tokens(file.readline):
                if token.type in (tokenize.NAME, tokenize.OP, tokenize.STRING):
                    yield token.string
    except (SyntaxError, tokenize.TokenError, UnicodeDecodeError, ValueError):
        return  # what came before it counts


def likeness(mine: set[tuple[str, ...]], other: set[tuple[str, ...]]) -> float:
    """Of the runs of words that either has, the share that both have, in [0, 1]."""
    either = len(mine | other)
    return len(mine & other) / either if either else 1.0
